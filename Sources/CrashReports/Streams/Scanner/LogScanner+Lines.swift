internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel

/// Lines that are looked at as a whole: of a trace that is open, or with a trigger in them.
extension LogScanner {
    /// A line relieved of its prefix.
    struct Line: Sendable {
        var prefix: LinePrefix.Parts
        /// The text after the prefix, in the log.
        var textRange: Range<Int>
        /// Start of the next line in the log.
        var next: Int
        /// Start of the line in the log, with its prefix.
        var start: Int { textRange.lowerBound - prefix.length }

        init(_ prefix: LinePrefix.Parts, from start: Int, count: Int, next: Int) {
            self.prefix = prefix
            self.next = next
            textRange = start + prefix.length..<start + count
        }
    }

    /// Looks at the line at `cursor` if it is there as a whole.
    mutating func advanceLine(_ bytes: Span<UInt8>, base: Int, isFinal: Bool) -> Bool {
        let start = cursor
        if let piece = rest?.pieceEnd(in: bytes, base: base, from: max(searched, cursor)) {
            beginInLine(at: piece)
            return readLine(bytes.clamped(to: start - base..<piece - base), from: start, next: piece, bytes, base: base, isFinal: isFinal)
        }
        let newline = bytes.firstLineFeed(from: max(searched, cursor) - base)
        let end = newline ?? bytes.count
        var next = base + end + (newline == nil ? 0 : 1)
        if newline == nil {
            searched = base + bytes.count
            let isTooLong = searched - start >= limits.lineLength
            guard isTooLong || (isFinal && searched > start) else { return false }
            isInLongLine = isTooLong && !isFinal
            next = searched
        }
        var content = bytes.clamped(to: start - base..<end)
        if content.count > limits.lineLength { content = content.upTo(limits.lineLength) }
        if newline != nil, content.at(content.count - 1) == UInt8(ascii: "\r") { content = content.upTo(content.count - 1) }
        let isLong = isInLongLine
        begin(at: next)
        isInLongLine = isLong
        return readLine(content, from: start, next: next, bytes, base: base, isFinal: isFinal)
    }

    /// - Parameters:
    ///   - line: the line without its ending.
    ///   - start: start of the line in the log.
    ///   - next: start of the next line in the log.
    ///   - isFinal: no more lines will come.
    /// - Returns: whether there is more to do in this window: the line may have to wait for those below it.
    private mutating func readLine(
        _ line: Span<UInt8>, from start: Int, next: Int, _ bytes: Span<UInt8>, base: Int, isFinal: Bool
    ) -> Bool {
        isWaitingForLines = false
        if traces.isEmpty, !isAtStart, mayBeRejected(line, triggers.marks(in: line, from: lineStart)), rejected.contains(line) {
            return true
        }
        var prefix = prefix(
            of: line, allowsTestNumbers: traces.isEmpty || traces.testNumber != nil, testNumber: traces.testNumber)
        var parsed = Line(prefix, from: start, count: line.count, next: next)
        if !traces.isEmpty, continueTrace(with: line, parsed, bytes, base: base) { return true }
        if readLongDocument(line, at: start, bytes, base: base) { return true }
        var text = line.from(prefix.length)
        var marks = triggers.marks(in: line, from: lineStart) | everyLine
        let wasAtStart = isAtStart
        if isAtStart {
            isAtStart = text.trimmed().count == 0 || marks & FormatSearch.mapping != 0 && MemoryMapRow(text) != nil
            wantsLine = isAtStart && formats.firstLine != 0
            marks |= formats.firstLine
        }
        noteBrace(in: text, at: parsed.textRange.lowerBound, behind: prefix.length, bytes, base: base)
        if marks & FormatSearch.mapping != 0, let row = MemoryMapRow(text) {
            maps.add(row, of: prefix.origin, endingAt: next)
            return true
        }
        let hasCause = marks & FormatSearch.cause != 0
        marks &= ~FormatSearch.cause
        if hasCause, marks & ~FormatSearch.brace == 0 { causes.note(text, of: prefix.origin, endingAt: next) }
        guard marks & ~FormatSearch.brace != 0 else { return true }
        var found = isForced ? formats.lineFormats.first.map { ($0, .certain) } : formats.lineFormat(for: text, marks)
        var quoted: WriterPrefix?
        if marks & ~(formats.firstLine | FormatSearch.brace) != 0, mayLearn(found, text),
            candidate?.isInString(at: start, in: bytes, base: base) != true
        {
            let learned = learnWriter(of: start..<start + line.count, bytes, base: base, isFinal: isFinal)
            guard learned.isReady else {
                begin(at: start)
                (wantsLine, isWaitingForLines, isAtStart) = (true, true, wasAtStart)
                return false
            }
            // Once, although a line that waits comes again.
            if hasCause { causes.note(text, of: prefix.origin, endingAt: next) }
            // Documents are read without their lines' prefix.
            let isDocument =
                marks & FormatSearch.markup == 0
                && learned.prefix?.text(of: line).map { beginsDocument(line.clamped(to: $0), marks) } == true
            if let writer = learned.prefix, writer.ending.isEmpty, !isDocument {
                self.writer = writer
                rejected.removeAll()
                prefix = self.prefix(of: line)
                parsed = Line(prefix, from: start, count: line.count, next: next)
                text = line.from(prefix.length)
                marks |= triggers.marks(in: text, from: lineStart)
                found = formats.lineFormat(for: text, marks)
            } else {
                quoted = learned.prefix
            }
        } else if hasCause {
            causes.note(text, of: prefix.origin, endingAt: next)
        }
        undecided = UndecidedLine(line: parsed, marks: marks, found: found, quoted: quoted)
        decide(bytes, base: base)
        return true
    }

