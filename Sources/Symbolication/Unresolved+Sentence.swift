public import SymbolSources

extension Unresolved {
    /// The reason in one sentence.
    public var sentence: String {
        switch self {
        case .outsideImage: "the address is outside the image"
        case .noSymbol: "the symbol file has neither debug information nor a symbol for this address"
        case .betweenSymbols: "the address lies between two functions"
        case .unboundedSymbol: "the symbol table is stripped: the function here may be one without a symbol"
        case .corrupt(let problem): "the debug information is damaged: \(problem)"
        }
    }
}
