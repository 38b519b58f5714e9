internal import SymbolFiles

/// Something that provides files by build ID.
protocol DebuginfodServer: Sendable {
    /// As the user gave it.
    var url: String { get }

    /// Sends the request, and waits for the beginning of the response.
    func fetch(_ question: DebuginfodRequest, before deadline: ContinuousClock.Instant) async -> ServerReply
}

/// Reply of a server.
enum ServerReply: Sendable {
    /// It has the file.
    case file(FileBody)
    /// It does not have it.
    case absent
    /// Anything else: a message, and whether it may be different in a moment.
    case failed(String, isTransient: Bool)
}

/// A file's bytes while they arrive.
struct FileBody: Sendable {
    /// Total number of bytes, if the server gives it; the file is complete when this number has arrived.
    var size: Int?
    var pieces: any AsyncSequence<[UInt8], any Error> & Sendable
}

/// Why no use is made of a server's response.
struct FetchFailure: Error {
    var message: String
    /// The result may be different in a moment: a retry is worthwhile.
    var isTransient = false
}

/// Runs `body`, and cancels it when its time is over.
/// - Throws: `failure` then; otherwise what `body` throws.
func withLimit<Result: Sendable>(
    until deadline: ContinuousClock.Instant, else failure: FetchFailure, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(until: deadline, clock: .continuous)
            throw failure
        }
        defer { group.cancelAll() }
        guard let result = try await group.next() else { throw failure }
        return result
    }
}
