/// Why a log could not be read, in one line.
public struct LogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problem, in one sentence.
    public var problem: String
    /// The expected input; empty if `problem` says all.
    public var expected: String
    /// Position in bytes from the log's start; `nil` if no single position is to blame.
    public var position: Int?

    /// - Parameters:
    ///   - problem: the problem, in one sentence.
    ///   - expected: the expected input; empty if the problem says it.
    ///   - position: the byte of the log; `nil` for the whole log.
    public init(_ problem: String, expected: String = "", at position: Int? = nil) {
        self.problem = problem
        self.expected = expected
        self.position = position
    }

    public var description: String {
        problem + (position.map { " at byte \($0)" } ?? "") + (expected.isEmpty ? "" : ": expected " + expected)
    }
}
