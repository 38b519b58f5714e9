internal import CDemangle

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The plain form of a Swift name by the running Swift runtime; `nil` if it does not read it.
func demangleSwift(_ name: String, simplified: Bool) -> String? {
    // The runtime reads at most one leading underscore, and none before `_T0`.
    let trimmed = name.utf8.starts(with: "__T0".utf8) ? String(name.dropFirst()) : name
    let length = trimmed.utf8.count
    let result = unsafe trimmed.withCString { text in
        simplified ? unsafe _swift_backtrace_demangle(text, length, nil, nil) : unsafe swift_demangle(text, length, nil, nil, 0)
    }
    guard let result = unsafe result else { return nil }
    defer { unsafe free(result) }
    let text = unsafe String(cString: result)
    return text == trimmed ? nil : text
}
