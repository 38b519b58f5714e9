internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel

/// A part of a log that was damaged, while it is restored: lines of the log go in, and what a
/// stream of its own finds in the restored text comes out, with places in the log.
struct DamagedRegion: Sendable {
    let damage: Damage
    /// Where it begins in the log.
    let start: Int
    /// Where the log's next byte is.
    private(set) var position: Int
    /// The reports so far, and the log's bytes that they were in.
    private(set) var found: [(reports: [CrashReport], range: Range<Int>)] = []
    /// The damaged text has ended.
    private(set) var hasEnded = false
    /// What the same bytes gave without this.
    var earlier: EarlierReading? { didSet { update() } }

    private var restorer: any Restorer
    private var text = TextWriter()
    private var stream: LogStream

    init(_ damage: Damage, at start: Int, stream: LogStream) {
        self.damage = damage
        self.start = start
        self.stream = stream
        position = start
        held = start
        open = start
        restorer = damage.restorer()
    }

    // The values that each line needs are stored: getters that compute them would copy the region.
    /// The first byte of the log that is still needed.
    private(set) var held: Int
    /// A trace or a document is open in it.
    private(set) var isHolding = false
    /// Nothing in it waits for more: the region need not go on.
    private(set) var isIdle = false
    /// The first byte of the log that is in nothing that was found: what follows is another
    /// trace's, or nobody's.
    private(set) var open: Int
    /// All is found that the bytes gave without this.
    var isPastEarlier: Bool { earlier.map { open >= $0.range.upperBound } ?? false }

    private mutating func update() {
        isHolding = stream.isHolding
        let waiting = stream.withWaiting { place, bytes in bytes.count > 0 ? place : nil }
        open = waiting.map { text.map.rawStart($0) } ?? position
        held = min(found.first?.range.lowerBound ?? position, open)
        if let earlier { held = min(start, earlier.range.lowerBound) }
        isIdle = hasEnded || !restorer.isInside && !isHolding && waiting == nil
    }

    /// What becomes of a line depends on the next one.
    var needsNext: Bool { restorer.needsNext }

    /// Takes the log's next line, or a part of a long one.
    /// - Parameter next: the line below it, or its beginning.
    mutating func take(_ line: Span<UInt8>, before next: Span<UInt8>) {
        if needsNext { restorer.look(at: line, before: next) }
        let count = restorer.take(line, at: position, to: &text)
        position += count
        pass()
        // A JSON string ends at its quote, or where it was cut off.
        let isCut = damage == .jsonString && line.at(line.count - 1) == UInt8(ascii: "\n")
        if count < line.count || isCut { finish() } else { update() }
    }

    /// The damaged text has ended.
    mutating func finish() {
        guard !hasEnded else { return }
        hasEnded = true
        pass()
        var pieces: [Piece] = []
        stream.finish { piece, bytes in DamagedRegion.note(piece, bytes, in: &pieces) }
        keep(pieces)
        update()
    }

    /// Nothing has come for a while.
    mutating func settle() {
        var pieces: [Piece] = []
        stream.settle { piece, bytes in DamagedRegion.note(piece, bytes, in: &pieces) }
        keep(pieces)
        update()
    }

    /// Takes what was found.
    mutating func takeFound() -> [(reports: [CrashReport], range: Range<Int>)] {
        defer {
            found = []
            update()
        }
        return found
    }

    private static let pageNote = "The report is HTML: names in it are unescaped for lookup, and results are escaped."

    private typealias Piece = (reports: [CrashReport], range: Range<Int>, bytes: [UInt8])

    private static func note(_ piece: LogStream.Piece, _ bytes: Span<UInt8>, in pieces: inout [Piece]) {
        if case .traces(let reports, let range) = piece { pieces.append((reports, range, bytes.copied())) }
    }

    private mutating func pass() {
        let bytes = text.takeBytes()
        guard !bytes.isEmpty else { return }
        var pieces: [Piece] = []
        stream.feed(bytes.span) { piece, bytes in DamagedRegion.note(piece, bytes, in: &pieces) }
        keep(pieces)
        let needed = stream.withWaiting { place, _ in place }
        text.drop(before: needed)
    }

    private mutating func keep(_ pieces: [Piece]) {
        for piece in pieces {
            let raw = text.map.raw(piece.range)
            // What is written into a page is spelled as a page, even where none of its tags is.
            let isPlain = damage.spelling == .plain && text.map.isPlain(in: piece.range)
            let layer = RestoredText(bytes: piece.bytes, map: text.map.piece(piece.range), spelling: damage.spelling)
            let reports = piece.reports.map { report in
                // From the stream's text to the piece, and from there to the log.
                var report = report.moved(by: -piece.range.lowerBound)
                report.changePlaces(layer.map.raw)
                if isPlain, report.restored.isEmpty { return report }
                report.restored.insert(layer, at: 0)
                if damage == .html { report.notes.append(DamagedRegion.pageNote) }
                return report
            }
            found.append((reports, raw))
        }
    }
}

/// What was found in bytes of the log that look damaged, before they were restored.
struct EarlierReading: Sendable {
    /// Empty where the trace had no stack.
    var reports: [CrashReport]
    var range: Range<Int>
    /// Where the log goes on after it.
    var next: Int
    /// Further kinds of damage that it shows signs of, and how far after its first byte the damaged
    /// text begins.
    var candidates: [(damage: Damage, start: Int)]
    /// Each `<` in it begins a tag of HTML.
    var isPage = false
    /// It was a document.
    var document: Document?

    struct Document: Sendable {
        var open: OpenDocument
        var hasEnded: Bool
        /// Why it could not be read.
        var problem: LogError?
    }

    /// Whether all addresses of some reports are those of others, in order.
    static func keeps(_ reports: [CrashReport], in others: [CrashReport]) -> Bool {
        func addresses(_ reports: [CrashReport]) -> [RuntimeAddress] { reports.flatMap(\.stacks).flatMap(\.frames).compactMap(\.address) }
        var rest = addresses(others)[...]
        for address in addresses(reports) {
            guard let place = rest.firstIndex(of: address) else { return false }
            rest = rest[(place + 1)...]
        }
        return true
    }

    /// How much the rows of reports say: a row that was broken lacks what was in its other half, or
    /// the end of its name. Words below a stack that are taken for a part of its last row say
    /// nothing.
    static func detail(_ reports: [CrashReport]) -> Int {
        reports.flatMap(\.stacks).reduce(0) { sum, stack in
            let known = stack.frames.reduce(0) { sum, frame in
                let printed = frame.printed
                return sum + [frame.imagePlace != nil, printed?.name != nil, printed?.offset != nil, printed?.location != nil].count { $0 }
            }
            return sum + 256 * known + stack.frames.dropLast().reduce(0) { $0 + min(255, $1.printed?.name?.utf8.count ?? 0) }
        }
    }

    /// How much reports say: frames, images, identities.
    static func worth(_ reports: [CrashReport]) -> Int {
        reports.reduce(0) { sum, report in
            let process = report.process
            let named = [
                process.name != nil, process.pid != nil, process.path != nil, process.identifier != nil, process.version != nil,
                report.platform != nil, report.architecture != nil, report.cause != nil, report.timestamp != nil,
            ]
            let frames = report.stacks.reduce(0) {
                $0 + $1.frames.count { $0.address != nil || $0.imagePlace != nil || $0.printed?.name != nil }
            }
            let identified = report.images.count { $0.id != nil }
            return sum + frames + report.images.count + identified + named.count { $0 } + report.threads.count
        }
    }
}
