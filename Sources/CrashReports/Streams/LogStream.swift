public import BinaryPrimitives

/// Finds the traces in a log while it is read.
///
/// A whole file, a pipe and a live stream are the same to it: bytes go in by `feed`, in parts of any size, and pieces come out as soon as
/// they are known: text that belongs to no trace at once, a trace when it has ended (its image list included). `finish` gives the rest.
/// Every byte is in exactly one piece, and the pieces are in order.
///
/// Lines are split at LF (a CR before it is no part of the line), relieved of their prefix (`LinePrefix`), and offered to the registry's line formats.
/// A line that begins with `{` may be a JSON document; it is held until there is enough of it to ask the document formats.
public struct LogStream: Sendable {
    public enum Piece: Sendable {
        /// Bytes that belong to no trace.
        case text(Range<Int>)
        /// The bytes that one trace was in, or several that are interleaved, and the reports of them. The places of their frames count from the log's first byte.
        case traces([CrashReport], Range<Int>)

        public var range: Range<Int> {
            switch self {
            case .text(let range): range
            case .traces(_, let range): range
            }
        }

        public var reports: [CrashReport] {
            switch self {
            case .text: []
            case .traces(let reports, _): reports
            }
        }
    }

    /// Traces that were recognised and could not be read, and why.
    public private(set) var problems: [LogError] = []
    /// Documents that only might have been traces, and why they are not: a reason to give where nothing else is found.
    public private(set) var refusals: [LogError] = []

    private let lineFormats: [any LineFormat.Type]
    private let documentFormats: [any DocumentFormat.Type]
    private let isForced: Bool
    private let limits: Limits

    /// Bytes fed so far.
    private var position = 0
    /// Where the bytes begin that no piece covers yet.
    private var pendingStart = 0
    /// The beginning of a line whose end has not been fed yet, and where it stands.
    private var carried: [UInt8] = []
    private var carriedStart = 0
    private var trace: OpenTrace?
    private var document: OpenDocument?
    /// Up to here, lines have been asked whether they begin a document, and do not.
    private var refusedEnd = 0
    private var pieces: [Piece] = []

    private struct OpenTrace: Sendable {
        var format: any LineFormat
        var start: Int
        var end: Int
        var prefix: LinePrefix
    }

    private struct OpenDocument: Sendable {
        /// `nil` while there is too little to tell.
        var format: (any DocumentFormat.Type)?
        var start: Int
        var bytes: [UInt8] = []
        var extent = JSONExtent(values: 1)
        var isCertain = false
        /// All of the log belongs to it.
        var takesEverything = false
    }

    /// How much of a document a format sees when it is asked whether it is its own (bytes).
    private static let sample = 4096

    /// - Parameters:
    ///   - registry: the formats to recognise.
    ///   - isForced: the registry's formats are taken for granted: no line needs to look like a beginning, and a document is read whatever it begins with.
    public init(registry: FormatRegistry = .standard, isForced: Bool = false, limits: Limits = .standard) {
        lineFormats = registry.lineFormats
        documentFormats = registry.documentFormats
        self.isForced = isForced
        self.limits = limits
        // A forced document format without a line form is given the whole log.
        if isForced, lineFormats.isEmpty, let only = documentFormats.first {
            document = OpenDocument(format: only, start: 0, isCertain: true, takesEverything: true)
        }
    }

    /// Takes the log's next bytes.
    /// - Returns: the pieces that are now known.
    public mutating func feed(_ bytes: Span<UInt8>) -> [Piece] {
        let start = position
        position += bytes.count
        take(bytes, at: start)
        // Text is passed on up to where something is held back.
        let held = trace?.start ?? document?.start ?? (carried.isEmpty ? position : carriedStart)
        emitText(upTo: held)
        return takePieces()
    }

    /// The log has ended.
    /// - Returns: the remaining pieces.
    public mutating func finish() -> [Piece] {
        while document != nil { closeDocument() }
        if !carried.isEmpty {
            let line = carried
            carried = []
            take(line: line.span, start: carriedStart, end: position)
            while document != nil { closeDocument() }
        }
        closeTrace()
        emitText(upTo: position)
        return takePieces()
    }

    // MARK: Lines

    private mutating func take(_ bytes: Span<UInt8>, at start: Int) {
        var offset = 0
        while offset < bytes.count {
            if document != nil {
                offset += takeDocument(bytes.from(offset))
                continue
            }
            guard let newline = bytes.firstIndex(of: UInt8(ascii: "\n"), from: offset) else {
                carry(bytes.from(offset), at: start + offset)
                // A long line may be a document; it is not waited for to its end.
                if trace == nil, carried.count >= LogStream.sample, beginsDocument(carried.span, at: carriedStart) {
                    let line = carried
                    carried = []
                    openDocument(at: carriedStart)
                    let count = takeDocument(line.span)
                    take(line.span.from(count), at: carriedStart + count)
                }
                return
            }
            if carried.isEmpty {
                take(line: bytes.clamped(to: offset..<newline + 1), start: start + offset, end: start + newline + 1)
            } else {
                carry(bytes.clamped(to: offset..<newline + 1), at: start + offset)
                let line = carried
                carried = []
                take(line: line.span, start: carriedStart, end: start + newline + 1)
            }
            offset = newline + 1
        }
    }

    private mutating func carry(_ bytes: Span<UInt8>, at start: Int) {
        if carried.isEmpty { carriedStart = start }
        // What is longer than a line may be passes through unread.
        let room = max(0, limits.lineLength - carried.count)
        let kept = bytes.upTo(room)
        carried.reserveCapacity(carried.count + kept.count)
        for index in 0..<kept.count { carried.append(kept[index]) }
    }

