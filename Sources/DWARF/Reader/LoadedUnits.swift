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
        /// Purpose for which it is read.
        var use: Use
        /// Its bytes, or the first of them; `nil` where who reads it brings them.
        var buffer: UnitBuffer?
    }

    private let queue: WorkQueue<Unit>
    private let free = Mutex<(buffers: [UnitBuffer], size: Int)>(([], 0))
    private let maxBytes: Int
    private static var maxTried: Int { 32 }

    /// - Parameter maxBytes: what waits may take, and what is kept for later units, in bytes each.
    init(maxBytes: Int) {
        self.maxBytes = maxBytes
        queue = WorkQueue(maxWeight: maxBytes)
    }

    /// Loads a unit's bytes.
    func load(_ header: UnitHeader, for use: Use, headOnly: Bool = false, from units: UnitTable) -> Unit {
        let buffer = freeBuffer(for: headOnly ? 0 : header.end - header.offset)
        unsafe units.load(header, headOnly: headOnly, into: buffer.bytes)
        return Unit(header: header, use: use, buffer: buffer)
    }

    /// The smallest that the unit fits in, else the largest: each could come to have the size of
    /// the largest unit.
    private func freeBuffer(for size: Int) -> UnitBuffer {
        free.withLock { free in
            var best = -1
            var bestSize = -1
            // There may be thousands of heads.
            for index in free.buffers.indices.suffix(Self.maxTried) {
                let capacity = unsafe free.buffers[index].bytes.capacity
                if bestSize < size ? capacity > bestSize : (size..<bestSize).contains(capacity) { (best, bestSize) = (index, capacity) }
            }
            guard best >= 0 else { return UnitBuffer() }
            free.size -= bestSize
            free.buffers.swapAt(best, free.buffers.count - 1)
            return free.buffers.removeLast()
        }
    }

    /// - Parameter weight: the bytes that it takes.
    /// - Returns: whether there was room.
    func add(_ unit: Unit, weight: Int) -> Bool { queue.add(unit, weight: weight) }

    /// No unit waits, and some may come.
    var isIdle: Bool { queue.isIdle }

    /// Nothing more will be added.
    func close() { queue.close() }

    /// The next unit, waited for until there is one; `nil` when there will be none any more.
    /// - Parameter waits: if not, `nil` also where there is none yet.
    func next(waits: Bool = true) -> Unit? { queue.next(waits: waits) }

    /// The unit was read.
    func recycle(_ unit: Unit) {
        guard let buffer = unit.buffer else { return }
        let size = unsafe buffer.bytes.capacity
        free.withLock { free in
            guard free.size + size <= maxBytes else { return }
            free.buffers.append(buffer)
            free.size += size
        }
    }
}
