internal import Synchronization

/// Something that could not be read, and why.
package struct BatchProblem: Error, Sendable, Hashable, CustomStringConvertible {
    package var path: String
    package var problem: String

    package var description: String { "\(path): \(problem)" }
}