    /// Takes one line with its ending. `end` is where the next line begins; the line's bytes may be fewer if it was too long.
    private mutating func take(line: Span<UInt8>, start: Int, end: Int) {
        var text = line.upTo(limits.lineLength)
        if text.at(text.count - 1) == UInt8(ascii: "\n") { text = text.upTo(text.count - 1) }
        if text.at(text.count - 1) == UInt8(ascii: "\r") { text = text.upTo(text.count - 1) }
        let content = text
        let prefixLength = LinePrefix.length(of: content)
        let place = start + prefixLength..<start + text.count
        text = text.from(prefixLength)

        if trace != nil, let verdict = trace?.format.consume(text, at: place) {
            switch verdict {
            case .more:
                trace?.end = end
                if let open = trace, open.end - open.start > limits.heldTrace { closeTrace() }
                return
            case .done:
                trace?.end = end
                closeTrace()
                return
            case .rejected:
                closeTrace()
            }
        }
        if beginsDocument(text, at: place.lowerBound) {
            openDocument(at: place.lowerBound)
            let rest = line.from(prefixLength)
            let count = takeDocument(rest)
            if count < rest.count { take(rest.from(count), at: place.lowerBound + count) }
            return
        }
        guard let format = format(for: text) else { return }
        var fresh = OpenTrace(format: format.init(), start: start, end: end, prefix: LinePrefix(of: content))
        switch fresh.format.consume(text, at: place) {
        case .more:
            trace = fresh
        case .done:
            trace = fresh
            closeTrace()
        case .rejected:
            break
        }
    }

    /// The surest of the formats that the line may begin.
    private func format(for line: Span<UInt8>) -> (any LineFormat.Type)? {
        if isForced { return lineFormats.first }
        var best: (format: any LineFormat.Type, confidence: Confidence)?
        for format in lineFormats {
            let confidence = format.begins(line)
            if confidence > (best?.confidence ?? .none) { best = (format, confidence) }
        }
        return best?.format
    }

    private mutating func closeTrace() {
        guard let open = trace else { return }
        trace = nil
        var format = open.format
        var reports = format.finish()
        guard !reports.isEmpty else { return }
        for index in reports.indices {
            reports[index].process.name = reports[index].process.name ?? open.prefix.processName
            reports[index].process.pid = reports[index].process.pid ?? open.prefix.pid
            reports[index].timestamp = reports[index].timestamp ?? open.prefix.timestamp.map { Timestamp($0) }
        }
        emit(reports, in: open.start..<open.end)
    }

    // MARK: Documents

    private func beginsDocument(_ line: Span<UInt8>, at start: Int) -> Bool {
        guard start >= refusedEnd, !documentFormats.isEmpty else { return false }
        var rest = line
        rest.skipBlanks()
        return rest.at(0) == UInt8(ascii: "{")
    }

    private mutating func openDocument(at start: Int) { document = OpenDocument(format: nil, start: start) }

    /// Takes bytes for the open document.
    /// - Returns: how many belong to it.
    private mutating func takeDocument(_ bytes: Span<UInt8>) -> Int {
        guard let room = document.map({ max(1, limits.heldTrace - $0.bytes.count) }) else { return 0 }
        let bytes = bytes.upTo(room)
        var step = (count: bytes.count, isComplete: false)
        if document?.takesEverything == false { step = document?.extent.advance(over: bytes) ?? step }
        for index in 0..<step.count { document?.bytes.append(bytes[index]) }
        let isFull = step.count >= room
        if document?.format == nil, step.isComplete || isFull || (document?.bytes.count ?? 0) >= LogStream.sample {
            guard decideDocument() else { return step.count }
            if document?.extent.isComplete == false { step.isComplete = false }
        }
        if step.isComplete || isFull { closeDocument() }
        return step.count
    }

    /// Asks the document formats; without any that claims them, the bytes are lines like all others.
    private mutating func decideDocument() -> Bool {
        guard let open = document else { return false }
        let sample = open.bytes.span.upTo(LogStream.sample)
        var best: (format: any DocumentFormat.Type, confidence: Confidence)?
        for format in documentFormats {
            let confidence = format.begins(sample)
            if confidence > (best?.confidence ?? .none) { best = (format, confidence) }
        }
        guard let best else {
            document = nil
            refusedEnd = open.start + open.bytes.count
            take(open.bytes.span, at: open.start)
            return false
        }
        document?.format = best.format
        document?.isCertain = best.confidence == .certain
        document?.extent.expect(best.format.topLevelValues - 1)
        return true
    }

    private mutating func closeDocument() {
        if document?.format == nil { guard decideDocument() else { return } }
        guard let open = document, let format = open.format else { return }
        document = nil
        do {
            let reports = try format.parse(open.bytes.span)
            emit(reports.map { $0.moved(by: open.start) }, in: open.start..<open.start + open.bytes.count)
        } catch {
            let problem = LogError(error.problem, expected: error.expected, at: error.position.map { $0 + open.start })
            if open.isCertain { problems.append(problem) } else if refusals.isEmpty { refusals.append(problem) }
        }
    }

    // MARK: Pieces

    private mutating func emitText(upTo end: Int) {
        guard end > pendingStart else { return }
        pieces.append(.text(pendingStart..<end))
        pendingStart = end
    }

    private mutating func emit(_ reports: [CrashReport], in range: Range<Int>) {
        emitText(upTo: range.lowerBound)
        pieces.append(.traces(reports, range))
        pendingStart = range.upperBound
    }

    private mutating func takePieces() -> [Piece] {
        defer { pieces = [] }
        return pieces
    }
}
