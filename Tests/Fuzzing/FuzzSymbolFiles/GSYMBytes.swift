internal import BinaryPrimitives
internal import SymbolSources

/// Reads the bytes as a GSYM file, and looks up addresses around its functions.
func lookUpGSYM(_ bytes: RawSpan) {
    let count = bytes.byteCount
    guard let file = try? MappedFile(bytes: bytes, name: "input"),
        let symbols = (try? GSYMFile(file)) ?? nil
    else { return }
    let base = symbols.baseAddress.value
    let addresses = ((0..<64).map { LinkAddress(base &+ 0x1000 &+ $0 * 37) } + [LinkAddress(base), LinkAddress(0), LinkAddress(.max)])
        .sorted()
    let source = GSYMSource(symbols)
    for result in source.frames(at: addresses) {
        guard case .found(let frames) = result else { continue }
        precondition(frames.last?.isInlined == false && frames.dropLast().allSatisfy(\.isInlined))
        precondition(frames.count <= Limits.standard.inlineDepth + 2)
    }
    _ = source.frames(at: [ImageOffset(0), ImageOffset(0x1000), ImageOffset(.max)])
}
