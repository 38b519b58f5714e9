internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel

/// The search for traces in a log of which the window shows a part: `LogStream` without the bytes.
///
/// While nothing is open, only the formats' triggers are searched, and a line is looked at if it
/// has one. While a trace is open, each line is looked at: its prefix is removed, and it is shown
/// to the trace of its origin.
struct LogScanner: Sendable {
    var results: ScanResults

    let formats: FormatSearch
    /// The only family of logs that is wanted of a format that reads several.
    private let family: String?
    let isForced: Bool
    let limits: Limits
    /// Images that no frame is in may be left out.
    var imagesOfFrames = false

    /// Everything before it has been looked at; a line begins there.
    var cursor = 0
    /// Position up to which the triggers (or, while a line is wanted, its end) have been searched.
    private var searched = 0
    private var searchState = TriggerSearch.State()
    var triggers: TriggerSearch
    /// Finds the lines of long text that have a trigger.
    private var pairs: TriggerPairs?
    let lineStart: TriggerSearch.State
    /// Only blank lines came so far.
    var isAtStart = true
    /// The line at `cursor` is to be looked at as soon as it is there as a whole.
    private var wantsLine = false
    /// The bytes at `cursor` are the rest of a line that is longer than a line may be: it passes
    /// through unread.
    var isInLongLine = false
    var traces = OpenTraces()
    /// The memory maps that were not in a trace.
    private var maps = MapExcerpts()
    /// Causes that programs reported outside of traces.
    private var causes = EarlierCauses()
    var document: OpenDocument?
    /// The last line that begins like a JSON document, if it may still turn out to be a trace.
    var candidate: DocumentCandidate?
    /// The text at `cursor` follows a document in its line; nil at a line's beginning.
    var rest: RestOfLine?
    private var hasCheckedMagic = false
    /// Position of the last check whether a trace has waited too long.
    private var staleChecked = 0
    /// Kind of the file, if its first bytes show that it is not a log: all of it passes through
    /// unread.
    var foreign: ForeignFile?
    /// Documents that had no end.
    var endlessDocuments = 0

    /// The part of the text that may have a layer. The scan has stopped there.
    var offer: LayerOffer?
    /// The first byte that is needed for a layer that is offered or open.
    var firstNeededByLayer: Int?
    /// The line with a trigger that is not classified yet.
    private var undecided: UndecidedLine?
    /// The prefix of the lines that was learned from them.
    var writer: WriterPrefix?
    /// No prefix is learned of lines that begin before it: that was tried.
    private var learnedUpTo = 0
    /// Lines one after another for which no prefix was found.
    private var failedPrefixes = 0
    /// The marks of the line that was searched for them last, and its range in the log.
    private var lineMarks: (range: Range<Int>, marks: TriggerSearch.Marks)?
    /// A line waits for those below it.
    var isWaitingForLines = false
    /// Nothing has come from a live log for a while: no line waits for others.
    var isSettling = false
    /// The shapes of lines with an address that are not rows.
    private var rejected = RejectedShapes()
    /// The line that began the open trace, if that is its only one so far, and any program's.
    private var firstRow: Line?
    /// Bytes that were read once more without a layer.
    var reread = 0
    /// Number of layers that were removed from this text.
    let depth: Int

    init(registry: FormatRegistry, isForced: Bool, limits: Limits) {
        self.init(
            registry.search, family: registry.family, isForced: isForced, limits: limits, depth: 0)
    }

    /// - Parameter isAtStart: the first line is shown to the formats that are accepted only if they
    ///   are the whole log.
    init(
        _ formats: FormatSearch, family: String? = nil, isForced: Bool, limits: Limits, depth: Int, isAtStart: Bool = true
    ) {
        self.formats = formats
        self.family = family
        self.isForced = isForced
        self.limits = limits
        results = ScanResults(limits: limits)
        self.depth = depth
        self.isAtStart = isAtStart
        wantsLine = isAtStart && formats.firstLine != 0
        // A log's beginning is a line's beginning.
        triggers = formats.triggers.start()
        lineStart = triggers.afterNewline()
        searchState = lineStart
        // A forced document format without a line form is given the whole log.
        if isForced, formats.lineFormats.isEmpty, let only = formats.documentFormats.first { openWhole(only) }
    }

