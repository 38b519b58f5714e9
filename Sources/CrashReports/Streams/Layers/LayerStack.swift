internal import BinaryPrimitives
internal import CrashLogFormats

/// Reads a log through its layers.
///
///     the log ─► scanner ─┐ offers "this part may be a JSON string"
///                         └► text without the layer ─► scanner ─┐ offers "this part may be HTML"
///                                                               └► text without the layer ─► scanner
///
/// A scanner reads a text as it is and never starts anything above it: at a part that shows signs of a layer it stops and offers the
/// part. The layer is opened here, lines of the text below go in, and a scanner of its own reads the text that comes out. If the
/// text says more without the layer, its reports replace those of the scanner below, which continues behind the part.
struct LayerStack: Sendable {
    /// Reads the log as it is.
    var log: LogScanner
    /// The open layers, each over the text of the one before it; the first over the log.
    private var layers: [OpenLayer] = []

    /// Why a text has no more lines now.
    enum End {
        /// More will come.
        case none
        /// No line of a live log has come for a while: open traces have ended.
        case settled
        /// The log has ended.
        case final
    }

    init(_ scanner: LogScanner) { log = scanner }

    /// A trace or a document is open: its lines are held until it has ended.
    var hasOpenTrace: Bool { log.hasOpenTrace || hasOpenTrace(from: 0) }

    private func hasOpenTrace(from index: Int) -> Bool { layers[index...].contains { $0.scanner.hasOpenTrace } }

    /// Reads as far as the bytes that are there allow.
    /// - Parameters:
    ///   - bytes: the log from byte `base` on, at least from `log.firstNeeded` on.
    mutating func advance(over bytes: Span<UInt8>, base: Int, end: End) {
        log.results.inspect(bytes, base: base)
        while true {
            let offer = layers.isEmpty ? log.advance(over: bytes, base: base, isFinal: end == .final) : layers[layers.count - 1].read()
            if let offer {
                open(offer)
            } else if !advanceLayers(bytes, base: base, end) {
                guard end == .settled, log.endOpenParts(over: bytes, base: base) else { break }
            }
        }
        if let position = layers.first?.firstNeeded { log.firstNeededByLayer = position }
        log.emitPassedText(bytes, base: base)
    }

    // MARK: Opening

    /// Opens the first of the layers that are offered over the top text.
    private mutating func open(_ offer: LayerOffer) {
        var offer = offer
        let next = offer.layers.removeFirst()
        var isAtStart = false
        if case .line(_, let isFirst, _) = offer.reason { isAtStart = isFirst }
        let below = layers.last?.scanner ?? log
        let scanner = LogScanner(below.formats, isForced: false, limits: below.limits, depth: layers.count + 1, isAtStart: isAtStart)
        layers.append(OpenLayer(next.damage, at: next.start, scanner: scanner, trial: offer))
    }

    // MARK: Going on

    /// Evaluates the layers from the top, and gives its next line to the first that can continue.
    /// - Returns: whether there is more to read.
    private mutating func advanceLayers(_ bytes: Span<UInt8>, base: Int, _ end: End) -> Bool {
        for index in layers.indices.reversed() {
            if index + 1 < layers.count {
                let position = layers[index + 1].firstNeeded
                layers[index].change { scanner, _, _ in scanner.firstNeededByLayer = position }
            }
            if evaluate(index, bytes, base: base) { return true }
            if addLine(to: index, bytes, base: base, isFinal: end == .final) { return true }
            if end == .settled, !layers[index].hasEnded {
                layers[index].end()
                return true
            }
        }
        return false
    }

    /// Evaluates the reports of a layer so far: declines a tried layer, passes reports on, or closes the layer.
    /// - Returns: whether another layer, or the text below, is read next.
    private mutating func evaluate(_ index: Int, _ bytes: Span<UInt8>, base: Int) -> Bool {
        let isLast = index == layers.count - 1
        // The layers above end first.
        guard isLast || !layers[index].hasEnded else { return false }
        let hasOpenTrace = hasOpenTrace(from: index)
        switch layers[index].trial?.reason {
        case .line(let end, _, let waits):
            guard layers[index].hasEnded || layers[index].position >= end else { return false }
            guard
                hasOpenTrace || !layers[index].found.isEmpty || (waits || layers[index].damage == .quotedPrintable) && !layers[index].isIdle
            else {
                decline(index)
                return true
            }
            layers[index].trial = nil
            change(below: index) { scanner, _, _ in scanner.leaveLine() }
        case .reading(let reading):
            // The layer ends near the end of the text that was read without it: a quote that was
            // lost would hold the rest of the log.
            let maxLength = 4 * reading.range.count + layers[index].scanner.limits.foreignText / 4
            if !layers[index].hasEnded, layers[index].position - reading.range.lowerBound > maxLength {
                layers[index].end()
                return true
            }
            if layers[index].open >= reading.range.upperBound, !layers[index].hasEnded {
                // Only one of two traces may have broken lines: the next one is tried by itself.
                if layers[index].damage.isWrapped || !layers[index].isBetter(than: reading) {
                    close(index, at: max(layers[index].open, reading.range.upperBound), bytes, base: base)
                    return true
                }
                let length = layers[index].position - layers[index].start
                layers[index].trial = nil
                change(below: index) { scanner, _, _ in scanner.reread += length }
            }
        case nil: break
        }
        if layers[index].trial == nil, !layers[index].found.isEmpty {
            let found = layers[index].removeFound()
            change(below: index) { scanner, _, _ in scanner.results.emit(found) }
        }
        guard isLast, layers[index].isIdle, !hasOpenTrace, layers[index].hasEnded || layers[index].position > layers[index].start else {
            return false
        }
        close(index, at: layers[index].position, bytes, base: base)
        return true
    }

