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
    let family: String?
    let isForced: Bool
    let limits: Limits
    /// Images that no frame is in may be left out.
    var imagesOfFrames = false

    /// Everything before it has been looked at; a line begins there.
    var cursor = 0
    /// Position up to which the triggers (or, while a line is wanted, its end) have been searched.
    var searched = 0
    var searchState = TriggerSearch.State()
    var triggers: TriggerSearch
    let lineStart: TriggerSearch.State
    /// Only blank lines came so far.
    var isAtStart = true
    /// The line at `cursor` is to be looked at as soon as it is there as a whole.
    var wantsLine = false
    /// The bytes at `cursor` are the rest of a line that is longer than a line may be: it passes
    /// through unread.
    var isInLongLine = false
    var traces = OpenTraces()
    /// The memory maps that were not in a trace.
    var maps = MapExcerpts()
    /// Causes that programs reported outside of traces.
    var causes = EarlierCauses()
    var document: OpenDocument?
    /// The last line that begins like a JSON document, if it may still turn out to be a trace.
    var candidate: DocumentCandidate?
    /// The text at `cursor` follows a document in its line; nil at a line's beginning.
    var rest: RestOfLine?
    var hasCheckedMagic = false
    /// Position of the last check whether a trace has waited too long.
    var staleChecked = 0
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
    var undecided: UndecidedLine?
    /// The prefix of the lines that was learned from them.
    var writer: WriterPrefix?
    /// No prefix is learned of lines that begin before it: that was tried.
    var learnedUpTo = 0
    /// Lines one after another for which no prefix was found.
    var failedPrefixes = 0
    /// A line waits for those below it.
    var isWaitingForLines = false
    /// Nothing has come from a live log for a while: no line waits for others.
    var isSettling = false
    /// The shapes of lines with an address that are not rows.
    var rejected = RejectedShapes()
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
    var everyLine: TriggerSearch.Marks { isForced ? ~FormatSearch.brace : formats.everyLine }

    mutating func openWhole(_ format: any DocumentFormat.Type) {
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
    var isHolding: Bool { isWaitingForLines || !traces.isEmpty || document != nil }

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
    mutating func emitEnded(_ bytes: Span<UInt8>, base: Int, seen: Int, next: Int) -> Bool {
        let ended = traces.removeEnded()
        offerLayers(of: ended, seen: seen, next: next, bytes, base: base)
        if offer != nil { return true }
        let rows = findRows(bytes, base: base)
        results.emit(rows.found.isEmpty ? ended : (ended + rows.found).sorted { $0.range.lowerBound < $1.range.lowerBound })
        guard let unfinished = rows.unfinished, unfinished >= covered else { return false }
        begin(at: unfinished)
        return true
    }
}
