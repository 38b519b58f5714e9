import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

@testable import SymbolSources

/// A file with compressed debug information gives the same results however often it is searched.
struct IndexingSourceTests {
    private static func object(_ name: String) throws -> ObjectFile {
        try ObjectFiles.open(path: TestPaths.fixture("binaries/Stripped/out/" + name))
    }

    /// Addresses all over the code.
    private static func addresses(of object: ObjectFile) throws -> [LinkAddress] {
        let code = try #require(object.section(named: ".text"))
        return stride(from: 0, to: code.size, by: 16).map { LinkAddress(code.address.value + $0) }
    }

    @Test(arguments: ["shapes-zlib", "shapes-clang-zlib", "shapes-zstd", "shapes-zdebug"])
    func `many questions are answered from an index, as the file answers them`(_ name: String) throws {
        let object = try Self.object(name)
        let addresses = try Self.addresses(of: object)
        let (file, source) = (ObjectSource([object]), IndexingSource([object]))
        for number in 1...IndexRule.manyLookups + 8 {
            let address = addresses[number % addresses.count]
            #expect(source.frames(at: [address]) == file.frames(at: [address]), "question \(number)")
            #expect(source.isIndexed == (number >= IndexRule.manyLookups), "question \(number)")
        }
        #expect(source.frames(at: addresses) == file.frames(at: addresses))
        let offsets = addresses.compactMap { $0.offset(fromImageBase: object.baseAddress) }
        #expect(source.frames(at: offsets) == file.frames(at: offsets))
        let hasLine = source.frames(at: addresses).contains { symbolResult in
            if case .found(let frames) = symbolResult { frames.contains { $0.location != nil } } else { false }
        }
        #expect(hasLine)
        #expect(source.offset(of: addresses[0]) == file.offset(of: addresses[0]))
        #expect(source.locate([.linkAddress(addresses[0])]) == file.locate([.linkAddress(addresses[0])]))
    }

    @Test func `threads that ask at once are all answered as the file answers`() async throws {
        let object = try Self.object("shapes-zlib")
        let addresses = try Self.addresses(of: object)
        let expected = ObjectSource([object]).frames(at: addresses)
        let source = IndexingSource([object])
        await withTaskGroup(of: [SymbolResult].self) { group in
            for _ in 0..<(4 * IndexRule.manyLookups) { group.addTask { source.frames(at: addresses) } }
            for await found in group { #expect(found == expected) }
        }
        #expect(source.isIndexed)
    }

    @Test func `a file of which no index can be made goes on to answer itself`() {
        let source = IndexingSource([])
        for _ in 0..<2 * IndexRule.manyLookups {
            #expect(source.frames(at: [LinkAddress(0x1000)]) == ObjectSource([]).frames(at: [LinkAddress(0x1000)]))
        }
        #expect(!source.isIndexed)
    }

    @Test func `it stands where debug information is compressed and indexes may be used`() throws {
        let policy = IndexPolicy(cache: IndexCache(cacheFolder: "/nonexistent"))
        let packed = try Self.object("shapes-zlib")
        #expect(ObjectSource.open([packed], policy) is IndexingSource)
        #expect(ObjectSource.open([packed], nil) is ObjectSource)
        #expect(ObjectSource.open([try Self.object("shapes-linked.debug")], policy) is ObjectSource)
    }
}
