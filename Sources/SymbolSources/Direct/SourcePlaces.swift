public import DWARF

/// What a source looks at beside its files.
public struct SourcePlaces: Sendable {
    /// Where split units are looked for.
    public var split: SplitPlaces
    /// Debug information is asked about addresses that the file does not map, too, as LLVM's tools do it: an assembler's object may describe code that it does not hold.
    public var asksAsLLVM: Bool

    /// - Parameter splitPackage: the package of split units (`.dwp`); `nil` for the one beside each file.
    public init(splitPackage: String? = nil, asksAsLLVM: Bool = false) {
        split = SplitPlaces(package: splitPackage, besideProgram: !asksAsLLVM)
        self.asksAsLLVM = asksAsLLVM
    }
}
