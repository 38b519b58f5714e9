internal import BinaryPrimitives
internal import Console
internal import SymbolSources

/// The dialogue between a personality and its caller: questions in, results out, in the questions'
/// order.
///
/// A program that writes an address and waits gets its result at once: if no further input is waiting, all
/// questions that were read are resolved and written. As long as more input is waiting, questions are
/// gathered, because a thousand together cost far less than one by one. At most `batch` questions are
/// gathered, so that memory does not grow with the input. While the results of a batch are written, the next
/// one is read.
struct AddressDialogue<Tool: AddressTool> {
    private var reader: QueryReader<Tool>
    private var writers: [ResultWriter] = []
    private var output: StandardOutput
    private let context: ToolContext
    /// A file changed while it was in use.
    private var hasChanges = false

    /// Maximum number of questions that are resolved together. Fewer gain little: with 8,192 of them, a
    /// million of libjvm take as long, and 74 MB in place of 80.
    private static var batch: Int { 1 << 16 }
    /// Number of questions that justify another processor.
    private static var share: Int { 1 << 8 }

    init(_ tool: Tool) {
        context = tool.context
        output = StandardOutput(to: tool.context.output)
        reader = QueryReader(tool)
    }

    /// Looks up the arguments, or standard input if there are none. Ends the process if it may.
    mutating func run(arguments: [String]) -> ExitStatus {
        if arguments.isEmpty { resolveInput() } else { resolveArguments(arguments) }
        var status = ExitStatus.done
        if let problem = reader.problem { printDiagnostic(problem.description, to: context.errors) }
        if hasChanges || reader.problem != nil { status = .failed }
        status = max(status, reader.tool.status)
        // Nothing is deallocated: the end of the process frees everything.
        if context.endsProcess { withExtendedLifetime(self) { endProcess(status) } }
        return status
    }

    /// Looks up the arguments.
    private mutating func resolveArguments(_ arguments: [String]) {
        output.append(reader.tool.listBegin)
        for (number, argument) in arguments.enumerated() {
            var query = reader.tool.query(in: argument.utf8.span)
            query.number = number
            reader.queries.append(query)
        }
        resolve()
        for writer in writers { writer.flush(to: &output) }
        output.append(reader.tool.listEnd)
        output.flush()
    }

    /// Looks up the questions of standard input, to its end.
    private mutating func resolveInput() {
        while true {
            reader.readQueries(atMost: Self.batch)
            if !reader.queries.isEmpty {
                resolve()
                writeResults()
            } else if reader.isDrained {
                output.flush()
                if reader.isAtEnd { return }
                reader.wait()
                // Writers cache names of the earlier version.
                if reader.tool.files.reopenReplaced() { writers.removeAll() }
            }
        }
    }

    /// Writes the results out, and reads further questions meanwhile, if several processors wrote results.
    private mutating func writeResults() {
        guard writers.count > 1, !reader.isDrained else {
            for writer in writers { writer.flush(to: &output) }
            return
        }
        let (writers, output, reader) = (writers, output, reader)
        (self.output, self.reader) = Parallel.both(worthwhile: true) {
            var output = output
            for writer in writers { writer.flush(to: &output) }
            return output
        } _: {
            var reader = reader
            reader.readQueries(atMost: Self.batch)
            return reader
        }
    }

    /// Resolves all questions that were read, and leaves the results with the writers.
    private mutating func resolve() {
        let queries = reader.removeQueries()
        reader.tool.files.makeIndexes(for: queries)
        write(queries)
        // If an index was removed or changed meanwhile, its results are discarded, and the files themselves
        // are searched.
        if reader.tool.files.forgetChangedIndexes() {
            writers.removeAll()
            write(queries)
        }
        for change in reader.tool.files.newChanges() {
            printDiagnostic(change.description, to: context.errors)
            hasChanges = true
        }
        if reader.tool.files.areTooMany { reader.tool.files.closeAll() }
    }

    private mutating func write(_ queries: [AddressQuery]) {
        let tool = reader.tool
        let results = tool.files.results(for: queries)
        for (query, resultIndex) in zip(queries, results.resultIndices) where query.subject == .code && resultIndex >= 0 {
            if let note = results.note(resultIndex) { tool.warn(note) }
        }
        let count = queries.count >= Self.share * 2 ? Parallel.processors : 1
        while writers.count < count { writers.append(ResultWriter(tool)) }
        if count == 1 {
            writers[0].write(0..<queries.count, of: queries, results, tool)
        } else {
            let part = (queries.count + count - 1) / count
            let parts = (0..<count).map { (writers[$0], min(queries.count, $0 * part)..<min(queries.count, ($0 + 1) * part)) }
            _ = Parallel.map(parts, chunk: 1) { writer, range in writer.write(range, of: queries, results, tool) }
        }
    }
}

/// Reads questions from standard input as they arrive. It does not wait for more if it has some.
private struct QueryReader<Tool: AddressTool> {
    var tool: Tool
    var queries: [AddressQuery] = []
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
    mutating func readQueries(atMost maxCount: Int) {
        isDrained = false
        if queries.isEmpty { queries.reserveCapacity(min(maxCount, 1024)) }
        while queries.count < maxCount, !tool.files.areTooMany {
            if lines.next({ queries.append(tool.query(in: $0)) }) { continue }
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
    mutating func removeQueries() -> [AddressQuery] {
        let removed = queries
        queries = []
        return removed
    }
}