    // MARK: Decisions

    /// A line with a trigger that is not classified yet.
    struct UndecidedLine: Sendable {
        var line: Line
        var marks: TriggerSearch.Marks
        /// The format that claims it as it is.
        var found: (format: any LineFormat.Type, confidence: Confidence)?
        /// Its prefix that was learned and has an ending behind the text.
        var quoted: WriterPrefix?
        var next = Step.quoted

        /// Possible beginnings, in the order in which they are tried.
        enum Step: Int { case quoted, markup, quotedDocument, document, layer, trace, nothing }
    }

    /// Classifies the undecided line, up to the next layer that it may have.
    mutating func decide(_ bytes: Span<UInt8>, base: Int) {
        guard var open = undecided else { return }
        while open.next != .nothing, offer == nil {
            let step = open.next
            open.next = UndecidedLine.Step(rawValue: step.rawValue + 1) ?? .nothing
            undecided = open
            if begins(step, open, bytes, base: base) { open.next = .nothing }
        }
        if offer == nil { undecided = nil }
    }

    /// - Returns: whether the line is done with.
    private mutating func begins(_ step: UndecidedLine.Step, _ open: UndecidedLine, _ bytes: Span<UInt8>, base: Int) -> Bool {
        let start = open.line.start
        let (whole, marks, found) = (start..<open.line.next, open.marks, open.found)
        switch step {
        case .quoted:
            if let prefix = open.quoted {
                offerLayers([(.quotedLines(prefix), start)], .line(end: whole.upperBound, isAtStart: false, waits: true), base: base)
                return false
            }
            guard found?.format == RowStacks.self, let writer, writer.hasExamples else { return false }
            return writer.length(in: bytes.clamped(to: start - base..<open.line.textRange.upperBound - base)) != nil
        case .markup:
            if marks & FormatSearch.markup != 0 { offerLayers(for: whole, marks, bytes, base: base) }
            return false
        case .quotedDocument:
            if traces.isEmpty { offerQuotedDocument(marks, line: whole, bytes, base: base) }
            return false
        case .document:
            return traces.isEmpty && openDocument(marks, line: start..<open.line.textRange.upperBound, bytes, base: base)
        case .layer:
            // A row of a stack without a head may be a known one with a layer.
            let isObject = found?.format == RowStacks.self && bytes.at(open.line.textRange.lowerBound - base) == UInt8(ascii: "{")
            if found == nil || found?.confidence == .weak || isObject {
                offerLayers(for: whole, isRow: found != nil, marks, bytes, base: base)
            }
            return false
        case .trace:
            let line = bytes.clamped(to: start - base..<open.line.textRange.upperBound - base)
            guard let (format, confidence) = found else {
                if mayBeRejected(line, marks) { rejected.add(line) }
                return true
            }
            openTrace(of: format, confidence, with: line, open.line, bytes, base: base)
            return true
        case .nothing: return true
        }
    }

    /// Whether the shape of a line decides that it is nothing: it has no more than an address, or a text that rows have.
    private mutating func mayBeRejected(_ line: Span<UInt8>, _ marks: TriggerSearch.Marks) -> Bool {
        guard depth == 0, everyLine == 0, marks & ~FormatSearch.brace == formats.rows else { return false }
        // A bracket at a line's beginning is rarely JSON's: `[   12.345678] `.
        return marks & FormatSearch.brace == 0 || line.at(0) == UInt8(ascii: "[")
    }

    /// Closes what is open, because a layer of the line was opened.
    mutating func leaveLine() {
        (undecided, candidate, isInLongLine) = (nil, nil, false)
    }

    // MARK: Open traces

    /// Shows a line to the trace that it continues.
    /// - Returns: whether it belongs to one, or the scan continues elsewhere.
    private mutating func continueTrace(with line: Span<UInt8>, _ parsed: Line, _ bytes: Span<UInt8>, base: Int) -> Bool {
        let start = parsed.start
        guard let index = traces.index(for: parsed.prefix.origin) else {
            closeStale(at: parsed.next)
            return emitEnded(bytes, base: base, seen: parsed.next, next: start)
        }
        let text = line.from(parsed.prefix.length)
        var verdict = isClaimed(line, text, from: index) ? .rejected : consume(index, text, at: parsed.textRange, end: parsed.next)
        if verdict == .unknown, isOtherBeginning(line, text, than: traces.traces[index].format) || traces.isLost(index, limits) {
            verdict = .rejected
        }
        if verdict == .rejected, !isForced, traces.traces[index].standsAlone {
            traces.drop(index)
        } else if verdict == .done || verdict == .rejected {
            traces.close(index)
        }
        if traces.lines >= limits.framesPerReport {
            traces.closeAll(because: "The trace has \(limits.framesPerReport) lines or more: what follows is read by itself.")
        }
        closeStale(at: parsed.next)
        let isElsewhere = emitEnded(bytes, base: base, seen: parsed.next, next: verdict == .rejected ? start : parsed.next)
        if isElsewhere || verdict != .rejected { return true }
        // Another writer's trace may go on with it.
        return !traces.isEmpty && traces.index(for: parsed.prefix.origin) != nil && continueTrace(with: line, parsed, bytes, base: base)
    }

