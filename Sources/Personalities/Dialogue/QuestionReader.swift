internal import BinaryPrimitives

/// Reads questions from standard input as they arrive. It does not wait for more if it has some.
struct QuestionReader<Tool: AddressTool> {
    var tool: Tool
    var questions: [AddressQuestion] = []
    private var lines: InputLines
    /// Nothing more could be read without waiting, or the end was reached.
    private(set) var isDrained = false
    /// The error that ended the input.
    private(set) var problem: FileError?

    init(_ tool: Tool) {
        self.tool = tool
        lines = InputLines(limit: Tool.lineLimit, from: tool.context.input)
    }

    /// There is no further input.
    var isAtEnd: Bool { lines.isAtEnd || problem != nil }

    /// Reads the available input.
    /// - Parameter maxCount: maximum number of questions that are held.
    mutating func readQuestions(atMost maxCount: Int) {
        isDrained = false
        while questions.count < maxCount, !tool.files.areTooMany {
            if lines.next({ questions.append(tool.question(in: $0)) }) { continue }
            isDrained = isAtEnd || !lines.isMoreWaiting
            if isDrained { return }
            wait()
        }
    }

    /// Reads further input; waits if there is none.
    mutating func wait() {
        do throws(FileError) { try lines.read() } catch { problem = error }
    }

    /// Removes and returns the questions that were read.
    mutating func removeQuestions() -> [AddressQuestion] {
        let removed = questions
        questions = []
        return removed
    }
}
