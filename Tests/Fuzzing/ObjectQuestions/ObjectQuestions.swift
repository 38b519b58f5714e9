internal import BinaryPrimitives
package import ObjectFiles
internal import SymbolSources

/// Lookups of `cairn` in an object file, and properties of every result.
package enum ObjectQuestions {
    /// Looks up addresses all over the object's loaded sections.
    package static func ask(_ object: ObjectFile) {
        var offsets: Set<UInt64> = [0, 1, .max]
        for section in object.description.sections.filter(\.isLoaded).prefix(16) {
            guard let first = section.address.offset(fromImageBase: object.baseAddress)?.value else { continue }
            for step in 0..<8 { offsets.insert(first &+ section.size / 8 &* UInt64(step)) }
        }
        let wanted = offsets.sorted().map(ImageOffset.init)
        for offset in wanted.prefix(4) { _ = ObjectSource([object]).lineRange(at: offset) }
        let results = ObjectSource([object]).frames(at: wanted)
        precondition(results.count == wanted.count)
        for case .found(let frames) in results {
            precondition(!frames.isEmpty && frames.count <= Limits.standard.inlineDepth + 1)
            precondition(frames.dropLast().allSatisfy { $0.note == nil })
            precondition(frames.dropLast().allSatisfy(\.isInlined) && frames.last?.isInlined == false)
        }
    }

    /// Checks that an index that was written for lookups can be read.
    package static func askIndex(_ object: ObjectFile) {
        guard let built = try? GSYMBuilder.build(object) else { return }
        let bytes = Array(built.parts.joined())
        guard let file = try? MappedFile(bytes: bytes.span.rawBytes, name: "built"), let symbols = (try? GSYMFile(file)) ?? nil else {
            preconditionFailure("what was written is no GSYM file")
        }
        precondition(symbols.count == built.functionCount && symbols.identity == object.identity)
        let addresses = object.description.sections.filter(\.isExecutable).prefix(16).flatMap { section in
            (0..<16).map { LinkAddress(section.address.value &+ section.size / 16 &* $0) }
        }
        for result in GSYMSource(symbols).frames(at: addresses) {
            if case .unresolved(.corrupt(let problem)) = result { preconditionFailure(problem) }
        }
    }
}
