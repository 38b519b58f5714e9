/// Replacements for names: as many bytes, and the same for the same name.
///
/// Users and hosts of one length are counted: `user0001`, `user0002`. Applied to its own result it
/// gives the same text, because the names are in the same order.
struct Pseudonyms {
    private var users: [[UInt8]: Int] = [:]
    private var hosts: [[UInt8]: Int] = [:]
    /// Number of names by length.
    private var counts: [Int: Int] = [:]

    mutating func pseudonym(for text: [UInt8], _ kind: PersonalText.Kind) -> [UInt8] {
        switch kind {
        case .user: Self.numbered("user", Self.number(of: text, in: &users, &counts, salt: 0), count: text.count)
        case .host: Self.numbered("host", Self.number(of: text, in: &hosts, &counts, salt: 1), count: text.count)
        case .key: text.map { Self.keepsShape($0) ? $0 : UInt8(ascii: "0") }
        case .mail: text.map { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: ".") ? $0 : UInt8(ascii: "x") }
        case .userNumber: text.indices.map { UInt8(ascii: $0 == 0 ? "1" : "0") }
        }
    }

    private static func number(of name: [UInt8], in known: inout [[UInt8]: Int], _ counts: inout [Int: Int], salt: Int) -> Int {
        if let number = known[name] { return number }
        let number = counts[name.count * 2 + salt, default: 0] + 1
        counts[name.count * 2 + salt] = number
        known[name] = number
        return number
    }

    /// `user0012`; a short name is `u12`, a very short one `u`. If the digits do not fit, the last
    /// ones are used.
    private static func numbered(_ word: String, _ number: Int, count: Int) -> [UInt8] {
        let word = Array(word.utf8.prefix(count >= word.utf8.count + 1 ? word.utf8.count : 1))
        var digits: [UInt8] = []
        var rest = number
        while digits.count < count - word.count {
            digits.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        }
        return (word + digits.reversed())
    }

    /// Whether a byte stands between the digits of identifiers and addresses.
    private static func keepsShape(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "{")
            || byte == UInt8(ascii: "}") || byte == UInt8(ascii: " ")
    }
}
