internal import BinaryPrimitives
internal import Console
internal import SymbolSources

/// The dialogue between a personality and its caller: questions in, results out, in the questions'
/// order.
///
/// A program that writes an address and waits gets its result at once: if nothing more is waiting
/// to be read, everything that was read is resolved and written. As long as more is waiting,
/// questions are gathered, because a thousand at once cost far less than one by one. Never more
/// than `batch`, so that memory does not grow with the input.
struct AddressDialogue<Tool: AddressTool> {
    private var tool: Tool
    private var questions: [AddressQuestion] = []
    private var writers: [AnswerWriter] = []
    private var output = StandardOutput()
    /// A file changed while it was in use.
    private var hasChanges = false

    /// Questions that are resolved together at most.
    private static var batch: Int { 1 << 16 }
    /// Questions that are worth a processor's while, where an index gives the results: of text
    /// alone, which is mostly that of names that were there before.
    private static var indexedShare: Int { 1 << 10 }
    /// The same, where names are demangled for the first time.
    private static var share: Int { 1 << 8 }

    init(_ tool: Tool) { self.tool = tool }

    /// Looks up the arguments, or standard input where there are none, and ends the process.
    mutating func run(arguments: [String]) -> Never {
        var status = ExitStatus.done
        if arguments.isEmpty {
            do throws(FileError) { try converse() } catch {
                complain(error.description)
                status = .failed
            }
        } else {
            answer(arguments)
        }
        // Nothing is taken apart that the end of the process frees as a whole.
        if hasChanges { status = .failed }
        withExtendedLifetime(self) { endProcess(max(status, tool.status)) }
    }

    /// Looks up the arguments.
    private mutating func answer(_ arguments: [String]) {
        output.append(tool.listBegin)
        for (number, argument) in arguments.enumerated() {
            var question = tool.question(in: argument.utf8.span)
            question.number = number
            questions.append(question)
        }
        answerAll()
        output.append(tool.listEnd)
        output.flush()
    }

    /// Looks up what standard input has, to its end.
    private mutating func converse() throws(FileError) {
        var lines = InputLines(limit: Tool.lineLimit)
        while true {
            while lines.next({ questions.append(tool.question(in: $0)) }) {
                if questions.count >= Self.batch || tool.files.areTooMany { answerAll() }
            }
            if lines.isAtEnd || !lines.isMoreWaiting {
                answerAll()
                output.flush()
            }
            if lines.isAtEnd { return }
            try lines.read()
        }
    }

    private mutating func answerAll() {
        guard !questions.isEmpty else { return }
        tool.files.makeIndexes(for: questions)
        writeAnswers()
        // What an index said that went away meanwhile is not handed on; the files themselves say
        // it.
        if tool.files.forgetChangedIndexes() {
            writers.removeAll()
            writeAnswers()
        }
        for writer in writers { writer.flush(to: &output) }
        for change in tool.files.newChanges() {
            complain(change.description)
            hasChanges = true
        }
        questions.removeAll(keepingCapacity: true)
        if tool.files.areTooMany { tool.files.closeAll() }
    }

    private mutating func writeAnswers() {
        let answers = tool.files.answers(to: questions)
        for (question, place) in zip(questions, answers.places) where question.subject == .code && place >= 0 {
            if let note = answers.note(place) { tool.warn(note) }
        }
        let share = tool.files.haveIndex ? Self.indexedShare : Self.share
        let count = questions.count >= share * 2 ? Parallel.processors : 1
        while writers.count < count { writers.append(AnswerWriter(tool.names)) }
        if count == 1 {
            writers[0].write(0..<questions.count, of: questions, answers, tool)
        } else {
            let (questions, tool) = (questions, tool)
            let part = (questions.count + count - 1) / count
            let parts = (0..<count).map { (writers[$0], min(questions.count, $0 * part)..<min(questions.count, ($0 + 1) * part)) }
            _ = Parallel.map(parts, chunk: 1) { writer, range in writer.write(range, of: questions, answers, tool) }
        }
    }
}
