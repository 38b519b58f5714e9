internal import BinaryPrimitives
internal import Personalities

/// Reads the bytes as lines of the tools' input.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    Grammars.read(bytes)
    return 0
}
