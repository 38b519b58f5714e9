public import BinaryPrimitives
internal import CCairn
internal import LibC

/// Turns linker names into the names that people wrote.
public struct Demangler: Sendable {
    /// How much of a demangled name is kept.
    public enum Style: String, Sendable, CaseIterable {
        /// Swift without modules, types of arguments and results, as Apple's and Swift's own crash
        /// reports print it: `Foo.bar(_:baz:)`. Rust without hashes, as its own backtraces print
        /// it. C++ as LLVM prints it, D and OCaml as their runtimes print them, Haskell as
        /// `package:Module.name`, Pascal as `UNIT.NAME`, Fortran, Ada and gcc's
        /// Objective-C as gdb does, Nim as `module.name`.
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
    /// The language of all names that look like those of C; `nil`: of C, unless their files say otherwise.
    package var language: FileLanguage?

    /// A demangler for addr2line, llvm-symbolizer and atos: other languages' names stay as those
    /// tools show them.
    package static func ofTools(style: Style = .simplified) -> Demangler {
        var demangler = Demangler(style: style)
        demangler.unread = ManglingScheme.otherLanguages
        return demangler
    }

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
    /// - Parameter language: of the function's source file, where names of that language look like those of C.
    package func read(_ name: String, in language: FileLanguage? = nil) -> DemangledName {
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
        guard found.scheme != .plain else {
            guard let language = language ?? self.language, !unread.contains(language.scheme) else {
                return DemangledName(text: name, scheme: .plain, staysMangled: false)
            }
            return language.read(name)
        }
        guard !unread.contains(found.scheme) else { return DemangledName(text: name, scheme: found.scheme, staysMangled: true) }
        // `_Z3foov@@VERSION`: a symbol's version hangs on its name in some tables. A Swift macro's
        // name begins with `@` and is taken whole.
        var version = found.bytes[found.bytes.endIndex...]
        if let at = found.bytes.firstIndex(of: UInt8(ascii: "@")), at > 0 { version = found.bytes[at...] }
        let plain = version.isEmpty ? plainForm(found) : plainForm(RecognizedName(Array(found.bytes[..<version.startIndex])))
        guard var plain else { return DemangledName(text: name, scheme: found.scheme, staysMangled: true) }
        if !version.isEmpty { plain += String(decoding: version, as: UTF8.self) }
        return DemangledName(text: plain, scheme: found.scheme, staysMangled: false)
    }

    private static let stub = "DYLD-STUB$$"

    private func plainForm(_ name: RecognizedName) -> String? {
        let isFull = style == .full
        let plain: String? =
            switch name.scheme {
            case .plain, .nim: nil
            case .swift: demangleSwift(String(decoding: name.bytes[name.start...], as: UTF8.self), simplified: !isFull)
            case .swiftBefore4: demangleSwiftBefore4(name.bytes, from: name.start, isFull: isFull, limits: limits)
            case .itanium: demangleItanium(name.bytes, from: name.start, limits: limits)
            case .rustLegacy: name.rustLegacy?.text(withHash: isFull)
            case .rustV0: demangleRustV0(name.bytes, from: name.start, isFull: isFull, limits: limits)
            case .d: demangleD(name.bytes, from: name.start, limits: limits)
            case .gfortran: FortranName.gfortranText(name.bytes, from: name.start + 2)
            case .flang: FortranName.flangText(name.bytes, from: name.start)
            case .gnuObjectiveC: GNUObjectiveCName.text(name.bytes, from: name.start)
            case .haskell: HaskellName.text(name.bytes, from: name.start)
            case .pascal: PascalName.text(name.bytes, from: name.start)
            case .ada: AdaName.text(name.bytes, from: name.start)
            case .ocaml: OCamlName.text(name.bytes, from: name.start)
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

/// The plain form of a C++ name with the suffix of the compiler, spelled as LLVM's demangler does;
/// `nil` if it is not well-formed or excessive.
///
/// - `_Z3foov.cold` (gcc's and LLVM's splits and clones of one function: `.cold`, `.isra.0`,
///   `.part.1`, `.lto_priv.0`, `.llvm.123`) → `foo() (.cold)`.
/// - `___Z3foov_block_invoke_2` (a clang block inside a C++ function) →
///   `invocation function for block in foo()`.
///
/// Names that LLVM's demangler reads are read in the same way; a name that it does not read is then
/// tried as gcc's demangler reads it (`ItaniumParser.readsMore`).
/// - Parameter start: Position of the name, after Mach-O's underscore.
private func demangleItanium(_ name: [UInt8], from start: Int, limits: Limits) -> String? {
    let cursor = NameCursor(name, from: start)
    var parser = ItaniumParser(cursor, limits: limits)
    var root = try? parser.mangledName()
    if root == nil {
        parser = ItaniumParser(cursor, limits: limits, readsMore: true)
        root = try? parser.mangledName()
    }
    guard let root else { return nil }
    var printer = ItaniumPrinter(cursor, parser.removeTree(), limits: limits)
    return printer.text(of: root)
}

/// The plain form of a Rust name of RFC 2603; `nil` if it is not well-formed or excessive.
/// - Parameters:
///   - start: Position of `_R`, after Mach-O's underscore.
///   - isFull: with crate hashes and the types of constants.
private func demangleRustV0(_ name: [UInt8], from start: Int, isFull: Bool, limits: Limits) -> String? {
    var reader = RustV0Reader(NameCursor(name), start: start + 2, isFull: isFull, limits: limits)
    guard (try? reader.symbolName()) != nil else { return nil }
    guard let suffix = CompilerSuffix.text(name[reader.cursor.position...]) else { return nil }
    return String(decoding: reader.output, as: UTF8.self) + suffix
}

/// The plain form of a D name with the compiler's suffix; `nil` if it is not well-formed or
/// excessive.
/// - Parameter start: Position of `_D`, after Mach-O's underscore.
private func demangleD(_ name: [UInt8], from start: Int, limits: Limits) -> String? {
    // No part of a D name has a dot.
    let end = name[start...].firstIndex(of: UInt8(ascii: ".")) ?? name.endIndex
    guard let suffix = CompilerSuffix.text(name[end...]) else { return nil }
    // The runtime's name of the `main` that the program declares.
    if name[start..<end].elementsEqual("_Dmain".utf8) { return "D main" + suffix }
    var reader = DReader(NameCursor(Array(name[..<end]), from: start), limits: limits)
    guard (try? reader.symbolName()) != nil else { return nil }
    return String(decoding: reader.output, as: UTF8.self) + suffix
}

/// The plain form of a Swift name by the running Swift runtime; `nil` if it does not read it.
/// - Parameter name: without Mach-O's underscore, which the runtime does not expect before `_T0`.
private func demangleSwift(_ name: String, simplified: Bool) -> String? {
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

/// The plain form of a Swift 1 to 3 name; `nil` if it is not well-formed, has an unsupported
/// construct, or is excessive.
/// - Parameter start: Position of `_T`, after Mach-O's underscore.
func demangleSwiftBefore4(_ name: [UInt8], from start: Int, isFull: Bool, limits: Limits) -> String? {
    var parser = SwiftBefore4Parser(NameCursor(name, from: start), limits: limits)
    guard let root = try? parser.mangledName() else { return nil }
    var printer = SwiftBefore4Printer(parser.tree, isFull: isFull, limits: limits)
    return printer.text(of: root)
}
