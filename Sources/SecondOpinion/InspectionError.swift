/// Why libdwarf could not read something.
public struct InspectionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was being read, and libdwarf's own words about it.
    public var problem: String

    public init(_ problem: String) { self.problem = problem }

    public var description: String { problem }
}
