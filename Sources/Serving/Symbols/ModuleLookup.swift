internal import BinaryPrimitives
internal import CrashLogModel
internal import SymbolFiles
internal import SymbolSources
internal import Symbolication

/// The modules of a request with their symbols, each found once, and what is at their offsets, each
/// looked up once.
struct ModuleLookup {
    /// A module that a frame is in.
    struct Module {
        /// `nil` for a module whose id is none.
        var symbols: ImageSymbols?
        fileprivate var answers: [ImageOffset: SymbolAnswer] = [:]

        var isFound: Bool { symbols?.source != nil }
    }

    private(set) var modules: [ModuleKey: Module] = [:]
    private let options: SymbolicatorOptions

    /// - Parameter wanted: the offsets that frames have in each module. They are looked up as they
    ///   are: a caller has moved return addresses already.
    init(_ wanted: [ModuleKey: Set<ImageOffset>], _ symbolicator: Symbolicator) {
        options = symbolicator.options
        symbolicator.provider.prepare(for: wanted.keys)
        for (key, offsets) in wanted {
            var module = Module(symbols: symbolicator.provider.symbols(for: key))
            if let source = module.symbols?.source {
                let sorted = offsets.sorted()
                module.answers = Dictionary(zip(sorted, source.frames(at: sorted))) { first, _ in first }
            }
            modules[key] = module
        }
    }

    /// The functions at an offset, innermost inlined call first; empty where none is known.
    func functions(at offset: ImageOffset, in key: ModuleKey) -> [FrameAnswer.Function] {
        guard let module = modules[key], case .found(let frames)? = module.answers[offset] else { return [] }
        return frames.map { options.function($0, raw: offset, module.symbols?.sourcePaths ?? []).function }
    }
}
