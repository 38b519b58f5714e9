public import BinaryPrimitives

/// Turns linker names into the names that people wrote.
public struct Demangler: Sendable {
    public enum Style: String, Sendable, CaseIterable {
        /// Swift without modules, types of arguments and results, as Apple's and Swift's own crash reports print it: `Foo.bar(_:baz:)`.
        case simplified
        /// Swift with everything: `main.Foo.bar(_: Swift.Int, baz: Swift.String) -> Swift.Int`. Rust keeps its hash.
        case full
        /// Every name as the file has it.
        case none
    }

    public var style: Style
    /// Longer mangled names stay as they are (`mangledNameLength`).
    public var limits: Limits

    public init(style: Style = .simplified, limits: Limits = .standard) {
        self.style = style
        self.limits = limits
    }

    /// The plain form of `name`.
    /// - Parameter name: a name as the file has it, with or without Mach-O's leading underscore.
    /// - Returns: `name` unchanged where it is not mangled, longer than the limit, of a scheme that is not read, or not well-formed.
    public func demangle(_ name: String) -> String {
        guard style != .none, name.utf8.count <= limits.mangledNameLength else { return name }
        // Apple's name for the stub of an imported function, `DYLD-STUB$$operator new(unsigned long)`: the prefix stands before the function's own name.
        let stub = "DYLD-STUB$$"
        if name.hasPrefix(stub), !name.dropFirst(stub.count).hasPrefix(stub) { return stub + demangle(String(name.dropFirst(stub.count))) }
        switch ManglingScheme(of: name) {
        case .plain, .swiftBefore4, .rustV0: return name
        case .swift: return demangleSwift(name, simplified: style == .simplified) ?? name
        case .itanium: return demangleItanium(name) ?? name
        case .rustLegacy: return RustLegacyName(name.utf8)?.text(withHash: style == .full) ?? name
        }
    }
}
