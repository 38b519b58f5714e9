internal import CrashLogFormats
internal import CrashReports
internal import LogChecks

/// Any bytes as a log made of lines: read as one format, which the first byte selects, or as a log
/// of an unknown format; then symbolicated.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    let formats = FormatRegistry.standard.lineFormats
    LogChecks.check(CrashLog.parse(input.span), input)
    guard let pick = input.first else { return 0 }
    let log = Array(input.dropFirst())
    LogChecks.check(CrashLog.parse(log.span, formatName: formats[Int(pick) % formats.count].name), log)
    return 0
}
