import BinaryPrimitives
import ObjectFiles
import SymbolSources
import Synchronization
import TestSupport
import Testing

/// An address is looked up only once, and the results come in the order of the lookups.
struct CachingSourceTests {
    /// Returns the offset as a name, and records the lookups.
    private final class Counting: SymbolSource {
        let requested = Mutex<[UInt64]>([])

        func frames(at offsets: [ImageOffset]) -> [SymbolResult] {
            requested.withLock { $0 += offsets.map(\.value) }
            return offsets.map {
                $0.value == 7
                    ? .unresolved(.noSymbol)
                    : .found([SourceFrame(name: "f\($0.value)", entry: nil, isInlined: false, location: nil, origin: .symbolTable)])
            }
        }
        func locate(_ locations: [ImageLocation]) -> [LocateResult] { [] }
        func frames(at addresses: [LinkAddress]) -> [SymbolResult] { frames(at: addresses.map { ImageOffset($0.value - 0x1000) }) }
        func offset(of address: LinkAddress) -> ImageOffset? { ImageOffset(address.value - 0x1000) }
        func forEachFunction(_ body: (_ name: String, _ extent: Range<LinkAddress>) -> Void) {}
    }

    @Test func `what was looked up with the calls around it is known by its offset, too`() {
        let counting = Counting()
        let source = CachingSource(counting)
        let addresses = [0x1001, 0x1003, 0x1007].map { LinkAddress($0) }
        let found = source.frames(at: addresses, collecting: nil)
        #expect(counting.requested.withLock { $0 } == [1, 3, 7])
        #expect(source.frames(at: [ImageOffset(1), ImageOffset(3), ImageOffset(7)]) == found)
        #expect(source.frames(at: addresses) == found && source.frames(at: addresses, collecting: nil) == found)
        #expect(counting.requested.withLock { $0 } == [1, 3, 7])
    }

    @Test func `each place is asked once`() {
        let counting = Counting()
        let source = CachingSource(counting)
        let first = [1, 3, 7].map { ImageOffset($0) }
        #expect(source.frames(at: first) == counting.frames(at: first))
        counting.requested.withLock { $0 = [] }
        let second = [1, 2, 3, 7, 9].map { ImageOffset($0) }
        let found = source.frames(at: second)
        #expect(counting.requested.withLock { $0 } == [2, 9])
        #expect(found == counting.frames(at: second))
    }
}

/// Debug information that is kept between calls: address after address is looked up in a program,
/// and in between one that nothing is known of.
struct KeptReaderTests {
    @Test(arguments: ["Stripped/out/shapes-zlib", "Stripped/out/shapes-zstd", "Stripped/out/shapes-symbols-only", "C/out/c-gcc-dwarf5-O2"])
    func `the answers are those of one call for all`(name: String) throws {
        let object = try #require(try ObjectFiles.openAll(path: TestPaths.fixture("binaries/" + name)).first)
        let code = try #require(object.description.sections.first { $0.isExecutable && $0.name == ".text" })
        let addresses = (0..<min(code.size, 600)).compactMap { code.address.advanced(by: $0) }
        let expected = ObjectSource([object]).frames(at: addresses)
        try #require(expected.contains { if case .found = $0 { true } else { false } })
        let kept = ObjectSource([object], keepsSections: true)
        let nothing = ObjectSource([object]).frames(at: [LinkAddress(0)])
        for (address, symbolResult) in zip(addresses, expected) {
            #expect(kept.frames(at: [LinkAddress(0), address]) == nothing + [symbolResult])
        }
        #expect(kept.frames(at: addresses) == expected)
        // More addresses that nothing is known of than are remembered.
        let behind = (0..<20).compactMap { object.description.sections.last?.address.advanced(by: 1 << 40 + $0) }
        #expect(behind.map { kept.frames(at: [$0]) } == behind.map { ObjectSource([object]).frames(at: [$0]) })
    }
}
