package import Synchronization

/// A cache of values that are expensive to make. Beyond its bounds it evicts the least recently used values.
///
/// Values are made outside of the lock, so that no other thread waits for them. If two threads make
/// the value of one key at the same time, both
/// get the value that was inserted first.
///
/// Inlinable, as `RecentValues` is: code of other modules that looks up thousands of values would
/// otherwise go through the runtime for each key and value.
package final class RecentlyUsed<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline let values: Mutex<RecentValues<Key, Value>>

    @inlinable package init(_ bounds: CacheBounds) { values = Mutex(RecentValues(bounds)) }

    @inlinable package convenience init(count: Int) { self.init(CacheBounds(count: count)) }

    @inlinable package var count: Int { values.withLock { $0.count } }

    /// Returns the cached value of a key, or makes and caches one.
    /// - Parameter size: bytes of the value, counted towards `CacheBounds.bytes`.
    @inlinable @inline(__always) package func value<Failure: Error>(
        for key: Key, size: Int = 0, make: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        if let cached = self[key] { return cached }
        return keep(try make(), for: key, size: size)
    }

    /// The cached value of a key; `nil` if there is none. Counts as a use.
    @inlinable package subscript(key: Key) -> Value? { values.withLock { $0.value(for: key) } }

    /// The cached values of keys, in their order.
    @inlinable package subscript(keys: [Key]) -> [Value?] { values.withLock { values in keys.map { values.value(for: $0) } } }

    /// Caches a value unless its key already has one. A value larger than the bounds is not cached.
    /// - Parameter size: bytes of the value, counted towards `CacheBounds.bytes`.
    /// - Returns: the cached value, which may be another thread's.
    @discardableResult
    @inlinable @inline(__always) package func keep(_ value: Value, for key: Key, size: Int = 0) -> Value {
        let (kept, evicted) = values.withLock { values -> (Value, [Value]) in
            if let cached = values.value(for: key) { return (cached, []) }
            return (value, values.insert(value, for: key, size: size))
        }
        // Evicted values are released after the lock: closing files is slow.
        withExtendedLifetime(evicted) {}
        return kept
    }

    /// Removes the value of a key.
    @inlinable package func remove(_ key: Key) {
        // Released after the lock.
        let removed = values.withLock { $0.remove(key) }
        withExtendedLifetime(removed) {}
    }
}
