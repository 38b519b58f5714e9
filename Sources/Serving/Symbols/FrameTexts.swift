internal import BinaryPrimitives
internal import SymbolSources
internal import Symbolication
internal import Synchronization

/// What responses say of frames, kept from request to request: most requests are about the same
/// places in the same files, and their names and lines are the same text each time.
final class FrameTexts: Sendable {
    private final class Module: Sendable {
        /// It is another's to keep: the files of thousands of builds would stay open. One that is
        /// gone may have left its identifier to another.
        weak let source: CachingSource?
        let texts = Mutex<[ImageOffset: [UInt8]]>([:])

        init(_ source: CachingSource) { self.source = source }
    }

    private struct State {
        var modules: [ObjectIdentifier: Module] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    /// Texts, and modules, that are kept, of some hundred bytes each. With more, all are forgotten,
    /// and what is requested again is soon there again.
    static let limit = 65_536

    /// The texts of a module at offsets.
    /// - Parameter make: makes those that are not known, in the order of the offsets.
    func texts(
        of symbols: ImageSymbols, at offsets: Set<ImageOffset>, _ make: ([ImageOffset]) -> [[UInt8]]
    ) -> [ImageOffset: [UInt8]] {
        // What answers from a file without remembering is of a service for one request.
        guard let source = symbols.source as? CachingSource else {
            let sorted = offsets.sorted()
            return Dictionary(zip(sorted, make(sorted))) { first, _ in first }
        }
        let module = state.withLock { state in
            if let module = state.modules[ObjectIdentifier(source)], module.source === source { return module }
            let module = Module(source)
            state.count += 1
            state.modules[ObjectIdentifier(source)] = module
            return module
        }
        var known: [ImageOffset: [UInt8]] = [:]
        known.reserveCapacity(offsets.count)
        var missing: [ImageOffset] = []
        module.texts.withLock { texts in
            for offset in offsets {
                if let text = texts[offset] { known[offset] = text } else { missing.append(offset) }
            }
        }
        missing.sort()
        let made = missing.isEmpty ? [] : make(missing)
        for (offset, text) in zip(missing, made) { known[offset] = text }
        module.texts.withLock { texts in for (offset, text) in zip(missing, made) { texts[offset] = text } }
        state.withLock { state in
            state.count += made.count
            if state.count > Self.limit { state = State() }
        }
        return known
    }
}
