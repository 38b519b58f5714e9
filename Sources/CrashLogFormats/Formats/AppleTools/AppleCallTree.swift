internal import BinaryPrimitives
internal import CrashLogModel

/// Rules that the call trees of `sample` and spindump have in common: one row for each address that
/// samples of a thread share, callers first.
enum AppleCallTree {
    /// Whether a row names a function, and is not a further address of the row before it or an
    /// inlined call that it holds.
    private static func isNode(_ frame: Frame) -> Bool { !frame.isInlined && frame.samples != nil }

    /// A row's depth by the column in which its count begins: two columns for each caller. Never
    /// more than one deeper than the row before.
    static func depth(column: Int, firstColumn: Int, after frames: [Frame]) -> Int {
        let deepest = (frames.last?.depth ?? -1) + 1
        return max(0, min((column - firstColumn) / 2, deepest))
    }

    /// Decides which rows are return addresses.
    ///
    /// A row that calls another is where that call returns to. The last row of each branch is where
    /// the thread was: its program counter. So is a row of the process below which only the
    /// kernel's follow: the thread trapped there, or was interrupted, and the kernel's own stack
    /// begins anew. `2449 __psynch_mutexwait + 10` of `sample` shows it: ten bytes in is the
    /// instruction after `syscall` (3 + 5 + 2 bytes), where the thread waits, while every row above
    /// it is one past a call in the line tables of the sample's dSYM. The row that a signal
    /// interrupted, of which `_sigtramp` follows, is exact.
    ///
    /// A row that lists several addresses and has callees may include addresses at which the
    /// function itself was sampled; the log does not say which. All are taken for return addresses,
    /// except the function's first byte (`+ 0`), to which no call returns.
    ///
    /// - Parameter kernelRows: which rows are the kernel's, by their index in `frames`.
    static func decideKinds(_ frames: inout [Frame], kernelRows: Set<Int> = []) {
        var path: [Int] = []
        var isCaller = [Bool](repeating: false, count: frames.count)
        for index in frames.indices where isNode(frames[index]) {
            path.removeLast(max(0, path.count - (frames[index].depth ?? 0)))
            if let caller = path.last {
                let isCalled = kernelRows.contains(caller) == kernelRows.contains(index) && frames[index].printed?.name != "_sigtramp"
                if isCalled { isCaller[caller] = true }
            }
            path.append(index)
        }
        var node = 0
        for index in frames.indices {
            if isNode(frames[index]) { node = index }
            guard frames[index].kind != .truncated else { continue }
            let isAtStart = frames[index].printed?.offset == 0
            frames[index].kind = isCaller[node] && !isAtStart ? .returnAddress : .programCounter
        }
    }
}
