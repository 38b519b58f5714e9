import BinaryPrimitives
import Synchronization
import TestSupport
import Testing

struct RecentlyUsedTests {
    @Test func `a value is made once while it is kept`() {
        let cache = RecentlyUsed<Int, String>(.init(count: 4))
        #expect(cache.value(for: 1) { "one" } == "one")
        #expect(cache.value(for: 1) { "another" } == "one")
        #expect(cache[2] == nil && cache.count == 1)
    }

    /// With eight entries, each new one evicts one.
    @Test func `beyond the bound those go that were not used for longest`() {
        let cache = RecentlyUsed<Int, Int>(.init(count: 8))
        for key in 0..<8 { _ = cache.keep(key, for: key) }
        _ = cache[0]
        _ = cache.keep(8, for: 8)
        #expect(cache.count == 7 && cache[1] == nil && cache[2] == nil)
        #expect(cache[0] == 0 && cache[8] == 8 && cache[3] == 3)
    }

    @Test(arguments: 1...20) func `there are never more than the bound, and the newest is there`(bound: Int) {
        let cache = RecentlyUsed<Int, Int>(.init(count: bound))
        for key in 0..<100 {
            _ = cache.keep(key, for: key)
            #expect(cache.count <= bound && cache[key] == key)
        }
    }

    @Test func `the sum of sizes is bounded, and what is larger is not kept`() {
        let cache = RecentlyUsed<Int, Int>(.init(count: 100, bytes: 80))
        for key in 0..<10 { _ = cache.keep(10, for: key, size: 10) }
        // 90 bytes were too many: two went, so that 70 were left (80 - 80 / 8), and the tenth came.
        #expect((0..<10).filter { cache[$0] != nil } == [2, 3, 4, 5, 6, 7, 8, 9])
        #expect(cache.keep(81, for: 10, size: 81) == 81 && cache[10] == nil)
        #expect(cache.keep(80, for: 11, size: 80) == 80 && cache.count == 1)
    }

    @Test func `what is forgotten is made again`() {
        let cache = RecentlyUsed<Int, Int>(.init(count: 8, bytes: 100))
        for key in 1...4 { _ = cache.keep(key, for: key, size: key) }
        cache.remove(2)
        #expect(cache.count == 3 && cache[2] == nil && cache.value(for: 2) { 7 } == 7)
    }

    /// A value is made while another one is: the lock is not held. Both threads get the value that was there first.
    @Test func `two threads make a value at the same time`() {
        let cache = RecentlyUsed<Int, Int>(.init(count: 8))
        let value = cache.value(for: 1) {
            #expect(cache.value(for: 1) { 2 } == 2)
            #expect(cache.value(for: 3) { 4 } == 4)
            return 5
        }
        #expect(value == 2 && cache[1] == 2)
    }

    @Test func `many threads use it at once`() {
        let cache = RecentlyUsed<Int, [Int]>(.init(count: 16))
        let wrong = Atomic(0)
        Parallel.run(onThreads: 8) {
            for round in 0..<2000 {
                let key = round % 40
                if cache.value(for: key, make: { [key] }) != [key] { wrong.add(1, ordering: .relaxed) }
            }
        }
        #expect(wrong.load(ordering: .relaxed) == 0 && cache.count <= 16)
    }
}

struct FileVersionTests {
    @Test func `a file that is replaced, written, or touched is another version`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/app"
            #expect(FileVersion(path: path) == nil)
            try writeFile(path, [1, 2, 3])
            let first = try #require(FileVersion(path: path))
            #expect(first.stamp.size == 3 && !first.isFolder && first.isCurrent)
            // A file of the same size and time, with another name.
            try writeFile(folder + "/new", [4, 5, 6])
            _ = try run("touch", ["-r", path, folder + "/new"])
            _ = try run("mv", [folder + "/new", path])
            #expect(!first.isCurrent && FileVersion(path: path)?.stamp.modified == first.stamp.modified)
            let second = try #require(FileVersion(path: path))
            _ = try run("touch", ["-d", "@1700000000.000000001", path])
            #expect(!second.isCurrent && FileVersion(path: path)?.stamp.modified == 1_700_000_000_000_000_001)
            let third = try #require(FileVersion(path: path))
            try writeFile(path, [1, 2, 3, 4])
            _ = try run("touch", ["-d", "@1700000000.000000001", path])
            #expect(!third.isCurrent)
            _ = try run("rm", [path])
            #expect(!third.isCurrent)
        }
    }
}

/// The rules of the cache itself; those of threads are `RecentlyUsedTests`.
struct RecentValuesTests {
    @Test func `beyond the bound those go that were not used for longest`() {
        var cache = RecentValues<Int, Int>(count: 8)
        for key in 0..<8 { #expect(cache.insert(key, for: key).isEmpty) }
        _ = cache.value(for: 0)
        #expect(cache.insert(8, for: 8).sorted() == [1, 2])
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
