/// A name of rustc's legacy mangling (`rustc_symbol_mangling::legacy`), the default until Rust
/// 1.94: `_ZN`, path parts each after its decimal length, the last of them `h` and 16 hexadecimal
/// digits, then `E` and possibly a suffix.
///
/// Example: `_ZN4core3ptr28drop_in_place$LT$$RF$u8$GT$17h0123456789abcdefE` is
/// `core::ptr::drop_in_place<&u8>`.
struct RustLegacyName {
    private var parts: [ArraySlice<UInt8>] = []
    private let hash: ArraySlice<UInt8>
    private let suffix: String

    /// - Parameter start: Position of `_ZN`, after Mach-O's underscore.
    init?(_ bytes: [UInt8], from start: Int) {
        guard Self.mayBe(bytes) else { return nil }
        var rest = bytes[min(start + 3, bytes.count)...]
        while let digit = rest.first, digit != UInt8(ascii: "E") {
            let digits = rest.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
            guard let length = Int(String(decoding: digits, as: UTF8.self)), length > 0 else { return nil }
            rest = rest.dropFirst(digits.count)
            guard rest.count > length else { return nil }
            parts.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        guard rest.first == UInt8(ascii: "E"), parts.count >= 2, let hash = parts.popLast(), Self.isHash(hash),
            let suffix = CompilerSuffix.text(rest.dropFirst())
        else { return nil }
        self.hash = hash
        self.suffix = suffix
    }

    /// A cheap look before the name is taken apart, since most names of this beginning are C++. It
    /// looks for `17h`, 16 digits and `E` at the name's end, or before a dot.
    private static func mayBe(_ bytes: [UInt8]) -> Bool {
        let tail = 20
        guard bytes.count > tail else { return false }
        if bytes[bytes.count - 1] == UInt8(ascii: "E") { return bytes[bytes.count - tail + 2] == UInt8(ascii: "h") }
        return bytes.contains(UInt8(ascii: "."))
    }

    private static func isHash(_ part: ArraySlice<UInt8>) -> Bool {
        part.count == 17 && part.first == UInt8(ascii: "h")
            && part.dropFirst().allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
                default: false
                }
            }
    }

    /// The path with its escapes undone, as Rust's backtraces print it: without the hash, unless it
    /// is requested.
    func text(withHash: Bool) -> String {
        var text: [UInt8] = []
        for part in parts {
            if !text.isEmpty { text += "::".utf8 }
            Self.unescape(part, into: &text)
        }
        if withHash { text += Array("::".utf8) + hash }
        return String(decoding: text, as: UTF8.self) + suffix
    }

    /// `$LT$` and the like are characters that linkers dislike; `..` is `::`; `$u7b$` is the
    /// character of that number; an underscore comes before a part that would begin with `$`. From
    /// an invalid escape on, the part stays as it is.
    private static func unescape(_ part: ArraySlice<UInt8>, into text: inout [UInt8]) {
        var rest = part.starts(with: "_$".utf8) ? part.dropFirst() : part
        while let byte = rest.first {
            if byte == UInt8(ascii: "."), rest.dropFirst().first == byte {
                text += "::".utf8
                rest = rest.dropFirst(2)
            } else if byte == UInt8(ascii: "$") {
                let name = rest.dropFirst().prefix { $0 != UInt8(ascii: "$") }
                guard rest.count > name.count + 1, let character = character(String(decoding: name, as: UTF8.self)) else { break }
                text += String(Character(character)).utf8
                rest = rest.dropFirst(name.count + 2)
            } else {
                text.append(byte)
                rest = rest.dropFirst()
            }
        }
        text += rest
    }

    private static func character(_ name: String) -> Unicode.Scalar? {
        switch name {
        case "SP": return "@"
        case "BP": return "*"
        case "RF": return "&"
        case "LT": return "<"
        case "GT": return ">"
        case "LP": return "("
        case "RP": return ")"
        case "C": return ","
        default: break
        }
        let digits = name.utf8.dropFirst()
        guard name.utf8.first == UInt8(ascii: "u"), !digits.contains(where: { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") }),
            let number = UInt32(String(decoding: digits, as: UTF8.self), radix: 16), let scalar = Unicode.Scalar(number),
            scalar.properties.generalCategory != .control
        else { return nil }
        return scalar
    }
}
