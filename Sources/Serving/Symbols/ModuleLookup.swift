internal import BinaryPrimitives
internal import CrashLogModel
internal import Demangling
internal import SymbolFiles
internal import SymbolSources
internal import Symbolication

/// Modules of a request with their symbols, and the functions at their offsets. Each module is found
/// once, and each offset is looked up once.
struct ModuleLookup<Key: SoughtModule> {
    struct Module {
        /// `nil` for a module without identity.
        var symbols: ImageSymbols?
        fileprivate var results: [ImageOffset: SymbolResult] = [:]

        var isFound: Bool { symbols?.source != nil }
    }

    private(set) var modules: [Key: Module] = [:]
    private let options: SymbolicatorOptions

    /// - Parameter keys: the modules that frames are in.
    init(_ keys: Set<Key>, _ symbolicator: Symbolicator) {
        options = symbolicator.options
        let sought = keys.map { ($0, $0.requests) }
        symbolicator.provider.prepare(for: sought.flatMap { $0.1.map(\.request) })
        for (key, identities) in sought { modules[key] = Module(symbols: symbolicator.provider.symbols(for: identities)) }
    }

    /// Looks offsets up as they are: return addresses were moved before.
    /// - Parameter isKept: the results are cached for the next request; `false` if the texts that are
    ///   made of them are.
    mutating func lookUp(at wanted: [Key: Set<ImageOffset>], isKept: Bool = true) {
        for (key, offsets) in wanted {
            guard var source = modules[key]?.symbols?.source else { continue }
            if !isKept, let caching = source as? CachingSource { source = caching.source }
            let sorted = offsets.sorted()
            modules[key]?.results = Dictionary(zip(sorted, source.frames(at: sorted))) { first, _ in first }
        }
    }

    /// The functions at an offset, innermost inlined call first; empty where none is known.
    func functions(at offset: ImageOffset, in key: Key) -> [FrameResult.Function] {
        modules[key].map { functions(at: offset, in: $0) } ?? []
    }

    func functions(at offset: ImageOffset, in module: Module) -> [FrameResult.Function] {
        guard case .found(let frames)? = module.results[offset] else { return [] }
        let paths = module.symbols?.sourcePaths ?? []
        return frames.map { options.function($0, raw: offset, paths, read: options.demangler.read(_:in:)).function }
    }
}
