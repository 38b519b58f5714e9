internal import CDemangle

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The plain form of a C++ name with what a compiler hung onto it, worded as LLVM's demangler does (`ItaniumDemangle.h`); `nil` if it is not well-formed.
///
/// - `_Z3foov.cold` (gcc's and LLVM's splits and clones of one function: `.cold`, `.isra.0`, `.part.1`, `.lto_priv.0`, `.llvm.123`) → `foo() (.cold)`.
/// - `___Z3foov_block_invoke_2` (a clang block inside a C++ function) → `invocation function for block in foo()`.
func demangleItanium(_ name: String) -> String? {
    let bytes = Array(name.utf8)
    let underscores = bytes.prefix { $0 == UInt8(ascii: "_") }.count
    guard underscores >= 1 else { return nil }
    let core = bytes[(underscores - 1)...]
    if underscores >= 3 { return demangleBlock(core) }
    return demangleWithSuffix(core)
}

/// No Itanium name contains a dot, so the suffix begins at the first dot; but a source name, counted by its length, may hold anything,
/// so the dots are tried from the left until what stands before one is a name.
private func demangleWithSuffix(_ name: ArraySlice<UInt8>) -> String? {
    // Compilers hang at most a handful of suffixes on a name; more dots are a hostile one.
    let dots = name.indices.lazy.filter { name[$0] == UInt8(ascii: ".") }.prefix(16)
    for dot in dots {
        if let plain = demangleWhole(name[..<dot]) { return plain + " (" + String(decoding: name[dot...], as: UTF8.self) + ")" }
    }
    return demangleWhole(name)
}

private func demangleBlock(_ name: ArraySlice<UInt8>) -> String? {
    let marker = Array("_block_invoke".utf8)
    guard name.count > marker.count else { return nil }
    for start in name.indices.dropLast(marker.count - 1) where name[start...].starts(with: marker) {
        guard let plain = demangleWhole(name[..<start]) else { continue }
        var rest = name[(start + marker.count)...]
        if rest.first == UInt8(ascii: "_") {
            rest = rest.dropFirst()
            guard let digit = rest.first, isDigit(digit) else { return nil }
        }
        rest = rest.drop(while: isDigit)
        guard rest.isEmpty || rest.first == UInt8(ascii: ".") else { return nil }
        return "invocation function for block in " + plain
    }
    return nil
}

private func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

private func demangleWhole(_ name: ArraySlice<UInt8>) -> String? {
    var status: Int32 = 0
    let result = unsafe String(decoding: name, as: UTF8.self).withCString { text in
        unsafe __cxa_demangle(text, nil, nil, &status)
    }
    guard let result = unsafe result else { return nil }
    defer { unsafe free(result) }
    return unsafe status == 0 ? String(cString: result) : nil
}
