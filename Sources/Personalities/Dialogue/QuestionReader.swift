internal import BinaryPrimitives

/// Reads questions from standard input as they come. Who has some is not kept waiting for more.
struct QuestionReader<Tool: AddressTool> {
    var tool: Tool
    var questions: [AddressQuestion] = []
    private var lines: InputLines
    /// Nothing more could be read without waiting, be it that the end was reached.
    private(set) var isDrained = false
    /// Why nothing more can be read.
    private(set) var problem: FileError?

    init(_ tool: Tool) {
        self.tool = tool
        lines = InputLines(limit: Tool.lineLimit, from: tool.context.input)
    }

    /// Nothing more will come.
    var isAtEnd: Bool { lines.isAtEnd || problem != nil }

    /// Reads what is there.
    /// - Parameter most: questions that are held at most.
    mutating func gather(atMost most: Int) {
        isDrained = false
        while questions.count < most, !tool.files.areTooMany {
            if lines.next({ questions.append(tool.question(in: $0)) }) { continue }
            isDrained = isAtEnd || !lines.isMoreWaiting
            if isDrained { return }
            wait()
        }
    }

    /// Reads on, and waits where nothing is there.
    mutating func wait() {
        do throws(FileError) { try lines.read() } catch { problem = error }
    }

    /// Takes out what was read.
    mutating func take() -> [AddressQuestion] {
        let taken = questions
        questions = []
        return taken
    }
}
