/// Something that went wrong in a run of tests, as people read it: on a line of a change, in a
/// report, in a summary.
///
/// Its texts come from a log and cannot be trusted: every output escapes them for its own language.
package struct Failure: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        /// A signal, or a check of the language's runtime, ended the process.
        case crash
        /// A sanitizer found an error.
        case sanitizer
        /// The process took too long. It printed its stacks on request (SIGQUIT), or was inspected
        /// from outside.
        case hang
        /// The system saw that a process used more than it may: processor time, writes to its disk.
        case resource
        /// Rust's and Go's own.
        case panic
        /// A language's exception that was printed with its stack. The log does not say whether it
        /// was caught.
        case exception
        /// A stack was printed, and not why: programs do so when they crash, and also when nothing
        /// is wrong.
        case stack
        /// A test's own expectation was not met.
        case testFailure = "test-failure"
        /// No failure: a report without one, a profile or a list of addresses.
        case noFailure = "no-failure"
    }

    /// How much it matters: an exception or a stack that a passing test printed is no error.
    package enum Level: String, Sendable {
        case error
        case warning
        /// It is no failure at all.
        case note
    }

    /// A line of a file of the repository.
    package struct Location: Sendable, Hashable {
        /// From the repository's root, with `/` between its parts.
        package var path: String
        /// From 1.
        package var line: Int
        /// Column in bytes, from 1; 0: unknown.
        package var column: Int

        package init(path: String, line: Int, column: Int = 0) {
            self.path = path
            self.line = line
            self.column = column
        }
    }

    /// One function on a stack.
    package struct Frame: Sendable, Hashable {
        /// As it is printed; `nil` where only the image and the address are known.
        package var function: String?
        package var isInlined: Bool
        package var image: String?
        /// The frame's address, `0x…`, or the text that the log gives instead (`main+0x1a`); `nil`
        /// if it has neither.
        package var address: String?
        /// The file as the debug information or the log names it.
        package var file: String?
        /// From 1; 0: none.
        package var line: Int
        /// From 1; 0: unknown.
        package var column: Int
        /// Location of `file` and `line` in the repository, if it is there.
        package var location: Location?
        package var owner: Owner
        /// Text that says why it was, or was not, taken for the user's own code.
        package var reason: String
        /// Frames below this one that are left out, because they repeat the frames above: recursion.
        package var repetition: Repetition?
        /// The function raised or reported the error, or ran after it: the crash is not in it.
        package var isMachinery = false

        package var isOwn: Bool { owner == .own }
    }

    /// A cycle of a recursion, which is shown once.
    package struct Repetition: Sendable, Hashable {
        /// Rows of the log in one cycle.
        package var period: Int
        /// How often it comes again.
        package var times: Int
    }

    /// Whose code a frame is.
    package enum Owner: String, Sendable {
        case own
        /// The system's, the language's, a dependency's, or the compiler's.
        case other
        /// It has no line, or its file cannot be distinguished from others: it may be the user's
        /// own.
        case unknown
    }

    /// A thread's frames, or those of another stack of the report, innermost first.
    package struct Stack: Sendable, Hashable {
        package var title: String
        package var frames: [Frame]

        package init(title: String, frames: [Frame]) {
            self.title = title
            self.frames = frames
        }
    }

    package var kind: Kind
    package var level: Level
    /// Rule of the failure, stable from run to run: `crash/SIGSEGV`,
    /// `sanitizer/heap-buffer-overflow`, `test-failure`.
    package var rule: String
    /// A few words: `SIGSEGV in head(_:)`.
    package var title: String
    /// The log's message about it; several lines are possible.
    package var message: String
    /// The tests that it was met in, each once, in the order in which they were met; none where the
    /// log does not name them.
    package var tests: [String]
    /// The first line of the user's own code.
    package var location: Location?
    /// Why there is no location: one sentence.
    package var missingLocationReason: String?
    /// A sentence about `location` that the reader must know: it is a caller's, or another thread's.
    package var locationRemark: String?
    package var stacks: [Stack]
    /// The crashed stacks of further tests with this failure, which are other ways to `location`: `stacks` are those of the
    /// first test.
    package var stacksOfTests: [String: Stack] = [:]
    /// The source around `location`.
    package var excerpt: SourceExcerpt?
    /// The log or stream that it was in, as the caller named it.
    package var log: String?
    /// How often it was met.
    package var count: Int
    /// The command succeeded all the same.
    package var commandSucceeded = false

    package init(kind: Kind, rule: String, title: String, message: String) {
        self.kind = kind
        level =
            switch kind {
            case .stack, .resource: .warning
            case .noFailure: .note
            default: .error
            }
        self.rule = rule
        self.title = title
        self.message = message
        tests = []
        stacks = []
        count = 1
    }
}

/// A line of source with those around it, ready to be shown as plain text.
package struct SourceExcerpt: Sendable, Hashable {
    package struct Line: Sendable, Hashable {
        /// From 1.
        package var number: Int
        /// Text of the line, without control characters, tabs as spaces, cut if it is long.
        package var text: String
        /// How many columns of a terminal are before the marked location; `nil` in all lines but the
        /// marked one, and there where the column is unknown.
        package var caret: Int?
    }

    package var lines: [Line]
    /// The number of the line that is marked.
    package var marked: Int
    /// The marked position's column in Unicode scalars of the source, from 1, where it is known: debug
    /// information counts bytes.
    package var column: Int?

    /// The lines with their numbers, the marked one's with `>`, and a caret below the column.
    ///
    ///       2 | int inc(int x) {
    ///     > 3 |     return x + 1;
    ///         |            ^
    ///       4 | }
    package var text: String {
        let width = lines.map { String($0.number).utf8.count }.max() ?? 1
        var text = ""
        for line in lines {
            let number = String(line.number)
            text += (line.number == marked ? "> " : "  ") + String(repeating: " ", count: width - number.utf8.count) + number + " |"
            text += (line.text.isEmpty ? "" : " " + line.text) + "\n"
            if let caret = line.caret {
                text += String(repeating: " ", count: width + 3) + "| " + String(repeating: " ", count: caret) + "^\n"
            }
        }
        return text
    }
}
