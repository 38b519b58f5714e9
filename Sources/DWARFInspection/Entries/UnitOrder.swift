internal import BinaryPrimitives
internal import Synchronization

/// Gives units to threads, and writes their texts in the order of the units.
///
/// The first unit that is not finished has the turn: its text is written at once. The others keep theirs, and wait for the turn when
/// together they keep too much.
final class UnitOrder: Sendable {
    private let count: Int
    private let maxKept: Int
    private let state: Mutex<State>

    /// A unit that was finished before its turn.
    struct Kept: Sendable {
        var text: [[UInt8]]
        /// The bytes of lists that were read for it.
        var read: ListsRead

        var size: Int { text.reduce(0) { $0 + $1.count } }
    }

    private struct State {
        /// The next unit that a thread takes.
        var next = 0
        /// The unit that has the turn.
        var turn = 0
        /// Bytes of text.
        var kept = 0
        var finished: [Int: Kept] = [:]
        var waiting: [Int: WorkQueue<Void>] = [:]
        /// For all units before the turn, and what came before the first.
        var read: ListsRead
    }

    /// - Parameters:
    ///   - maxKept: bytes of text that may wait for what comes before it.
    ///   - read: before the first unit.
    init(count: Int, maxKept: Int, after read: ListsRead) {
        self.count = count
        self.maxKept = maxKept
        state = Mutex(State(read: read))
    }

    /// Lists that were read so far; at the end, for all units.
    var read: ListsRead { state.withLock { $0.read } }

    /// A unit for a thread: its index.
    func next() -> Int? {
        state.withLock { state in
            guard state.next < count else { return nil }
            state.next += 1
            return state.next - 1
        }
    }

    /// Lists that were read before a unit; `nil` if it does not have the turn.
    func turn(of unit: Int) -> ListsRead? { state.withLock { $0.turn == unit ? $0.read : nil } }

    /// Waits until a unit has the turn.
    /// - Returns: what was read before it.
    func waitForTurn(of unit: Int) -> ListsRead {
        let begin = WorkQueue<Void>(maxWeight: .max)
        let hasTurn = state.withLock { state in
            if state.turn != unit { state.waiting[unit] = begin }
            return state.turn == unit
        }
        if !hasTurn { _ = begin.next() }
        return state.withLock { $0.read }
    }

    /// Whether the text of a unit may become larger by `bytes`; not if it has the turn by now.
    func keeps(_ bytes: Int, of unit: Int) -> Bool {
        state.withLock { state in
            guard state.turn != unit, bytes <= maxKept - state.kept else { return false }
            state.kept += bytes
            return true
        }
    }

    /// Text that was kept has gone out.
    func release(_ bytes: Int) { state.withLock { $0.kept -= bytes } }

    /// A unit was finished before its turn.
    /// - Returns: `false` where it has the turn by now.
    func keep(_ unit: Int, _ kept: Kept) -> Bool {
        state.withLock { state in
            guard state.turn != unit else { return false }
            state.finished[unit] = kept
            return true
        }
    }

    /// The unit that has the turn is finished: the next one has it.
    /// - Parameter read: for it and all before it.
    /// - Returns: the next one, where it was finished before: it is the caller's now.
    func pass(_ read: ListsRead) -> (unit: Int, kept: Kept)? {
        state.withLock { state in
            state.read = read
            state.turn += 1
            if let kept = state.finished.removeValue(forKey: state.turn) { return (state.turn, kept) }
            _ = state.waiting.removeValue(forKey: state.turn)?.add((), weight: 0)
            return nil
        }
    }
}
