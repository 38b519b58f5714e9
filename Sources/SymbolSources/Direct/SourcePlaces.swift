public import DWARF

/// What a source looks at beside its files.
public struct SourcePlaces: Sendable {
    /// Where split units are looked for.
    public var split: SplitPlaces
    /// Debug information is asked about addresses that the file does not map, too, as LLVM's tools do it: an assembler's object may describe code that it does not hold.
    public var asksAsLLVM: Bool

    /// How one of several symbols at an address is chosen.
    public var symbols: SymbolOrder

    /// - Parameters:
    ///   - splitPackage: the package of split units (`.dwp`); `nil` for the one beside each file.
    ///   - symbols: `nil` for LLVM's order where LLVM's ways are wanted, else the preferred one.
    public init(splitPackage: String? = nil, asksAsLLVM: Bool = false, symbols: SymbolOrder? = nil) {
        split = SplitPlaces(package: splitPackage, besideProgram: !asksAsLLVM)
        self.asksAsLLVM = asksAsLLVM
        self.symbols = symbols ?? (asksAsLLVM ? .lastOfTable : .preferred)
    }
}
