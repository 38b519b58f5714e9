internal import BinaryPrimitives

/// The search for traces in a log of which the window shows a part: `LogStream` without the bytes.
///
/// While nothing is open, only the formats' triggers are searched, and a line is looked at where one stands in it. While a trace is open, each line is looked at:
/// relieved of its prefix, and shown to the trace that its origin says.
struct LogScanner: Sendable {
    var problems: [LogError] = []
    /// Documents that only might have been traces, and why they are not: a reason to give where nothing else is found.
    var refusals: [LogError] = []
    /// A report is in a piece.
    private(set) var hasFound = false
    private var nearMiss = NearMiss()
    private var repeated = RepeatedReports()
    private(set) var pieces: [LogStream.Piece] = []

    let formats: FormatSearch
    /// The only family of logs that is wanted of a format that reads several.
    private let family: String?
    let isForced: Bool
    let limits: Limits

    /// Everything before it has been looked at; a line begins there.
    var cursor = 0
    /// How far the triggers (or, while a line is wanted, its end) have been searched.
    var searched = 0
    var searchState = TriggerSearch.State()
    var triggers: TriggerSearch
    private let lineStart: TriggerSearch.State
    /// Nothing but blank lines came so far.
    private(set) var isAtStart = true
    /// The line at `cursor` is to be looked at as soon as it is there as a whole.
    private var wantsLine = false
    /// What stands at `cursor` is the rest of a line that is longer than a line may be: it passes through unread.
    var isInLongLine = false
    var traces = OpenTraces()
    /// The memory maps that stood in no trace.
    private var maps = MapExcerpts()
    /// What programs said of their end outside of traces.
    private var causes = EarlierCauses()
    var document: OpenDocument?
    /// Where the last line begins that begins like a JSON document, if it may still turn out to be a trace.
    var candidate: DocumentCandidate?
    /// What stands at `cursor` follows a document in its line; nil at a line's beginning.
    private var rest: RestOfLine?
    /// Bytes before it are in a piece.
    var covered = 0
    private var hasLookedForMagic = false
    /// Where it was last looked whether a trace has waited too long, and how often that is done (bytes).
    private var staleChecked = 0
    private static let staleStep = 4096
    /// What the log is, where its first bytes tell that it is none: all of it passes through unread.
    private(set) var foreign: ForeignFile?
    private var content = ContentKind()
    /// Documents that could not be read beyond those that `problems` tells.
    var complaintsLeftOut = 0
    /// Documents that had no end.
    var endlessDocuments = 0

    /// The damaged part of the log that is being restored; at most one, in an array because it holds a scanner itself.
    var regions: [DamagedRegion] = []
    /// Bytes that were read once more because they look damaged.
    var reread = 0
    /// How many kinds of damage may lie inside one another here.
    let damageDepth: Int

    init(registry: FormatRegistry, isForced: Bool, limits: Limits) {
        self.init(
            registry.search, family: registry.family, isForced: isForced, limits: limits, damageDepth: LogScanner.damageDepth)
    }

    /// - Parameter isAtStart: the formats that are only believed where they are the whole log are shown the first line.
    init(
        _ formats: FormatSearch, family: String? = nil, isForced: Bool, limits: Limits, damageDepth: Int, isAtStart: Bool = true
    ) {
        self.formats = formats
        self.family = family
        self.isForced = isForced
        self.limits = limits
        self.damageDepth = damageDepth
        self.isAtStart = isAtStart
        wantsLine = isAtStart && formats.firstLine != 0
        // A log's beginning is a line's beginning.
        triggers = TriggerSearch(formats.triggers)
        lineStart = triggers.afterNewline()
        searchState = lineStart
        // A forced document format without a line form is given the whole log.
        if isForced, formats.lineFormats.isEmpty, let only = formats.documentFormats.first { openWhole(only) }
    }

    /// The formats that are shown every line.
    private var everyLine: TriggerSearch.Marks { isForced ? ~FormatSearch.brace : formats.everyLine }

