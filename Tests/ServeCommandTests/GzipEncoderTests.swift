import TestSupport
import Testing

@testable import ServeCommand

@Suite struct GzipEncoderTests {
    @Test(arguments: [1, 1000, 100_000])
    func `what is compressed piece by piece is unpacked to the same`(piece: Int) throws {
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 20) }
        let encoder = try #require(GzipEncoder())
        var output: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: piece) {
            let end = min(start + piece, bytes.count)
            output += encoder.encode(Array(bytes[start..<end]), isLast: end == bytes.count)
        }
        // RFC 1952, section 2.3.1, and ISIZE at its end: the length of what was compressed.
        #expect(output.starts(with: [0x1F, 0x8B, 8]))
        #expect(Array(output.suffix(4)) == [0xE0, 0x93, 0x04, 0x00], "300,000 is 0x493E0")
        #expect(try run("gzip", ["-dc"], input: output).standardOutput == bytes)
    }
}
