internal import BinaryPrimitives
internal import CrashReports
internal import LogChecks

/// Any bytes as a log that comes in parts, whose length the first byte says: every byte comes out again, once and in order.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    let step = 1 + Int(input.first ?? 0) % 61
    let log = Array(input.dropFirst())
    for registry in [FormatRegistry.standard, FormatRegistry.standard.forLiveLogs] {
        var stream = LogStream(registry: registry)
        var pieces: [LogStream.Piece] = []
        var bytes: [UInt8] = []
        var position = 0
        func take(_ piece: LogStream.Piece, _ text: Span<UInt8>) {
            pieces.append(piece)
            bytes += text.copied()
        }
        while position < log.count {
            let end = min(log.count, position + step)
            stream.feed(log.span.clamped(to: position..<end)) { take($0, $1) }
            position = end
        }
        stream.finish { take($0, $1) }
        precondition(bytes == log, "the pieces' bytes are not the log's")
        LogChecks.checkPieces(pieces, count: log.count)
    }
    return 0
}
