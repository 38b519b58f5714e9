/// How a linker name was made from a function's name.
public enum ManglingScheme: Sendable, Hashable {
    /// Swift 4 and later: `$s…`, `$S…`, `_T0…`, and the macro expansions' `@__swiftmacro_…`.
    case swift
    /// Swift 1 to 3: `_T…`. Not read: such names stay mangled.
    case swiftBefore4
    /// The Itanium C++ ABI's `_Z…`, and clang's blocks inside such functions.
    case itanium
    /// Rust until 2025's default: an Itanium name whose last part is `17h` and 16 hexadecimal digits.
    case rustLegacy
    /// Rust's own scheme, `_R…` (RFC 2603). Not read: such names stay mangled.
    case rustV0
    /// The name of a C function, an Objective-C method, assembly: it is its own plain form.
    case plain

    /// The scheme that `name` follows, from its first characters. Mach-O's extra leading underscore is allowed for.
    public init(of name: String) {
        let name = name.utf8
        if name.starts(with: "_Z".utf8) || name.starts(with: "__Z".utf8) || name.starts(with: "___Z".utf8)
            || name.starts(with: "____Z".utf8)
        {
            self = RustLegacyName(name) == nil ? .itanium : .rustLegacy
        } else if ["$s", "_$s", "$S", "_$S", "$e", "_$e", "_T0", "__T0", "@__swiftmacro_"].contains(where: { name.starts(with: $0.utf8) }) {
            self = .swift
        } else if name.starts(with: "_T".utf8) || name.starts(with: "__T".utf8) {
            self = ManglingScheme.isSwiftBefore4(name) ? .swiftBefore4 : .plain
        } else if name.starts(with: "_R".utf8) || name.starts(with: "__R".utf8) {
            self = ManglingScheme.isRustV0(name) ? .rustV0 : .plain
        } else {
            self = .plain
        }
    }

    /// Whether a name of this scheme is given as it is because nothing here reads the scheme.
    public var staysMangled: Bool { self == .swiftBefore4 || self == .rustV0 }

    /// RFC 2603: `_R`, an optional decimal version, then a path, which begins with one of these capital letters.
    private static func isRustV0(_ name: String.UTF8View) -> Bool {
        let rest = name.drop { $0 == UInt8(ascii: "_") }.dropFirst()
        guard let first = rest.first else { return false }
        return "CMXYNIB".utf8.contains(first) && rest.count > 2
    }

    /// The entity letters that follow `_T` in the mangling of Swift 1 to 3 (its `docs/ABI/OldMangling.rst`): functions, types, witnesses, thunks and the like.
    private static func isSwiftBefore4(_ name: String.UTF8View) -> Bool {
        let rest = name.drop { $0 == UInt8(ascii: "_") }.dropFirst()
        guard let first = rest.first else { return false }
        return "FSWZMPVtTIRwo".utf8.contains(first) && rest.count > 2
    }
}
