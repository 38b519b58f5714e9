/// Something that could not be read, and why.
public struct BatchProblem: Error, Sendable, Hashable, CustomStringConvertible {
    public var path: String
    public var problem: String

    public var description: String { "\(path): \(problem)" }
}
