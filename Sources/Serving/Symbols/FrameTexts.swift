internal import BinaryPrimitives
internal import SymbolSources
internal import Symbolication
internal import Synchronization

/// Cache of the texts of frames in responses. Most requests are about the same addresses in the
/// same files, and the names and lines of an address are the same text each time.
final class FrameTexts: Sendable {
    private final class Module: Sendable {
        /// Weak, because the provider decides how long a source is kept: otherwise the files of
        /// thousands of builds would stay open. A source that is gone may have left its identifier
        /// to another one.
        weak let source: CachingSource?
        /// Unique number of the module.
        let number: UInt64

        init(_ source: CachingSource, _ number: UInt64) { (self.source, self.number) = (source, number) }
    }

    private struct Key: Hashable, Sendable {
        var module: UInt64
        var offset: ImageOffset
    }

    /// Maximum number of cached texts, of some hundred bytes each; beyond it the least recently used are made again.
    static let limit = 65_536

    private let modules = RecentlyUsed<ObjectIdentifier, Module>(count: 4096)
    private let texts = RecentlyUsed<Key, [UInt8]>(count: limit)
    private let modulesMade = Atomic<UInt64>(0)

    /// The texts of a module at offsets, in their order.
    /// - Parameter make: makes those that are not known, in the order of the offsets it gets, each
    ///   of which it gets once.
    func texts(of symbols: ImageSymbols, at offsets: [ImageOffset], _ make: ([ImageOffset]) -> [[UInt8]]) -> [[UInt8]] {
        // A source without a cache belongs to a service for one request: its texts are not kept.
        guard let source = symbols.source as? CachingSource else {
            let made = made(of: offsets, make)
            return offsets.map { made[$0] ?? [] }
        }
        let module = module(of: source).number
        var found = texts[offsets.map { Key(module: module, offset: $0) }]
        let missing = found.indices.filter { found[$0] == nil }
        if !missing.isEmpty {
            let made = made(of: missing.map { offsets[$0] }, make)
            for index in missing {
                guard let text = made[offsets[index]] else { continue }
                found[index] = text
                texts.keep(text, for: Key(module: module, offset: offsets[index]))
            }
        }
        return found.map { $0 ?? [] }
    }

    private func made(of offsets: [ImageOffset], _ make: ([ImageOffset]) -> [[UInt8]]) -> [ImageOffset: [UInt8]] {
        let sorted = Set(offsets).sorted()
        return Dictionary(zip(sorted, make(sorted))) { first, _ in first }
    }

    private func module(of source: CachingSource) -> Module {
        let identifier = ObjectIdentifier(source)
        if let known = modules[identifier] {
            if known.source === source { return known }
            modules.remove(identifier)
        }
        let made = Module(source, modulesMade.add(1, ordering: .relaxed).newValue)
        return modules.keep(made, for: identifier)
    }
}
