internal import BinaryPrimitives

/// Finds names that were found in one position of a log at other positions.
///
/// A name may be a word of the language or of a program (`build`, `test`). So a name of letters
/// alone counts only at a user's or a host's position: as a folder inside a path, after `=`, before
/// `@`. One with digits or dots in it counts wherever it is a word.
struct RepeatedNames {
    private(set) var found: [PersonalText] = []
    private let known: [PersonalText]
    private var names: [[UInt8]: (kind: PersonalText.Kind, isDistinct: Bool)] = [:]
    /// Keys and identifiers, which count wherever they occur, in the middle of a file's name too.
    private var keys: [String] = []
    /// The first bytes and lengths of the names, so that other words are skipped quickly.
    private var beginnings: Set<Int> = []

    /// Names of one log that are looked for again.
    private static let maxNames = 1 << 12
    /// Keys are looked for one after the other.
    private static let maxKeys = 32
    /// Shorter names occur everywhere as words.
    private static let shortest = 3

    init(_ known: [PersonalText], in log: Span<UInt8>) {
        self.known = known
        for text in known where names.count < Self.maxNames {
            let length = text.range.count
            guard (Self.shortest...128).contains(length) else { continue }
            let name = log.clamped(to: text.range).copied()
            guard name.allSatisfy(isWordByte) else { continue }
            if text.kind == .key, length >= 12, keys.count < Self.maxKeys,
                name.contains(where: { $0 != name[0] && $0 != UInt8(ascii: "-") })
            {
                // A number alone could not be distinguished from other numbers; neither could
                // zeros.
                let key = String(decoding: name, as: UTF8.self)
                if name.contains(where: { !isDigit($0) }), !keys.contains(key) { keys.append(key) }
            }
            guard text.kind == .user || text.kind == .host, names[name] == nil else { continue }
            let isDistinct = name.contains { isDigit($0) || $0 == UInt8(ascii: ".") } && length >= 5
            names[name] = (text.kind, isDistinct)
            beginnings.insert(Self.beginning(name[0], length))
        }
    }

    private static func beginning(_ first: UInt8, _ length: Int) -> Int { length << 8 | Int(first) }

    mutating func run(_ log: Span<UInt8>) {
        for key in keys { find(key: key, log) }
        guard !names.isEmpty else { return }
        var remaining = known.makeIterator()
        var next = remaining.next()
        var index = 0
        while index < log.count {
            if let text = next, text.range.lowerBound <= index {
                index = max(index, text.range.upperBound)
                next = remaining.next()
                continue
            }
            guard isWordByte(log[index]) else {
                index += 1
                continue
            }
            let start = index
            while index < log.count, isWordByte(log[index]), next.map({ index < $0.range.lowerBound }) ?? true { index += 1 }
            // A full stop after a name ends a sentence.
            for end in [index, log[index - 1] == UInt8(ascii: ".") ? index - 1 : index] { addIfName(start..<end, log) }
        }
    }

    private mutating func find(key: String, _ log: Span<UInt8>) {
        var start = 0
        while let range = log.firstRange(of: key, from: start) {
            found.append(PersonalText(range: range, kind: .key))
            start = range.upperBound
        }
    }

    private mutating func addIfName(_ word: Range<Int>, _ log: Span<UInt8>) {
        guard !word.isEmpty, beginnings.contains(Self.beginning(log[word.lowerBound], word.count)) else { return }
        guard let (kind, isDistinct) = names[log.clamped(to: word).copied()], found.last?.range != word else { return }
        guard isDistinct || isNamePosition(word, log) else { return }
        found.append(PersonalText(range: word, kind: kind))
    }

    private func isNamePosition(_ word: Range<Int>, _ log: Span<UInt8>) -> Bool {
        let before = log.at(word.lowerBound - 1)
        let after = log.at(word.upperBound)
        if after == UInt8(ascii: "@") || before == UInt8(ascii: "=") || before == UInt8(ascii: "@") { return true }
        guard before == UInt8(ascii: "/") || before == UInt8(ascii: "\\"), after == UInt8(ascii: "/") || after == UInt8(ascii: "\\") else {
            return false
        }
        // github.com/jane/program is the name of a package.
        let host = log.upTo(word.lowerBound - 1)
        return ![".com", ".org", ".io", ".net", ".dev"].contains { host.hasSuffix($0) }
    }
}
