internal import CCairn
internal import LibC

/// The plain form of a Swift name by the running Swift runtime; `nil` if it does not read it.
/// - Parameter name: without Mach-O's underscore, which the runtime does not expect before `_T0`.
func demangleSwift(_ name: String, simplified: Bool) -> String? {
    let length = name.utf8.count
    let result = unsafe name.withCString { text in
        simplified ? unsafe _swift_backtrace_demangle(text, length, nil, nil) : unsafe swift_demangle(text, length, nil, nil, 0)
    }
    guard let result = unsafe result else { return nil }
    defer { unsafe free(result) }
    let text = unsafe String(cString: result)
    guard text != name else { return nil }
    return simplified ? text : SwiftSugar.applied(to: text)
}
