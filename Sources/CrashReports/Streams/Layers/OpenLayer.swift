internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel

/// A layer that is being removed from a part of a text: lines of that text go in, and the reports in the text without the layer come out,
/// with positions in the text that went in.
struct OpenLayer: Sendable {
    let damage: Damage
    /// The first byte with the layer, in the text below.
    let start: Int
    /// The next byte of the text below.
    private(set) var position: Int
    /// End of the search for the next line's end in the text below.
    var searched = 0
    /// The reports so far, and their bytes in the text below.
    private(set) var found: [(reports: [CrashReport], range: Range<Int>)] = []
    /// The rest of the text below is without the layer.
    private(set) var hasEnded = false
    /// The layer is only tried: the offer with the layers that are tried if this one is not worth it.
    var trial: LayerOffer?

    /// Reads the text without the layer.
    private(set) var scanner: LogScanner
    private var restorer: any Restorer
    private var text = TextWriter()
    private var window = LogWindow()
    private var queue = PieceQueue()
    /// The scanner knows that the text has ended, and has read all of it.
    private var isRead = false

    init(_ damage: Damage, at start: Int, scanner: LogScanner, trial: LayerOffer) {
        self.damage = damage
        self.start = start
        self.scanner = scanner
        self.trial = trial
        position = start
        restorer = damage.restorer()
    }

    // MARK: State

    /// The first byte of the text below that is in no report of the layer.
    var open: Int { waiting.map { text.map.rawStart($0) } ?? position }

    private var waiting: Int? { window.bytes.count > window.head ? window.start : nil }

    /// The first byte of the text below that is still needed.
    var firstNeeded: Int {
        if case .reading(let reading)? = trial?.reason { return min(start, reading.range.lowerBound) }
        return min(found.first?.range.lowerBound ?? position, open)
    }

    /// The text may have no more of the layer: nothing waits for it.
    var isIdle: Bool { hasEnded || !restorer.isInside && waiting == nil }

    // MARK: Text below

    /// Whether the restored form of a line depends on the next line.
    var needsNext: Bool { restorer.needsNext }

    /// Adds the next line of the text below, or a part of a long one.
    /// - Parameter next: the line below it, or its beginning.
    mutating func add(_ line: Span<UInt8>, before next: Span<UInt8>) {
        if needsNext { restorer.look(at: line, before: next) }
        let count = restorer.take(line, at: position, to: &text)
        position += count
        window.append(text.takeBytes().span)
        // A JSON string ends at its quote, or at the position where it was cut off.
        let isCut = damage == .jsonString && line.at(line.count - 1) == UInt8(ascii: "\n")
        if count < line.count || isCut { hasEnded = true }
    }

    /// Ends the layer: the rest of the text below is without it.
    mutating func end() { hasEnded = true }

    // MARK: Text without the layer

    /// Reads the available part of the text without the layer.
    /// - Returns: a part of the text that may have a further layer.
    mutating func read() -> LayerOffer? {
        guard !isRead else { return nil }
        let offer = OpenLayer.advance(&scanner, over: window, isFinal: hasEnded)
        if offer == nil { isRead = hasEnded }
        collect()
        return offer
    }

    private static func advance(_ scanner: inout LogScanner, over window: LogWindow, isFinal: Bool) -> LayerOffer? {
        let bytes = window.bytes.span.from(window.head)
        let offer = scanner.advance(over: bytes, base: window.start, isFinal: isFinal)
        scanner.emitPassedText(bytes, base: window.start)
        return offer
    }

    /// Changes the scanner, which continues behind a further layer.
    mutating func change(_ change: (inout LogScanner, Span<UInt8>, Int) -> Void) {
        OpenLayer.change(&scanner, over: window, change)
        collect()
    }

    private static func change(
        _ scanner: inout LogScanner, over window: LogWindow, _ change: (inout LogScanner, Span<UInt8>, Int) -> Void
    ) {
        change(&scanner, window.bytes.span.from(window.head), window.start)
    }

    /// Passes the available part of the text without the layer.
    func withText<Result>(_ body: (Span<UInt8>, Int) -> Result) -> Result { body(window.bytes.span.from(window.head), window.start) }

    // MARK: Reports

    /// Removes and returns the reports.
    mutating func removeFound() -> [(reports: [CrashReport], range: Range<Int>)] {
        defer { found = [] }
        return found
    }

    private static let pageNote = "The report is HTML: names in it are unescaped for lookup, and results are escaped."

    private mutating func collect() {
        var pieces: [(reports: [CrashReport], range: Range<Int>, bytes: [UInt8])] = []
        queue.release(from: &scanner, &window, waits: false) { piece, bytes in
            if case .traces(let reports, let range) = piece { pieces.append((reports, range, bytes.copied())) }
        }
        for piece in pieces {
            let raw = text.map.raw(piece.range)
            // Results in a page are escaped even where none of its tags is.
            let isPlain = damage.spelling == .plain && text.map.isPlain(in: piece.range)
            let layer = RestoredText(bytes: piece.bytes, map: text.map.piece(piece.range), spelling: damage.spelling)
            let reports = piece.reports.map { report in
                // From the whole text to the piece, and from there to the text below.
                var report = report.moved(by: -piece.range.lowerBound)
                report.changePlaces(layer.map.raw)
                if isPlain, report.restored.isEmpty { return report }
                report.restored.insert(layer, at: 0)
                if damage == .html { report.notes.append(OpenLayer.pageNote) }
                return report
            }
            found.append((reports, raw))
        }
        text.drop(before: window.start)
    }
}
