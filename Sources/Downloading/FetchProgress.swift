internal import BinaryPrimitives
internal import Synchronization

/// One line on a terminal, written over itself while files arrive, and gone at the end.
package final class FetchProgress: Sendable {
    private let state = Mutex(State())
    private let write: @Sendable (String) -> Void

    private struct State {
        var wanted = 0
        var done = 0
        var bytes = 0
        var lastShown: ContinuousClock.Instant?
    }

    /// Shortest time between two changes of the line.
    private static let pause = Duration.milliseconds(100)

    /// - Parameter write: writes text to the terminal.
    package init(write: @escaping @Sendable (String) -> Void) { self.write = write }

    func begin(_ count: Int) { change(isForced: true) { $0.wanted += count } }
    func add(_ bytes: Int) { change { $0.bytes += bytes } }
    func finishOne() { change(isForced: true) { $0.done += 1 } }

    /// Takes the line away (`ESC [ K`, ECMA-48: erase to the end of the line).
    func clear() { state.withLock { if $0.lastShown != nil { write("\r\u{1B}[K") } } }

    private func change(isForced: Bool = false, _ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            let now = ContinuousClock.now
            if !isForced, let last = state.lastShown, now - last < Self.pause { return }
            state.lastShown = now
            let tenths = state.bytes / 100_000
            write("\rdebuginfod: \(state.done) of \(state.wanted) files, \(tenths / 10).\(tenths % 10) MB\u{1B}[K")
        }
    }
}
