internal import Synchronization

/// Values that cost much to make, by what they depend on: those that were used last are kept.
///
/// A value is made without the lock, so that nobody waits for it. Of two threads that make one at the same time, both get that of the first.
package final class RecentlyUsed<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// What is kept, at most.
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
        /// The larger, the later.
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

    /// The value of a key: the one that is kept, or a new one.
    /// - Parameter size: its bytes.
    package func value<Failure: Error>(for key: Key, size: Int = 0, make: () throws(Failure) -> Value) throws(Failure) -> Value {
        if let known = self[key] { return known }
        return keep(try make(), for: key, size: size)
    }

    /// The value that is kept for a key, if there is one.
    package subscript(key: Key) -> Value? {
        state.withLock { state in
            state.uses += 1
            guard let index = state.entries.index(forKey: key) else { return nil }
            state.entries.values[index].lastUse = state.uses
            return state.entries.values[index].value
        }
    }

    /// Keeps a value, unless its key has one.
    /// - Parameter size: its bytes.
    /// - Returns: the key's value. One that is larger than the bounds is not kept.
    package func keep(_ value: Value, for key: Key, size: Int = 0) -> Value {
        let (kept, gone) = state.withLock { state -> (Value, [Value]) in
            state.uses += 1
            if let known = state.entries[key]?.value { return (known, []) }
            guard size <= bounds.bytes, bounds.count > 0 else { return (value, []) }
            state.entries[key] = Entry(value: value, size: size, lastUse: state.uses)
            state.bytes += size
            return (value, state.entries.count > bounds.count || state.bytes > bounds.bytes ? removeOldest(of: &state) : [])
        }
        // They are closed after the lock.
        withExtendedLifetime(gone) {}
        return kept
    }

    /// Forgets the value of a key.
    package func remove(_ key: Key) {
        // It is closed after the lock.
        let gone = state.withLock { state in
            let entry = state.entries.removeValue(forKey: key)
            state.bytes -= entry?.size ?? 0
            return entry
        }
        withExtendedLifetime(gone) {}
    }

    /// Removes those that were not used for longest until an eighth of the bounds is free, so that many values are sorted once for many that come.
    private func removeOldest(of state: inout State) -> [Value] {
        let (mostCount, mostBytes) = (max(1, bounds.count - bounds.count / 8), bounds.bytes - bounds.bytes / 8)
        var gone: [Value] = []
        for (key, entry) in state.entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            // The one that has just come stays.
            guard entry.lastUse < state.uses, state.entries.count > mostCount || state.bytes > mostBytes else { break }
            gone.append(entry.value)
            state.entries[key] = nil
            state.bytes -= entry.size
        }
        return gone
    }
}