    /// The formats that are shown every line.
    private var everyLine: TriggerSearch.Marks { isForced ? ~FormatSearch.brace : formats.everyLine }

    private mutating func openWhole(_ format: any DocumentFormat.Type) {
        document = OpenDocument(
            format: format, start: 0, scanned: 0, extent: JSONExtent(values: 1), isCertain: true, coversWholeLog: true)
    }

    var problemsAtEnd: [LogError] {
        results.problemsAtEnd(format: isForced ? family ?? formats.names.joined(separator: ", ") : nil)
    }

    /// Bytes before it are in a piece.
    var covered: Int { results.covered }

    /// The first byte that is still needed.
    var firstNeeded: Int {
        [traces.start, document?.start, candidate?.lineStart].reduce(firstNeededByLayer ?? cursor) { min($0, $1 ?? $0) }
    }

    /// A trace or a document is open. (A brace at a line's beginning, which may become one, does
    /// not count: hardly any does.)
    var hasOpenTrace: Bool { isWaitingForLines || !traces.isEmpty || document != nil }

    /// Advances as far as the window allows, or up to a part of the text that may have a layer.
    ///
    /// - Parameters:
    ///   - bytes: the text from byte `base` on; at least from `firstNeeded` on.
    ///   - isFinal: the text ends with the window.
    /// - Returns: the part that may have a layer; `nil` if all of the window is read.
    mutating func advance(over bytes: Span<UInt8>, base: Int, isFinal: Bool) -> LayerOffer? {
        let end = base + bytes.count
        if !hasCheckedMagic, cursor == 0, document == nil { checkMagic(bytes, isFinal: isFinal) }
        if foreign != nil {
            cursor = end
            results.setBinary()
            return nil
        }
        var hasMore = hasCheckedMagic || document != nil
        while hasMore, offer == nil {
            if undecided != nil {
                decide(bytes, base: base)
            } else if document != nil {
                hasMore = advanceDocument(bytes, base: base, isFinal: isFinal)
            } else if isInLongLine {
                hasMore = skipLongLine(bytes, base: base)
            } else if wantsLine || !traces.isEmpty || everyLine != 0 {
                hasMore = advanceLine(bytes, base: base, isFinal: isFinal)
            } else {
                hasMore = advanceSearch(bytes, base: base, isFinal: isFinal)
            }
            if isFinal, !hasMore, offer == nil {
                traces.closeAll()
                hasMore = emitEnded(bytes, base: base, seen: end, next: end)
            }
        }
        if offer == nil, isFinal {
            (candidate, cursor) = (nil, end)
            formats.triggers.keep(triggers)
        } else if offer == nil {
            dropCandidate(bytes, base: base)
        }
        defer { offer = nil }
        return offer
    }

    /// Emits the text that is read and belongs to no trace.
    mutating func emitPassedText(_ bytes: Span<UInt8>, base: Int) {
        results.noteNearMiss(traces.firstShortfall, upTo: firstNeeded, bytes, base: base)
        results.emitText(upTo: firstNeeded)
    }

    /// Ends open traces and documents although the log continues.
    /// - Returns: whether anything was open: the scan may go on elsewhere.
    mutating func endOpenParts(over bytes: Span<UInt8>, base: Int) -> Bool {
        if document != nil, document?.coversWholeLog != true { return advanceDocument(bytes, base: base, isFinal: true) }
        candidate = nil
        guard !traces.isEmpty else { return false }
        traces.closeAll()
        _ = emitEnded(bytes, base: base, seen: cursor, next: cursor)
        return true
    }

    // MARK: Pieces

    /// - Parameters:
    ///   - seen: end of the last line that was read.
    ///   - next: position at which the text continues behind the ended traces.
    /// - Returns: whether the scan continues elsewhere, because an ended trace may have a layer or
    ///   goes on.
    private mutating func emitEnded(_ bytes: Span<UInt8>, base: Int, seen: Int, next: Int) -> Bool {
        let ended = traces.removeEnded()
        offerLayers(of: ended, seen: seen, next: next, bytes, base: base)
        if offer != nil { return true }
        let rows = findRows(bytes, base: base)
        results.emit(rows.found.isEmpty ? ended : (ended + rows.found).sorted { $0.range.lowerBound < $1.range.lowerBound })
        guard let unfinished = rows.unfinished, unfinished >= covered else { return false }
        begin(at: unfinished)
        return true
    }

