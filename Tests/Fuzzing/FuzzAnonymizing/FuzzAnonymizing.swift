internal import CrashReports

/// Any bytes without names: as many bytes, and the second time the same.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    let once = Anonymizer().bytes(input.span)
    precondition(once.count == input.count, "the length changed")
    precondition(Anonymizer().bytes(once.span) == once, "the second time changed something")
    return 0
}
