internal import BinaryPrimitives
internal import CrashLogModel

/// A character reference: `&lt;`, `&#39;`, `&#x2013;`.
struct HTMLEntity {
    /// The character; those that word processors and publishers write instead of ASCII's are turned
    /// back into ASCII's.
    var text: [UInt8]
    /// After its `;`.
    var end: Int

    init?(_ line: Span<UInt8>, at start: Int) {
        guard let semicolon = line.upTo(start + 10).firstIndex(of: UInt8(ascii: ";"), from: start + 1) else { return nil }
        end = semicolon + 1
        var name = line.clamped(to: start + 1..<semicolon)
        if name.consume("#") {
            let isHexadecimal = name.consume("x") || name.consume("X")
            guard let value = isHexadecimal ? name.readHexadecimal() : name.readDecimal(), name.count == 0,
                let scalar = UInt32(exactly: value).flatMap(Unicode.Scalar.init), scalar.value >= 0x20 || scalar.value == 9
            else { return nil }
            text = HTMLEntity.plain[scalar] ?? Array(String(Character(scalar)).utf8)
        } else {
            guard let known = HTMLEntity.named[name.copied()] else { return nil }
            text = known
        }
    }

    /// The text with its entities decoded; `nil` where it has none.
    static func decoded(_ text: Span<UInt8>) -> [UInt8]? {
        guard let first = text.firstIndex(of: UInt8(ascii: "&")) else { return nil }
        var result = text.upTo(first).copied()
        var index = first
        while index < text.count {
            if text[index] == UInt8(ascii: "&"), let entity = HTMLEntity(text, at: index) {
                result += entity.text
                index = entity.end
            } else {
                result.append(text[index])
                index += 1
            }
        }
        return result
    }

    private static let named: [[UInt8]: [UInt8]] = {
        let replacements = [
            ("lt", "<"), ("gt", ">"), ("amp", "&"), ("quot", "\""), ("apos", "'"), ("nbsp", " "), ("ndash", "-"), ("mdash", "-"),
            ("minus", "-"), ("lsquo", "'"), ("rsquo", "'"), ("ldquo", "\""), ("rdquo", "\""), ("hellip", "..."), ("tab", "\t"),
        ]
        return Dictionary(replacements.map { (Array($0.0.utf8), Array($0.1.utf8)) }, uniquingKeysWith: { first, _ in first })
    }()

    private static let plain: [Unicode.Scalar: [UInt8]] = [
        "\u{A0}": Array(" ".utf8), "\u{2013}": Array("-".utf8), "\u{2014}": Array("-".utf8), "\u{2018}": Array("'".utf8),
        "\u{2019}": Array("'".utf8), "\u{201C}": Array("\"".utf8), "\u{201D}": Array("\"".utf8), "\u{2026}": Array("...".utf8),
    ]
}
