internal import BinaryPrimitives

/// Any bytes as an archive: as they are or, where they begin as no other format does, as a ZIP file
/// and as a tar archive. And as the middle of a deflate stream.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(start), byteCount: count)
    if count > 2, bytes.byte(at: 0) == 0x50, bytes.byte(at: 1) == 0x4b { openZIP(bytes) } else { openTar(bytes) }
    decodeInside(bytes)
    return 0
}
