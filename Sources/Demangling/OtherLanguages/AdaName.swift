internal import BinaryPrimitives

/// Names of GNAT's Ada that no other language has: library procedures, whose `_ada_main_prog` is
/// `main_prog`, as gdb shows it.
///
/// All other names of Ada look like names of C (`shop__sell`), and stay as they are.
enum AdaName {
    static func isNext(_ bytes: [UInt8], from start: Int) -> Bool { bytes[start...].starts(with: "_ada_".utf8) }

    /// The plain form; `nil` if it is not such a name.
    static func text(_ bytes: [UInt8], from start: Int) -> String? {
        guard isNext(bytes, from: start) else { return nil }
        var name = bytes[(start + 5)...].prefix { $0 != UInt8(ascii: ".") }
        guard let suffix = CompilerSuffix.text(bytes[name.endIndex...]) else { return nil }
        // Overloaded ones have a number.
        let digits = name.reversed().prefix(while: isDigit).count
        if digits > 0, name.dropLast(digits).suffix(2).elementsEqual("__".utf8) { name = name.dropLast(digits + 2) }
        return dotted(name).map { $0 + suffix }
    }

    /// Two underscores separate a package from what is in it. GNAT writes small letters.
    private static func dotted(_ name: ArraySlice<UInt8>) -> String? {
        guard let first = name.first, isLowercase(first), name.last != UInt8(ascii: "_") else { return nil }
        var text: [UInt8] = []
        for byte in name {
            guard isLowercase(byte) || isDigit(byte) || byte == UInt8(ascii: "_") else { return nil }
            if byte == UInt8(ascii: "_"), text.last == byte {
                text[text.count - 1] = UInt8(ascii: ".")
            } else {
                // Of three underscores, none separates a package.
                guard byte != UInt8(ascii: "_") || text.last != UInt8(ascii: ".") else { return nil }
                text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
