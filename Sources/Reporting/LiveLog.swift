internal import BinaryPrimitives
package import CrashLogFormats
internal import CrashLogModel
internal import CrashReports
package import Symbolication

/// A log that is symbolicated while it is written: text outside of traces passes at once, a trace
/// when it has ended.
///
/// The reader of the log calls `feed` with what has come, and reports silence. After a few
/// milliseconds it calls `showUnfinished`, so that a prompt, or dots that show progress, appear
/// although their line has no end. After a longer silence it calls `notifySilence`: a trace whose
/// writer is silent is first shown up to its last row, and ends later. No more is kept than the
/// held bytes.
package struct LiveLog: Sendable {
    /// Silence after which an open trace has ended: a program that prints its stack may need a while between two rows.
    package static let longestSilence = Duration.seconds(2)
    /// Silence after which a held trace is shown, and a line that waits for others is read without them.
    private static let shortSilence = Duration.milliseconds(250)
    /// Silence, since the last byte, after which `notifySilence` is called.
    package var silence: Duration { stream.isWaitingForLines || needsPreview ? Self.shortSilence : Self.longestSilence }
    /// Longest wait for the end of an incomplete line.
    package static let longestWait = Duration.milliseconds(2)

    /// Text or traces that have passed, for observers of the log.
    package enum Passage: Sendable {
        /// Bytes that belong to no trace; lines in part or as a whole.
        case text([UInt8])
        case traces([SymbolicatedReport])
    }

    private var stream: LogStream
    private var symbolication: TraceSymbolication
    /// Whether the program that prints a trace may have been built in the same run: then only files that are
    /// newer than the trace are too new.
    private let buildsPrograms: Bool
    /// Length of the log that is in the output, unchanged or symbolicated.
    private var written = 0
    /// The output of a held trace that was shown before its end: the output beyond `written`.
    private var previewed: [UInt8] = []
    /// Bytes have come since the held trace was shown.
    private var needsPreview = false
    /// Longest part of a held trace that is shown before its end (bytes): each time it is symbolicated from its
    /// beginning.
    private static let longestPreview = 256 << 10

    /// Longest part of a live log that is held (bytes): a longer trace is symbolicated in parts.
    private static let heldTrace = 16 << 20

    /// - Parameters:
    ///   - registry: formats to recognize. Formats that occur only alone in a log are not found in a live one.
    ///   - showsText: whether text, too, is reported as it passes.
    ///   - origin: origin of the log; `nil`: files of this machine need an identifier in the log.
    ///   - buildsPrograms: the run that prints the log may build what crashes in it, as a run of
    ///     tests does.
    package init(
        symbolicator: Symbolicator, registry: FormatRegistry = .standard, showsText: Bool = false, origin: LogOrigin? = nil,
        buildsPrograms: Bool = false
    ) {
        var limits = Limits.standard
        limits.heldTrace = Self.heldTrace
        symbolication = TraceSymbolication(symbolicator: symbolicator, showsText: showsText, origin: origin)
        self.buildsPrograms = buildsPrograms
        stream = LogStream(registry: registry.forLiveLogs, limits: limits, isLive: true)
    }

    /// Something is held that silence may end.
    package var hasOpenTrace: Bool { stream.hasOpenTrace }

    /// A line without an end waits, and is not in the output.
    package var hasUnfinished: Bool { !hasOpenTrace && stream.withPendingBytes { $0 + $1.count > written } }

    /// Takes what has come.
    /// - Parameters:
    ///   - output: is extended by what can be shown.
    ///   - observe: receives the text and traces that have passed.
    package mutating func feed(_ bytes: Span<UInt8>, to output: inout [UInt8], _ observe: (Passage) -> Void = { _ in }) {
        if !hasOpenTrace {
            let now = WallClock.nanoseconds
            symbolication.symbolicator.options.printedAt = now
            if buildsPrograms { symbolication.origin?.writtenAt = now }
        }
        let symbolication = symbolication
        let start = output.count
        var position = written
        stream.feed(bytes) { symbolication.pass($0, $1, &position, &output, observe) }
        written = position
        removePreviewed(from: &output, at: start)
        needsPreview = hasOpenTrace
    }

    /// Nothing has come for `longestWait`: an unfinished line is shown as far as it is there.
    package mutating func showUnfinished(to output: inout [UInt8]) {
        guard !hasOpenTrace else { return }
        let start = output.count
        let position = written
        written = stream.withPendingBytes { first, bytes in
            output.append(copying: bytes.from(max(0, position - first)))
            return max(position, first + bytes.count)
        }
        removePreviewed(from: &output, at: start)
    }

    /// Nothing has come for `silence`: the line that waits for others is read, a held trace is shown as far as it is there, or ends.
    /// - Parameter duration: since the last byte.
    package mutating func notifySilence(of duration: Duration, to output: inout [UInt8], _ observe: (Passage) -> Void = { _ in }) {
        if duration >= Self.longestSilence || stream.isWaitingForLines { return flushOpenTraces(to: &output, observe) }
        if needsPreview { preview(to: &output) }
    }

    /// Ends a held trace that has no rows yet, so that its lines are text: a process that is about to end has printed all that it prints.
    /// Another one is shown as far as it is there.
    package mutating func flushLines(to output: inout [UInt8], _ observe: (Passage) -> Void = { _ in }) {
        var (ended, hasTrace) = (stream, false)
        if !stream.isWaitingForLines, stream.withPendingBytes({ $1.count }) <= Self.longestPreview {
            ended.flushOpenTraces { piece, _ in if case .traces = piece { hasTrace = true } }
            if !hasTrace { return flushOpenTraces(to: &output, observe) }
        }
        notifySilence(of: .zero, to: &output, observe)
    }

    /// Ends the held trace, or the wait for further lines, and writes the output.
    package mutating func flushOpenTraces(to output: inout [UInt8], _ observe: (Passage) -> Void = { _ in }) {
        let symbolication = symbolication
        let start = output.count
        var position = written
        if stream.isWaitingForLines {
            stream.readWaitingLine { symbolication.pass($0, $1, &position, &output, observe) }
        } else {
            stream.flushOpenTraces { symbolication.pass($0, $1, &position, &output, observe) }
        }
        written = position
        removePreviewed(from: &output, at: start)
        showUnfinished(to: &output)
    }

    /// Writes the rest of the output after the log has ended.
    package mutating func finish(to output: inout [UInt8], _ observe: (Passage) -> Void = { _ in }) {
        let symbolication = symbolication
        let start = output.count
        var position = written
        stream.finish { symbolication.pass($0, $1, &position, &output, observe) }
        written = position
        removePreviewed(from: &output, at: start)
    }

    /// Shows the held trace as if it had ended, and continues to hold it: more rows may come, or an image list
    /// by which these are read.
    private mutating func preview(to output: inout [UInt8]) {
        needsPreview = false
        guard stream.withPendingBytes({ $1.count }) <= Self.longestPreview else { return }
        var (ended, position, fresh, hasTrace) = (stream, written, [UInt8](), false)
        ended.flushOpenTraces { piece, bytes in
            if case .traces = piece { hasTrace = true }
            symbolication.pass(piece, bytes, &position, &fresh) { _ in }
        }
        // A heading, or a part of a JSON document, is not shown alone.
        guard hasTrace else { return }
        let common = commonLength(fresh[...], previewed)
        // Rows of the preview before are never shown again.
        guard common < fresh.count else { return }
        output += fresh[common...]
        previewed = fresh
    }

    /// Removes from new output the part that a preview has shown.
    /// - Parameter start: start of the new output.
    private mutating func removePreviewed(from output: inout [UInt8], at start: Int) {
        guard !previewed.isEmpty else { return }
        let common = commonLength(output[start...], previewed)
        let isPart = common == output.count - start && common < previewed.count
        output.removeSubrange(start..<start + common)
        // The rest of the preview is compared with the next output, unless the preview has turned out to
        // differ.
        if isPart { previewed.removeFirst(common) } else { previewed = [] }
    }

    /// The number of bytes that need not be written again: all of a text that begins with what was shown, or is its beginning; else its
    /// lines before the first that differs.
    private func commonLength(_ fresh: ArraySlice<UInt8>, _ shown: [UInt8]) -> Int {
        let common = zip(fresh, shown).prefix { $0 == $1 }.count
        guard common < min(fresh.count, shown.count) else { return common }
        return (fresh.prefix(common).lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? fresh.startIndex) - fresh.startIndex
    }
}

