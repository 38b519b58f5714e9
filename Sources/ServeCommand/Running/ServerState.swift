internal import Serving
internal import Synchronization

/// What changes while the server runs: its settings, and whether it is about to stop.
final class ServerState: Sendable {
    /// Those of the settings that this process needs; the engine reads them all by itself.
    struct Settings: Sendable {
        /// Without symbols.
        var service: Service
        /// The name of a token's holder; `nil`: not one of them.
        var uploader: @Sendable (String?) -> String?
    }

    let timeLimit: Duration
    private let settings: Mutex<Settings>
    private let stopping = Atomic(false)

    init(_ settings: Settings, timeLimit: Duration) {
        self.settings = Mutex(settings)
        self.timeLimit = timeLimit
    }

    var service: Service { settings.withLock { $0.service } }
    var isStopping: Bool { stopping.load(ordering: .relaxed) }

    func uploader(_ authorization: String?) -> String? { settings.withLock { $0.uploader }(authorization) }
    func replace(_ new: Settings) { settings.withLock { $0 = new } }
    func stop() { stopping.store(true, ordering: .relaxed) }
}
