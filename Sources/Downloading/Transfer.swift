internal import BinaryPrimitives
internal import Synchronization

/// A request over HTTP or HTTPS.
struct TransferRequest: Sendable {
    var url: String
    /// Lines `Name: value`.
    var headers: [String] = []
    var proxy = ProxyChoice()
    /// Address for the connection instead of those of the URL's host, without a proxy.
    var address: String?
    /// A file with the authorities that are trusted instead of the system's.
    var authorities: String?
    var connectTimeout = Duration.seconds(90)
    /// Redirects that are followed; a response that redirects further is a failure. 0: a redirect
    /// is a response as any other.
    var redirectLimit = 0
    /// How it is signed for a bucket.
    var signature: Bucket.Signature?
    /// Names and passwords are read from `~/.netrc`.
    var usesNetrc = false
    /// The file that is sent with `PUT`; `nil`: the request is a `GET`.
    var upload: MappedFile?
}

/// Status and header fields of a response.
struct ResponseHead: Sendable {
    var status = 0
    /// The fields that are used here, by their names in lower case. Of a field that comes twice, the
    /// first one counts.
    private(set) var fields: [String: String] = [:]

    private static let used: Set = ["content-encoding", "content-length", "location", "retry-after", "x-debuginfod-size"]
    /// Bytes of a field's value; longer ones are not used. URLs of at least 8,000 bytes should be
    /// supported (RFC 9110, section 4.1).
    private static let maxValue = 1 << 14

    /// Reads a line of a head, without its end (RFC 9112, sections 4 and 5).
    mutating func read(line: String) {
        if line.hasPrefix("HTTP/") {
            self = ResponseHead()
            status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        } else if let colon = line.firstIndex(of: ":") {
            let name = line[..<colon].lowercased()
            var value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            while let last = value.last, last == " " || last == "\t" { value.removeLast() }
            guard Self.used.contains(name), fields[name] == nil, value.utf8.count <= Self.maxValue else { return }
            fields[name] = String(value)
        }
    }
}

/// A request on its way, and its response as far as it has arrived.
///
/// `TransferLoop`'s thread delivers the head, the body and the end; one task reads them. When the
/// body arrives faster than it is read, the transfer pauses, so that at most `maxBuffered` bytes and
/// one delivery wait here.
final class Transfer: Sendable {
    let request: TransferRequest
    private let loop: TransferLoop
    private let state = Mutex(State())

    private struct State {
        var head: ResponseHead?
        /// Bytes of the body that were not read yet.
        var bytes: [UInt8] = []
        var isPaused = false
        /// How it ended, once it has.
        var end: Result<Void, FetchFailure>?
        /// Something was delivered since the reader looked.
        var hasNews = false
        var reader: CheckedContinuation<Void, Never>?
    }

    private static let maxBuffered = 1 << 18

    init(_ request: TransferRequest, in loop: TransferLoop) {
        self.request = request
        self.loop = loop
    }

    // MARK: The reading task

    /// Waits for the head of the response.
    func head() async throws -> ResponseHead { try await next { $0.head } }

    /// Waits for more of the body; `nil` at its end.
    func piece() async throws -> [UInt8]? {
        try await next { state -> [UInt8]?? in
            guard !state.bytes.isEmpty else { return nil }
            defer { state.bytes = [] }
            return .some(state.bytes)
        } atEnd: {
            nil
        }
    }

    /// Reads a short body to its end, so that its connection serves the next request too, and ends
    /// the transfer.
    /// - Returns: the body, or its beginning.
    func finish() async -> [UInt8] {
        let bytes = try? await withLimit(until: .now + .seconds(1), else: FetchFailure(message: "")) {
            var bytes: [UInt8] = []
            while bytes.count < 1 << 16, let piece = try await self.piece() { bytes += piece }
            return bytes
        }
        cancel()
        return bytes ?? []
    }

    /// Ends the transfer, if it has not ended yet, without waiting.
    func cancel() {
        if deliver({ $0.end = .failure(FetchFailure(message: "canceled")) }) { loop.post(.remove(self)) }
    }

    /// Waits until `find` finds something, or the transfer has ended.
    private func next<Found: Sendable>(
        _ find: (inout State) -> Found?, atEnd: () throws -> Found = { throw FetchFailure(message: "no reply") }
    ) async throws -> Found {
        while true {
            let (found, end, mustResume) = state.withLock { state in
                state.hasNews = false
                guard let found = find(&state) else { return (nil as Found?, state.end, false) }
                let mustResume = state.isPaused && state.bytes.isEmpty
                if mustResume { state.isPaused = false }
                return (found, nil, mustResume)
            }
            if mustResume { loop.post(.resume(self)) }
            if let found { return found }
            if let end {
                try end.get()
                return try atEnd()
            }
            await waitForNews()
        }
    }

    /// A task that is canceled meanwhile ends the transfer.
    private func waitForNews() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { reader in
                let hasNews = state.withLock { state in
                    if !state.hasNews { state.reader = reader }
                    return state.hasNews
                }
                if hasNews { reader.resume() }
            }
        } onCancel: {
            cancel()
        }
    }

    // MARK: The loop's thread

    func deliver(head: ResponseHead) { deliver { $0.head = head } }

    func deliver(end: Result<Void, FetchFailure>) { deliver { $0.end = end } }

    /// Result of a delivery of bytes.
    enum Delivery { case accepted, full, refused }

    func deliver(_ bytes: UnsafeRawBufferPointer) -> Delivery {
        var isFull = false
        let isAccepted = deliver { state in
            isFull = state.bytes.count >= Self.maxBuffered
            state.isPaused = isFull
            if !isFull { unsafe state.bytes.append(contentsOf: bytes) }
        }
        return !isAccepted ? .refused : isFull ? .full : .accepted
    }

    /// Changes the state and wakes the reader; nothing is delivered after the end.
    /// - Returns: whether it had not ended before.
    @discardableResult private func deliver(_ change: (inout State) -> Void) -> Bool {
        let (isOpen, reader) = state.withLock { state in
            guard state.end == nil else { return (false, nil as CheckedContinuation<Void, Never>?) }
            change(&state)
            state.hasNews = true
            return (true, state.reader.take())
        }
        reader?.resume()
        return isOpen
    }
}

/// The bytes of a response, which ends with the value: what is not read is not downloaded.
final class ResponseBody: AsyncSequence, Sendable {
    private let transfer: Transfer

    init(_ transfer: Transfer) { self.transfer = transfer }

    deinit { transfer.cancel() }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: self) }

    struct AsyncIterator: AsyncIteratorProtocol {
        let body: ResponseBody

        mutating func next() async throws -> [UInt8]? { try await body.transfer.piece() }
    }
}
