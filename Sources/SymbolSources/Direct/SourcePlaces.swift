package import DWARF

/// Further inputs of a source in addition to its files.
package struct SourcePlaces: Sendable {
    /// Locations that are searched for split units.
    package var split: SplitLocations
    /// Debug information is also searched for addresses that the file does not map: an assembler's
    /// object may describe code that it does not hold.
    package var asksUnmapped: Bool

    /// How one of several symbols at an address is chosen.
    package var symbols: SymbolOrder

    /// The package of split units; `nil` for the one beside each file.
    package var splitPackage: String? { split.package }

    /// - Parameters:
    ///   - splitPackage: the package of split units (`.dwp`); `nil` for the one beside each file.
    ///   - besideProgram: whether files of split units are also searched for beside each file.
    package init(
        splitPackage: String? = nil, besideProgram: Bool = true, asksUnmapped: Bool = false, symbols: SymbolOrder = .preferred
    ) {
        split = SplitLocations(package: splitPackage, besideProgram: besideProgram)
        self.asksUnmapped = asksUnmapped
        self.symbols = symbols
    }
}