    private mutating func openWhole(_ format: any DocumentFormat.Type) {
        document = OpenDocument(
            format: format, start: 0, scanned: 0, extent: JSONExtent(values: 1), isCertain: true, takesEverything: true)
    }

    /// With no report and no other reason, that nothing in the log is a crash.
    var problemsAtEnd: [LogError] {
        guard problems.isEmpty, !hasFound else { return problems + furtherProblems }
        return [refusals.first ?? nothingFound]
    }

    private var nothingFound: LogError {
        guard covered > 0 else { return LogError("the log is empty") }
        if content.isBinary { return LogError("this is not text, and no crash report was found in it. Supported formats: cairn formats") }
        if let words = nearMiss.words { return LogError("no crash report found. \(words)") }
        guard !isForced else { return LogError("no crash report found in the format \(family ?? formats.names.joined(separator: ", "))") }
        return LogError("no crash report found. Supported formats: cairn formats")
    }

    /// Where the first byte is that is still needed.
    var held: Int {
        [traces.start, document?.start, candidate?.lineStart, heldByRegion].reduce(cursor) { min($0, $1 ?? $0) }
    }

    /// A trace or a document is open. (A brace at a line's beginning, which may become one, is not: nearly none does.)
    var isHolding: Bool { !traces.isEmpty || document != nil || (!regions.isEmpty && regions[0].isHolding) }

    /// Takes the pieces that are known.
    mutating func takePieces() -> [LogStream.Piece] {
        defer { pieces = [] }
        return pieces
    }

    /// Goes on as far as the window allows.
    ///
    /// - Parameters:
    ///   - bytes: the log from byte `base` on; at least from `held` on.
    ///   - isFinal: the log ends with the window.
    mutating func advance(over bytes: Span<UInt8>, base: Int, isFinal: Bool) {
        let end = base + bytes.count
        content.look(at: bytes, base: base)
        if !hasLookedForMagic, cursor == 0, document == nil { lookForMagic(bytes, isFinal: isFinal) }
        if foreign != nil {
            cursor = end
            content.isBinary = true
            return emitText(upTo: end)
        }
        var goesOn = hasLookedForMagic || document != nil
        while goesOn {
            if !regions.isEmpty {
                goesOn = advanceRegion(bytes, base: base, isFinal: isFinal)
            } else if document != nil {
                goesOn = advanceDocument(bytes, base: base, isFinal: isFinal)
            } else if isInLongLine {
                goesOn = skipLongLine(bytes, base: base)
            } else if wantsLine || !traces.isEmpty || everyLine != 0 {
                goesOn = advanceLine(bytes, base: base, isFinal: isFinal)
            } else {
                goesOn = advanceSearch(bytes, base: base, isFinal: isFinal)
            }
        }
        if isFinal {
            traces.closeAll()
            emitEnded(bytes, base: base, seen: end, next: end)
            // What has just ended may be damaged.
            if !regions.isEmpty { return advance(over: bytes, base: base, isFinal: true) }
            candidate = nil
            cursor = end
        } else {
            dropCandidate(bytes, base: base)
        }
        if !hasFound { nearMiss.note(traces.firstShortfall, upTo: held, bytes, base: base) }
        emitText(upTo: held)
    }

    /// Binary documents are told by the log's first bytes.
    private mutating func lookForMagic(_ bytes: Span<UInt8>, isFinal: Bool) {
        for format in formats.documentFormats where !format.magic.isEmpty {
            let known = bytes.upTo(format.magic.count)
            guard (0..<known.count).allSatisfy({ known[$0] == format.magic[$0] }) else { continue }
            guard known.count == format.magic.count else {
                // It may be one: more is needed.
                if !isFinal, bytes.count > 0 { return }
                continue
            }
            openWhole(format)
            break
        }
        hasLookedForMagic = bytes.count > 0 || isFinal
        guard document == nil, !isForced, let file = ForeignFile.recognise(bytes) else { return }
        foreign = file
        problems.append(file.problem())
    }

    // MARK: Searching

