package import BinaryPrimitives

/// The call sites of an image that were read from its debug information and kept: in an index.
package protocol RecordedCallSites: Sendable {
    /// The entries whose return addresses are in a range, ascending.
    func entries(returningTo range: ClosedRange<LinkAddress>) -> [CallSiteEntries.Entry]

    /// The range of a function that holds an address, if all its calls have entries.
    func completeFunction(at address: LinkAddress) -> Range<LinkAddress>?

    /// Gives every entry to `body`, ascending by the return addresses.
    /// - Parameter body: returns `false` to stop.
    func forEachEntry(_ body: (CallSiteEntries.Entry) -> Bool)
}
