public import BinaryPrimitives

/// Turns linker names into the names that people wrote.
public struct Demangler: Sendable {
    /// How much of a demangled name is kept.
    public enum Style: String, Sendable, CaseIterable {
        /// Swift without modules, types of arguments and results, as Apple's and Swift's own crash
        /// reports print it: `Foo.bar(_:baz:)`. Rust without hashes, as its own backtraces print
        /// it. C++ as LLVM prints it.
        case simplified
        /// Swift with everything: `main.Foo.bar(_: Swift.Int, baz: Swift.String) -> Swift.Int`.
        /// Rust keeps its hashes, and the types of constants.
        case full
        /// Every name as the file has it.
        case none
    }

    /// How much of a name is kept.
    public var style: Style
    /// Longer mangled names stay as they are (`mangledNameLength`), and so do names whose parts
    /// nest too deeply (`demanglingDepth`) or whose plain form is too long (`nameLength`).
    package var limits: Limits

    /// Schemes whose names stay as they are.
    package var unread: [ManglingScheme] = []

    /// - Parameters:
    ///   - style: how much of a name is kept.
    ///   - limits: how long and how deep names may be.
    public init(style: Style = .simplified, limits: Limits = .standard) {
        self.style = style
        self.limits = limits
    }

    /// The plain form of `name`.
    /// - Parameter name: a name as the file has it, with or without Mach-O's leading underscore.
    /// - Returns: `name` unchanged where it is not mangled, longer than the limit, of a scheme that
    ///   is not read, or not well-formed.
    public func demangle(_ name: String) -> String { read(name).text }

    /// The plain form of `name`, and what it was read as.
    package func read(_ name: String) -> DemangledName {
        guard style != .none, name.utf8.count <= limits.mangledNameLength else {
            return DemangledName(text: name, scheme: ManglingScheme(of: name), staysMangled: true)
        }
        // Apple's name for the stub of an imported function,
        // `DYLD-STUB$$operator new(unsigned long)`: the prefix comes before the function's own
        // name.
        if name.utf8.first == UInt8(ascii: "D"), name.hasPrefix(Self.stub) {
            let function = name.dropFirst(Self.stub.count)
            if function.hasPrefix(Self.stub) { return DemangledName(text: name, scheme: .plain, staysMangled: false) }
            var result = read(String(function))
            result.text = Self.stub + result.text
            return result
        }
        let found = RecognizedName(Array(name.utf8))
        guard !unread.contains(found.scheme) else { return DemangledName(text: name, scheme: found.scheme, staysMangled: true) }
        guard found.scheme != .plain else { return DemangledName(text: name, scheme: .plain, staysMangled: false) }
        // `_Z3foov@@VERSION`: a symbol's version hangs on its name in some tables. A Swift macro's
        // name begins with `@` and is taken whole.
        var version = found.bytes[found.bytes.endIndex...]
        if let at = found.bytes.firstIndex(of: UInt8(ascii: "@")), at > 0 { version = found.bytes[at...] }
        let plain = version.isEmpty ? plainForm(found) : plainForm(RecognizedName(Array(found.bytes[..<version.startIndex])))
        guard let plain else { return DemangledName(text: name, scheme: found.scheme, staysMangled: true) }
        return DemangledName(text: plain + String(decoding: version, as: UTF8.self), scheme: found.scheme, staysMangled: false)
    }

    private static let stub = "DYLD-STUB$$"

    private func plainForm(_ name: RecognizedName) -> String? {
        let isFull = style == .full
        let plain: String? =
            switch name.scheme {
            case .plain: nil
            case .swift: demangleSwift(String(decoding: name.bytes[name.start...], as: UTF8.self), simplified: !isFull)
            case .swiftBefore4: demangleSwiftBefore4(name.bytes, from: name.start, isFull: isFull, limits: limits)
            case .itanium: demangleItanium(name.bytes, from: name.start, limits: limits)
            case .rustLegacy: name.rustLegacy?.text(withHash: isFull)
            case .rustV0: demangleRustV0(name.bytes, from: name.start, isFull: isFull, limits: limits)
            }
        // The dot in front is a function's entry on 64-bit PowerPC; LLVM's demangler leaves it
        // there.
        return name.bytes.first == UInt8(ascii: ".") ? plain.map { "." + $0 } : plain
    }
}

/// A name as people wrote it.
package struct DemangledName: Sendable, Hashable {
    package var text: String
    /// How the linker's name was made.
    package var scheme: ManglingScheme
    /// Whether `text` is still the linker's name although that follows a scheme: it is not
    /// well-formed, has a construct that is not read, or is beyond the limits.
    package var staysMangled: Bool

    package init(text: String, scheme: ManglingScheme, staysMangled: Bool) {
        self.text = text
        self.scheme = scheme
        self.staysMangled = staysMangled
    }
}