    /// Searches triggers from `searched` on.
    /// - Returns: whether there is more to do in this window.
    private mutating func advanceSearch(_ bytes: Span<UInt8>, base: Int, isFinal: Bool) -> Bool {
        if cursor == 0, searched == 0 { noteBrace(at: 0, bytes, base: base) }
        var position = searched - base
        while position < bytes.count {
            let marks = triggers.next(in: bytes, from: &position, state: &searchState)
            if marks & FormatSearch.brace != 0 { noteBrace(behind: position, bytes, base: base) }
            guard marks & ~FormatSearch.brace != 0 else { continue }
            // The line that it stands in is looked at as a whole.
            let newline = bytes.lastIndex(of: UInt8(ascii: "\n"), before: position, from: cursor - base)
            cursor = max(cursor, newline.map { base + $0 + 1 } ?? cursor)
            searched = base + position
            if rest != nil { rest = newline == nil ? RestOfLine(behind: searched) : nil }
            wantsLine = true
            return true
        }
        // What stands behind the last line's end is kept: a trigger may follow in the same line. Before `searched` no line ended: a line that comes byte by byte is looked at once.
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

    /// Goes on with the line that begins at `position`.
    mutating func begin(at position: Int) {
        cursor = position
        searched = position
        searchState = lineStart
        wantsLine = false
        rest = nil
    }

    /// Goes on at `position`, inside a line of which a document took what stands before.
    mutating func beginInLine(at position: Int) {
        begin(at: position)
        searchState = TriggerSearch.State()
        rest = RestOfLine(behind: position)
    }

    // MARK: Lines

    /// Looks at the line at `cursor` if it is there as a whole.
    private mutating func advanceLine(_ bytes: Span<UInt8>, base: Int, isFinal: Bool) -> Bool {
        let start = cursor
        if let piece = rest?.pieceEnd(in: bytes, base: base, from: max(searched, cursor)) {
            beginInLine(at: piece)
            take(bytes.clamped(to: start - base..<piece - base), from: start, next: piece, bytes, base: base)
            return true
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
        take(content, from: start, next: next, bytes, base: base)
        return true
    }

    /// - Parameters:
    ///   - line: without its ending.
    ///   - start: where it begins in the log.
    ///   - next: where the next one begins.
    private mutating func take(_ line: Span<UInt8>, from start: Int, next: Int, _ bytes: Span<UInt8>, base: Int) {
        var prefix = LinePrefix.Parts(of: line, allowsTestNumbers: traces.isEmpty || traces.hasTestNumbers)
        var text = line.from(prefix.length)
        var place = start + prefix.length..<start + line.count
        if !traces.isEmpty {
            if let index = traces.index(for: prefix.origin) {
                var verdict = isClaimed(line, text, from: index) ? .rejected : consume(index, text, at: place, end: next)
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
                if verdict != .rejected {
                    closeStale(at: next)
                    return emitEnded(bytes, base: base, seen: next, next: next)
                }
            }
            closeStale(at: next)
            emitEnded(bytes, base: base, seen: next, next: start)
            if !regions.isEmpty { return }
        }
        if takeLongDocument(line, at: start, bytes, base: base) { return }
        var marks = triggers.marks(in: line, from: lineStart) | everyLine
        if isAtStart {
            isAtStart = text.trimmed().count == 0 || marks & FormatSearch.mapping != 0 && MemoryMapRow(text) != nil
            wantsLine = isAtStart && formats.firstLine != 0
            marks |= formats.firstLine
        }
        noteBrace(in: text, at: place.lowerBound, behind: prefix.length, bytes, base: base)
        if marks & FormatSearch.mapping != 0, let row = MemoryMapRow(text) { return maps.add(row, of: prefix.origin, endingAt: next) }
        if marks & FormatSearch.cause != 0 {
            causes.note(text, of: prefix.origin, endingAt: next)
            marks &= ~FormatSearch.cause
        }
        guard marks & ~FormatSearch.brace != 0 else { return }
        if marks & FormatSearch.markup != 0, openRegion(with: start..<next, marks, bytes, base: base) { return }
        if traces.isEmpty, openQuotedDocument(marks, upTo: next, bytes, base: base) { return }
        if traces.isEmpty, openDocument(marks, line: start..<start + line.count, bytes, base: base) { return }
        let found = isForced ? formats.lineFormats.first.map { ($0, .certain) } : formats.lineFormat(for: text, marks)
        // What could be a row of anything may be a known one that is damaged.
        if found == nil || found?.1 == .weak, openRegion(with: start..<next, marks, bytes, base: base) { return }
        guard let (format, confidence) = found else { return }
        if prefix.hasTestNumber, format == RowStacks.self, StackCards.card(for: text) == nil {
            // `3: /lib/libc.so.6(+0x3c050)[0x7f61cfb63050]` is a row with its number; behind a heading no row begins.
            prefix = LinePrefix.Parts(of: line, allowsTestNumbers: false)
            text = line.from(prefix.length)
            place = start + prefix.length..<start + line.count
        }
        let waiting = traces.isEmpty ? nil : traces.handOver(to: prefix.origin, format)
        if waiting == nil {
            traces.open(
                OpenTraces.Trace(
                    format: family.map { format.init(family: $0) } ?? format.init(), isWeak: confidence == .weak, range: start..<next,
                    origin: prefix.origin, prefix: LinePrefix(prefix, of: line), hasTestNumbers: prefix.hasTestNumber,
                    earlierMap: maps.excerpt(for: prefix.origin, before: start, within: limits.foreignText),
                    earlierCause: causes.cause(for: prefix.origin, before: start)), most: limits.openTraces)
        }
        let index = waiting ?? traces.traces.count - 1
        switch traces.consume(index, text, at: place, end: next) {
        case .more, .unknown: candidate = nil
        case .done: traces.close(index)
        case .rejected: traces.close(index)
        }
        emitEnded(bytes, base: base, seen: next, next: next)
    }

    /// Shows a trace its next line. Rows of a memory map that its format does not know are a part of it, too, and a map may follow where the stack has ended.
    private mutating func consume(_ index: Int, _ text: Span<UInt8>, at place: Range<Int>, end: Int) -> LineVerdict {
        let verdict = traces.traces[index].isInMap ? .rejected : traces.consume(index, text, at: place, end: end)
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
        // Of several families that one format reads, it knows itself which the line is of.
        return other.confidence > .weak && other.format != type(of: traces.traces[index].format)
    }

    private mutating func closeStale(at position: Int) {
        // Not at every line: a little more or less held is the same.
        guard position - staleChecked >= LogScanner.staleStep else { return }
        staleChecked = position
        traces.closeStale(at: position, distance: limits.foreignText, limit: limits.heldTrace)
        if let start = traces.start, position - start > limits.heldTrace { traces.closeAll(because: OpenTraces.held(limits.heldTrace)) }
    }

    // MARK: Pieces

    /// - Parameters:
    ///   - seen: behind the last line that was looked at.
    ///   - next: where the log goes on behind what has ended.
    mutating func emitEnded(_ bytes: Span<UInt8>, base: Int, seen: Int, next: Int) {
        let ended = traces.takeEnded()
        if lookAgain(at: ended, seen: seen, next: next, bytes, base: base) { return }
        let rows = lookForRows(bytes, base: base)
        for (reports, range) in rows.isEmpty ? ended : (ended + rows).sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            emitText(upTo: range.lowerBound)
            // A document's bytes are never a trace's as well.
            guard range.lowerBound >= covered, !range.isEmpty else { continue }
            emit(reports, in: range)
        }
    }

    mutating func emit(_ reports: [CrashReport], in range: Range<Int>) {
        var reports = reports
        for index in reports.indices {
            reports[index].cut(to: limits)
            repeated.note(&reports[index])
        }
        pieces.append(.traces(reports, range))
        covered = range.upperBound
        hasFound = true
    }

    mutating func emitText(upTo end: Int) {
        guard end > covered else { return }
        pieces.append(content.isBinary ? .binary(covered..<end) : .text(covered..<end))
        covered = end
    }
}
