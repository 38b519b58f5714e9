import BinaryPrimitives
import CrashLogModel
import CrashReports
import Testing

/// Logs in UTF-16: found, read, symbolicated, and written in UTF-16.
struct TextEncodingTests {
    /// The units of `text` as bytes, made by the standard library.
    private func utf16(_ text: String, _ order: ByteOrder) -> [UInt8] {
        text.utf16.flatMap { unit in
            order == .littleEndian ? [UInt8(unit & 0xFF), UInt8(unit >> 8)] : [UInt8(unit >> 8), UInt8(unit & 0xFF)]
        }
    }

    private func roundTrip(_ bytes: [UInt8], _ order: ByteOrder, parts: Int) -> (text: [UInt8], back: [UInt8]) {
        var decoder = UTF16Decoder(order)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: parts) {
            decoder.decode(Array(bytes[start..<min(start + parts, bytes.count)]).span, to: &text)
        }
        let odd = decoder.finish(to: &text)
        var encoder = UTF16Encoder(order)
        var back: [UInt8] = []
        for start in stride(from: 0, to: text.count, by: parts) {
            encoder.encode(Array(text[start..<min(start + parts, text.count)]).span, to: &back)
        }
        return (text, back + (odd.map { [$0] } ?? []))
    }

    @Test(arguments: [ByteOrder.littleEndian, .bigEndian], [1, 2, 3, 1000]) func `text becomes UTF-8 and comes back`(
        order: ByteOrder, parts: Int
    ) {
        let text = "\u{FEFF}ASCII, ä, €, 💣\r\n"
        let result = roundTrip(utf16(text, order), order, parts: parts)
        #expect(result.text == Array(text.utf8))
        #expect(result.back == utf16(text, order))
    }

    /// RFC 2781, section 2.1: less 0x10000 they are 0 and 0xFFFFF, whose upper ten bits are added to 0xD800 and whose lower ones to
    /// 0xDC00. In UTF-8 (RFC 3629, section 3) each has 21 bits: 3, 6, 6 and 6.
    @Test func `the first and the last character beyond 16 bits are pairs of surrogates`() {
        let bytes: [UInt8] = [0xD8, 0x00, 0xDC, 0x00, 0xDB, 0xFF, 0xDF, 0xFF]
        let result = roundTrip(bytes, .bigEndian, parts: 3)
        #expect(result.text == [0xF0, 0x90, 0x80, 0x80, 0xF4, 0x8F, 0xBF, 0xBF])
        #expect(result.back == bytes)
    }

    @Test(arguments: [1, 2, 5]) func `surrogates without partners and a byte too many come back`(parts: Int) {
        let bytes: [UInt8] = [0x41, 0x00, 0x00, 0xD8, 0x42, 0x00, 0x00, 0xDC, 0x3D, 0xD8, 0xA3, 0xDC, 0x00, 0xD8, 0x7F]
        #expect(roundTrip(bytes, .littleEndian, parts: parts).back == bytes)
    }

    @Test(arguments: [ByteOrder.littleEndian, .bigEndian]) func `a log is read and answered in its own encoding`(order: ByteOrder) throws {
        let text = "\u{FEFF}Stack: (\r\n    252,\r\n    257\r\n)\r\n"
        let log = CrashLog.parse(utf16(text, order).span)
        #expect(log.encoding == .utf16(order))
        #expect(log.reports.first?.exceptionBacktrace?.frames.map(\.hex) == ["0xfc", "0x101"])
    }

    @Test func `the first bytes tell the encoding`() {
        func encoding(_ bytes: [UInt8]) -> TextEncoding { TextEncoding(of: bytes.span) }
        #expect(encoding(utf16("Process", .littleEndian)) == .utf16(.littleEndian))
        #expect(encoding(utf16("Process", .bigEndian)) == .utf16(.bigEndian))
        #expect(encoding([0xFF, 0xFE, 0x00, 0x00]) == .utf8)
        #expect(encoding(Array("Process".utf8)) == .utf8 && encoding([]) == .utf8 && encoding([0, 0, 0, 0]) == .utf8)
        #expect(encoding([0xEF, 0xBB, 0xBF, 0x41]) == .utf8)
    }

    @Test func `bytes that are no UTF-8 stay as they are`() {
        let broken: [UInt8] = [0xFF, 0xC3, 0x28, 0x80, 0x0A]
        let log = SampleLog(bytes: broken + Array("Stack: (\n    252,\n".utf8) + Array("    257\n)\n".utf8) + broken)
        let symbolicated = log.symbolicated { .function("f\($0.hex)", offset: 1, "a.m", 3) }
        let expected = "Stack: (\n    252,  f0xfc + 1 (a.m:3)\n    257  f0x101 + 1 (a.m:3)\n)\n"
        #expect(symbolicated.bytes == broken + Array(expected.utf8) + broken)
    }
}
