internal import BinaryPrimitives

/// Names of Fortran's procedures and module variables, as gdb shows them: `module::procedure`.
///
/// | compiler | symbol | name |
/// |---|---|---|
/// | gfortran | `__stock_MOD_price` | `stock::price` |
/// | gfortran, submodule `details` of `stock` | `__stock.details_MOD_bottom` | `stock.details::bottom` |
/// | flang | `_QMstockPprice` | `stock::price` |
/// | flang, submodule in a submodule | `_QMstockSinnerSdetailsPbottom` | `stock.details::bottom` |
/// | flang, internal procedure | `_QMstockFpricePround` | `stock::price::round` |
///
/// Compilers write Fortran's names in small letters, so that capital ones can mark the parts. The
/// scheme of flang is in its “Bijective Internal Name Uniquing”.
enum FortranName {
    /// Whether a name of gfortran's modules follows the two underscores before `start`.
    static func isModuleNext(_ bytes: [UInt8], from start: Int) -> Bool { mark(bytes, from: start) != nil }

    /// Position of `_MOD_`.
    private static func mark(_ bytes: [UInt8], from start: Int) -> Int? {
        guard start < bytes.count, isLowercase(bytes[start]) else { return nil }
        var index = start
        while index < bytes.count, isName(bytes[index]) || bytes[index] == UInt8(ascii: ".") { index += 1 }
        guard index > start + 1, bytes[index - 1] == UInt8(ascii: "_"), bytes[index...].starts(with: "MOD_".utf8) else { return nil }
        return index - 1
    }

    /// The plain form of gfortran's name; `nil` if it is not well-formed.
    /// - Parameter start: Position after the two underscores.
    static func gfortranText(_ bytes: [UInt8], from start: Int) -> String? {
        guard let mark = mark(bytes, from: start), mark + 5 < bytes.count else { return nil }
        // A name has no dots; a dot begins the compiler's suffix.
        let name = bytes[(mark + 5)...].prefix { $0 != UInt8(ascii: ".") }
        guard name.allSatisfy({ isIdentifier($0) }), !name.isEmpty, let suffix = CompilerSuffix.text(bytes[name.endIndex...])
        else { return nil }
        return text(bytes[start..<mark]) + "::" + text(name) + suffix
    }

    /// The plain form of flang's name; `nil` if it is not well-formed or not that of a procedure or
    /// variable.
    /// - Parameter start: Position of `_Q`.
    static func flangText(_ bytes: [UInt8], from start: Int) -> String? {
        var rest = bytes[min(start + 2, bytes.count)...]
        var module = ""
        var path: [String] = []
        while let kind = rest.popFirst() {
            // A constant is `EC`.
            if kind == UInt8(ascii: "E"), rest.first == UInt8(ascii: "C") { rest.removeFirst() }
            let part = rest.prefix(while: isName)
            rest = rest[part.endIndex...]
            switch kind {
            case UInt8(ascii: "M") where module.isEmpty && path.isEmpty && !part.isEmpty:
                module = text(part)
            case UInt8(ascii: "S") where !module.isEmpty && path.isEmpty && !part.isEmpty:
                module = (module.split(separator: ".").first ?? "") + "." + text(part)
            // A main program without a name has an empty one.
            case UInt8(ascii: "F"):
                if !part.isEmpty { path.append(text(part)) }
            case UInt8(ascii: "P") where !part.isEmpty, UInt8(ascii: "E") where !part.isEmpty && (!module.isEmpty || !path.isEmpty):
                guard let suffix = CompilerSuffix.text(rest), suffix.isEmpty || kind == UInt8(ascii: "P") else { return nil }
                return ((module.isEmpty ? [] : [module]) + path + [text(part)]).joined(separator: "::") + suffix
            default:
                return nil
            }
        }
        return nil
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
    private static func isName(_ byte: UInt8) -> Bool { isLowercase(byte) || isDigit(byte) || byte == UInt8(ascii: "_") }
}
