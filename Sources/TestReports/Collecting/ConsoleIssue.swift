internal import BinaryPrimitives

/// A failed expectation as a test runner's own text reports it.
struct ConsoleIssue: Sendable, Hashable {
    enum Runner: Sendable, Hashable { case xctest, swiftTesting, googleTest, rust, rustTest, pytest, go }

    var runner: Runner
    var test: String?
    /// As it is printed; `nil` where the runner does not know it.
    var file: String?
    /// Only the file's name is printed, not its path.
    var isNameOnly = false
    var line = 0
    var column = 0
    /// Locations of the calls that led to it, the nearest first.
    var callers: [SourceLocation] = []
    /// The import path of the package that the file belongs to (Go), whose last parts are the
    /// file's folders.
    var package: String?
    /// A sentence about the location that the reader must know.
    var about: String?
    var message: String
}

/// Meaning of a line of a test runner.
enum ConsoleEvent: Sendable, Hashable {
    case started(String)
    case ended(String)
    case issue(ConsoleIssue)
    /// More of the last issue's message.
    case detail(String)
    /// A process says why it is about to end: Swift's `Fatal error: …`.
    case fatal(message: String, file: String?, line: Int)
    /// The runner's, and of no use here; it ends an issue's message.
    case other
}
