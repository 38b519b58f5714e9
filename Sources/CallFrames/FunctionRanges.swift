package import BinaryPrimitives
package import ObjectFiles

/// The functions of a file as its tables for unwinding bound them, which survive `strip`.
package protocol FunctionRanges: Sendable {
    /// The range of the function that holds an address; `nil` if the tables have none.
    func range(containing address: LinkAddress) -> Range<LinkAddress>?
    /// The range of the last function that begins at or before an address, even if it does not hold it.
    func lastRange(startingAtOrBefore address: LinkAddress) -> Range<LinkAddress>?
    /// The ranges of all functions, ascending by their starts.
    func allRanges() -> [Range<LinkAddress>]
}

extension ExceptionFrames: FunctionRanges {}

extension FunctionTable: FunctionRanges {
    package func range(containing address: LinkAddress) -> Range<LinkAddress>? { function(containing: address) }
    package func lastRange(startingAtOrBefore address: LinkAddress) -> Range<LinkAddress>? {
        lastEntry(startingAtOrBefore: address)?.range
    }
}

extension ObjectFile {
    /// The functions of the file by `.pdata` (PE) or frame descriptions; `nil` if it has neither.
    package var functionRanges: (any FunctionRanges)? {
        if let table = FunctionTable(self) { return table }
        return ExceptionFrames(self)
    }
}