    /// Shows a trace its next line. Rows of a memory map that its format does not recognise belong
    /// to it, too, and a map may follow after the stack has ended.
    private mutating func consume(_ index: Int, _ text: Span<UInt8>, at range: Range<Int>, end: Int) -> LineVerdict {
        let verdict = traces.traces[index].isInMap ? .rejected : traces.consume(index, text, at: range, end: end)
        guard verdict == .unknown || verdict == .rejected else { return verdict }
        if let row = MemoryMapRow(text) {
            traces.addMapping(index, row, end: end)
            if verdict == .rejected { traces.expectMap(index) }
            return .more
        }
        guard verdict == .rejected else { return verdict }
        if traces.traces[index].isInMap { return text.trimmed().count == 0 ? .unknown : .rejected }
        guard MapExcerpt.isHeading(text) else { return .rejected }
        traces.expectMap(index)
        return .unknown
    }

    /// Whether another format is certain that it begins with this line.
    private mutating func isOtherBeginning(_ line: Span<UInt8>, _ text: Span<UInt8>, than own: any LineFormat) -> Bool {
        let marks = triggers.marks(in: line, from: lineStart)
        guard marks & ~FormatSearch.brace != 0, !isForced else { return false }
        if text.at(0) == UInt8(ascii: "{"), formats.documentFormat(for: text, marks)?.confidence == .certain { return true }
        guard let other = formats.lineFormat(for: text, marks) else { return false }
        return other.format != type(of: own) && other.confidence == .certain
    }

    /// Whether a line that may be a row of a stack is the beginning of a trace that a format knows.
    private mutating func isClaimed(_ line: Span<UInt8>, _ text: Span<UInt8>, from index: Int) -> Bool {
        guard traces.traces[index].isWeak else { return false }
        let marks = triggers.marks(in: line, from: lineStart)
        guard marks & ~FormatSearch.brace != 0, let other = formats.lineFormat(for: text, marks) else { return false }
        // A format that reads several families decides itself which one the line belongs to.
        return other.confidence > .weak && other.format != type(of: traces.traces[index].format)
    }

    /// Number of bytes between two checks whether a trace has waited too long: a little more or
    /// less that is held makes no difference.
    private static let staleStep = 4096

    private mutating func closeStale(at position: Int) {
        guard position - staleChecked >= LogScanner.staleStep else { return }
        staleChecked = position
        traces.closeStale(at: position, distance: limits.foreignText, limit: limits.heldTrace)
        if let start = traces.start, position - start > limits.heldTrace { traces.closeAll(because: OpenTraces.heldNote(limits.heldTrace)) }
    }

    // MARK: Beginnings

    private mutating func openTrace(
        of format: any LineFormat.Type, _ confidence: Confidence, with line: Span<UInt8>, _ parsed: Line, _ bytes: Span<UInt8>, base: Int
    ) {
        let start = parsed.start
        var parsed = parsed
        if parsed.prefix.testNumber != nil, format == RowStacks.self, StackCards.card(for: line.from(parsed.prefix.length)) == nil {
            // `3: /lib/libc.so.6(+0x3c050)[0x7f61cfb63050]` is a row with its number; after a
            // heading no row begins.
            parsed = Line(self.prefix(of: line, allowsTestNumbers: false), from: start, count: line.count, next: parsed.next)
        }
        let prefix = parsed.prefix
        let waiting = traces.isEmpty ? nil : traces.handOver(to: prefix.origin, format)
        if waiting == nil {
            traces.open(
                OpenTraces.Trace(
                    format: family.map { format.init(family: $0) } ?? format.init(), isWeak: confidence == .weak,
                    range: start..<parsed.next,
                    origin: prefix.origin, prefix: LinePrefix(prefix, of: line), testNumber: prefix.testNumber,
                    earlierMap: maps.excerpt(for: prefix.origin, before: start, within: limits.foreignText),
                    earlierCause: causes.cause(for: prefix.origin, before: start)), limit: limits.openTraces)
        }
        let index = waiting ?? traces.traces.count - 1
        switch traces.consume(index, line.from(prefix.length), at: parsed.textRange, end: parsed.next) {
        case .more, .unknown: candidate = nil
        case .done, .rejected: traces.close(index)
        }
        _ = emitEnded(bytes, base: base, seen: parsed.next, next: parsed.next)
    }
}
