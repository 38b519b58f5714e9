internal import BinaryPrimitives

/// A failed expectation as a test runner's own text reports it.
struct ConsoleIssue: Sendable, Hashable {
    enum Runner: Sendable, Hashable {
        case xctest, swiftTesting, googleTest, rust, rustTest, pytest, go, catch2, doctest, boost, ctest, tap, perl, node, jest
    }

    var runner: Runner
    /// Its reader has read all lines of it.
    var isComplete: Bool { [.catch2, .doctest, .boost, .ctest, .tap, .perl, .node, .jest].contains(runner) || crash != nil }
    var test: String?
    /// The test of an outer runner in whose output it is.
    var outerTest: String?
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
    /// Lines of `message`, and those that were not added to it.
    var messageLines = 0
    /// The location is the test's own: that of a stack, if one follows, replaces it.
    var stackBegins = false
    /// The runner reports that a process was ended by a signal; its stack says more.
    var crash: Crash?

    /// Reads the signal from the text of a runner.
    struct Crash: Sendable, Hashable {
        /// Names of signals that it can be; none: any.
        var signals: [String]

        /// `***Exception: SegFault` and `Subprocess aborted***Exception:` (ctest), `SIGSEGV - Segmentation violation signal` (Catch2).
        init(_ text: Span<UInt8>) {
            let names: [(String, [String])] = [
                ("SegFault", ["SIGSEGV", "SIGBUS"]), ("aborted", ["SIGABRT"]), ("Numerical", ["SIGFPE"]), ("Illegal", ["SIGILL"]),
            ]
            if text.hasPrefix("SIG") {
                signals = [text.upTo(text.firstIndex(of: UInt8(ascii: " ")) ?? text.count).text]
            } else {
                signals = names.first { text.firstRange(of: $0.0) != nil }?.1 ?? []
            }
        }

        init(number: Int) { signals = [FailureRule.signalName(number: number)] }
    }
}

/// Message of a process about its own end.
struct FatalMessage: Sendable, Hashable {
    var message: String
    /// As it is printed; `nil` where the message names no line.
    var file: String?
    var line = 0
    /// It is C's `assert`, after which the process is ended by SIGABRT, whether or not a stack is seen.
    var isAssertion = false
    /// The test of an outer runner in whose output it is.
    var outerTest: String?
}

/// Meaning of a line of a test runner. Nearly all lines begin or end a test: what only few have is kept apart, so that events are small.
enum ConsoleEvent: Sendable, Hashable {
    case started(String, isOuter: Bool = false)
    /// - isOuter: the test is a program that has tests of its own.
    /// - result: the outer runner's word about a test that failed: `Timeout`.
    case ended(String, hasFailed: Bool, isOuter: Bool = false, result: String? = nil)
    /// So many tests have failed, as the runner counts them; an outer runner's count is that of the programs that it runs, too.
    case failed(Int, isOuter: Bool)
    /// A runner has ended before it printed what it knows of the failed tests: a clause that says so.
    case unreported(String)
    /// A log of what tests have printed.
    indirect case testLog(TestLog)
    indirect case issue(ConsoleIssue)
    /// More of the last issue's message.
    case detail(String)
    /// A process says why it is about to end: Swift's `Fatal error: …`.
    indirect case fatal(FatalMessage)
    /// The runner's, and of no use here; it ends an issue's message.
    case other
}

/// The line that is shown for an issue, of those that a test runner names, and its file.
struct ConsoleIssueLocation {
    /// As the runner names it, or from the repository's root on.
    let location: SourceLocation
    /// Only the file's name is known, not its path.
    let isNameOnly: Bool
    /// A sentence about the location that the reader must know.
    let about: String?

    /// - Returns: `nil` where the runner names no line.
    init?(_ issue: ConsoleIssue, judge: FrameJudge) {
        guard let file = issue.file else { return nil }
        let named = SourceLocation(file: file, line: issue.line, column: issue.column)
        if let path = issue.package.flatMap({ Self.file(file, of: $0, judge.repository) }) {
            location = SourceLocation(file: path, line: issue.line, column: issue.column)
            (isNameOnly, about) = (false, issue.about)
            return
        }
        // A failure that was raised in a library is reported where the user's own code called it.
        if !issue.callers.isEmpty, judge.verdict(named, nil).owner != .own,
            let own = issue.callers.first(where: { judge.verdict($0, nil).owner == .own })
        {
            location = own
            (isNameOnly, about) = (
                false, "Called from this line; failed at \(PlainText.line(file, limit: 300)):\(issue.line)."
            )
            return
        }
        (location, isNameOnly, about) = (named, issue.isNameOnly, issue.about)
    }

    /// A file of a Go package, `queue_test.go` of `example.org/shop/queue`: which of the import
    /// path's parts are folders depends on where the module is.
    private static func file(_ name: String, of package: String, _ repository: RepositoryPaths) -> String? {
        let parts = package.split(separator: "/")
        for start in 0...parts.count {
            let path = (parts[start...].map(String.init) + [name]).joined(separator: "/")
            if case .inside(let found)? = repository.located(path) { return found }
        }
        return nil
    }
}
