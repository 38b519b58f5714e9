internal import BinaryPrimitives
internal import CrashLogModel

/// Meaning of a cause, in one or two sentences, and the source of that fact.
struct Meaning: Sendable, Hashable {
    var text: String
    var source: String

    init(_ text: String, source: String) {
        self.text = text
        self.source = source
    }

    /// Returns the meaning with a second sentence.
    func adding(_ other: Meaning?) -> Meaning {
        guard let other else { return self }
        return Meaning(text + " " + other.text, source: source + "; " + other.source)
    }
}

/// A row of a table: the text that names a cause, its meaning, and the source.
struct MeaningRule: Sendable {
    enum Match: Sendable {
        /// The text must match as a whole.
        case whole
        case start
        /// They are a line of the text.
        case line
        case anywhere
    }
    var pattern: String
    var match: Match
    var meaning: Meaning

    /// - Parameters:
    ///   - columns: columns of a `MeaningTable`'s row: text, meaning and, if the row has one of its own, source.
    ///   - source: source of rows that have none of their own.
    init?(_ columns: [String], source: String) {
        guard columns.count > 1 else { return nil }
        meaning = Meaning(columns[1], source: columns.count > 2 ? columns[2] : source)
        pattern = columns[0]
        match = .whole
        if pattern.hasPrefix("= ") {
            pattern.removeFirst(2)
            match = .line
        } else if pattern.hasSuffix("*") {
            pattern.removeLast()
            match = pattern.hasPrefix("*") ? .anywhere : .start
            if match == .anywhere { pattern.removeFirst() }
        }
    }

    func matches(_ text: Span<UInt8>) -> Bool {
        switch match {
        case .whole: text.equals(pattern)
        case .start: text.hasPrefix(pattern)
        case .line: MeaningRule.hasLine(text, pattern)
        case .anywhere: text.contains(pattern)
        }
    }

    private static func hasLine(_ text: Span<UInt8>, _ pattern: String) -> Bool {
        var rest = text
        while let line = rest.readLine() {
            if line.trimmed().equals(pattern) { return true }
        }
        return false
    }
}

/// Rows that are tried in their order: the special ones first.
struct MeaningTable: Sendable, ExpressibleByStringLiteral {
    var rules: [MeaningRule]

    /// - Parameter rows: a rule a line, `text | meaning | source`. A line without columns names the
    ///   source of the rows below it. The text must match as a whole; with `*` after it the
    ///   beginning, with `*` on both sides a part, and after `= ` one of the lines:
    ///
    ///       SIGPIPE | The program wrote to a pipe or a socket that nobody reads. | signal(7)
    ///       free(): invalid pointer* | The program freed an address that no allocation returned. | glibc, malloc/malloc.c, _int_free
    ///       *with overflow* | An integer operation gave a result that its type cannot hold. | Rust, library/core/src/panicking.rs
    init(stringLiteral rows: String) {
        rules = []
        var source = ""
        for columns in TextTable.rows(rows) {
            if columns.count == 1 { source = columns[0] }
            if let rule = MeaningRule(columns, source: source) { rules.append(rule) }
        }
    }

    static func + (left: MeaningTable, right: MeaningTable) -> MeaningTable {
        var sum = left
        sum.rules += right.rules
        return sum
    }

    func meaning(of text: String?) -> Meaning? {
        guard let text, !text.isEmpty else { return nil }
        let bytes = Array(text.utf8)
        return rules.first { $0.matches(bytes.span) }?.meaning
    }
}

/// A table whose keys are numbers.
struct MeaningCodes: Sendable, ExpressibleByStringLiteral {
    var rows: [UInt64: Meaning]

    init(stringLiteral rows: String) {
        let rules = MeaningTable(stringLiteral: rows).rules.compactMap { rule in
            MeaningCodes.number(rule.pattern).map { ($0, rule.meaning) }
        }
        self.rows = Dictionary(rules) { first, _ in first }
    }

    private static func number(_ text: String) -> UInt64? {
        let bytes = Array(text.utf8)
        return bytes.span.address ?? bytes.span.decimal
    }

    func meaning(of code: UInt64?) -> Meaning? { code.flatMap { rows[$0] } }
}
