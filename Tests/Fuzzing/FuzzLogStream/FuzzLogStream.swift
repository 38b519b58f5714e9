internal import BinaryPrimitives
internal import CrashReports
internal import LogChecks

/// Any bytes as a log that comes in parts, whose length the first byte says: every byte comes out again, once and in order, and a log that is no live one has the reports that it has when it comes whole.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    let step = 1 + Int(input.first ?? 0) % 61
    let log = Array(input.dropFirst())
    let parts = pieces(of: log, FormatRegistry.standard, step: step)
    LogChecks.checkSame(parts, pieces(of: log, FormatRegistry.standard, step: max(1, log.count)))
    _ = pieces(of: log, FormatRegistry.standard.forLiveLogs, step: step)
    return 0
}

/// - Parameter step: how many bytes come at a time.
private func pieces(of log: [UInt8], _ registry: FormatRegistry, step: Int) -> [LogStream.Piece] {
    var stream = LogStream(registry: registry)
    var pieces: [LogStream.Piece] = []
    var bytes: [UInt8] = []
    func take(_ piece: LogStream.Piece, _ text: Span<UInt8>) {
        pieces.append(piece)
        bytes += text.copied()
    }
    var position = 0
    while position < log.count {
        let end = min(log.count, position + step)
        stream.feed(log.span.clamped(to: position..<end)) { take($0, $1) }
        position = end
    }
    stream.finish { take($0, $1) }
    precondition(bytes == log, "the pieces' bytes are not the log's")
    LogChecks.checkPieces(pieces, count: log.count)
    return pieces
}
