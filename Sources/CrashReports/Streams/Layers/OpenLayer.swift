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
        if needsNext { restorer.inspect(line, before: next) }
        let count = restorer.consume(line, at: position, to: &text)
        position += count
        window.append(text.removeBytes().span)
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
                report.mapPositions(layer.map.raw)
                if isPlain, report.restored.isEmpty { return report }
                report.restored.insert(layer, at: 0)
                if damage == .html { report.notes.append(OpenLayer.pageNote) }
                return report
            }
            found.append((reports, raw))
        }
        text.drop(before: window.start)
    }

    // MARK: Comparison

    /// Whether the text without the layer contains more than `reading`, in the same format.
    ///
    /// A page's source has as many names as the page, with tags in them; an indentation is on each line.
    func isBetter(than reading: Reading) -> Bool {
        // A heading without a stack and another writer's row do not count as lines.
        if damage.isWrapped, reading.document == nil, reading.reports.isEmpty,
            let format = found.first?.reports.first?.format, RowStacks.families.contains(where: { $0.name == format })
        {
            return false
        }
        if let format = reading.reports.first?.format, damage.keepsKeywords, found.first?.reports.first?.format != format { return false }
        // Reports below the reading are not compared.
        let same = found.filter { $0.range.lowerBound < reading.range.upperBound }
        // Text below a document that was cut off does not belong to the document.
        if damage.isWrapped, let document = reading.document, same.first?.reports.first?.format != document.open.format.name {
            return false
        }
        // Two rows that are one now were two.
        let cutAddresses = damage.isWrapped ? Self.cutAddresses(of: reading.reports, in: same.flatMap(\.reports)) : 0
        guard let cutAddresses else { return false }
        let worth = same.reduce(0) { $0 + Self.worth($1.reports) }
        let before = Self.worth(reading.reports)
        if worth != before || worth == 0 { return worth > before }
        switch damage {
        case .wrapped: return cutAddresses > 0 || Self.detail(same.flatMap(\.reports)) > Self.detail(reading.reports)
        case .html: return reading.isPage
        case .jsonString, .quotedPrintable, .carriageReturns: return true
        // An indentation may be the format's own, with a meaning.
        case .prefix: return Self.rows(same.flatMap(\.reports)) == Self.rows(reading.reports)
        default: return false
        }
    }

    private struct Row: Equatable {
        var index: Int
        var depth: Int?
        var kind: Frame.Kind
        var printed: PrintedSymbol?
    }

    private static func rows(_ reports: [CrashReport]) -> [Row] {
        reports.flatMap(\.stacks).flatMap(\.frames).map { Row(index: $0.index, depth: $0.depth, kind: $0.kind, printed: $0.printed) }
    }

    /// Number of addresses of some reports that were cut at a line's end: the others have them with more digits.
    /// - Returns: `nil` unless all of the addresses are among those of the others, in order.
    private static func cutAddresses(of reports: [CrashReport], in others: [CrashReport]) -> Int? {
        let frames = others.flatMap(\.stacks).flatMap(\.frames)
        var rest = frames.compactMap { $0.address?.value ?? $0.imageLocation?.value }[...]
        var count = 0
        for address in reports.flatMap(\.stacks).flatMap(\.frames).compactMap(\.address?.value) {
            guard let index = rest.firstIndex(where: { isBeginning(address, of: $0) }) else { return nil }
            if rest[index] != address { count += 1 }
            rest = rest[(index + 1)...]
        }
        return count
    }

    /// Whether an address has the first hexadecimal digits of another, or is equal to it.
    private static func isBeginning(_ address: UInt64, of other: UInt64) -> Bool {
        var other = other
        while other > address { other >>= 4 }
        return other == address
    }

    /// Amount of detail in the rows of reports. A broken row lacks the fields of its other half, or the end of its name. A position in an
    /// image says more than an address, and that more than an offset in a function. Text below a stack that was read as a part of its last
    /// row says nothing.
    private static func detail(_ reports: [CrashReport]) -> Int {
        reports.flatMap(\.stacks).reduce(0) { sum, stack in
            let known = stack.frames.reduce(0) { sum, frame in
                let printed = frame.printed
                let named = [printed?.name != nil, printed?.offset != nil, printed?.location != nil].count { $0 }
                return sum + named + (frame.address == nil ? 0 : 3) + (frame.imageLocation.map { $0.value == nil ? 1 : 4 } ?? 0)
            }
            return sum + 256 * known + stack.frames.dropLast().reduce(0) { $0 + min(255, $1.printed?.name?.utf8.count ?? 0) }
        }
    }

    /// Number of facts in reports: frames, images, identities, fields of the header.
    private static func worth(_ reports: [CrashReport]) -> Int {
        reports.reduce(0) { sum, report in
            let process = report.process
            let named = [
                process.name != nil, process.pid != nil, process.path != nil, process.identifier != nil, process.version != nil,
                report.platform != nil, report.architecture != nil, report.cause != nil, report.timestamp != nil,
            ]
            let frames = report.stacks.reduce(0) {
                $0 + $1.frames.count { $0.address != nil || $0.imageLocation != nil || $0.printed?.name != nil }
            }
            let identified = report.images.count { $0.id != nil }
            return sum + frames + report.images.count + identified + named.count { $0 } + report.threads.count
        }
    }
}

extension Damage {
    var isWrapped: Bool { if case .wrapped = self { true } else { false } }

    /// The text with the layer has the formats' keywords, too: its format is recognised with and
    /// without the layer.
    fileprivate var keepsKeywords: Bool {
        switch self {
        case .prefix, .writersPrefix, .typography, .emptyLines: true
        default: false
        }
    }
}

extension ImageLocation {
    /// The offset or link address that the log has.
    fileprivate var value: UInt64? {
        switch self {
        case .offset(let offset): offset.value
        case .linkAddress(let address): address.value
        default: nil
        }
    }
}
