import BinaryPrimitives
import Decompression
import ObjectFiles
import TestSupport
import Testing

/// Records that are inflated without what comes before them, compared with the bytes that were compressed.
struct DistantRecordTests {
    private static let missing = "libisal2 is not installed"

    /// Records of 4 to 400 KB, each with its length first: as units of debug information, of 40 MB together.
    /// - Parameter isFar: nearly every byte is a copy of one 32,000 bytes before it.
    private static func records(isFar: Bool = false) -> (bytes: [UInt8], starts: [Int]) {
        let contents = (isFar ? InflatingAheadTests.Contents.far : .near).bytes
        var generator = SplitMix64(seed: 7)
        var (bytes, starts): ([UInt8], [Int]) = ([], [])
        var position = 0
        while bytes.count < 40 << 20 {
            let count = 4096 + Int(generator.next() % 400_000)
            if position + count > contents.count { position = Int(generator.next() % 1000) }
            starts.append(bytes.count)
            for shift in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: count >> (shift * 8))) }
            bytes += contents[position..<position + count]
            position += count
        }
        return (bytes, starts)
    }

    private static func contents(_ bytes: [UInt8], _ packed: [UInt8]) throws -> SectionContents {
        var builder = ELFBuilder()
        let header = builder.compressionHeader(type: 1, size: UInt64(bytes.count))
        builder.sections = [.init(name: ".debug_info", type: 1, flags: 0x800, bytes: header + packed)]
        let object = try object(builder.build())
        return try object.streamedContents(of: try #require(object.section(named: ".debug_info")))
    }

    @Test(.enabled(if: ISALLibrary.beginsInside, "\(missing)"))
    func `a record has its bytes, and so have all others afterwards`() throws {
        let (bytes, starts) = Self.records()
        let packed = InflatingAheadTests.compress(bytes)
        let buffer = ReadBuffer()
        for index in stride(from: 20, to: starts.count - 1, by: 17) {
            let contents = try Self.contents(bytes, packed)
            let range = starts[index]..<starts[index + 1]
            try #require(contents.inflateRecord(at: range.lowerBound, among: starts), "\(index)")
            #expect(contents.withBytes(in: range, buffer, array) == Array(bytes[range]))
            // Not a part of it.
            let other = starts[2]..<starts[2] + 100
            #expect(contents.withBytes(in: other, buffer, array) == Array(bytes[other]))
            #expect(contents.withBytes(in: range.upperBound - 10..<range.upperBound + 10, buffer, array).count == 20)
        }
    }

    /// A part of the records is enough for their positions.
    @Test(.enabled(if: ISALLibrary.beginsInside, "\(missing)"))
    func `some records may be missing in the table`() throws {
        let (bytes, starts) = Self.records()
        let listed = starts.enumerated().filter { $0.offset % 9 != 4 }.map(\.element)
        let contents = try Self.contents(bytes, InflatingAheadTests.compress(bytes))
        let range = starts[108]..<starts[109]
        #expect(listed.contains(range.lowerBound) && contents.inflateRecord(at: range.lowerBound, among: listed))
        #expect(contents.withBytes(in: range, ReadBuffer(), array) == Array(bytes[range]))
    }

    /// Bytes of the window are copied to the end of the section: the first is known when everything before it is.
    @Test func `a record of unknown bytes is inflated with all before it`() throws {
        let (bytes, starts) = Self.records(isFar: true)
        let contents = try Self.contents(bytes, InflatingAheadTests.compress(bytes))
        let range = starts[100]..<starts[101]
        #expect(!contents.inflateRecord(at: range.lowerBound, among: starts))
        #expect(contents.withBytes(in: range, ReadBuffer(), array) == Array(bytes[range]))
    }

    @Test func `a table that is wrong, and damage, give no record`() throws {
        let (bytes, starts) = Self.records()
        let packed = InflatingAheadTests.compress(bytes)
        let contents = try Self.contents(bytes, packed)
        for wrong in [starts.map { $0 + 1 }, [], [starts[60]], Array(stride(from: 0, to: bytes.count, by: 200_000))] {
            #expect(!contents.inflateRecord(at: wrong.count > 60 ? wrong[60] : starts[60], among: wrong))
        }
        var damaged = packed
        for index in stride(from: 0, to: packed.count, by: 5000) { damaged[index] = ~packed[index] }
        let broken = try Self.contents(bytes, damaged)
        for index in stride(from: 20, to: starts.count - 1, by: 17) {
            let range = starts[index]..<starts[index + 1]
            // Damage in front of the record may leave it as it is.
            if broken.inflateRecord(at: range.lowerBound, among: starts) {
                #expect(broken.withBytes(in: range, ReadBuffer(), array).count == range.count)
            }
        }
        let cut = try Self.contents(bytes, Array(packed.prefix(packed.count / 2)))
        #expect(!cut.inflateRecord(at: starts[starts.count - 2], among: starts))
    }
}
