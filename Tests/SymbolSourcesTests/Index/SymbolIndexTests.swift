import BinaryPrimitives
import LibC
import ObjectFiles
import Synchronization
import TestSupport
import Testing

@testable import SymbolSources

/// The format itself, and what damaged files do.
struct SymbolIndexTests {
    private static let fixture = "binaries/CXX/out/cxx-gcc-dwarf5-O2"

    private static func object() throws -> ObjectFile { try ObjectFiles.open(path: TestPaths.fixture(fixture)) }

    private static func bytes(threads: Int = 1) throws -> [UInt8] {
        try IndexBuilder(try object(), threads: threads).build().bytes()
    }

    private static func open(_ bytes: [UInt8]) throws -> SymbolIndex {
        try SymbolIndex(try MappedFile(bytes: bytes.span.rawBytes, name: "index"))
    }

    private static func addresses(of object: ObjectFile) -> [LinkAddress] {
        object.description.sections.filter { $0.isLoaded && $0.isExecutable }.flatMap { section in
            (0..<section.size).map { LinkAddress(section.address.value + $0) }
        }
    }

    /// A program of that fixture has some segments; each is a row of a table.
    @Test func `an index maps so many segments`() throws {
        let bytes = try Self.bytes()
        let file = try MappedFile(bytes: bytes.span.rawBytes, name: "index")
        let count = try Self.object().description.segments.count
        try #require(count > 1)
        func object(_ limits: Limits) throws -> ObjectFile {
            try ObjectFiles.openAll(MappedFile(path: TestPaths.fixture(Self.fixture)), limits: limits)[0]
        }
        var limits = Limits()
        limits.mappedSegments = count
        #expect(try SymbolIndex(file, limits: limits).identity == Self.object().identity)
        _ = try IndexBuilder(try object(limits), threads: 1).build()
        limits.mappedSegments = count - 1
        let unread = #expect(throws: SymbolIndex.Failure.self) { try SymbolIndex(file, limits: limits) }
        #expect(unread?.problem == "the index maps \(count) segments: expected at most \(count - 1)")
        let unwritten = #expect(throws: IndexRefusal.self) { try IndexBuilder(try object(limits), threads: 1).build() }
        #expect(unwritten?.description == "it maps \(count) segments, expected at most \(count - 1)")
    }

    /// Each piece that is written may find the disk full; the header comes last.
    @Test func `an index that cannot be written is refused, with why`() throws {
        let contents = try IndexBuilder(Self.object(), threads: 1).build()
        let full = FileError(path: "out", errorNumber: ENOSPC)
        let count = Mutex(0)
        try contents.write({ _ in count.withLock { $0 += 1 } }) { #expect($0.count == SymbolIndexLayout.headerSize) }
        let pieces = count.withLock { $0 }
        // The room for the header, and each of 20 tables.
        #expect(pieces == 21)
        for failing in 1...pieces + 1 {
            count.withLock { $0 = 0 }
            let refusal = #expect(throws: IndexRefusal.self) {
                try contents.write(
                    { _ throws(FileError) in
                        let number = count.withLock { count in
                            count += 1
                            return count
                        }
                        if number == failing { throw full }
                    }, replaceStart: { _ throws(FileError) in throw full })
            }
            #expect(refusal?.description == "out: no space left on device")
            #expect(count.withLock { $0 } == min(failing, pieces))
        }
    }

    @Test func `sizes and places are those of the document`() {
        #expect(SymbolIndexLayout.Table.allCases.count == 20)
        // 136 bytes of fields, and 16 for each of 20 tables; version 1 had four less.
        #expect(SymbolIndexLayout.headerSize == 136 + 16 * 20)
        #expect(SymbolIndexLayout.headerSize == 456)
        #expect(SymbolIndexLayout.headerSize(ofVersion: 1) == 392)
        #expect(SymbolIndexLayout.Field.identity + SymbolIndexLayout.identitySize == SymbolIndexLayout.Field.fingerprint)
        #expect(SymbolIndexLayout.Field.checksum + 8 == SymbolIndexLayout.Field.tables)
        #expect(SymbolIndexLayout.Block.maxPieces == 1 << SymbolIndexLayout.Block.pieceCountWidth)
    }

