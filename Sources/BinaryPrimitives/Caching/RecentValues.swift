/// Maximum number and total size of cached values.
package struct CacheBounds: Sendable {
    package var count: Int
    /// The sum of the values' sizes.
    package var bytes: Int

    @inlinable package init(count: Int, bytes: Int = .max) {
        self.count = count
        self.bytes = bytes
    }
}

/// A cache of one thread: beyond its bounds it evicts the least recently used values. `RecentlyUsed` is the same for several threads.
package struct RecentValues<Key: Hashable, Value> {
    @usableFromInline struct Entry {
        @usableFromInline var value: Value
        @usableFromInline var size: Int
        /// Serial number of the last use: a larger number is a later use.
        @usableFromInline var lastUse: UInt64

        @inlinable init(value: Value, size: Int, lastUse: UInt64) {
            self.value = value
            self.size = size
            self.lastUse = lastUse
        }
    }

    @usableFromInline let bounds: CacheBounds
    @usableFromInline var entries: [Key: Entry] = [:]
    @usableFromInline var bytes = 0
    @usableFromInline var uses: UInt64 = 0

    @inlinable package init(_ bounds: CacheBounds) { self.bounds = bounds }

    @inlinable package init(count: Int) { self.init(CacheBounds(count: count)) }

    @inlinable package var count: Int { entries.count }

    /// The cached value of a key; `nil` if there is none. Counts as a use.
    @inlinable package mutating func value(for key: Key) -> Value? {
        uses += 1
        guard let index = entries.index(forKey: key) else { return nil }
        entries.values[index].lastUse = uses
        return entries.values[index].value
    }

    /// Caches a value and replaces the earlier value of its key. A value larger than the bounds is not cached.
    /// - Parameter size: bytes of the value, counted towards `CacheBounds.bytes`.
    /// - Returns: the replaced and evicted values, in any order, so that the caller can release them later.
    @discardableResult
    @inlinable @inline(__always) package mutating func insert(_ value: Value, for key: Key, size: Int = 0) -> [Value] {
        uses += 1
        var evicted = remove(key).map { [$0] } ?? []
        guard size <= bounds.bytes, bounds.count > 0 else { return evicted }
        entries[key] = Entry(value: value, size: size, lastUse: uses)
        bytes += size
        if entries.count > bounds.count || bytes > bounds.bytes { evicted += removeOldest() }
        return evicted
    }

    /// Removes the value of a key, and returns it.
    @discardableResult
    @inlinable @inline(__always) package mutating func remove(_ key: Key) -> Value? {
        let entry = entries.removeValue(forKey: key)
        bytes -= entry?.size ?? 0
        return entry?.value
    }

    /// Evicts the least recently used values until an eighth of the bounds is free, so that one sort serves many insertions.
    @inlinable mutating func removeOldest() -> [Value] {
        let (maxCount, maxBytes) = (max(1, bounds.count - bounds.count / 8), bounds.bytes - bounds.bytes / 8)
        // Only numbers are sorted.
        var oldest: [(lastUse: UInt64, size: Int)] = entries.values.map { ($0.lastUse, $0.size) }
        oldest.sort { $0.lastUse < $1.lastUse }
        var (count, bytes, next) = (entries.count, bytes, 0)
        // The value that was just inserted stays.
        while next < oldest.count - 1, count > maxCount || bytes > maxBytes {
            count -= 1
            bytes -= oldest[next].size
            next += 1
        }
        let firstKept = oldest[next].lastUse
        var keys: [Key] = []
        keys.reserveCapacity(next)
        for (key, entry) in entries where entry.lastUse < firstKept { keys.append(key) }
        return keys.compactMap { remove($0) }
    }
}

extension RecentValues.Entry: Sendable where Key: Sendable, Value: Sendable {}
extension RecentValues: Sendable where Key: Sendable, Value: Sendable {}
