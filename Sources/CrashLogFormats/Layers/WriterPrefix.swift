internal import BinaryPrimitives
internal import CrashLogModel

/// The beginning that the lines of a writer have in common: the same words and punctuation, any digits, any padding.
///
///     2024-03-05 10:11:12,001 - berth - ERROR - #0  0x000000000040110d in ?? ()
///     2024-03-05 10:11:12,002 - berth - ERROR - #1  0x0000000000401130 in ?? ()
///
/// It is learned from the lines themselves, because no list of loggers and test runners ends. A number names the writer if it returns
/// to an earlier value (processes and containers whose lines alternate); times, counters and line numbers do not return.
package struct WriterPrefix: Sendable, Equatable {
    private var tokens: [Token]
    /// Blanks of the last token that belong to the prefix. Further ones are the text's own indentation.
    private var lastBlanks: Int
    /// Indices of the numbers in `tokens` that name the writer.
    package private(set) var writers: [Int]
    /// The lines are a comment's: rows in it are examples, except those of a report that was pasted there.
    package private(set) var isComment = false
    /// Many rows of a family are behind it.
    private var hasRows = false
    /// Rows behind it are examples.
    package var hasExamples: Bool { isComment && !hasRows }
    /// The end of each line behind its text: a quote, the border of a box. Empty for nearly all writers.
    package private(set) var ending: [UInt8] = []

    struct Token: Sendable, Equatable {
        enum Kind: Sendable { case number, word, symbol, blank, mark }
        var kind: Kind
        /// The bytes' hash; 0 for numbers and blanks.
        var key: UInt64
        var range: Range<Int>

        static func == (left: Token, right: Token) -> Bool { left.kind == right.kind && left.key == right.key }
    }

    // MARK: Reading

    /// The length of the prefix of a line; `nil` if the line lacks it.
    package func length(in line: Span<UInt8>) -> Int? {
        var index = 0
        for (number, token) in tokens.enumerated() {
            guard let found = Token(line, at: index) else {
                // A line without text may have lost the blank at its end.
                return number == tokens.count - 1 && token.kind == .blank ? index : nil
            }
            guard found == token else { return nil }
            index = number == tokens.count - 1 && token.kind == .blank ? index + min(found.range.count, lastBlanks) : found.range.upperBound
        }
        return index
    }

    /// Range of a line's text, without the part after it that every line of the writer ends with.
    package func text(of line: Span<UInt8>) -> Range<Int>? {
        guard let start = length(in: line) else { return nil }
        var end = line.count
        while end > start, isBlank(line[end - 1]) { end -= 1 }
        guard !ending.isEmpty else { return start..<line.count }
        guard end - ending.count >= start, line.clamped(to: end - ending.count..<end).copied() == ending else { return nil }
        end -= ending.count
        while end > start, !isQuoted, isBlank(line[end - 1]) { end -= 1 }
        return start..<end
    }

    /// The text is between double quotes, so that it may have escapes in it.
    package var isQuoted: Bool { ending == [UInt8(ascii: "\"")] }

    /// Hash that identifies the writer of a line that has the prefix; never 0.
    package func writer(of line: Span<UInt8>) -> UInt64 {
        var hash = NameHash()
        var index = 0
        for (number, token) in tokens.enumerated() {
            guard let found = Token(line, at: index) else { break }
            if token.kind != .number, token.kind != .blank {
                for byte in 0..<8 { hash.combine(UInt8(truncatingIfNeeded: token.key >> (8 * byte))) }
            }
            if writers.contains(number) {
                for index in found.range { hash.combine(line[index]) }
                hash.combine(0)
            }
            index = found.range.upperBound
        }
        // Zero is a line without a writer.
        return hash.value | 1
    }

    // MARK: Learning

    /// Learns the prefix of a line from the lines around it.
    /// - Parameters:
    ///   - text: the lines, with their endings.
    ///   - lines: their ranges in `text`, without endings, in order.
    ///   - current: the index of the line whose prefix is wanted.
    ///   - minLength: a prefix that is not longer than this (bytes) has been recognised already.
    ///   - worth: how strongly a line's text, without a prefix, suggests that it is a part of a
    ///     trace; 0 for not at all.
    ///   - known: the same for a whole line, with the prefixes that are recognised already.
    /// - Returns: `nil` if no prefix makes more of the lines a part of a trace than the recognised
    ///   prefixes do.
    package static func learn(
        _ text: Span<UInt8>, _ lines: [Range<Int>], current: Int, longerThan minLength: Int, worth: (Span<UInt8>) -> Int,
        known: (Span<UInt8>) -> Int
    ) -> WriterPrefix? {
        let own = tokens(of: text.clamped(to: lines[current]))
        let shared = lines.map { commonCount(own, text.clamped(to: $0)) }
        let near = lines.indices.filter { abs($0 - current) <= nearLines }
        var best: (gain: Int, prefix: WriterPrefix)?
        var knownWorth: [Int: Int] = [:]
        // By the lines' indices. Lines are read when the first prefix is tried that they have: most lines share none.
        var read: [Int: (tokens: [Token], bytes: [UInt8])] = [:]
        for count in own.indices.dropFirst() {
            guard own[count].range.lowerBound > minLength, mayEnd(own, count, text.clamped(to: lines[current])) else { continue }
            // `X[05]:   0000005653810548` is a register's value.
            guard RegisterNames.name(before: own[count].range.lowerBound, in: text.clamped(to: lines[current])) == nil else { continue }
            let members = near.filter { shared[$0] >= count }
            guard members.count > 1 else { continue }
            for member in members where read[member] == nil {
                let line = text.clamped(to: lines[member])
                read[member] = (tokens(of: line), line.copied())
            }
            let values = members.map { read[$0]?.tokens ?? [] }
            let copies = members.map { read[$0]?.bytes ?? [] }
            // No row's number is attached to the row: `1:/opt/app(+0x11c2)` is of `grep -n`.
            let counts = own[count - 1].kind == .blank && own[..<count].indices.suffix(4).contains { isRowNumber($0, own, values, copies) }
            var prefix = WriterPrefix(tokens: Array(own[..<count]), lastBlanks: 0, writers: [])
            if own[count - 1].kind == .blank {
                prefix.lastBlanks = values.compactMap { $0.count >= count ? $0[count - 1].range.count : nil }.min() ?? 1
            }
            prefix.writers = own[..<count].indices.filter { returns($0, values, copies) }
            prefix.ending = ending(of: members.map { lines[$0] }, in: text, behind: own[..<count], text.clamped(to: lines[current]))
            guard !prefix.ending.isEmpty || !isQuote(own[..<count], text.clamped(to: lines[current])) else { continue }
            var (gain, maxWorth, first, families, rows) = (0, 0, 0, 0, 0)
            for member in members.prefix(comparedLines) {
                let line = text.clamped(to: lines[member])
                guard let range = prefix.text(of: line) else { continue }
                let value = worth(line.clamped(to: range))
                let before = knownWorth[member] ?? known(line)
                knownWorth[member] = before
                (gain, maxWorth) = (gain + value - before, max(maxWorth, value))
                if value >= familyWorth { families += 1 }
                if (familyWorth..<certainWorth).contains(value) { rows += 1 }
                if member == current { first = value }
            }
            // A border behind each text was read as a name.
            if !prefix.ending.isEmpty, maxWorth >= familyWorth { gain = max(gain, clearGain) }
            // Rows in a comment of source code are examples; a report and many rows of a family were pasted there.
            // A number on each line of a report is the line's.
            if maxWorth < certainWorth, gain < clearGain || counts { gain = 0 }
            // A bar on both sides is the border of a box.
            prefix.isComment = prefix.ending != [UInt8(ascii: "|")] && prefix.hasCommentMarks(text.clamped(to: lines[current]))
            prefix.hasRows = rows >= pastedRows
            if prefix.isComment, first < reportWorth, families < pastedRows { gain = 0 }
            // Writers are distinguished even if each row can be read as it is.
            let isWithoutGaps = members.last == (members.first ?? 0) + members.count - 1
            if gain == 0, prefix.writers.contains(where: { areRanks($0, values, copies, isWithoutGaps: isWithoutGaps) }) {
                gain = clearGain
            }
            guard gain > best?.gain ?? 0 else { continue }
            if maxWorth < familyWorth,
                prefix.writers.isEmpty && areScattered(members)
                    || prefix.isMessage(members.prefix(comparedLines).map { lines[$0] }, in: text)
            {
                continue
            }
            best = (gain, prefix)
        }
        return best?.prefix
    }

    /// Whether other lines are between most of some lines: then they are one message of many, and no stack.
    private static func areScattered(_ lines: [Int]) -> Bool {
        2 * zip(lines, lines.dropFirst()).count { $1 == $0 + 1 } < lines.count - 1
    }

    /// Whether the texts behind the prefix are those of one message with a pointer in it.
    private func isMessage(_ lines: [Range<Int>], in text: Span<UInt8>) -> Bool {
        var names: Set<[UInt8]> = []
        var rows: [StackRow] = []
        for range in lines {
            let line = text.clamped(to: range)
            guard let part = self.text(of: line) else { continue }
            let own = line.clamped(to: part)
            guard let row = RowSearch.row(in: own) else { continue }
            rows.append(row)
            if let name = row.symbol.name { names.insert(own.clamped(to: name).copied()) }
        }
        return names.count == 1 && StackRow.areOfOneMessage(rows)
    }

    /// Minimum number of rows in a comment that were pasted there; fewer are examples.
    private static let pastedRows = 8
    /// The worth of a heading or row of a family.
    private static let familyWorth = 60
    /// The worth of a line that begins a report of a format of its own.
    package static let reportWorth = 90
    /// The worth of a family's certain heading, and the least of a line that begins a report.
    private static let certainWorth = RowStacks.certainWorth
    /// From which gain on a prefix is believed although no report of a known format is behind it.
    private static let clearGain = 10

    /// Whether the prefix begins with the mark of a comment, or is made of the marks of comments and lists alone.
    private func hasCommentMarks(_ line: Span<UInt8>) -> Bool {
        guard let first = tokens.first(where: { $0.kind != .blank }) else { return false }
        if first.kind == .mark, isOne(line[first.range.lowerBound], of: "/*#;%") { return true }
        return tokens.allSatisfy { $0.kind == .blank || $0.kind == .mark && isOne(line[$0.range.lowerBound], of: "/*#;%-!+|") }
    }

    /// Lines before and after a line that are compared with it.
    package static let nearLines = 64
    /// Maximum number of these lines whose texts are read.
    private static let comparedLines = 16
    private static let longest = 256
    private static let maxTokens = 64

    private init(tokens: [Token], lastBlanks: Int, writers: [Int]) {
        self.tokens = tokens
        self.lastBlanks = lastBlanks
        self.writers = writers
    }

    private static func tokens(of line: Span<UInt8>) -> [Token] {
        var tokens: [Token] = []
        var index = 0
        while tokens.count < maxTokens, index < longest, let token = Token(line, at: index) {
            tokens.append(token)
            index = token.range.upperBound
        }
        return tokens
    }

    private static func commonCount(_ own: [Token], _ line: Span<UInt8>) -> Int {
        var (count, index) = (0, 0)
        while count < own.count {
            guard let token = Token(line, at: index) else {
                // A line without text.
                return count == 0 || own[count].kind != .blank ? count : count + 1
            }
            guard token == own[count] else { break }
            count += 1
            index = token.range.upperBound
        }
        return count
    }

    /// Whether a text may begin behind some tokens: behind a blank, a bracket, a quote, a box's border, and a line number (`12:/opt/a`).
    private static func mayEnd(_ tokens: [Token], _ count: Int, _ line: Span<UInt8>) -> Bool {
        guard count < tokens.count else { return false }
        let (last, next) = (tokens[count - 1], tokens[count])
        guard next.kind != .blank, tokens[..<count].contains(where: { $0.kind != .blank }) else { return false }
        switch last.kind {
        case .blank, .symbol: return true
        case .number, .word: return false
        case .mark:
            let byte = line[last.range.lowerBound]
            if isOne(byte, of: "]>|\"`") || count == 1 && isOne(byte, of: "+-#*!%;") { return true }
            // `12:`, `logs/out.txt:12:`
            return byte == UInt8(ascii: ":") && count > 1 && tokens[count - 2].kind == .number
                && (count == 2 || tokens[count - 3].kind == .mark && line[tokens[count - 3].range.lowerBound] == UInt8(ascii: ":"))
        }
    }

    /// Whether a number counts the rows of a stack: it follows `#`, or begins at 0 or 1 and rises by one from row to row.
    private static func isRowNumber(_ index: Int, _ own: [Token], _ tokens: [[Token]], _ lines: [[UInt8]]) -> Bool {
        guard own[index].kind == .number else { return false }
        if index > 0, own[index - 1].kind == .mark, own[index - 1].key == UInt64(UInt8(ascii: "#")) { return true }
        let values = numbers(index, tokens, lines)
        guard values.count == lines.count, let first = values.first, first <= 1 else { return false }
        return values.indices.allSatisfy { values[$0] == first + UInt64($0) }
    }

    /// The values of a number in the lines that have it.
    private static func numbers(_ index: Int, _ tokens: [[Token]], _ lines: [[UInt8]]) -> [UInt64] {
        zip(lines, tokens).compactMap { line, tokens in
            guard tokens.count > index else { return nil }
            return UInt64(String(decoding: line[tokens[index].range], as: UTF8.self))
        }
    }

    /// Whether a number names a process of several whose lines alternate (`srun -l`): each has
    /// three lines or more, and no other line is among them. Rows of a stack that have such numbers
    /// are two stacks with something in between.
    private static func areRanks(_ index: Int, _ tokens: [[Token]], _ lines: [[UInt8]], isWithoutGaps: Bool) -> Bool {
        let values = numbers(index, tokens, lines)
        guard isWithoutGaps, values.count == lines.count else { return false }
        let counts = values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        return counts.count > 1 && counts.values.allSatisfy { $0 >= 3 } && (values.max() ?? 0) < UInt64(counts.count)
    }

    /// Whether a number returns to a value that it had before another one.
    private static func returns(_ index: Int, _ tokens: [[Token]], _ lines: [[UInt8]]) -> Bool {
        guard tokens.first?[index].kind == .number else { return false }
        var seen: Set<ArraySlice<UInt8>> = []
        var last: ArraySlice<UInt8>?
        for (line, tokens) in zip(lines, tokens) where tokens.count > index {
            let value = line[tokens[index].range]
            if let last, value.elementsEqual(last) { continue }
            let key = ArraySlice(Array(value))
            if seen.contains(key) { return true }
            seen.insert(key)
            last = value
        }
        return false
    }

    /// Whether a prefix ends with a quote, which has to end after the text.
    private static func isQuote(_ prefix: ArraySlice<Token>, _ line: Span<UInt8>) -> Bool {
        guard let last = prefix.last, last.kind == .mark else { return false }
        return isOne(line[last.range.lowerBound], of: "\"`")
    }

    private static func ending(
        of lines: [Range<Int>], in text: Span<UInt8>, behind prefix: ArraySlice<Token>, _ line: Span<UInt8>
    ) -> [UInt8] {
        guard let last = prefix.last(where: { $0.kind != .blank }) else { return [] }
        let mark = line.clamped(to: last.range).copied()
        guard last.kind == .symbol || mark.count == 1 && isOne(mark[0], of: "\"`|") else { return [] }
        let isEverywhere = lines.allSatisfy { range in
            var content = text.clamped(to: range)
            while let byte = content.at(content.count - 1), isBlank(byte) { content = content.upTo(content.count - 1) }
            return content.count > mark.count && content.from(content.count - mark.count).copied() == mark
        }
        return isEverywhere ? mark : []
    }
}

extension WriterPrefix.Token {
    /// - Returns: `nil` at the line's end.
    fileprivate init?(_ line: Span<UInt8>, at start: Int) {
        guard let first = line.at(start) else { return nil }
        kind = Self.kind(first)
        var end = start + 1
        if kind != .mark { while let byte = line.at(end), Self.kind(byte) == kind { end += 1 } }
        range = start..<end
        var hash = NameHash()
        switch kind {
        case .number, .blank: key = 0
        case .mark: key = UInt64(first)
        case .word, .symbol:
            for index in range { hash.combine(line[index]) }
            key = hash.value
        }
    }

    private static func kind(_ byte: UInt8) -> Kind {
        if isDigit(byte) { return .number }
        if isBlank(byte) { return .blank }
        if isLetter(byte) || byte == UInt8(ascii: "_") { return .word }
        return byte >= 0x80 ? .symbol : .mark
    }
}
