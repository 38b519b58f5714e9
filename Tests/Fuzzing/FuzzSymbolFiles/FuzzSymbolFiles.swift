internal import BinaryPrimitives

/// Any bytes as a symbol file that is not an object file: GSYM in either byte order, Breakpad's, lists of generated code, or
/// the files that dSYM bundles have beside their objects.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(start), byteCount: count)
    lookUpGSYM(bytes)
    lookUpBreakpad(bytes)
    lookUpGeneratedCode(bytes)
    revealNames(bytes)
    return 0
}