    /// Bytes of the next line that a layer sees of it.
    private static let nextLine = 1024

    /// Gives a layer the next line of the text below.
    /// - Returns: whether there was one.
    private mutating func addLine(to index: Int, _ bytes: Span<UInt8>, base: Int, isFinal: Bool) -> Bool {
        guard !layers[index].hasEnded else { return false }
        let isFinal = index == 0 ? isFinal : layers[index - 1].hasEnded
        let (start, searched, needsNext) = (layers[index].position, layers[index].searched, layers[index].needsNext)
        let limit = layers[index].scanner.limits.lineLength
        var tried: Int?
        if case .line(let end, _, _) = layers[index].trial?.reason { tried = end }
        let found = withText(below: index, bytes, base: base) { text, base -> (line: [UInt8], next: [UInt8])? in
            if let tried {
                let end = min(text.firstLineFeed(from: start - base).map { base + $0 + 1 } ?? tried, tried)
                return (text.clamped(to: start - base..<end - base).copied(), text.clamped(to: end - base..<tried - base).copied())
            }
            let newline = text.firstLineFeed(from: max(searched, start) - base)
            var end = newline.map { base + $0 + 1 } ?? base + text.count
            if end - start >= limit {
                // Always in the same parts, however the log comes.
                end = start + limit
            } else if newline == nil, !isFinal || end == start {
                return nil
            }
            guard needsNext else { return (text.clamped(to: start - base..<end - base).copied(), []) }
            let next = end - base..<(text.firstLineFeed(from: end - base) ?? text.count)
            if next.upperBound == text.count, next.count < Self.nextLine, !isFinal { return nil }
            return (text.clamped(to: start - base..<end - base).copied(), text.clamped(to: next).upTo(Self.nextLine).copied())
        }
        guard let found else {
            layers[index].searched = withText(below: index, bytes, base: base) { text, base in base + text.count }
            guard isFinal else { return false }
            layers[index].end()
            return true
        }
        layers[index].add(found.line.span, before: found.next.span)
        return true
    }

    // MARK: Closing

    /// A layer that was tried on a line gave nothing: the next one is tried, or the scanner goes on with the line as it is.
    private mutating func decline(_ index: Int) {
        let offer = layers[index].trial
        layers.removeSubrange(index...)
        if let offer, !offer.layers.isEmpty { return open(offer) }
        change(below: index) { scanner, _, _ in scanner.firstNeededByLayer = nil }
    }

    /// The text of a layer has ended.
    /// - Parameter next: the text below goes on here.
    private mutating func close(_ index: Int, at next: Int, _ bytes: Span<UInt8>, base: Int) {
        let layer = layers[index]
        layers.removeSubrange(index...)
        let isInLine = withText(below: index, bytes, base: base) { text, base in
            next > base && text.at(next - 1 - base) != UInt8(ascii: "\n")
        }
        guard var offer = layer.trial, case .reading(var reading) = offer.reason else {
            return change(below: index) { scanner, _, _ in
                scanner.results.emit(layer.found)
                scanner.resume(at: next, isInLine: isInLine)
            }
        }
        change(below: index) { scanner, _, _ in scanner.reread += layer.position - layer.start }
        if layer.isBetter(than: reading) {
            // Lines that were broken at a column may look as if they were broken at a blank: the better reading counts.
            offer.layers = layer.damage.isWrapped ? offer.layers.filter(\.damage.isWrapped) : []
            guard !offer.layers.isEmpty, let first = layer.found.first, let last = layer.found.last else {
                return change(below: index) { scanner, _, _ in
                    scanner.results.emit(layer.found)
                    scanner.resume(at: next, isInLine: isInLine)
                }
            }
            reading = Reading(
                reports: layer.found.flatMap(\.reports), range: first.range.lowerBound..<last.range.upperBound, next: next)
            offer.reason = .reading(reading)
        }
        guard offer.layers.isEmpty else { return open(offer) }
        if index == 0 { log.accept(reading, bytes, base: base) } else { layers[index - 1].change { $0.accept(reading, $1, base: $2) } }
    }

    // MARK: Text below

    private mutating func change(below index: Int, _ change: (inout LogScanner, Span<UInt8>, Int) -> Void) {
        if index == 0 { change(&log, Span(), 0) } else { layers[index - 1].change(change) }
    }

    private func withText<Result>(below index: Int, _ bytes: Span<UInt8>, base: Int, _ body: (Span<UInt8>, Int) -> Result) -> Result {
        index == 0 ? body(bytes, base) : layers[index - 1].withText(body)
    }
}
