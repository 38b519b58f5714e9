import BinaryPrimitives
import Testing

/// The rules of the cache itself; those of threads are `RecentlyUsedTests`.
struct RecentValuesTests {
    @Test func `beyond the bound those go that were not used for longest`() {
        var cache = RecentValues<Int, Int>(count: 8)
        for key in 0..<8 { #expect(cache.insert(key, for: key).isEmpty) }
        _ = cache.value(for: 0)
        #expect(cache.insert(8, for: 8) == [1, 2])
        #expect(cache.count == 7 && cache.value(for: 0) == 0 && cache.value(for: 8) == 8)
    }

    @Test func `a new value replaces the key's, and its size`() {
        var cache = RecentValues<String, Int>(CacheBounds(count: 8, bytes: 100))
        #expect(cache.insert(1, for: "a", size: 60).isEmpty)
        #expect(cache.insert(2, for: "a", size: 70) == [1])
        #expect(cache.insert(3, for: "b", size: 30).isEmpty)
        // Too large, and the old entry has another value.
        #expect(cache.insert(4, for: "b", size: 101) == [3])
        #expect(cache.value(for: "a") == 2 && cache.value(for: "b") == nil && cache.count == 1)
    }

    @Test func `what is removed is no longer counted`() {
        var cache = RecentValues<Int, Int>(CacheBounds(count: 8, bytes: 10))
        cache.insert(1, for: 1, size: 10)
        #expect(cache.remove(1) == 1 && cache.remove(1) == nil)
        #expect(cache.insert(2, for: 2, size: 10).isEmpty && cache.count == 1)
    }

    @Test func `nothing is kept without room`() {
        var cache = RecentValues<Int, Int>(count: 0)
        cache.insert(1, for: 1)
        #expect(cache.value(for: 1) == nil && cache.count == 0)
    }
}
