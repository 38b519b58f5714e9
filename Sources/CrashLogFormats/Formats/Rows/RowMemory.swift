internal import BinaryPrimitives
internal import Synchronization

/// The rows of the last lines, by the lines' bytes.
///
/// While one thread uses it, others read their lines anew.
enum RowMemory {
    /// A line, and its row.
    struct Known {
        /// `nil`: the line is no row.
        var row: StackRow?
    }

    private struct Entry: Sendable {
        var line: [UInt8] = []
        var row: StackRow?
    }

    private struct State: Sendable {
        var entries: [Entry]
        /// The entry that is replaced next.
        var next = 0
    }

    /// The line of a trace, the one below it, and parts of both.
    private static let count = 4
    /// Longer lines are rarely read twice.
    private static let longestLine = 512

    private static let state = Mutex(State(entries: Array(repeating: Entry(), count: count)))

    static func row(of line: Span<UInt8>) -> Known? {
        guard line.count <= longestLine else { return nil }
        let found = state.withLockIfAvailable { state -> Known? in
            for index in state.entries.indices where isEqual(state.entries[index].line, line) {
                return Known(row: state.entries[index].row)
            }
            return nil
        }
        return found ?? nil
    }

    static func keep(_ row: StackRow?, of line: Span<UInt8>) {
        guard line.count <= longestLine else { return }
        _ = state.withLockIfAvailable { state in
            let index = state.next
            state.next = (index + 1) % count
            state.entries[index].line.removeAll(keepingCapacity: true)
            for position in 0..<line.count { state.entries[index].line.append(line[position]) }
            state.entries[index].row = row
        }
    }

    private static func isEqual(_ bytes: [UInt8], _ line: Span<UInt8>) -> Bool {
        let known = bytes.span
        guard known.count == line.count else { return false }
        for index in 0..<known.count where known[index] != line[index] { return false }
        return true
    }
}
