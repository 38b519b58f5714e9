internal import BinaryPrimitives
internal import MemoryImages
internal import ObjectFiles
internal import SymbolSources

/// Resolves addresses of a process in the object files that its JIT compilers registered; the image's base is 0.
struct RegisteredCodeSource: SymbolSource {
    /// Ascending by their addresses.
    private let sections: [(range: Range<UInt64>, source: ObjectSource)]

    init(_ objects: [ObjectFile]) {
        sections = objects.flatMap { object -> [(range: Range<UInt64>, source: ObjectSource)] in
            let source = ObjectSource([object])
            return object.codeRanges.map { (range: $0, source: source) }
        }.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    func frames(at offsets: [ImageOffset]) -> [SymbolResult] {
        offsets.map { offset in
            let next = sections.partitionPoint { $0.range.lowerBound > offset.value }
            guard next > 0, sections[next - 1].range.contains(offset.value) else { return .unresolved(.outsideImage) }
            return sections[next - 1].source.frames(at: [offset])[0]
        }
    }
}
