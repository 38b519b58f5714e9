internal import BinaryPrimitives

/// Asks its members in their order.
public struct LocatorChain: DebugFileLocator {
    public let locators: [any DebugFileLocator]

    public init(_ locators: [any DebugFileLocator]) { self.locators = locators }

    public var place: String { "several places" }

    public func expectedPaths(for request: ImageRequest) -> [String] { locators.flatMap { $0.expectedPaths(for: request) } }

    /// Every member's candidates, the first member's first; a file that several members name comes once.
    public func candidates(for request: ImageRequest) -> [SymbolFileCandidate] {
        var seen: Set<String> = []
        return locators.flatMap { $0.candidates(for: request) }.filter { seen.insert($0.path).inserted }
    }

    /// Those of every member that has so few.
    public func files(atMost count: Int) -> [SymbolFileCandidate] {
        var seen: Set<String> = []
        return locators.flatMap { $0.files(atMost: count) }.filter { seen.insert($0.path).inserted }
    }
}
