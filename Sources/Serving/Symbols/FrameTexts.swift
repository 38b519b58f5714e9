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

    /// The texts of a module at offsets, in their order.
    /// - Parameter make: makes those that are not known, in the order of the offsets it gets, each
    ///   of which it gets once.
    func texts(of symbols: ImageSymbols, at offsets: [ImageOffset], _ make: ([ImageOffset]) -> [[UInt8]]) -> [[UInt8]] {
        // What answers from a file without remembering is of a service for one request.
        guard let source = symbols.source as? CachingSource else {
            let made = made(of: offsets, make)
            return offsets.map { made[$0] ?? [] }
        }
        let module = module(of: source)
        var found: [[UInt8]] = []
        found.reserveCapacity(offsets.count)
        var missing: [(place: Int, offset: ImageOffset)] = []
        module.texts.withLock { texts in
            for offset in offsets {
                let text = texts[offset]
                if text == nil { missing.append((found.count, offset)) }
                found.append(text ?? [])
            }
        }
        guard !missing.isEmpty else { return found }
        let made = made(of: missing.map(\.offset), make)
        for (place, offset) in missing { found[place] = made[offset] ?? [] }
        module.texts.withLock { $0.merge(made) { _, new in new } }
        state.withLock { state in
            state.count += made.count
            if state.count > Self.limit { state = State() }
        }
        return found
    }

    private func made(of offsets: [ImageOffset], _ make: ([ImageOffset]) -> [[UInt8]]) -> [ImageOffset: [UInt8]] {
        let sorted = Set(offsets).sorted()
        return Dictionary(zip(sorted, make(sorted))) { first, _ in first }
    }

    private func module(of source: CachingSource) -> Module {
        state.withLock { state in
            if let module = state.modules[ObjectIdentifier(source)], module.source === source { return module }
            let module = Module(source)
            state.count += 1
            state.modules[ObjectIdentifier(source)] = module
            return module
        }
    }
}
