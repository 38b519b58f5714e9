internal import CCairn

/// A pipe whose ends are closed on exec from the start (`pipe2(2)`), so that programs started by other threads do not inherit them.
package struct Pipe {
    package let readEnd: Int32
    package let writeEnd: Int32

    /// Makes a pipe.
    /// - Parameter isBlocking: reading waits for bytes, and writing for room.
    /// - Returns: `nil` where none can be made; `errno` says why.
    package init?(isBlocking: Bool = true) {
        var ends: [Int32] = [-1, -1]
        guard unsafe cairn_pipe(&ends, isBlocking) == 0 else { return nil }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }
}
