internal import BinaryPrimitives
internal import SymbolSources

/// Reads the bytes as a Breakpad symbol file, and looks up addresses all over it.
func lookUpBreakpad(_ bytes: RawSpan) {
    let count = bytes.byteCount
    guard let file = try? MappedFile(bytes: bytes, name: "input"), let symbols = BreakpadFile(file) else {
        return
    }
    let offsets = ((0..<64).map { ImageOffset(0x1000 + $0 * 37) } + [ImageOffset(0), ImageOffset(.max)]).sorted()
    for (offset, result) in zip(offsets, BreakpadSource(symbols).frames(at: offsets)) {
        guard case .found(let frames) = result else { continue }
        // Only the last frame is not inlined; it begins at or before the address.
        precondition(frames.last.map { !$0.isInlined && $0.entry.map { $0 <= offset } ?? false } ?? false)
        precondition(frames.dropLast().allSatisfy(\.isInlined) && frames.count <= Limits.standard.inlineDepth + 1)
    }
}