    // MARK: Search for beginnings

    /// Binary documents are known by the log's first bytes.
    private mutating func checkMagic(_ bytes: Span<UInt8>, isFinal: Bool) {
        for format in formats.documentFormats where format.isBinary {
            let confidence = format.magic.isEmpty ? format.begins(bytes) : LogScanner.magic(of: format, in: bytes)
            // It may be one: more is needed.
            if confidence == .possible, !isFinal { return }
            guard confidence == .certain else { continue }
            openWhole(format)
            break
        }
        hasCheckedMagic = bytes.count > 0 || isFinal
        guard document == nil, !isForced, let file = ForeignFile.recognise(bytes) else { return }
        foreign = file
        results.noteProblem(file.problem())
    }

    /// `possible` while only a part of the magic bytes is there.
    private static func magic(of format: any DocumentFormat.Type, in bytes: Span<UInt8>) -> Confidence {
        let known = bytes.upTo(format.magic.count)
        guard known.count > 0, (0..<known.count).allSatisfy({ known[$0] == format.magic[$0] }) else { return .none }
        return known.count == format.magic.count ? .certain : .possible
    }

    /// Number of bytes from which `TriggerPairs` are worth making.
    private static let longText = 64 << 10

    /// Searches triggers from `searched` on.
    /// - Returns: whether there is more to do in this window.
    private mutating func advanceSearch(_ bytes: Span<UInt8>, base: Int, isFinal: Bool) -> Bool {
        if cursor == 0, searched == 0 { noteBrace(at: 0, bytes, base: base) }
        var position = searched - base
        if pairs == nil, bytes.count - position >= Self.longText { pairs = formats.triggers.pairs }
        // The end of the last line that the window has as a whole.
        let whole = bytes.lastIndex(of: UInt8(ascii: "\n"), before: bytes.count, from: max(position, bytes.count - Self.longText))
        var end = position
        while position < bytes.count {
            if position >= end {
                end = bytes.count
                if let pairs, let whole, position <= whole {
                    if searchState == lineStart, let next = pairs.firstLine(in: bytes, from: position, to: whole + 1) {
                        position = next
                    } else if searchState == lineStart {
                        position = whole + 1
                        continue
                    }
                    end = bytes.firstLineFeed(from: position).map { $0 + 1 } ?? bytes.count
                }
            }
            let marks = triggers.next(in: bytes.upTo(end), from: &position, state: &searchState)
            if marks & FormatSearch.brace != 0 { noteBrace(behind: position, bytes, base: base) }
            guard marks & ~FormatSearch.brace != 0 else { continue }
            // The line that it is in is looked at as a whole.
            let newline = bytes.lastIndex(of: UInt8(ascii: "\n"), before: position, from: cursor - base)
            cursor = max(cursor, newline.map { base + $0 + 1 } ?? cursor)
            searched = base + position
            if rest != nil { rest = newline == nil ? RestOfLine(behind: searched) : nil }
            wantsLine = true
            return true
        }
        // The text after the last line's end is kept: a trigger may follow in the same line. No
        // line ends before `searched`, so a line that comes byte by byte is looked at once.
        if let newline = bytes.lastIndex(of: UInt8(ascii: "\n"), before: bytes.count, from: searched - base) {
            cursor = base + newline + 1
            rest = nil
        }
        searched = base + bytes.count
        if searched - cursor > limits.lineLength {
            cursor = searched
            isInLongLine = true
        }
        return false
    }

    private mutating func skipLongLine(_ bytes: Span<UInt8>, base: Int) -> Bool {
        guard let newline = bytes.firstIndex(of: UInt8(ascii: "\n"), from: cursor - base) else {
            cursor = base + bytes.count
            searched = cursor
            return false
        }
        isInLongLine = false
        begin(at: base + newline + 1)
        return true
    }

    /// Continues with the line that begins at `position`.
    mutating func begin(at position: Int) {
        cursor = position
        searched = position
        searchState = lineStart
        wantsLine = false
        rest = nil
    }

    /// Continues at `position`, inside a line whose beginning belongs to a document.
    mutating func beginInLine(at position: Int) {
        begin(at: position)
        searchState = TriggerSearch.State()
        rest = RestOfLine(behind: position)
    }

