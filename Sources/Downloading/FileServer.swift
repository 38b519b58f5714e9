internal import SymbolFiles

/// Something that provides files by their paths.
protocol FileServer: Sendable {
    /// How messages call it.
    var name: String { get }

    /// Sends the request, and waits for the beginning of the response.
    /// - Parameter path: below the server's URL, without escapes.
    func fetch(_ path: String, before deadline: ContinuousClock.Instant) async -> ServerReply
}

/// Reply of a server.
enum ServerReply: Sendable {
    /// It has the file.
    case file(FileBody)
    /// It does not have it. A note says what else may be the case.
    case absent(note: String? = nil)
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
    /// The server could not be reached at all.
    var isNoConnection = false
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
