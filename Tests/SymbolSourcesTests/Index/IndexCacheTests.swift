import BinaryPrimitives
import Foundation
import ObjectFiles
import Synchronization
import TestSupport
import Testing

@testable import SymbolSources

/// Which indexes are kept, which are found again, and which are removed first.
struct IndexCacheTests {
    private static let names = ["CXX/out/cxx-gcc-dwarf5-O2", "CXX/out/cxx-clang-dwarf5-O2", "C/out/c-clang-dwarf5-O2"]

    private static func object(_ name: String) throws -> ObjectFile { try ObjectFiles.open(path: TestPaths.fixture("binaries/" + name)) }

    private static func withCache(_ body: (IndexCache) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/cairn-index-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(IndexCache(cacheFolder: folder))
    }

    private static func objects() throws -> [ObjectFile] {
        let objects = try names.map(object).filter { $0.identity != nil }
        try #require(objects.count >= 2)
        return objects
    }

    @Test func `what was made is found again, by identity and fingerprint`() throws {
        try Self.withCache { cache in
            let objects = try Self.objects()
            #expect(cache.index(for: objects[0]) == nil)
            let made = try cache.make(objects[0])
            #expect(made.isMade(of: objects[0]) && !made.isMade(of: objects[1]))
            #expect(cache.index(for: objects[0])?.fingerprint == made.fingerprint)
            #expect(cache.index(for: objects[1]) == nil)
            #expect(cache.entries().map(\.path) == [try #require(cache.path(for: objects[0]))])
            #expect(try #require(cache.path(for: objects[0])).contains(try #require(objects[0].identity).hexadecimal))
        }
    }

    @Test func `another file under an index's name is not used, and a damaged one is removed`() throws {
        try Self.withCache { cache in
            let objects = try Self.objects()
            _ = try cache.make(objects[0])
            let (first, second) = (try #require(cache.path(for: objects[0])), try #require(cache.path(for: objects[1])))
            try FileManager.default.copyItem(atPath: first, toPath: second)
            #expect(cache.index(for: objects[1]) == nil)
            try Data(TestPaths.bytes(of: first).prefix(1000)).write(to: URL(fileURLWithPath: first))
            #expect(cache.index(for: objects[0]) == nil)
            #expect(!TestPaths.isReadable(first))
        }
    }

    @Test func `the least recently used goes first, and what was just made stays`() throws {
        try Self.withCache { cache in
            let objects = try Self.objects()
            let (first, second) = (objects[0], objects[1])
            _ = try cache.make(first)
            _ = try cache.make(second)
            let paths = [try #require(cache.path(for: first)), try #require(cache.path(for: second))]
            func use(_ path: String, _ seconds: Double) throws {
                try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: seconds)], ofItemAtPath: path)
            }
            try use(paths[0], 1000)
            try use(paths[1], 2000)
            #expect(cache.entries().map(\.path) == [paths[1], paths[0]])
            // A lookup counts as a use.
            #expect(cache.index(for: first) != nil)
            #expect(cache.entries().map(\.path) == paths)
            let sizes = cache.entries().map(\.size)
            #expect(cache.prune(to: sizes[0] + sizes[1]).isEmpty)
            #expect(cache.prune(to: sizes[0] + sizes[1] - 1).map(\.path) == [paths[1]])
            #expect(cache.entries().map(\.path) == [paths[0]])
            var small = cache
            small.cap = 1
            _ = try small.make(second)
            #expect(small.entries().map(\.path) == [paths[1]])
            #expect(cache.prune(to: 0).count == 1 && cache.entries().isEmpty)
        }
    }

    @Test func `an index is used where there is one, made only in a batch over large files, and never without a policy`() throws {
        try Self.withCache { cache in
            let object = try Self.objects()[0]
            #expect(ObjectSource.open([object], nil) is ObjectSource)
            #expect(ObjectSource.open([object], IndexPolicy(cache: cache, making: .allFiles)) is ObjectSource)
            #expect(!IndexRule.isLarge(object) && cache.entries().isEmpty)
            _ = try cache.make(object)
            #expect(ObjectSource.open([object], IndexPolicy(cache: cache)) is IndexSource)
            #expect(ObjectSource.open([object], nil) is ObjectSource)
        }
    }

    @Test func `a large file gets an index in its fourth run within thirty days`() throws {
        try Self.withCache { cache in
            let objects = try Self.objects()
            let notes = Mutex<[String]>([])
            let policy = IndexPolicy(
                cache: cache, making: .frequentFiles, isLarge: { $0.path == objects[0].path },
                note: { path, run in
                    notes.withLock { $0.append("\(path) \(run)") }
                })
            for _ in 0..<3 { #expect(policy.index(for: objects[0]) == nil && policy.index(for: objects[1]) == nil) }
            // As if the last run were 31 days ago: the count begins again.
            let count = try #require(cache.path(for: objects[0])).replacing(".cairnidx", with: ".runs")
            let old = Date(timeIntervalSinceNow: -31 * 86_400)
            try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: count)
            for _ in 0..<3 { #expect(policy.index(for: objects[0]) == nil) }
            #expect(cache.entries().isEmpty && notes.withLock { $0 } == [])
            #expect(policy.index(for: objects[0])?.isMade(of: objects[0]) == true)
            #expect(notes.withLock { $0 } == ["\(objects[0].path) 4"])
            #expect(policy.index(for: objects[0]) != nil && notes.withLock { $0.count } == 1)
            // Files that are not large are not counted.
            #expect(cache.entries().count == 1 && policy.index(for: objects[1]) == nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: cache.folder).filter { $0.hasSuffix(".runs") }.count == 1)
        }
    }

    @Test func `without a folder that can be written nothing is counted, and nothing made`() throws {
        let object = try Self.objects()[0]
        let policy = IndexPolicy(cache: IndexCache(cacheFolder: "/dev/null/cache"), making: .frequentFiles, isLarge: { _ in true })
        for _ in 0..<6 { #expect(policy.index(for: object) == nil) }
    }

    @Test func `a file without an identity has no place`() throws {
        let bytes = TestPaths.bytes(of: TestPaths.fixture("binaries/" + Self.names[0]))
        // The note's type: NT_GNU_BUILD_ID, 3, after the sizes of the name (4) and of the identity
        // (20), before "GNU".
        let note: [UInt8] = [4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 0x47, 0x4e, 0x55, 0]
        let position = try #require((0..<bytes.count - 16).first { Array(bytes[$0..<$0 + 16]) == note })
        var changed = bytes
        changed[position + 8] = 9
        let object = try #require(try ObjectFiles.openAll(try MappedFile(bytes: changed.span.rawBytes, name: "changed")).first)
        try Self.withCache { cache in
            #expect(object.identity == nil && cache.path(for: object) == nil)
            #expect(throws: IndexRefusal.self) { try cache.make(object) }
        }
    }
}
