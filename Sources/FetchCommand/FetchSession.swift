internal import BinaryPrimitives
internal import Debuginfod
internal import SymbolFiles
internal import Synchronization

/// Writes the results of the requests on standard input to standard output, batch by batch
/// (`DebuginfodRequest` describes the format).
struct FetchSession: Sendable {
    let client: DebuginfodClient

    /// Default time limit.
    private static let budget = Duration.seconds(60)

    /// Reads batches until the input ends.
    /// - Returns: whether every file is there.
    func serve() async -> Bool {
        var isComplete = true
        var questions: [DebuginfodRequest] = []
        var budget = Self.budget
        var text: [UInt8] = []
        var isOpen = true
        while isOpen {
            let bytes = (try? FileDescriptor.readSome(from: 0)) ?? []
            text += bytes
            if bytes.isEmpty {
                isOpen = false
                text += "\n\n".utf8
            }
            while let end = text.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: text[..<end], as: UTF8.self)
                text.removeSubrange(...end)
                if let question = DebuginfodRequest(line: line) {
                    questions.append(question)
                } else if line.hasPrefix("within "), let milliseconds = Int64(line.dropFirst("within ".utf8.count)) {
                    budget = .milliseconds(max(0, min(milliseconds, 86_400_000)))
                } else if line.isEmpty, !questions.isEmpty {
                    isComplete = await fetch(questions, within: budget) && isComplete
                    questions = []
                }
            }
        }
        return isComplete
    }

    /// - Returns: whether every file is there.
    func fetch(_ questions: [DebuginfodRequest], within budget: Duration) async -> Bool {
        let missing = Atomic(0)
        await client.fetch(questions, before: .now + budget) { result in
            if case .found = result.outcome {} else { missing.wrappingAdd(1, ordering: .relaxed) }
            // One call for each line, so that lines of several tasks do not mix.
            try? FileDescriptor.write(Array((result.line + "\n").utf8), to: 1)
        }
        return missing.load(ordering: .relaxed) == 0
    }
}
