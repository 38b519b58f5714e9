internal import Synchronization

/// A cache of values that are expensive to make. Beyond its bounds it evicts the least recently used values.
///
/// Values are made outside of the lock, so that no other thread waits for them. If two threads make the value of one key at the same time, both
/// get the value that was inserted first.
package final class RecentlyUsed<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// Maximum number and total size of the cached values.
    package struct Bounds: Sendable {
        package var count: Int
        /// The sum of the values' sizes.
        package var bytes: Int

        package init(count: Int, bytes: Int = .max) {
            self.count = count
            self.bytes = bytes
        }
    }

    private struct Entry {
        var value: Value
        var size: Int
        /// Serial number of the last use: a larger number is a later use.
        var lastUse: UInt64
    }

    private struct State: Sendable {
        var entries: [Key: Entry] = [:]
        var bytes = 0
        var uses: UInt64 = 0
    }

    private let bounds: Bounds
    private let state = Mutex(State())

    package init(_ bounds: Bounds) { self.bounds = bounds }

    package var count: Int { state.withLock { $0.entries.count } }

    /// Returns the cached value of a key, or makes and caches one.
    /// - Parameter size: bytes of the value, counted towards `Bounds.bytes`.
    package func value<Failure: Error>(for key: Key, size: Int = 0, make: () throws(Failure) -> Value) throws(Failure) -> Value {
        if let known = self[key] { return known }
        return keep(try make(), for: key, size: size)
    }

    /// The cached value of a key; `nil` if there is none. Counts as a use.
    package subscript(key: Key) -> Value? {
        state.withLock { state in
            state.uses += 1
            guard let index = state.entries.index(forKey: key) else { return nil }
            state.entries.values[index].lastUse = state.uses
            return state.entries.values[index].value
        }
    }

    /// Caches a value unless its key already has one. A value larger than the bounds is not cached.
    /// - Parameter size: bytes of the value, counted towards `Bounds.bytes`.
    /// - Returns: the cached value, which may be another thread's.
    package func keep(_ value: Value, for key: Key, size: Int = 0) -> Value {
        let (kept, gone) = state.withLock { state -> (Value, [Value]) in
            state.uses += 1
            if let known = state.entries[key]?.value { return (known, []) }
            guard size <= bounds.bytes, bounds.count > 0 else { return (value, []) }
            state.entries[key] = Entry(value: value, size: size, lastUse: state.uses)
            state.bytes += size
            return (value, state.entries.count > bounds.count || state.bytes > bounds.bytes ? removeOldest(of: &state) : [])
        }
        // Evicted values are released after the lock: closing files takes time.
        withExtendedLifetime(gone) {}
        return kept
    }

    /// Removes the value of a key.
    package func remove(_ key: Key) {
        // Released after the lock.
        let gone = state.withLock { state in
            let entry = state.entries.removeValue(forKey: key)
            state.bytes -= entry?.size ?? 0
            return entry
        }
        withExtendedLifetime(gone) {}
    }

    /// Evicts the least recently used values until an eighth of the bounds is free, so that one sort serves many insertions.
    private func removeOldest(of state: inout State) -> [Value] {
        let (mostCount, mostBytes) = (max(1, bounds.count - bounds.count / 8), bounds.bytes - bounds.bytes / 8)
        var gone: [Value] = []
        for (key, entry) in state.entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            // The value that was just inserted stays.
            guard entry.lastUse < state.uses, state.entries.count > mostCount || state.bytes > mostBytes else { break }
            gone.append(entry.value)
            state.entries[key] = nil
            state.bytes -= entry.size
        }
        return gone
    }
}