    @Test func `bit fields come back as they were written`() {
        var writer = BitFieldWriter()
        let fields: [(value: UInt64, width: Int)] = [(5, 3), (0, 0), (1 << 55, 56), (77, 7), (1, 1), (0xffff, 16), (3, 2)]
        for field in fields { writer.append(field.value, field.width) }
        writer.align()
        // 85 bits.
        #expect(writer.bytes.count == 11 && writer.byteCount == 11)
        var bit = 0
        for field in fields {
            #expect(writer.bytes.span.rawBytes.bits(at: bit, field.width) == field.value)
            bit += field.width
        }
        #expect(writer.bytes.span.rawBytes.bits(at: 1000, 8) == 0)
        #expect(writer.bytes.span.rawBytes.bits(at: -8, 8) == 0)
    }

    /// FNV-1a's offset and prime, by hand: ((offset ^ 1) * prime ^ 8) * prime.
    @Test func `checksum`() {
        let word: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0]
        let expected = (((0xcbf2_9ce4_8422_2325 ^ 1) &* 0x100_0000_01b3) ^ 8) &* 0x100_0000_01b3 as UInt64
        #expect(SymbolIndexLayout.checksum(of: word.span.rawBytes) == expected)
    }

    @Test func `the same bytes from one thread and from several`() throws {
        let first = try Self.bytes()
        #expect(try Self.bytes() == first)
        #expect(try Self.bytes(threads: 2) == first)
        #expect(try Self.bytes(threads: 7) == first)
    }

    @Test func `an index knows the image`() throws {
        let object = try Self.object()
        let index = try Self.open(try Self.bytes())
        #expect(index.identity == object.identity)
        #expect(index.baseAddress == object.baseAddress)
        #expect(index.fingerprint == ImageFingerprint.of(object))
        try index.verify()
    }

    @Test func `truncated files are refused`() throws {
        let whole = try Self.bytes()
        for size in [0, 1, 7, 8, 12, 100, 391, 392, 393, 407, 408, 409, whole.count / 2, whole.count - 1] {
            #expect(throws: SymbolIndex.Failure.self) { try Self.open(Array(whole[..<size])) }
        }
        #expect(throws: SymbolIndex.Failure.self) { try Self.open(whole + [0]) }
    }

    @Test func `a changed header is refused, and says how`() throws {
        let whole = try Self.bytes()
        for position in 0..<SymbolIndexLayout.headerSize {
            var changed = whole
            changed[position] ^= 0x41
            #expect(throws: SymbolIndex.Failure.self) { try Self.open(changed) }
        }
        var other = whole
        other[8] = 9
        #expect { try Self.open(other) } throws: { "\($0)" == "index: the index has version 9: expected 4" }
        #expect { try Self.open(Array("no index".utf8)) } throws: { "\($0)" == "index: not a symbol index" }
    }

    /// With the header's checksum made anew, so that only the tables' places show it.
    @Test func `places outside of the file are refused`() throws {
        let whole = try Self.bytes()
        func changed(_ at: Int, _ value: UInt64) -> [UInt8] {
            var bytes = whole
            for byte in 0..<8 { bytes[at + byte] = UInt8(truncatingIfNeeded: value >> UInt64(byte * 8)) }
            return SymbolIndexLayout.sealed(bytes)
        }
        for table in 0..<16 {
            let position = SymbolIndexLayout.Field.tables + table * 16
            for value: UInt64 in [0, 1, UInt64(whole.count) + 8, .max, 1 << 63] {
                #expect(throws: SymbolIndex.Failure.self) { try Self.open(changed(position, value)) }
            }
            for value: UInt64 in [UInt64(whole.count) + 16, .max - 15, 1 << 63] {
                #expect(throws: SymbolIndex.Failure.self) { try Self.open(changed(position + 8, value)) }
            }
        }
    }

    /// Every version that was ever released stays readable; the folder's README says how the file
    /// was made.
    @Test func `an index of version 1 says what its file says`() throws {
        let index = try SymbolIndex(path: TestPaths.fixture("indexes/v1/cxx-gcc-dwarf5-O2.cairnidx"))
        try index.verify()
        let object = try Self.object()
        #expect(index.isMade(of: object))
        // The index names the last of several symbols at an address, and it has no stubs.
        let addresses = Self.addresses(of: object).filter { object.stub(containing: $0) == nil }
        let expected = ObjectSource([object], SourceOptions(symbols: .lastOfTable)).frames(at: addresses)
        #expect(addresses.count > 200)
        #expect(IndexSource(index).frames(at: addresses) == expected)
    }

    @Test func `an index of version 2 says what its file says, but for discriminators`() throws {
        let index = try SymbolIndex(path: TestPaths.fixture("indexes/v2/cxx-gcc-dwarf5-O2.cairnidx"))
        try index.verify()
        let object = try Self.object()
        #expect(index.isMade(of: object) && !index.hasDiscriminators)
        let addresses = Self.addresses(of: object)
        #expect(addresses.count > 200)
        #expect(IndexSource(index).frames(at: addresses) == ObjectSource([object]).frames(at: addresses))
        #expect(index.discriminators(at: addresses) == nil)
    }

    @Test func `an index of version 3 says what its file says, but for calls`() throws {
        let index = try SymbolIndex(path: TestPaths.fixture("indexes/v3/cxx-gcc-dwarf5-O2.cairnidx"))
        try index.verify()
        let object = try Self.object()
        #expect(index.isMade(of: object) && index.hasDiscriminators && IndexSource(index).recordedCallSites == nil)
        let addresses = Self.addresses(of: object)
        #expect(addresses.count > 200)
        #expect(IndexSource(index).frames(at: addresses) == ObjectSource([object]).frames(at: addresses))
    }

    @Test func `damaged tables never end the process, and verifying tells them`() throws {
        let whole = try Self.bytes()
        let addresses = Self.addresses(of: try Self.object())
        var numbers = SystemRandomNumberGenerator()
        for _ in 0..<60 {
            var changed = whole
            for _ in 0..<20 {
                let position = Int.random(in: SymbolIndexLayout.headerSize..<whole.count, using: &numbers)
                changed[position] = UInt8.random(in: 0...255, using: &numbers)
            }
            let index = try Self.open(changed)
            #expect(IndexSource(index).frames(at: addresses).count == addresses.count)
            let isWhole = zip(changed, whole).allSatisfy { $0 == $1 }
            if !isWhole { #expect(throws: SymbolIndex.Failure.self) { try index.verify() } }
        }
    }

    @Test func `numbers mean what the lookup of addresses says`() throws {
        let object = try Self.object()
        let index = try Self.open(try Self.bytes())
        let addresses = Self.addresses(of: object)
        let expected = ObjectSource([object]).frames(at: addresses)
        index.forEachResult(at: addresses) { number, symbolResult, frames in
            guard case .found(let known) = expected[number] else {
                #expect(frames.isEmpty)
                return
            }
            #expect(frames.map { index.name($0.name) } == known.map(\.name))
            #expect(frames.map { index.path($0.file) } == known.map { $0.location?.file })
            #expect(frames.map { Int($0.line) } == known.map { $0.location?.line ?? 0 })
            #expect(frames.map(\.isInlined) == known.map(\.isInlined))
            #expect((symbolResult == .debugInformation) == (known[0].origin == .debugInformation))
        }
    }
}

struct KeySetTests {
    /// More than one table's worth, of all sizes, most of them twice.
    @Test(arguments: [0, 1, 2, 5_000, 200_000]) func `keys are given once, ascending`(count: Int) {
        var keys = KeySet()
        var state: UInt64 = 42
        var inserted: Set<UInt32> = []
        for _ in 0..<count {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let key = max(1, UInt32(truncatingIfNeeded: state >> 33) >> UInt32(state >> 60))
            keys.insert(key)
            keys.insert(key)
            inserted.insert(key)
        }
        #expect(keys.count == inserted.count)
        #expect(keys.sortedKeys == inserted.sorted())
    }

    @Test func `the largest and the least are in their places`() {
        var keys = KeySet()
        for key in [UInt32.max, 1, 1 << 11, 1 << 22, 1 << 31, 0x7ff, 0x800] { keys.insert(key) }
        #expect(keys.sortedKeys == [1, 0x7ff, 0x800, 1 << 22, 1 << 31, .max])
    }
}
