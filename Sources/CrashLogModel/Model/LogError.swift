/// Why a log could not be read, in one line.
public struct LogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Kinds of problems, for programs that react to them.
    public enum Kind: Sendable, Hashable {
        /// There is no file of this name.
        case missing
        /// The file cannot be opened or read.
        case unreadable
        /// The log has no bytes.
        case empty
        /// The log has text, and no crash report.
        case noReport
        /// A line looks like the beginning or a row of a report, and no stack that can be read follows.
        case noStack
        /// The file is another kind of file: a program, an archive, bytes that are no text.
        case otherFile
        /// The log, or the compression that it is in, is damaged or cut short.
        case damaged
        /// The log is beyond a cap (`Limits`).
        case tooLarge
    }

    /// The kind of problem, for programs.
    public var kind: Kind
    /// The problem, in one sentence.
    public var problem: String
    /// The expected input; empty if `problem` says all.
    public var expected: String
    /// Position in bytes from the log's start; `nil` if no single position is to blame.
    public var position: Int?
    /// The end of `problem` that names commands: for the command line alone.
    package var commands = ""

    /// - Parameters:
    ///   - problem: the problem, in one sentence.
    ///   - expected: the expected input; empty if the problem says it.
    ///   - position: the byte of the log; `nil` for the whole log.
    ///   - kind: the kind of problem.
    public init(_ problem: String, expected: String = "", at position: Int? = nil, kind: Kind = .damaged) {
        self.kind = kind
        self.problem = problem
        self.expected = expected
        self.position = position
    }

    /// - Parameter commands: Text after the problem that names commands.
    package init(_ problem: String, commands: String, kind: Kind) {
        self.init(problem + commands, kind: kind)
        self.commands = commands
    }

    /// The problem for programs that are no command line.
    package var withoutCommands: LogError {
        guard !commands.isEmpty, problem.hasSuffix(commands) else { return self }
        return LogError(String(problem.dropLast(commands.count)), expected: expected, at: position, kind: kind)
    }

    public var description: String {
        problem + (position.map { " at byte \($0)" } ?? "") + (expected.isEmpty ? "" : ": expected " + expected)
    }
}
