internal import BinaryPrimitives

/// HTML's characters. The reporter of Mac OS X 10.5 escaped what it wrote (`std::vector&lt;int&gt;`, `&lt;e000e885…&gt;` around a UUID), and reports pasted into forums come back
/// like that. symbolicatecrash decodes them, too. No name of Apple's holds any of these words as they are.
enum AppleEntities {
    private static let words: [(word: String, byte: UInt8)] = [
        ("&lt;", UInt8(ascii: "<")), ("&gt;", UInt8(ascii: ">")), ("&amp;", UInt8(ascii: "&")), ("&quot;", UInt8(ascii: "\"")),
        ("&apos;", UInt8(ascii: "'")), ("&#39;", UInt8(ascii: "'")),
    ]

    /// The text decoded; `nil` where it holds no entity.
    static func decoded(_ text: Span<UInt8>) -> [UInt8]? {
        guard var next = text.firstIndex(of: UInt8(ascii: "&")) else { return nil }
        var result = text.upTo(next).copied()
        var isDecoded = false
        while next < text.count {
            let rest = text.from(next)
            if let found = words.first(where: { rest.hasPrefix($0.word) }) {
                result.append(found.byte)
                next += found.word.utf8.count
                isDecoded = true
            } else {
                result.append(text[next])
                next += 1
            }
        }
        return isDecoded ? result : nil
    }

    /// The text as such a report has it.
    static func encoded(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ">") }) else {
            return text
        }
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
