internal import BinaryPrimitives
internal import Synchronization

/// The bytes of a unit: handed from one thread to the next, and never in the hands of two.
final class UnitBuffer: Sendable {
    nonisolated(unsafe) let bytes = ReadBuffer()
}

/// Units on their way from the thread that loads them to those that read them.
final class LoadedUnits<Use: Sendable>: Sendable {
    struct Unit: Sendable {
        var header: UnitHeader
        /// What it is read for.
        var use: Use
        /// Its bytes, or the first of them; `nil` where who reads it brings them.
        var buffer: UnitBuffer?
    }

    private let queue: WorkQueue<Unit>
    private let free = Mutex<(buffers: [UnitBuffer], size: Int)>(([], 0))
    private let most: Int

    /// - Parameter most: what waits may take, and what is kept for later units, in bytes each.
    init(most: Int) {
        self.most = most
        queue = WorkQueue(most: most)
    }

    /// Loads a unit's bytes.
    func load(_ header: UnitHeader, for use: Use, headOnly: Bool = false, from units: UnitTable) -> Unit {
        let buffer = free.withLock { free in
            guard let buffer = free.buffers.popLast() else { return UnitBuffer() }
            unsafe free.size -= buffer.bytes.capacity
            return buffer
        }
        unsafe units.load(header, headOnly: headOnly, into: buffer.bytes)
        return Unit(header: header, use: use, buffer: buffer)
    }

    /// - Parameter weight: the bytes that were loaded.
    /// - Returns: whether there was room.
    func add(_ unit: Unit, weight: Int) -> Bool { queue.add(unit, weight: weight) }

    /// No unit waits, and some may come.
    var isIdle: Bool { queue.isIdle }

    /// Nothing more will be added.
    func close() { queue.close() }

    /// The next unit, waited for until there is one; `nil` when there will be none any more.
    func next() -> Unit? { queue.next() }

    /// The unit was read.
    func recycle(_ unit: Unit) {
        guard let buffer = unit.buffer else { return }
        let size = unsafe buffer.bytes.capacity
        free.withLock { free in
            // Each could come to have the size of the largest unit.
            guard free.size + size <= most else { return }
            free.buffers.append(buffer)
            free.size += size
        }
    }
}
