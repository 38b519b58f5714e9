internal import BinaryPrimitives
internal import CrashLogFormats
import CrashLogModel
internal import LogChecks

/// Any bytes as a log that comes in parts, whose length the first byte gives: every byte comes out
/// again, once and in order, and a log that is not live has the same reports as when it comes
/// whole.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    let step = 1 + Int(input.first ?? 0) % 61
    let log = Array(input.dropFirst())
    let parts = LogChecks.pieces(of: log, FormatRegistry.standard, step: step)
    LogChecks.checkSame(parts, LogChecks.pieces(of: log, FormatRegistry.standard, step: max(1, log.count)))
    _ = LogChecks.pieces(of: log, FormatRegistry.standard.forLiveLogs, step: step)
    return 0
}
