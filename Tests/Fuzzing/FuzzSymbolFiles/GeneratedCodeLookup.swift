internal import BinaryPrimitives
internal import SymbolSources

/// Reads the bytes as a list of code that a process compiled, and looks up the edges of its functions.
func lookUpGeneratedCode(_ bytes: RawSpan) {
    guard let mapped = try? MappedFile(bytes: bytes, name: "perf-1.map"), let file = GeneratedCodeFile(mapped) else { return }
    let ranges = file.code.prefix(64)
    let offsets = ranges.flatMap { [$0.lowerBound, $0.upperBound - 1, $0.upperBound] }.map { ImageOffset($0) }
    for (offset, result) in zip(offsets, GeneratedCodeSource(file).frames(at: offsets)) {
        guard case .found(let frames) = result else { continue }
        // A name is found only in the function's own range.
        precondition(frames.count == 1 && frames[0].entry.map { $0 <= offset } ?? false)
        precondition(file.code.contains { $0.contains(offset.value) })
    }
}
