/// Error of libdwarf while reading.
package struct InspectionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The part that was being read, and libdwarf's message.
    package var problem: String

    package init(_ problem: String) { self.problem = problem }

    package var description: String { problem }
}
