internal import BinaryPrimitives
internal import SymbolSources

/// Reads the bytes as a symbol index whose header's checksum is correct, and looks up addresses all
/// over it.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe UnsafeRawBufferPointer(start: start, count: count)
    let bytes = SymbolIndexLayout.sealed(unsafe Array(input))
    guard let file = try? MappedFile(bytes: bytes.span.rawBytes, name: "input"), let index = try? SymbolIndex(file) else { return 0 }
    let base = index.baseAddress.value
    let addresses = (0..<256).map { LinkAddress(base &+ 0x1000 &+ $0 * 13) } + [LinkAddress(base), LinkAddress(0), LinkAddress(.max)]
    let source = IndexSource(index)
    for result in source.frames(at: addresses) {
        guard case .found(let frames) = result else { continue }
        precondition(frames.last?.isInlined == false && frames.dropLast().allSatisfy(\.isInlined))
    }
    _ = source.frames(at: [ImageOffset(0), ImageOffset(0x1000), ImageOffset(.max)])
    for address in addresses where address.value < .max - 16 {
        _ = index.entries(returningTo: address...LinkAddress(address.value + 16))
        _ = index.completeFunction(at: address)
    }
    try? index.verify()
    return 0
}
