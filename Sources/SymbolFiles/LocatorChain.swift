internal import BinaryPrimitives

/// Searches its members in their order.
package struct LocatorChain: DebugFileLocator {
    package let locators: [any DebugFileLocator]

    package init(_ locators: [any DebugFileLocator]) { self.locators = locators }

    package var place: String { "several places" }

    package func expectedPaths(for request: ImageRequest) -> [String] { locators.flatMap { $0.expectedPaths(for: request) } }

    /// Every member's candidates, the first member's first; a file that several members name comes
    /// once.
    package func candidates(for request: ImageRequest) -> [SymbolFileCandidate] {
        var seen: Set<String> = []
        return locators.flatMap { $0.candidates(for: request) }.filter { seen.insert($0.path).inserted }
    }

    /// Those of every member that has so few.
    package func files(atMost count: Int) -> [SymbolFileCandidate] {
        var seen: Set<String> = []
        return locators.flatMap { $0.files(atMost: count) }.filter { seen.insert($0.path).inserted }
    }
}
