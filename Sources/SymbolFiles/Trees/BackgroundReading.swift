internal import BinaryPrimitives
internal import Synchronization

/// When the names and identities of the files in a folder are read.
package enum FolderReading: Sendable {
    /// By the first request that needs them.
    case whenNeeded
    /// From now on, beside the requests: a server of a million files goes on answering. A request that needs the files waits for
    /// them until so long after the beginning, and is then answered without them.
    case inBackground(patience: Duration)
}

/// What is below a folder.
struct TreeContents: Sendable {
    var names: TreeNames
    var identities: TreeIdentities
}

/// Reads what is below a folder on a thread of its own, while requests go on.
final class BackgroundReading: Sendable {
    private struct State {
        var contents: TreeContents?
        /// `nil`: the files are being read.
        var end: ContinuousClock.Instant?
    }

    private let start = ContinuousClock.now
    private let state: Mutex<State>

    /// - Parameters:
    ///   - earlier: contents that count until the new ones are there.
    ///   - read: reads the new ones.
    init(after earlier: TreeContents?, read: @escaping @Sendable () -> TreeContents) {
        state = Mutex(State(contents: earlier))
        let run: @Sendable () -> Void = { [self] in
            let contents = read()
            let before = state.withLock { state in
                defer { state = State(contents: contents, end: .now) }
                return state.contents
            }
            // A million names are freed after the lock.
            withExtendedLifetime(before) {}
        }
        if !Parallel.start(run) { run() }
    }

    var isAtHand: Bool { state.withLock { $0.contents != nil } }
    /// Since the contents were read.
    var age: Duration { ContinuousClock.now - (state.withLock(\.end) ?? .now) }
    var isBeingRead: Bool { state.withLock { $0.end == nil } }

    /// Waits for the first contents, until so long after the beginning: all requests together wait no longer, so that they do not
    /// keep others from being handled.
    func contents(patience: Duration) -> TreeContents? {
        while true {
            if let contents = state.withLock(\.contents) { return contents }
            guard ContinuousClock.now - start < patience else { return nil }
            _ = FileDescriptor.wait(for: [], atMost: .milliseconds(5))
        }
    }

    /// The contents if it is time to read them again: not while they are being read, and not all the time. Reading takes a tenth of
    /// the time at most.
    /// - Parameter small: number of files that may be read at any time.
    func contentsToRenew(small: Int, now: ContinuousClock.Instant = .now) -> TreeContents? {
        let (contents, end) = state.withLock { ($0.contents, $0.end) }
        guard let contents, let end else { return nil }
        return contents.names.paths.count <= small || now - end >= (end - start) * 10 ? contents : nil
    }
}
