/// Why libdwarf could not read something.
package struct InspectionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was being read, and libdwarf's own words about it.
    package var problem: String

    package init(_ problem: String) { self.problem = problem }

    package var description: String { problem }
}
