/// How a linker name was made from a function's name.
package enum ManglingScheme: Sendable, Hashable {
    /// Swift 4 and later: `$s…`, `$S…`, `$e…` (embedded), `_T0…`, and the macro expansions'
    /// `@__swiftmacro_…`.
    case swift
    /// Swift 1 to 3: `_T…`.
    case swiftBefore4
    /// The Itanium C++ ABI's `_Z…`, and clang's blocks inside such functions.
    case itanium
    /// Rust until 1.94: an Itanium name whose last part is `17h` and 16 hexadecimal digits.
    case rustLegacy
    /// Rust's own scheme, `_R…` (RFC 2603).
    case rustV0
    /// D's `_D…`, and `_Dmain`.
    case d
    /// A method of Objective-C by gcc: `_i_Class__method_`.
    case gnuObjectiveC
    /// OCaml's native compiler: `camlModule__name_123`, `camlModule.name_123`.
    case ocaml
    /// A Fortran module's procedure by gfortran: `__module_MOD_procedure`.
    case gfortran
    /// Fortran by flang: `_QMmodulePprocedure`.
    case flang
    /// GHC's Z-encoding: `package_Module_name_info`.
    case haskell
    /// Free Pascal: `UNIT_$$_NAME$LONGINT`.
    case pascal
    /// GNAT's Ada: a library procedure `_ada_main`, and `package__procedure` in a file of Ada.
    case ada
    /// Nim, in its own files: `procedure__module_12`.
    case nim
    /// The name of a C function, an Objective-C method, assembly: it is its own plain form.
    case plain

    /// Every scheme of mangled names.
    package static let all: [ManglingScheme] = [.swift, .swiftBefore4, .itanium, .rustLegacy, .rustV0] + otherLanguages

    /// Schemes that addr2line, llvm-symbolizer and atos do not read.
    static let otherLanguages: [ManglingScheme] = [.d, .gnuObjectiveC, .ocaml, .gfortran, .flang, .haskell, .pascal, .ada, .nim]

    /// The scheme that `name` follows, from its first characters. Mach-O's extra leading underscore
    /// is allowed for.
    package init(of name: String) { self = RecognizedName(Array(name.utf8)).scheme }
}

/// A name, and where its mangling begins.
struct RecognizedName {
    let bytes: [UInt8]
    private(set) var scheme = ManglingScheme.plain
    /// Position of the scheme's own prefix, after the prefix of object files: Mach-O's underscore,
    /// the dot that marks a function's entry on 64-bit PowerPC.
    private(set) var start = 0
    private(set) var rustLegacy: RustLegacyName?

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.first == UInt8(ascii: ".") { start = 1 }
        scheme = recognize()
        if scheme == .plain { start = 0 }
    }

    private func isCapital(_ letter: Unicode.Scalar) -> Bool { letter.value &- 65 < 26 }

    private func isLowercase(_ letter: Unicode.Scalar) -> Bool { letter.value &- 97 < 26 }

    private func letter(_ distance: Int) -> Unicode.Scalar {
        let index = start + distance
        return index < bytes.count ? Unicode.Scalar(bytes[index]) : "\0"
    }

    private mutating func recognize() -> ManglingScheme {
        var underscores = 0
        while underscores < 5, letter(underscores) == "_" { underscores += 1 }
        switch (underscores, letter(underscores)) {
        case (0, "@"):
            return bytes[start...].starts(with: "@__swiftmacro_".utf8) ? .swift : .plain
        case (0, "c") where OCamlName.isNext(bytes, from: start):
            return .ocaml
        case (0, "a"..."z"), (0, "A"..."Z"):
            return recognizeLetters()
        case (0...1, "$"):
            start += underscores
            switch letter(1) {
            case "s", "S", "e": return .swift
            default: return .plain
            }
        case (1, "i") where letter(2) == "_", (1, "c") where letter(2) == "_":
            return GNUObjectiveCName.text(bytes, from: start) == nil ? .plain : .gnuObjectiveC
        case (1, "a") where AdaName.isNext(bytes, from: start):
            return AdaName.text(bytes, from: start) == nil ? .plain : .ada
        case (1, "a"..."z"), (1, "A"..."Z"):
            let scheme = recognizeUnderscored()
            guard scheme == .plain else { return scheme }
            start += 1
            return recognizeLetters()
        case (1, _):
            return recognizeUnderscored()
        case (2, "a"..."z") where FortranName.isModuleNext(bytes, from: start + 2):
            return .gfortran
        case (2, _):
            start += 1
            return recognizeUnderscored()
        case (3, "Z"), (4, "Z"):
            start += underscores - 3
            return .itanium
        // Mach-O's underscore before gfortran's two.
        case (3, "a"..."z"):
            guard FortranName.isModuleNext(bytes, from: start + 3) else { return .plain }
            start += 1
            return .gfortran
        default:
            return .plain
        }
    }

    /// Names that begin like those of C: the end decides, or dollars.
    private func recognizeLetters() -> ManglingScheme {
        if HaskellName.mayBe(bytes), HaskellName.text(bytes, from: start) != nil { return .haskell }
        if isCapital(letter(0)), bytes.contains(UInt8(ascii: "$")), PascalName.text(bytes, from: start) != nil { return .pascal }
        return .plain
    }

    /// `_Z`, `_R`, `_T`.
    private mutating func recognizeUnderscored() -> ManglingScheme {
        switch letter(1) {
        case "Z":
            if letter(2) == "N", let name = RustLegacyName(bytes, from: start) {
                rustLegacy = name
                return .rustLegacy
            }
            return .itanium
        case "R":
            // A path, which begins with one of these letters.
            switch letter(2) {
            case "C", "M", "X", "Y", "N", "I", "B": return bytes.count - start > 4 ? .rustV0 : .plain
            default: return .plain
            }
        case "D":
            // An identifier's length, or a template without one.
            switch letter(2) {
            case "1"..."9": return .d
            case "_": return letter(3) == "_" && (letter(4) == "T" || letter(4) == "U") ? .d : .plain
            case "m": return bytes[start...].elementsEqual("_Dmain".utf8) ? .d : .plain
            default: return .plain
            }
        case "c":
            guard OCamlName.isNext(bytes, from: start + 1) else { return .plain }
            start += 1
            return .ocaml
        case "Q":
            // Scopes: a module, a host, or none.
            switch letter(2) {
            case "M", "F", "P": return isLowercase(letter(3)) || letter(3) == "P" || letter(3) == "_" ? .flang : .plain
            default: return .plain
            }
        case "T":
            // The letters that begin an entity in the mangling of Swift 1 to 3.
            switch letter(2) {
            case "0": return .swift
            case "F", "v", "I", "i", "Z", "C", "O", "V", "P", "S", "M", "t", "w", "W", "T":
                return bytes.count - start > 4 ? .swiftBefore4 : .plain
            default: return .plain
            }
        default:
            return .plain
        }
    }
}
