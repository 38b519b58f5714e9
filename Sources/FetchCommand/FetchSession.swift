internal import BinaryPrimitives
internal import Downloading
internal import SymbolFiles
internal import Synchronization

/// Writes the results of the requests on standard input to standard output
/// (`RequestedFile` describes the format).
struct FetchSession: Sendable {
    let client: DownloadClient

    /// Default time limit.
    private static let budget = Duration.seconds(60)

    /// Reads requests until the input ends. Those that come later do not wait for those before.
    /// - Returns: whether every file is there.
    func serve() async -> Bool {
        let (batches, reading) = AsyncStream.makeStream(of: Batch.self)
        guard
            Parallel.start({
                Self.readBatches { reading.yield($0) }; reading.finish()
            })
        else { return false }
        return await withTaskGroup(of: Bool.self) { group in
            for await batch in batches { group.addTask { await fetch(batch.files, within: batch.budget) } }
            return await group.reduce(true) { $0 && $1 }
        }
    }

    /// Files, each with its number, that are requested at once.
    private struct Batch: Sendable {
        var files: [(number: String?, file: RequestedFile)] = []
        var budget = FetchSession.budget
    }

    private static func readBatches(_ body: (Batch) -> Void) {
        var batch = Batch()
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
                let parts = line.split(separator: " ", maxSplits: 1)
                if parts.count == 2, parts[0] == "within", let milliseconds = Int64(parts[1]) {
                    batch.budget = .milliseconds(max(0, min(milliseconds, 86_400_000)))
                } else if parts.count == 2, let file = RequestedFile(line: parts[1]) {
                    batch.files.append((String(parts[0]), file))
                } else if line.isEmpty, !batch.files.isEmpty {
                    body(batch)
                    batch.files = []
                }
            }
        }
    }

    /// - Parameter files: with the numbers that their results get; `nil`: their identities.
    /// - Returns: whether every file is there.
    func fetch(_ files: [(number: String?, file: RequestedFile)], within budget: Duration) async -> Bool {
        let missing = Atomic(0)
        await client.fetch(files.map(\.file), before: .now + budget) { number, outcome in
            if case .found = outcome {} else { missing.wrappingAdd(1, ordering: .relaxed) }
            let (name, file) = files[number]
            // One call for each line, so that lines of several tasks do not mix.
            let line = (name ?? "\(file.image.id?.hexadecimal ?? "") \(file.kind.word)") + " " + outcome.line + "\n"
            try? FileDescriptor.write(Array(line.utf8), to: 1)
        }
        return missing.load(ordering: .relaxed) == 0
    }
}