/// How pieces of a live log come into the output.
private struct TraceSymbolication: Sendable {
    var symbolicator: Symbolicator
    let showsText: Bool
    var origin: LogOrigin?
    private let renderer = SameRenderer()

    init(symbolicator: Symbolicator, showsText: Bool, origin: LogOrigin?) {
        self.symbolicator = symbolicator
        self.showsText = showsText
        self.origin = origin
    }

    /// - Parameter written: up to here the log is in the output.
    func pass(
        _ piece: LogStream.Piece, _ bytes: Span<UInt8>, _ written: inout Int, _ output: inout [UInt8], _ observe: (LiveLog.Passage) -> Void
    ) {
        let range = piece.range
        let shown = max(0, min(written, range.upperBound) - range.lowerBound)
        written = max(written, range.upperBound)
        guard case .traces(let reports, _) = piece else {
            output.append(copying: bytes.from(shown))
            if showsText { observe(.text(copy(of: bytes))) }
            return
        }
        let symbolicated = reports.map { symbolicator.symbolicate($0.moved(by: -range.lowerBound), from: origin) }
        let rendered = renderer.render(SymbolicatedLog(path: "-", reports: symbolicated), source: bytes)
        // The beginning of the trace's first line may have been shown before its end came.
        if rendered.starts(with: copy(of: bytes.upTo(shown))) {
            output += rendered[shown...]
        } else {
            // The symbolicated line begins differently: it comes again, on a line of its own.
            output.append(UInt8(ascii: "\n"))
            output += rendered
        }
        observe(.traces(symbolicated))
    }
}

private func copy(of bytes: Span<UInt8>) -> [UInt8] {
    var copy: [UInt8] = []
    copy.append(copying: bytes)
    return copy
}
