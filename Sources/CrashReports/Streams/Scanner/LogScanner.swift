internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel

/// The search for traces in a log of which the window shows a part: `LogStream` without the bytes.
///
/// While nothing is open, only the formats' triggers are searched, and a line is looked at if it
/// has one. While a trace is open, each line is looked at: relieved of its prefix, and shown to the
/// trace that its origin says.
struct LogScanner: Sendable {
    var problems: [LogError] = []
    /// Documents that only might have been traces, and why they are not: a reason to give where
    /// nothing else is found.
    var refusals: [LogError] = []
    /// A report is in a piece.
    private(set) var hasFound = false
    private var nearMiss = NearMiss()
    private var repeated = RepeatedReports()
    private(set) var pieces: [LogStream.Piece] = []

    let formats: FormatSearch
    /// The only family of logs that is wanted of a format that reads several.
    let family: String?
    let isForced: Bool
    let limits: Limits
    /// Images that no frame is in may be left out.
    var imagesOfFrames = false

    /// Everything before it has been looked at; a line begins there.
    var cursor = 0
    /// How far the triggers (or, while a line is wanted, its end) have been searched.
    var searched = 0
    var searchState = TriggerSearch.State()
    var triggers: TriggerSearch
    let lineStart: TriggerSearch.State
    /// Nothing but blank lines came so far.
    var isAtStart = true
    /// The line at `cursor` is to be looked at as soon as it is there as a whole.
    var wantsLine = false
    /// The bytes at `cursor` are the rest of a line that is longer than a line may be: it passes
    /// through unread.
    var isInLongLine = false
    var traces = OpenTraces()
    /// The memory maps that were not in a trace.
    var maps = MapExcerpts()
    /// What programs said of their end outside of traces.
    var causes = EarlierCauses()
    var document: OpenDocument?
    /// Where the last line begins that begins like a JSON document, if it may still turn out to be
    /// a trace.
    var candidate: DocumentCandidate?
    /// The text at `cursor` follows a document in its line; nil at a line's beginning.
    var rest: RestOfLine?
    /// Bytes before it are in a piece.
    var covered = 0
    var hasLookedForMagic = false
    /// Where it was last looked whether a trace has waited too long.
    var staleChecked = 0
    /// What the file is, if its first bytes show that it is not a log: all of it passes through
    /// unread.
    var foreign: ForeignFile?
    private var content = ContentKind()
    /// Documents that could not be read beyond those in `problems`.
    var complaintsLeftOut = 0
    /// Documents that had no end.
    var endlessDocuments = 0

    /// The damaged part of the log that is being restored; at most one, in an array because it
    /// holds a scanner itself.
    var regions: [DamagedRegion] = []
    /// The prefix of the lines that was learned from them.
    var writer: WriterPrefix?
    /// No prefix is learned of lines that begin before it: that was tried.
    var learnedUpTo = 0
    /// Lines one after another for which no prefix was found.
    var failedPrefixes = 0
    /// A line waits for those below it.
    var isWaitingForLines = false
    /// Of a live log, nothing has come for a while: no line waits for others.
    var isSettling = false
    /// Bytes that were read once more because they look damaged.
    var reread = 0
    /// How many kinds of damage may lie inside one another here.
    let damageDepth: Int

    init(registry: FormatRegistry, isForced: Bool, limits: Limits) {
        self.init(
            registry.search, family: registry.family, isForced: isForced, limits: limits, damageDepth: LogScanner.damageDepth)
    }

    /// - Parameter isAtStart: the formats that are only believed where they are the whole log are
    ///   shown the first line.
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
        triggers = formats.triggers.start()
        lineStart = triggers.afterNewline()
        searchState = lineStart
        // A forced document format without a line form is given the whole log.
        if isForced, formats.lineFormats.isEmpty, let only = formats.documentFormats.first { openWhole(only) }
    }

    /// The formats that are shown every line.
    var everyLine: TriggerSearch.Marks { isForced ? ~FormatSearch.brace : formats.everyLine }

    mutating func openWhole(_ format: any DocumentFormat.Type) {
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

    /// A trace or a document is open. (A brace at a line's beginning, which may become one, is not:
    /// nearly none does.)
    var isHolding: Bool { isWaitingForLines || !traces.isEmpty || document != nil || (!regions.isEmpty && regions[0].isHolding) }

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
            // What has just ended may be damaged.
            if emitEnded(bytes, base: base, seen: end, next: end) { return advance(over: bytes, base: base, isFinal: true) }
            candidate = nil
            cursor = end
            formats.triggers.keep(triggers)
        } else {
            dropCandidate(bytes, base: base)
        }
        if !hasFound { nearMiss.note(traces.firstShortfall, upTo: held, bytes, base: base) }
        emitText(upTo: held)
    }

    // MARK: Pieces

    /// - Parameters:
    ///   - seen: after the last line that was looked at.
    ///   - next: where the log goes on after what has ended.
    /// - Returns: whether it goes on elsewhere, since what has ended is read once more.
    mutating func emitEnded(_ bytes: Span<UInt8>, base: Int, seen: Int, next: Int) -> Bool {
        let ended = traces.takeEnded()
        if lookAgain(at: ended, seen: seen, next: next, bytes, base: base) { return true }
        let rows = lookForRows(bytes, base: base)
        for (reports, range) in rows.found.isEmpty ? ended : (ended + rows.found).sorted(by: { $0.range.lowerBound < $1.range.lowerBound })
        {
            emitText(upTo: range.lowerBound)
            // A document's bytes are never a trace's as well.
            guard range.lowerBound >= covered, !range.isEmpty else { continue }
            emit(reports, in: range)
        }
        guard let unfinished = rows.unfinished, unfinished >= covered else { return false }
        begin(at: unfinished)
        return true
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
