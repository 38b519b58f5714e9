internal import BinaryPrimitives
internal import CrashLogModel

/// What a cause means, in one or two sentences, and where that is written.
struct Meaning: Sendable, Hashable {
    var text: String
    var source: String

    init(_ text: String, source: String) {
        self.text = text
        self.source = source
    }

    /// With a second sentence.
    func adding(_ other: Meaning?) -> Meaning {
        guard let other else { return self }
        return Meaning(text + " " + other.text, source: source + "; " + other.source)
    }
}

/// A row of a table: the words that name a cause, what they mean, and the source of that.
struct MeaningRule: Sendable {
    enum Place: Sendable {
        /// The words are all of the text.
        case whole
        case start
        /// They are a line of the text.
        case line
        case anywhere
    }
    var words: String
    var place: Place
    var meaning: Meaning

    init(_ words: String, _ place: Place = .whole, _ text: String, source: String) {
        self.words = words
        self.place = place
        meaning = Meaning(text, source: source)
    }

    func matches(_ text: Span<UInt8>) -> Bool {
        switch place {
        case .whole: text.equals(words)
        case .start: text.hasPrefix(words)
        case .line: MeaningRule.hasLine(text, words)
        case .anywhere: text.contains(words)
        }
    }

    private static func hasLine(_ text: Span<UInt8>, _ words: String) -> Bool {
        var rest = text
        while let line = rest.takeLine() {
            if line.trimmed().equals(words) { return true }
        }
        return false
    }
}

/// Rows that are tried in their order: the special ones first.
struct MeaningTable: Sendable {
    var rules: [MeaningRule]

    init(_ rules: [MeaningRule]) { self.rules = rules }

    /// Rows that share a source.
    init(source: String, _ rows: [(words: String, text: String)], place: MeaningRule.Place = .whole) {
        rules = rows.map { MeaningRule($0.words, place, $0.text, source: source) }
    }

    static func + (left: MeaningTable, right: MeaningTable) -> MeaningTable { MeaningTable(left.rules + right.rules) }

    func meaning(of text: String?) -> Meaning? {
        guard let text, !text.isEmpty else { return nil }
        let bytes = Array(text.utf8)
        return rules.first { $0.matches(bytes.span) }?.meaning
    }
}

/// A table whose rows are numbers.
struct MeaningCodes: Sendable {
    var rows: [UInt64: Meaning]

    init(source: String, _ rows: [(code: UInt64, text: String)]) {
        self.rows = Dictionary(rows.map { ($0.code, Meaning($0.text, source: source)) }) { first, _ in first }
    }

    func meaning(of code: UInt64?) -> Meaning? { code.flatMap { rows[$0] } }
}
