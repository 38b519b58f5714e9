internal import Serving
internal import Synchronization

/// State that changes while the server runs: its settings, and whether it is about to stop.
final class ServerState: Sendable {
    /// Settings that this process needs; the engine reads all settings by itself.
    struct Settings: Sendable {
        /// Service without symbols.
        var service: Service
        /// The name of a token's holder; `nil`: not one of them.
        var uploader: @Sendable (String?) -> String?
    }

    let timeLimit: Duration
    private let settings: Mutex<Settings>
    private let stopping: StopSign

    init(_ settings: Settings, _ stopping: StopSign, timeLimit: Duration) {
        self.settings = Mutex(settings)
        self.stopping = stopping
        self.timeLimit = timeLimit
    }

    var service: Service { settings.withLock { $0.service } }
    var isStopping: Bool { stopping.isSet }

    func uploader(_ token: String?) -> String? { settings.withLock { $0.uploader }(token) }
    func replace(_ new: Settings) { settings.withLock { $0 = new } }
    func stop() { stopping.set() }
}

/// Set once, when the server is about to stop.
final class StopSign: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
}
