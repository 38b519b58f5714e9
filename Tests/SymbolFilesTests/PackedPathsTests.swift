import BinaryPrimitives
import TestSupport
import Testing

@testable import SymbolFiles

struct PackedPathsTests {
    /// Of several blocks, with shared beginnings, repeats, other scripts and nothing in common.
    private static let paths =
        (0..<100).map { "/srv/symbols/libstore.so/\(String($0, radix: 16))/libstore.so.sym" }
        + ["", "/", "/ä/ö", "/ä/ü", "/ä/ü", String(repeating: "x", count: 4096), "/srv"]

    @Test func `paths come back in their order, one by one and by number`() {
        let packed = PackedPaths(Self.paths)
        #expect(Array(packed) == Self.paths)
        #expect(packed.indices.map { packed[$0] } == Self.paths)
        #expect(packed.count == Self.paths.count)
        #expect(Array(PackedPaths()) == [])
    }

    @Test func `a path that no system allows is left out`() {
        var packed = PackedPaths(["/a"])
        let (isLongAdded, isOtherAdded) = (packed.append(String(repeating: "x", count: 1 << 16)), packed.append("/b"))
        #expect(!isLongAdded && isOtherAdded)
        #expect(Array(packed) == ["/a", "/b"])
    }

    @Test func `a hash has all its numbers, in their order`() {
        let table = HashTable([(7, 3), (5, 1), (7, 2), (9, 0), (7, 9)])
        #expect(Array(table.numbers(of: 7)) == [2, 3, 9])
        #expect(Array(table.numbers(of: 5)) == [1] && Array(table.numbers(of: 9)) == [0])
        for absent in [0, 6, 8, .max] as [UInt64] { #expect(table.numbers(of: absent).isEmpty) }
        #expect(HashTable().numbers(of: 7).isEmpty)
    }

    /// The test vectors of FNV's authors (http://www.isthe.com/chongo/src/fnv/test_fnv.c).
    @Test func `hashes are FNV-1a`() {
        #expect(HashTable.hash("".utf8) == 0xcbf2_9ce4_8422_2325)
        #expect(HashTable.hash("a".utf8) == 0xaf63_dc4c_8601_ec8c)
        #expect(HashTable.hash("foobar".utf8) == 0x8594_4171_f739_67e8)
    }

    @Test func `states of files are found by their paths, however many there are`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/tree", [])
            let cache = try #require(TreeCache(root: folder + "/tree", folder: folder + "/cache"))
            #expect(cache.known().count == 0 && cache.known().file(at: "/x") == nil)
            let id = try #require(ImageID(text: "ab8d96dcc9de627ace64ea0173e42adb457cb353"))
            func state(_ number: Int) -> TreeCache.File {
                TreeCache.File(
                    stamp: FileStamp(size: UInt64(number), modified: Int64(number) * 1_000_000_007),
                    images: number % 3 == 0 ? [] : [TreeCache.Image(id: id, hasDebugInformation: number % 3 == 1)])
            }
            guard var writing = cache.writing() else { throw RunError(description: "nothing can be written") }
            // More than one piece of a megabyte.
            for number in 0..<30_000 { writing.add("/srv/symbols/a b/\(number)/libstore.so.sym", state(number)) }
            writing.add("/with\na line feed", state(1))
            writing.finish()
            let known = cache.known()
            #expect(known.count == 30_000)
            for number in [0, 1, 2, 15_000, 29_999] {
                #expect(known.file(at: "/srv/symbols/a b/\(number)/libstore.so.sym") == state(number))
            }
            #expect(known.file(at: "/srv/symbols/a b/30000/libstore.so.sym") == nil && known.file(at: "") == nil)
            #expect(cache.read().count == 30_000)
        }
    }
}