    // MARK: Lines

    /// A line relieved of its prefix.
    private struct Line: Sendable {
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
    private mutating func advanceLine(_ bytes: Span<UInt8>, base: Int, isFinal: Bool) -> Bool {
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
        if traces.isEmpty, !isAtStart, mayBeRejected(line, marks(of: line, at: start)),
            let known = rejected.entry(of: line), known.isRejected || isSingleRow(line, known, next: next, bytes, base: base)
        {
            return true
        }
        let prefix = prefix(
            of: line, allowsTestNumbers: traces.isEmpty || traces.testNumber != nil, testNumber: traces.testNumber)
        let parsed = Line(prefix, from: start, count: line.count, next: next)
        if !traces.isEmpty, continueTrace(with: line, parsed, bytes, base: base) { return true }
        if readLongDocument(line, at: start, bytes, base: base) { return true }
        let text = line.from(prefix.length)
        var marks = marks(of: line, at: start) | everyLine
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
        if marks & ~(FormatSearch.brace | FormatSearch.cause) != 0 {
            undecided = recogniseLine(line, parsed, marks & ~FormatSearch.cause, bytes, base: base, isFinal: isFinal)
            if undecided == nil {
                begin(at: start)
                (wantsLine, isWaitingForLines, isAtStart) = (true, true, wasAtStart)
                return false
            }
        }
        // Once, although a line that waits comes again.
        if marks & FormatSearch.cause != 0 { causes.note(text, of: prefix.origin, endingAt: next) }
        decide(bytes, base: base)
        return true
    }

    /// The marks of the triggers in a line, which is searched once although several rules need them.
    private mutating func marks(of line: Span<UInt8>, at start: Int) -> TriggerSearch.Marks {
        let range = start..<start + line.count
        if let lineMarks, lineMarks.range == range { return lineMarks.marks }
        let marks = triggers.marks(in: line, from: lineStart)
        lineMarks = (range, marks)
        return marks
    }

    /// Looks up the format of a line that has a trigger, behind a prefix that is learned if no known one fits.
    /// - Returns: `nil` if the line has to wait for those below it.
    private mutating func recogniseLine(
        _ line: Span<UInt8>, _ parsed: Line, _ marks: TriggerSearch.Marks, _ bytes: Span<UInt8>, base: Int, isFinal: Bool
    ) -> UndecidedLine? {
        let start = parsed.start
        let text = line.from(parsed.prefix.length)
        let found = isForced ? formats.lineFormats.first.map { ($0, .certain) } : formats.lineFormat(for: text, marks)
        var open = UndecidedLine(line: parsed, marks: marks, found: found)
        guard marks & ~(formats.firstLine | FormatSearch.brace) != 0, mayLearn(found, text),
            candidate?.isInString(at: start, in: bytes, base: base) != true
        else { return open }
        let learned = learnWriter(of: start..<start + line.count, bytes, base: base, isFinal: isFinal)
        guard learned.isReady else { return nil }
        guard let writer = learned.prefix else { return open }
        // Documents are read without their lines' prefix.
        let isDocument =
            marks & FormatSearch.markup == 0 && writer.text(of: line).map { beginsDocument(line.clamped(to: $0), marks) } == true
        guard writer.ending.isEmpty, !isDocument else {
            open.quoted = writer
            return open
        }
        self.writer = writer
        rejected.removeAll()
        open.line = Line(prefix(of: line), from: start, count: line.count, next: parsed.next)
        let ownText = line.from(open.line.prefix.length)
        open.marks |= triggers.marks(in: ownText, from: lineStart)
        open.found = formats.lineFormat(for: ownText, open.marks)
        return open
    }

    // MARK: Decisions

    /// A line with a trigger that is not classified yet.
    private struct UndecidedLine: Sendable {
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
    private mutating func decide(_ bytes: Span<UInt8>, base: Int) {
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
            if marks & FormatSearch.markup != 0 { offerLayers(for: whole, marks, prefix: nil, bytes, base: base) }
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
                offerLayers(
                    for: whole, isRow: found != nil, marks, prefix: writer == nil ? open.line.prefix.length : nil, bytes, base: base)
            }
            return false
        case .trace:
            let line = bytes.clamped(to: start - base..<open.line.textRange.upperBound - base)
            guard let (format, confidence) = found else {
                if mayBeRejected(line, marks) { rejected.add(line, summary(of: line, open.line)) }
                return true
            }
            let isSingle = traces.isEmpty && confidence == .weak && format == RowStacks.self && mayBeRejected(line, marks)
            firstRow = isSingle ? open.line : nil
            openTrace(of: format, confidence, with: line, open.line, bytes, base: base)
            return true
        case .nothing: return true
        }
    }

