internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel

/// Prefixes that are learned from the lines themselves (`WriterPrefix`).
///
/// The functions for each line are mutating so that the scanner is not copied for the call.
extension LogScanner {
    /// Bytes below a line that are looked at before its prefix is learned.
    private static let ahead = 8 << 10
    /// Number of lines for which no prefix is learned, after a line without one.
    private static let skippedLines = 8
    private static let maxDoublings = 7
    /// Maximum length in bytes of a line whose prefix is learned: learning reads a line once for each of its tokens.
    private static let longestLine = 4096

    /// The prefix of a line: the one that was learned, else a known one.
    mutating func prefix(of line: Span<UInt8>, allowsTestNumbers: Bool = true, testNumber: UInt64? = nil) -> LinePrefix.Parts {
        guard let writer, let length = writer.length(in: line) else {
            return LinePrefix.Parts(of: line, allowsTestNumbers: allowsTestNumbers, testNumber: testNumber)
        }
        // A date, a process and a container are still those of the known prefixes; one of these may follow, too.
        let behind = LinePrefix.Parts(of: line.from(length), allowsTestNumbers: false)
        var parts = LinePrefix.Parts(of: line.upTo(length), allowsTestNumbers: false)
        parts.length = length + behind.length
        parts.testNumber = nil
        (parts.origin.line, parts.origin.message, parts.origin.outerMessage, parts.origin.dates) = (writer.writer(of: line), 0, 0, 0)
        return parts
    }

    /// Whether the prefix of a line may be one that is not in the list: no format claims the line
    /// as it is, or the format that claims it is found behind any prefix.
    mutating func mayLearn(_ found: (format: any LineFormat.Type, confidence: Confidence)?, _ text: Span<UInt8>) -> Bool {
        guard depth == 0, traces.isEmpty, document == nil, !isForced, formats.rows != 0 else { return false }
        // An object of JSON is not a line with a prefix.
        let trimmed = text.trimmed()
        if let first = trimmed.at(0), isOne(first, of: "{},\"") || trimmed.count < 3 || trimmed.hasPrefix("[{") { return false }
        guard let found, found.format != RowStacks.self else {
            // A row that begins its line has no prefix; its number may be a process's number.
            if found != nil, RowStacks.isFirst(in: text) { return false }
            // One word cannot be a prefix and a text, except for `grep -n`'s `12:`.
            return text.trimmed().firstIndex(of: UInt8(ascii: " ")) != nil || text.firstIndex(of: UInt8(ascii: ":")) != nil
        }
        guard let blank = text.trimmed().firstIndex(of: UInt8(ascii: " ")) else { return false }
        return found.format.begins(text.trimmed().from(blank + 1)) >= found.confidence
    }

    /// Learns the prefix of a line from the lines around it.
    /// - Parameters:
    ///   - line: the line, in the log.
    ///   - isFinal: no more lines will come.
    /// - Returns: whether the lines below it are there; if not, the line has to wait.
    mutating func learnWriter(of line: Range<Int>, _ bytes: Span<UInt8>, base: Int, isFinal: Bool) -> (isReady: Bool, prefix: WriterPrefix?)
    {
        guard line.lowerBound >= learnedUpTo, line.count <= Self.longestLine else { return (true, nil) }
        guard isFinal || isSettling || base + bytes.count - line.upperBound >= Self.ahead else { return (false, nil) }
        let end = min(line.upperBound + Self.ahead, base + bytes.count)
        let text = bytes.clamped(to: line.lowerBound - base..<end - base)
        var lines: [Range<Int>] = []
        var start = 0
        while start < text.count, lines.count <= WriterPrefix.nearLines {
            let newline = text.firstLineFeed(from: start)
            var end = newline ?? text.count
            // The last line may not be there as a whole.
            if newline == nil, !isFinal || text.count == line.count + Self.ahead, !lines.isEmpty { break }
            if text.at(end - 1) == UInt8(ascii: "\r"), end > start { end -= 1 }
            lines.append(start..<end)
            start = (newline ?? text.count) + 1
        }
        guard lines.count > 1 else { return (true, nil) }
        let earlier = writer
        let found = WriterPrefix.learn(
            text, lines, current: 0, longerThan: LinePrefix.Parts(of: text.clamped(to: lines[0]), allowsTestNumbers: false).length,
            worth: { worth(of: $0) },
            known: { worth(of: $0.from(earlier?.length(in: $0) ?? 0)) })
        // In a log full of addresses that do not belong to stacks, fewer and fewer lines are tried.
        failedPrefixes = found == nil ? failedPrefixes + 1 : 0
        let part = lines[min(lines.count - 1, Self.skippedLines)].upperBound
        if found == nil { learnedUpTo = line.lowerBound + part << min(failedPrefixes / 8, Self.maxDoublings) }
        return (true, found)
    }

    /// Whether a document begins with a text.
    mutating func beginsDocument(_ text: Span<UInt8>, _ marks: TriggerSearch.Marks) -> Bool {
        text.at(0) == UInt8(ascii: "{") && formats.hasDocumentFormat(marks)
            && formats.documentFormat(for: text, marks)?.confidence == .certain
    }

    /// How strongly a line's text suggests that it is a part of a trace.
    private mutating func worth(of line: Span<UInt8>) -> Int {
        guard line.count > 0 else { return 0 }
        let text = line.from(LinePrefix.Parts(of: line, allowsTestNumbers: false).length)
        let marks = triggers.marks(in: text, from: lineStart) & ~Self.ofNoFormat
        guard marks != 0 else { return 0 }
        if let found = formats.lineFormat(for: text, marks & ~formats.rows), found.confidence >= .possible {
            return WriterPrefix.reportWorth
        }
        if beginsDocument(text, marks) { return WriterPrefix.reportWorth }
        return marks & formats.rows != 0 ? RowStacks.worth(of: text) : 0
    }

    private static let ofNoFormat =
        FormatSearch.markup | FormatSearch.disguise | FormatSearch.mapping | FormatSearch.brace | FormatSearch.cause
}
