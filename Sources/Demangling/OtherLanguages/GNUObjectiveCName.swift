internal import BinaryPrimitives

/// Methods of Objective-C by gcc, whose symbols have no brackets: `_i_Boat__sail_with_` is
/// `-[Boat sail:with:]`, `_c_Boat_Extra_more` is `+[Boat(Extra) more]`.
///
/// They are read as gdb reads them (`objc_demangle`): the class ends at the first underscore, and
/// all underscores of the selector are colons, although the source may have them in both. Functions
/// of C may begin in the same way, so the class must begin with a capital letter.
enum GNUObjectiveCName {
    /// - Parameter start: Position of the underscore before `i` or `c`.
    /// - Returns: the plain form; `nil` if the name is not one of a method.
    static func text(_ bytes: [UInt8], from start: Int) -> String? {
        guard start + 3 < bytes.count else { return nil }
        let underscore = UInt8(ascii: "_")
        var rest = bytes[(start + 3)...].prefix { $0 != UInt8(ascii: ".") }
        guard let suffix = CompilerSuffix.text(bytes[rest.endIndex...]) else { return nil }
        let leading = rest.prefix { $0 == underscore }
        rest = rest[leading.endIndex...]
        guard let first = rest.first, isCapital(first), rest.allSatisfy(isIdentifier), let end = rest.firstIndex(of: underscore) else {
            return nil
        }
        var text = (bytes[start + 1] == UInt8(ascii: "i") ? "-[" : "+[") + String(decoding: leading + rest[..<end], as: UTF8.self)
        rest = rest[(end + 1)...]
        if rest.first == underscore {
            rest.removeFirst()
        } else {
            guard let end = rest.firstIndex(of: underscore) else { return nil }
            text += "(" + String(decoding: rest[..<end], as: UTF8.self) + ")"
            rest = rest[(end + 1)...]
        }
        // A selector's own leading underscores stay.
        let own = rest.prefix { $0 == underscore }
        guard own.count < rest.count else { return nil }
        let selector = own + rest[own.endIndex...].map { $0 == underscore ? UInt8(ascii: ":") : $0 }
        return text + " " + String(decoding: selector, as: UTF8.self) + "]" + suffix
    }
}
