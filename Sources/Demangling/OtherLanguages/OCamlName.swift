internal import BinaryPrimitives

/// Names of OCaml's native compiler: `caml`, the compilation unit, a separator, the value's name and
/// its number in the unit. They are spelled as in the backtraces that the runtime prints, as far as
/// the name has it: a function in a submodule or another function has only its own name.
///
/// | compiler | symbol | name |
/// |---|---|---|
/// | 4 | `camlFaults__between_98` | `Faults.between` |
/// | 5 | `camlFaults.between_98` | `Faults.between` |
/// | 5.4 on macOS, with MSVC | `camlFaults$between_98` | `Faults.between` |
/// | 4 | `camlFaults__$2b$2b_90` | `Faults.(++)` |
/// | 4 | `camlFaults__fun_435` | `Faults.fun_435` (an anonymous function or a method) |
/// | 4 | `camlFaults__entry` | `Faults` (the unit's own code) |
enum OCamlName {
    /// The first letters of such a name: `caml` and a capital letter.
    static func isNext(_ bytes: [UInt8], from start: Int) -> Bool {
        guard start + 5 < bytes.count, bytes[start...].starts(with: "caml".utf8) else { return false }
        return isCapital(bytes[start + 4])
    }

    /// The plain form; `nil` if the symbol is not a function's.
    static func text(_ bytes: [UInt8], from start: Int) -> String? {
        guard isNext(bytes, from: start), var (path, value) = split(bytes[(start + 4)...]) else { return nil }
        guard path.allSatisfy(isModule) else { return nil }
        if !value.elementsEqual("entry".utf8) {
            // The number at the end.
            guard let mark = value.lastIndex(of: UInt8(ascii: "_")), mark > value.startIndex, mark + 1 < value.endIndex,
                value[(mark + 1)...].allSatisfy(isDigit)
            else { return nil }
            // `fun` is a keyword, so only the compiler gives this name; its number says which one.
            if !value[..<mark].elementsEqual("fun".utf8) { value = value[..<mark] }
            guard let name = unescaped(value), let first = name.first, !isDigit(first) else { return nil }
            path.append(isIdentifier(first) || first >= 0x80 ? name[...] : [UInt8(ascii: "(")] + name + [UInt8(ascii: ")")])
        }
        return path.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
    }

    /// Splits a name without `caml` into the unit, with those that it is packed in, and the rest.
    private static func split(_ name: ArraySlice<UInt8>) -> (path: [ArraySlice<UInt8>], value: ArraySlice<UInt8>)? {
        // After a dollar that separates there is a letter, after one that escapes ASCII's
        // punctuation a digit.
        let separators = name.indices.filter { index in
            switch name[index] {
            case UInt8(ascii: "."): true
            case UInt8(ascii: "$"): index + 1 < name.endIndex && (isCapital(name[index + 1]) || isLowercase(name[index + 1]))
            default: false
            }
        }
        if let first = separators.first, let last = separators.last {
            let path = name[..<last].split(separator: name[first], omittingEmptySubsequences: false)
            return (path, name[(last + 1)...])
        }
        // Two underscores separate modules from each other and from the value. Modules begin with a
        // capital letter, values do not; `Dune__exe__Main` is what dune calls a program's modules.
        var end: Int?
        var index = name.startIndex
        if name.starts(with: "Dune__exe__".utf8) { index += 9 }
        while let next = twoUnderscores(in: name, from: index) {
            end = next
            index = next + 2
            guard index < name.endIndex, isCapital(name[index]) else { break }
        }
        return end.map { ([name[..<$0]], name[($0 + 2)...]) }
    }

    private static func twoUnderscores(in name: ArraySlice<UInt8>, from start: Int) -> Int? {
        name[start...].dropLast().indices.first { name[$0] == UInt8(ascii: "_") && name[$0 + 1] == UInt8(ascii: "_") }
    }

    /// Undoes the escapes: a dollar and two hexadecimal digits.
    private static func unescaped(_ name: ArraySlice<UInt8>) -> [UInt8]? {
        var text: [UInt8] = []
        var rest = name
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "$") else {
                guard isIdentifier(byte) else { return nil }
                text.append(byte)
                continue
            }
            guard rest.count >= 2, let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), code > 0x20, code != 0x7f
            else { return nil }
            text.append(code)
            rest = rest.dropFirst(2)
        }
        return text
    }

    private static func isModule(_ name: ArraySlice<UInt8>) -> Bool { name.first.map(isCapital) == true && name.allSatisfy(isIdentifier) }
}
