import Testing
import Unwinding

/// Load biases of mappings: the address in memory less the one in the file.
struct LoadSegmentsTests {
    /// `readelf -l` of a program of lld (16), `-fuse-ld=lld`: every segment is on the file's first page.
    static let small = LoadSegments([
        .init(address: 0, offset: 0, size: 0x6a8, isExecutable: false),
        .init(address: 0x16b0, offset: 0x6b0, size: 0x210, isExecutable: true),
        .init(address: 0x28c0, offset: 0x8c0, size: 0x740, isExecutable: false),
        .init(address: 0x3a98, offset: 0xa98, size: 0x40, isExecutable: false),
    ])

    private func mapping(_ start: UInt64, _ offset: UInt64 = 0, executable: Bool = false) -> FileMapping {
        FileMapping(start..<start + 0x1000, fileOffset: offset, isExecutable: executable)
    }

    @Test func `mappings of one page have the bias of the first`() {
        let mappings = [mapping(0x5000), mapping(0x6000, executable: true), mapping(0x7000), mapping(0x8000)]
        #expect(Self.small.bias(of: mappings) == 0x5000)
        #expect(mappings.allSatisfy { Self.small.holds($0, bias: 0x5000) })
        #expect(!Self.small.holds(mapping(0x9000), bias: 0x5000) && !Self.small.holds(mapping(0x4000), bias: 0x5000))
    }

    /// The executable one belongs to the segment at 0x16b0, on the page 0x1000 above the bias.
    @Test func `an executable mapping alone belongs to the executable segment`() {
        #expect(Self.small.bias(of: [mapping(0x6000, executable: true)]) == 0x5000)
    }

    /// 0x16b0 - 0x6b0 + bias = 0x9000: the first of two images begins at 0x5000, the second at 0x8000.
    @Test func `a mapping chooses between images that follow each other`() {
        let second = mapping(0x8000)
        let mappings = [mapping(0x5000), mapping(0x6000, executable: true), second, mapping(0x9000, executable: true), mapping(0xa000)]
        #expect(Self.small.bias(of: mappings, with: second) == 0x8000)
    }

    /// Pages of 64 KB: the kernel maps the segment at 0x106b0 from offset 0 at 0x10000.
    @Test func `the size of pages does not matter`() {
        let large = LoadSegments([
            .init(address: 0, offset: 0, size: 0x6a8, isExecutable: false),
            .init(address: 0x106b0, offset: 0x6b0, size: 0x210, isExecutable: true),
        ])
        #expect(large.bias(of: [mapping(0x70000), mapping(0x80000, executable: true)]) == 0x70000)
    }

    /// A program that is linked at 0x400000 and loaded there.
    @Test func `a program that is not moved has no bias`() {
        let fixed = LoadSegments([.init(address: 0x400000, offset: 0, size: 0x2000, isExecutable: true)])
        #expect(fixed.bias(of: [FileMapping(0x400000..<0x402000, fileOffset: 0, isExecutable: true)]) == 0)
    }

    @Test func `bytes of no segment have none`() {
        #expect(Self.small.bias(of: [mapping(0x5000, 0x10000)]) == nil)
        #expect(LoadSegments([]).bias(of: [mapping(0x5000)]) == nil)
    }
}
