public import BinaryPrimitives
public import CrashLogFormats
public import CrashLogModel

/// Finds the traces in a log while it is read.
///
/// A whole file, a pipe and a live stream are the same to it: bytes go in by `feed`, in parts of
/// any size, and pieces come out as soon as they are known: text that belongs to no trace at once,
/// a trace when it has ended (its image list included). `finish` gives the rest. Every byte is in
/// exactly one piece, and the pieces are in order. No more of the log is kept than what no piece
/// covers yet, plus up to 1 MiB after a trace that waits for an image list (`ListedIdentities`).
///
/// Lines are split at LF (a CR before it does not belong to the line), their prefix is removed
/// (`LinePrefix`), and they are offered to the registry's line formats. A line that begins with `{`
/// or `[` may begin a JSON document, if a document format claims it. Traces of several writers
/// whose lines alternate are found separately, by their prefixes, and each comes in one piece.
public struct LogStream: Sendable {
    /// A part of the log: a report with its lines, or the lines between reports.
    public enum Piece: Sendable {
        /// Bytes that belong to no trace.
        case text(Range<Int>)
        /// Bytes that belong to no trace, of a log that is not text: not for a terminal.
        case binary(Range<Int>)
        /// The bytes of one trace, or of several that are interleaved, and their reports. The
        /// positions of their frames count from the log's first byte.
        case traces([CrashReport], Range<Int>)

        /// The part's bytes in the log.
        public var range: Range<Int> {
            switch self {
            case .text(let range), .binary(let range): range
            case .traces(_, let range): range
            }
        }

        /// The reports of the part; empty for other lines.
        public var reports: [CrashReport] {
            switch self {
            case .text, .binary: []
            case .traces(let reports, _): reports
            }
        }
    }

    private var layers: LayerStack
    private var window = LogWindow()
    private var queue = PieceQueue()
    /// Pieces are emitted at once, without waiting for image lists.
    private let isLive: Bool

    /// - Parameters:
    ///   - registry: the formats to recognise.
    ///   - isForced: the registry's formats are not in doubt: no line needs to look like a
    ///     beginning, and a document is read with any beginning.
    ///   - imagesOfFrames: the reports may lack images that no frame is in, if the results for the
    ///     frames stay the same.
    ///   - isLive: the log is still being written: each piece is emitted as soon as it ends. Otherwise
    ///     a report without identities waits for an image list below it, up to 1 MiB.
    public init(
        registry: FormatRegistry = .standard, isForced: Bool = false, limits: Limits = .standard, imagesOfFrames: Bool = false,
        isLive: Bool = false
    ) {
        layers = LayerStack(LogScanner(registry: registry, isForced: isForced, limits: limits))
        layers.log.imagesOfFrames = imagesOfFrames
        self.isLive = isLive
    }

    /// Why traces that were recognised could not be read: the first `Limits.reportedProblems` of them.
    public var problems: [LogError] { layers.log.results.problems }
    /// Reasons why a log that has ended has no report: traces that could not be read, or that there
    /// was no trace.
    package var problemsAtEnd: [LogError] { layers.log.problemsAtEnd }

    /// Whether a report has come.
    package var hasFoundReport: Bool { layers.log.results.hasFound }

    /// Kind of the file, if its first bytes show that it is not a log.
    package var foreign: ForeignFile? { layers.log.foreign }

    /// Reads the log's next bytes.
    /// - Parameter emit: is given each piece that is now known, in order, and its bytes. If it throws, the pieces
    ///   after that one come with the next call.
    public mutating func feed<Failure>(
        _ bytes: Span<UInt8>, emit: (Piece, Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        window.append(bytes)
        try advance(.none, emit: emit)
    }

    /// The log has ended.
    /// - Parameter emit: is given the remaining pieces.
    public mutating func finish<Failure>(emit: (Piece, Span<UInt8>) throws(Failure) -> Void) throws(Failure) {
        try advance(.final, emit: emit)
    }

    /// Whether a trace or a document is open: bytes that come are held until it has ended.
    package var hasOpenTrace: Bool { layers.hasOpenTrace }

    /// A line waits for those below it, by which its prefix is learned; no trace is open.
    package var isWaitingForLines: Bool { layers.log.isWaitingForLines }

    /// Reads the line that waits as it is, because no more lines of a live log have come for a moment. A trace that it begins goes on.
    /// - Parameter emit: is given the pieces that are now known.
    package mutating func readWaitingLine(emit: (Piece, Span<UInt8>) -> Void) {
        layers.log.isSettling = true
        advance(.none, emit: emit)
        layers.log.isSettling = false
    }

    /// Treats everything that is open as ended, because nothing has come from a live log for a
    /// while. A line that has no end yet stays open.
    /// - Parameter emit: is given the pieces that are now known.
    package mutating func flushOpenTraces(emit: (Piece, Span<UInt8>) -> Void) {
        layers.log.isSettling = true
        advance(.settled, emit: emit)
        layers.log.isSettling = false
    }

    /// Passes the bytes that were fed and are in no piece: of a line without an end, or of a trace
    /// or document that is held.
    /// - Parameter body: gets the position of the first of the bytes in the log, and the bytes.
    package func withPendingBytes<Result>(_ body: (Int, Span<UInt8>) -> Result) -> Result {
        body(window.start, window.bytes.span.from(window.head))
    }

    /// Reads the log's next bytes.
    /// - Returns: the pieces that are now known.
    public mutating func feed(_ bytes: Span<UInt8>) -> [Piece] {
        var pieces: [Piece] = []
        feed(bytes) { piece, _ in pieces.append(piece) }
        return pieces
    }

    /// The log has ended.
    /// - Returns: the remaining pieces.
    public mutating func finish() -> [Piece] {
        var pieces: [Piece] = []
        finish { piece, _ in pieces.append(piece) }
        return pieces
    }

    private mutating func advance<Failure>(
        _ end: LayerStack.End, emit: (Piece, Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        try LogStream.advance(&layers, &window, &queue, end, isLive: isLive, emit)
    }

    private static func advance<Failure>(
        _ layers: inout LayerStack, _ window: inout LogWindow, _ queue: inout PieceQueue, _ end: LayerStack.End, isLive: Bool,
        _ emit: (Piece, Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        layers.advance(over: window.bytes.span.from(window.head), base: window.start, end: end)
        // The line that waits may name an identity.
        let waits = end == .none && (!isLive || layers.log.isWaitingForLines)
        try queue.release(from: &layers.log, &window, waits: waits, emit)
    }

    /// Finds the traces of a log that is there as a whole, without a copy of it.
    static func pieces(
        of bytes: Span<UInt8>, registry: FormatRegistry, isForced: Bool, limits: Limits = .standard
    ) -> (pieces: [Piece], problems: [LogError], foreign: ForeignFile?) {
        var layers = LayerStack(LogScanner(registry: registry, isForced: isForced, limits: limits))
        layers.advance(over: bytes, base: 0, end: .final)
        return (PieceQueue.complete(layers.log.results.removePieces(), of: bytes), layers.log.problemsAtEnd, layers.log.foreign)
    }
}
