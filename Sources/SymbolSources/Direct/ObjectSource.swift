package import BinaryPrimitives
package import DWARF
package import ObjectFiles

/// Resolves addresses straight from the files of one image: debug information first, the symbol
/// table for what it does not cover.
///
/// By default nothing is kept between calls. A batch of addresses is one call.
package struct ObjectSource: SymbolSource {
    let objects: [ObjectFile]
    let options: SourcePlaces
    /// The objects' debug information, where it is kept between calls; else empty.
    private let kept: [CachedReader]

    /// - Parameters:
    ///   - objects: the files of one image (a debug companion and the executable, or only one of
    ///     them), those with debug information first.
    ///   - options: further inputs.
    ///   - keepsSections: compressed sections of debug information stay inflated between calls.
    package init(_ objects: [ObjectFile], _ options: SourcePlaces = SourcePlaces(), keepsSections: Bool = false) {
        self.objects = objects
        self.options = options
        kept = keepsSections ? objects.map { _ in CachedReader() } : []
    }

    func lookup(_ number: Int, usesDebugMap: Bool) -> ObjectLookup {
        ObjectLookup(object: objects[number], usesDebugMap: usesDebugMap, options: options, kept: kept.isEmpty ? nil : kept[number])
    }

    package func frames(at addresses: [LinkAddress], collecting calls: CollectedCallSites?) -> [SymbolResult] {
        results(addresses) { $0.frames(at: $1.map { .address($0) }, calls: calls) }
    }

    package func frames(at offsets: [ImageOffset]) -> [SymbolResult] {
        results(offsets) { $0.frames(at: $1) }
    }

    package func frames(at addresses: [LinkAddress]) -> [SymbolResult] {
        results(addresses) { $0.frames(at: $1.map { .address($0) }) }
    }

    package func offset(of address: LinkAddress) -> ImageOffset? { objects.first?.offset(of: address) }

    private func results<Key>(_ keys: [Key], _ lookUp: (ObjectLookup, [Key]) -> [SymbolResult]) -> [SymbolResult] {
        var results = [SymbolResult](repeating: .unresolved(.noSymbol), count: keys.count)
        var open = Array(keys.indices)
        // With a dSYM at hand, the object files that it was made of add nothing.
        let hasDebugInformation = objects.contains { $0.hasDebugInformation }
        for number in objects.indices {
            let wanted = open.map { keys[$0] }
            let lookup = lookup(number, usesDebugMap: !hasDebugInformation)
            for (index, result) in zip(open, lookUp(lookup, wanted)) {
                results[index] = result.better(than: results[index])
            }
            open.removeAll { results[$0].isComplete }
            if open.isEmpty { break }
        }
        if let change { return results.map { _ in .unresolved(.changedFile(change)) } }
        return results
    }

    /// Change of one of the files since it was opened. Checked after the lookups and before the results are
    /// returned.
    package var change: FileChange? {
        for object in objects { if let change = object.file.change { return change } }
        return nil
    }
}

extension SymbolResult {
    /// Whether the result has debug information, so that another file cannot add anything.
    var isComplete: Bool {
        guard case .found(let frames) = self else { return false }
        return frames.contains { $0.origin == .debugInformation }
    }

    func better(than other: SymbolResult) -> SymbolResult {
        switch (self, other) {
        case (.found, .unresolved): self
        case (.unresolved, .found): other
        case (.found, .found): isComplete || !other.isComplete ? self : other
        // The later file's reason is not more precise, unless the earlier file had no symbol at all.
        case (.unresolved, .unresolved(let reason)): reason == .noSymbol ? self : other
        }
    }
}