    /// Whether a line may be rejected by its shape: all its triggers are of formats that are decided by it.
    private mutating func mayBeRejected(_ line: Span<UInt8>, _ marks: TriggerSearch.Marks) -> Bool {
        let own = marks & ~FormatSearch.brace
        guard depth == 0, everyLine == 0, own != 0, own & ~formats.decidedByShape == 0 else { return false }
        // A bracket at a line's beginning is rarely JSON's: `[   12.345678] `.
        return marks & FormatSearch.brace == 0 || line.at(0) == UInt8(ascii: "[")
    }

    /// Whether the line could begin a stack, and the next line shows that it does not.
    private mutating func isSingleRow(
        _ line: Span<UInt8>, _ known: RejectedShapes.Entry, next: Int, _ bytes: Span<UInt8>, base: Int
    ) -> Bool {
        guard candidate == nil, known.mayBeSingle, let newline = bytes.firstLineFeed(from: next - base) else { return false }
        var following = bytes.clamped(to: next - base..<newline)
        if following.at(following.count - 1) == UInt8(ascii: "\r") { following = following.upTo(following.count - 1) }
        guard rejected.isSingle(known, before: following) else { return false }
        // A stack waits for its writer's next line.
        let (own, other) = (prefix(of: line), prefix(of: following, allowsTestNumbers: false))
        return own.testNumber == nil && (own.origin == other.origin || own.origin.isContinued(by: other.origin))
    }

    /// The row that a line may be.
    private func summary(of line: Span<UInt8>, _ parsed: Line) -> RowSummary? {
        let text = line.from(parsed.prefix.length)
        guard var row = RowSummary(text) else { return nil }
        row.isPrefixKnown = RejectedShapes.isLiteral(text.upTo(row.prefixLength))
        return row
    }

