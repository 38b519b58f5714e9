public import SymbolSources

extension Unresolved {
    /// The reason in one sentence.
    public var sentence: String {
        switch self {
        case .outsideImage: "the address is outside the image"
        case .ambiguousSection(let names):
            "the file is not linked: several of its sections have such an offset (\(names.prefix(8).joined(separator: ", ")))"
        case .noSymbol: "the symbol file has neither debug information nor a symbol for this address"
        case .betweenSymbols: "the address lies between two functions"
        case .unboundedSymbol: "the symbol table is stripped: the function here may be one without a symbol"
        case .corrupt(let problem): "the debug information is damaged: \(problem)"
        case .unusedObject(let reason): reason
        }
    }
}
