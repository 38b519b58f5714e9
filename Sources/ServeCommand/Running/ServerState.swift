internal import Serving
internal import Synchronization

/// State that changes while the server runs: its settings, and whether it is about to stop.
final class ServerState: Sendable {
    /// Settings that this process needs; the engine reads all settings by itself.
    struct Settings: Sendable {
        /// Service without symbols.
        var service: Service
        /// A token's holder; `nil`: not one of them.
        var holder: @Sendable (String?) -> UploadTokens.Holder?
        /// Requests need a token, but those for whether the server runs.
        var isPrivate = false
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

    var isPrivate: Bool { settings.withLock { $0.isPrivate } }

    func holder(_ token: String?) -> UploadTokens.Holder? { settings.withLock { $0.holder }(token) }
    func replace(_ new: Settings) { settings.withLock { $0 = new } }
    func stop() { stopping.set() }
}

/// Set once, when the server is about to stop.
final class StopSign: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
}
