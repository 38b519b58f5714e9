internal import CrashLogFormats
internal import CrashReports
internal import LogChecks

/// Any bytes as the rows of a stack: of one family, which the first byte picks, or of none.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let pick = input.first else { return 0 }
    let families = RowStacks.families
    let log = Array(input.dropFirst())
    LogChecks.check(CrashLog.parse(log.span, formatName: families[Int(pick) % families.count].name), log)
    LogChecks.check(CrashLog.parse(log.span, registry: FormatRegistry([RowStacks.self])), log)
    return 0
}
