import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

/// Counts in ELF headers of empty sparse files: such a file uses no disk space, and must use no
/// memory.
struct ELFCountsTests {
    /// An ELF header of 64 bits for x86-64, little-endian (gABI, chapter 4): section headers at
    /// `sections`, program headers at `programs`.
    private func header(sections: UInt64, sectionCount: UInt16, programs: UInt64 = 0, programCount: UInt16 = 0) -> [UInt8] {
        var writer = ByteWriter()
        writer.bytes += [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        writer.put(UInt16(3))
        writer.put(UInt16(62))
        writer.put(UInt32(1))
        writer.put(UInt64(0))
        writer.put(UInt64(programs))
        writer.put(UInt64(sections))
        writer.put(UInt32(0))
        for value: UInt16 in [64, 56, programCount, 64, sectionCount, 0] { writer.put(UInt16(value)) }
        return writer.bytes
    }

    /// A section header of 64 bits.
    private func section(type: UInt32, offset: UInt64 = 0, size: UInt64 = 0, link: UInt32 = 0, info: UInt32 = 0) -> [UInt8] {
        var writer = ByteWriter()
        writer.put(UInt32(0))
        writer.put(UInt32(type))
        writer.put(UInt64(0))
        writer.put(UInt64(0))
        writer.put(UInt64(offset))
        writer.put(UInt64(size))
        writer.put(UInt32(link))
        writer.put(UInt32(info))
        writer.put(UInt64(1))
        writer.put(UInt64(0))
        return writer.bytes
    }

    /// - Parameter size: size of the file, with zeros after the bytes.
    private func problem(_ bytes: [UInt8], size: Int) throws -> String {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/sparse", bytes)
            try cutFile(folder + "/sparse", to: size)
            do throws(ObjectFileError) {
                _ = try ObjectFiles.open(path: folder + "/sparse")
                return "opened"
            } catch { return error.problem }
        }
    }

    /// A terabyte holds 2^34 headers of 64 bytes; libelf would make room for all.
    @Test func `a count of sections in the first header is looked at before libelf does`() throws {
        let bytes = header(sections: 64, sectionCount: 0) + section(type: 0, size: 1 << 33)
        #expect(try problem(bytes, size: 1 << 40) == "8589934592 section headers are declared, expected 1048576 or fewer")
    }

    /// `PN_XNUM`: the count is in the first section header, of 32 bits.
    @Test func `a count of program headers is, too`() throws {
        let bytes = header(sections: 64, sectionCount: 1, programs: 128, programCount: 0xffff) + section(type: 0, info: 0x7fff_ffff)
        #expect(try problem(bytes, size: 1 << 40) == "2147483647 program headers are declared, expected 1048576 or fewer")
    }

    /// 50,000 note sections that are one megabyte without a build ID: eight are searched.
    @Test func `the same notes are not searched again and again`() throws {
        // At an odd offset, where libelf copies the data that it returns.
        let notes: UInt64 = 64 + 50_001 * 64 + 3
        var bytes = header(sections: 64, sectionCount: 50_001) + section(type: 0)
        for _ in 0..<50_000 { bytes += section(type: 7, offset: notes, size: 1 << 20) }
        var outcome = ""
        let time = try processorTime { outcome = try problem(bytes, size: Int(notes) + 1 << 20) }
        #expect(outcome == "opened" && time < .seconds(10))
    }
}
