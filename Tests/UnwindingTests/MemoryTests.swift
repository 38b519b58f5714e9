import BinaryPrimitives
import Testing
import Unwinding

struct MemoryTests {
    static let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9]

    @Test func `numbers are read in the order of bytes`() {
        let little = Memory([.init(address: 0x1000, .bytes(Self.bytes))], .littleEndian)
        #expect(little.read(0x1000, size: 1) == 1)
        #expect(little.read(0x1001, size: 2) == 0x0302)
        #expect(little.read(0x1000, size: 4) == 0x0403_0201)
        #expect(little.read(0x1001, size: 8) == 0x0908_0706_0504_0302)
        let big = Memory([.init(address: 0x1000, .bytes(Self.bytes))], .bigEndian)
        #expect(big.read(0x1000, size: 4) == 0x0102_0304)
        #expect(big.read(0x1001, size: 8) == 0x0203_0405_0607_0809)
    }

    @Test func `what is not there is not read`() {
        let memory = Memory([.init(address: 0x1000, .bytes(Self.bytes))], .littleEndian)
        for address: UInt64 in [0, 0xfff, 0x1002, 0x1009, .max, .max - 7] { #expect(memory.read(address, size: 8) == nil) }
        for size in [0, 3, 16, -1] { #expect(memory.read(0x1000, size: size) == nil) }
        #expect(Memory([], .littleEndian).read(0, size: 1) == nil)
        #expect(memory.holds(0x1008) && !memory.holds(0x1009))
    }

    @Test func `numbers may lie across segments`() {
        let segments = [
            Memory.Segment(address: 0x1004, .bytes([5, 6, 7, 8])),
            Memory.Segment(address: 0x1000, .bytes([1, 2, 3, 4]), isExecutable: true),
        ]
        let memory = Memory(segments, .littleEndian)
        #expect(memory.read(0x1000, size: 8) == 0x0807_0605_0403_0201)
        #expect(Memory(segments, .bigEndian).read(0x1002, size: 4) == 0x0304_0506)
        #expect(memory.isExecutable(0x1003) && !memory.isExecutable(0x1004))
    }

    @Test func `of segments that overlap the first has the bytes`() throws {
        let file = try MappedFile(bytes: ([UInt8](0..<16)).span.rawBytes, name: "segment")
        let segments = [Memory.Segment(address: 0x1002, .file(file, 4..<12)), Memory.Segment(address: 0x1000, .bytes([1, 2, 3, 4]))]
        let memory = Memory(segments, .littleEndian)
        // 0x1004 is the third byte of the file's part.
        #expect(memory.read(0x1002, size: 4) == 0x0706_0403)
        #expect(memory.read(0x1009, size: 1) == 11)
        #expect(memory.read(0x100a, size: 1) == nil)
        // The second segment has no known bytes after its contents, which are all in the first.
        let short = Memory([.init(address: 0x1000, .bytes([1, 2, 3, 4])), .init(address: 0x1001, .bytes([9]), size: 8)], .littleEndian)
        #expect(short.read(0x1003, size: 1) == 4 && short.read(0x1004, size: 1) == nil)
        #expect(short.areTogether(0x1004, 0x1008) && !short.holds(0x1004))
        // At the end of the address space.
        let last = Memory([.init(address: .max - 1, .bytes([1]))], .littleEndian)
        #expect(last.read(.max - 1, size: 1) == 1)
        #expect(last.read(.max - 1, size: 4) == nil)
    }
}