    /// Notes that the trace which the line before has begun is not continued by a line.
    private mutating func noteSingleRow(before line: Span<UInt8>, _ parsed: Line, _ bytes: Span<UInt8>, base: Int) {
        guard let first = firstRow else { return }
        firstRow = nil
        guard first.next == parsed.start, first.start >= base else { return }
        let own = bytes.clamped(to: first.start - base..<first.textRange.upperBound - base)
        rejected.addSingle(own, summary(of: own, first), before: line, summary(of: line, parsed))
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
        var verdict =
            isClaimed(line, at: start, text, from: index) ? .rejected : consume(index, text, at: parsed.textRange, end: parsed.next)
        if verdict == .unknown, isOtherBeginning(line, at: start, text, than: traces.traces[index].format) || traces.isLost(index, limits) {
            verdict = .rejected
        }
        if verdict == .rejected, traces.traces.count == 1 { noteSingleRow(before: line, parsed, bytes, base: base) } else { firstRow = nil }
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
    private mutating func isOtherBeginning(_ line: Span<UInt8>, at start: Int, _ text: Span<UInt8>, than own: any LineFormat) -> Bool {
        let marks = marks(of: line, at: start)
        guard marks & ~FormatSearch.brace != 0, !isForced else { return false }
        if text.at(0) == UInt8(ascii: "{"), formats.documentFormat(for: text, marks)?.confidence == .certain { return true }
        guard let other = formats.lineFormat(for: text, marks) else { return false }
        return other.format != type(of: own) && other.confidence == .certain
    }

    /// Whether a line of a trace that is not sure yet is the beginning of a trace that another format knows.
    private mutating func isClaimed(_ line: Span<UInt8>, at start: Int, _ text: Span<UInt8>, from index: Int) -> Bool {
        let trace = traces.traces[index]
        guard trace.isWeak || trace.format.yieldsToOtherFormats, !trace.format.isOwnRow(text) else { return false }
        let marks = marks(of: line, at: start)
        guard marks & ~FormatSearch.brace != 0, let other = formats.lineFormat(for: text, marks) else { return false }
        // A format that reads several families decides itself which one the line belongs to.
        return other.confidence > .weak && other.format != type(of: trace.format)
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

    // MARK: Learned prefixes

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
    private mutating func mayLearn(_ found: (format: any LineFormat.Type, confidence: Confidence)?, _ text: Span<UInt8>) -> Bool {
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
    private mutating func learnWriter(of line: Range<Int>, _ bytes: Span<UInt8>, base: Int, isFinal: Bool) -> (
        isReady: Bool, prefix: WriterPrefix?
    ) {
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

    // MARK: Rows without a heading

    /// The traces of a whole text, read as it is.
    /// - Returns: each with its range in the text.
    static func traces(in text: Span<UInt8>, _ formats: FormatSearch, _ limits: Limits) -> [(reports: [CrashReport], range: Range<Int>)] {
        var scanner = LogScanner(formats, isForced: false, limits: limits, depth: maxLayers)
        _ = scanner.advance(over: text, base: 0, isFinal: true)
        return scanner.results.removePieces().compactMap { piece in
            guard case .traces(let reports, let range) = piece else { return nil }
            return (reports, range)
        }
    }

    /// Shows text that had begun like a trace and was rejected to the format of last resort.
    /// - Returns: the traces that it found, if no trace is open; otherwise they wait with the open
    ///   traces. A stack that reaches the end of the rejected text goes on below: `unfinished` is
    ///   where it begins.
    mutating func findRows(
        _ bytes: Span<UInt8>, base: Int
    ) -> (found: [(reports: [CrashReport], range: Range<Int>)], unfinished: Int?) {
        guard !traces.unread.isEmpty else { return ([], nil) }
        let unread = traces.removeUnread()
        guard formats.rows != 0, !isForced else { return ([], nil) }
        var found: [(reports: [CrashReport], range: Range<Int>)] = []
        for (range, cause) in unread where range.lowerBound >= max(covered, base) && range.upperBound <= base + bytes.count {
            var cause = cause
            let text = bytes.clamped(to: range.lowerBound - base..<range.upperBound - base)
            for (reports, part) in LogScanner.traces(in: text, FormatRegistry.rows.search, limits) {
                let partRange = part.lowerBound + range.lowerBound..<part.upperBound + range.lowerBound
                // If a heading comes before the rows, it was the heading that began the rejected
                // trace.
                let isUnfinished = partRange.upperBound == range.upperBound && partRange.lowerBound > range.lowerBound
                if isUnfinished, traces.isEmpty, unread.count == 1 { return (found, partRange.lowerBound) }
                var moved = reports.map { $0.moved(by: range.lowerBound) }
                if !moved.isEmpty { moved[0].useEarlierCause(cause) }
                cause = nil
                if traces.isEmpty { found.append((moved, partRange)) } else { traces.add(moved, in: partRange) }
            }
        }
        return (found, nil)
    }
}

/// The part of the text after a document in its line that is looked at in one go.
///
/// A megabyte of documents of 18 bytes in one line has 64,000 ends. If the whole rest of the line
/// were searched after each of them, the search would take minutes.
struct RestOfLine: Sendable {
    /// End of the part in the log, if the line does not end before.
    private let limit: Int

    /// Bytes that are looked at in one go after the document, or after a trigger: the beginnings
    /// that formats recognise are shorter.
    private static let length = 2 << 10

    /// - Parameter position: position in the log after the document, or after a trigger in the
    ///   rest.
    init(behind position: Int) { limit = position + RestOfLine.length }

    /// Returns the end of the piece: after the last comma of its last quarter, so that no key is
    /// cut, else at the limit.
    /// - Parameters:
    ///   - bytes: the window, whose first byte is byte `base` of the log.
    ///   - position: position in the log before which the line does not end.
    /// - Returns: a position in the log; `nil` if the line ends before, or if neither is there yet.
    func pieceEnd(in bytes: Span<UInt8>, base: Int, from position: Int) -> Int? {
        let end = limit - base
        guard end <= bytes.count, bytes.upTo(end).firstLineFeed(from: position - base) == nil else { return nil }
        return bytes.lastIndex(of: UInt8(ascii: ","), before: end, from: end - RestOfLine.length / 4).map { base + $0 + 1 } ?? limit
    }
}
