internal import Serving
internal import Synchronization

/// Results that are fetched later (Symbolicator's `?timeout=` and `/requests/ID`): kept for 90 s
/// after they are there, and read as often as one likes.
final class PendingResults: Sendable {
    /// As with Symbolicator (servers' documentation, “Responses”).
    static let lifetime = Duration.seconds(90)
    /// Work at a time that somebody comes back for.
    private let maxCount: Int

    private struct Entry {
        var response: Response?
        var end: ContinuousClock.Instant?
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var lastWaiter = 0
    }

    private let state = Mutex(State())

    init(atMost maxCount: Int) { self.maxCount = maxCount }

    var count: Int { state.withLock { $0.entries.count } }

    /// Begins work.
    /// - Returns: its identifier, a UUID (RFC 9562, version 4); `nil` where too much is going on.
    func begin(_ work: @escaping @Sendable () async -> Response) -> String? {
        let id = Self.identifier()
        let isWelcome = state.withLock { state in
            let now = ContinuousClock.now
            state.entries = state.entries.filter { $0.value.end.map { $0 + Self.lifetime > now } ?? true }
            // Finished ones that nobody fetched go first.
            while state.entries.count >= maxCount,
                let oldest = state.entries.filter({ $0.value.end != nil }).min(by: { ($0.value.end ?? now) < ($1.value.end ?? now) })
            {
                state.entries[oldest.key] = nil
            }
            guard state.entries.count < maxCount else { return false }
            state.entries[id] = Entry()
            return true
        }
        guard isWelcome else { return nil }
        Task { [self] in
            let response = await work()
            let waiting = state.withLock { state in
                state.entries[id]?.response = response
                state.entries[id]?.end = .now
                defer { state.entries[id]?.waiting = [:] }
                return state.entries[id].map { Array($0.waiting.values) } ?? []
            }
            for waiter in waiting { waiter.resume() }
        }
        return id
    }

    /// State of some work after a limited wait.
    enum Result {
        case unknown
        case pending
        case done(Response)
    }

    func result(of id: String, within time: Duration?) async -> Result {
        if let known = currentResult(id, isLast: time == .zero) { return known }
        let waiter = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        var timer: Task<Void, Never>?
        await withCheckedContinuation { continuation in
            let isWaiting = state.withLock { state in
                guard let entry = state.entries[id], entry.response == nil else { return false }
                state.entries[id]?.waiting[waiter] = continuation
                return true
            }
            guard isWaiting else { return continuation.resume() }
            timer = time.map { time in
                Task { [self] in
                    try? await Task.sleep(for: time)
                    wake(waiter, of: id)
                }
            }
        }
        timer?.cancel()
        return currentResult(id, isLast: true) ?? .pending
    }

    private func wake(_ waiter: Int, of id: String) {
        state.withLock { $0.entries[id]?.waiting.removeValue(forKey: waiter) }?.resume()
    }

    private func currentResult(_ id: String, isLast: Bool) -> Result? {
        state.withLock { state in
            guard let entry = state.entries[id], entry.end.map({ $0 + Self.lifetime > .now }) ?? true else { return .unknown }
            return entry.response.map { .done($0) } ?? (isLast ? .pending : nil)
        }
    }

    /// Creates an identifier with 122 random bits, so that nobody can guess the identifier of
    /// another client's work.
    private static func identifier() -> String {
        var generator = SystemRandomNumberGenerator()
        var bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
    }
}
