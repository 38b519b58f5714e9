import BinaryPrimitives
import DWARF
import ObjectFiles
import TestSupport
import Testing

@testable import SymbolSources

/// Indexes of files whose debug information is inflated as it is read.
struct StreamedIndexTests {
    private static let files = [
        "Stripped/out/shapes-zlib", "Stripped/out/shapes-clang-zlib", "Stripped/out/shapes-zstd", "RustCrash/out/tank.debug",
    ]

    private func reader(_ object: ObjectFile, streamsFrom: Int) throws -> DWARFReader {
        DWARFReader(try #require(DWARFSections(object: object, streamsFrom: streamsFrom)))
    }

    private func index(_ object: ObjectFile, threads: Int, _ units: (DWARFReader) -> OwnedUnits, _ reader: DWARFReader) throws -> [UInt8] {
        try IndexBuilder(object, threads: threads).build(reader, units(reader)).bytes()
    }

    @Test(arguments: files, [1, 3])
    func `an index is the same, whether the sections are inflated as they are read or before`(file: String, threads: Int) throws {
        let object = try ObjectFiles.open(path: TestPaths.fixture("binaries/" + file))
        let whole = try index(object, threads: threads, { OwnedUnits($0) }, reader(object, streamsFrom: .max))
        for predicts in [false, true] {
            let streamed = try index(object, threads: threads, { OwnedUnits($0, predicts: predicts) }, reader(object, streamsFrom: 0))
            #expect(streamed == whole)
        }
    }

    /// The second unit's extent reaches into the third's, which the address table does not
    /// describe: that the third comes first is known only when all units have passed.
    @Test func `what was predicted wrongly is made again`() throws {
        let path = TestPaths.fixture("binaries/C/out/c-gcc-dwarf4-O0")
        let original = try ObjectFiles.open(path: path)
        var bytes = original.file.bytes(in: 0..<original.file.size)
        func fileRange(_ name: String) throws -> Range<Int> {
            try #require(original.description.sections.first { $0.name == name }).fileRange
        }
        // `llvm-dwarfdump -v`: DW_AT_low_pc 0x11f6 as 8 bytes, DW_AT_high_pc 0x1d6 as 8 bytes.
        let extent: [UInt8] = [0xf6, 0x11, 0, 0, 0, 0, 0, 0, 0xd6, 0x01, 0, 0, 0, 0, 0, 0]
        let high = try #require(fileRange(".debug_info").first { bytes[$0..<$0 + extent.count].elementsEqual(extent) }) + 8
        bytes[high] += 0x10
        // Each set has 48 bytes, its version at byte 4: a set of another version is passed over.
        let version = try fileRange(".debug_aranges").lowerBound + 2 * 48 + 4
        try #require(bytes[version] == 2)
        bytes[version] = 3
        let object = try #require(try ObjectFiles.openAll(MappedFile(bytes: bytes.span.rawBytes, name: path)).first)
        let reader = try reader(object, streamsFrom: .max)
        let units = OwnedUnits(reader, predicts: true)
        units.forEachUnit { _ in }
        while units.next() != nil {}
        #expect(!units.areConsistent)
        let expected = try index(object, threads: 1, { OwnedUnits($0, predicts: false) }, reader)
        let found = try index(object, threads: 1, { OwnedUnits($0, predicts: true) }, reader)
        #expect(found == expected)
    }
}
