import BinaryPrimitives
import TestSupport
import Testing

@testable import CrashLogFormats
@testable import CrashLogModel
@testable import CrashReports

/// Whether a log is text.
struct ContentKindTests {
    private func isBinary(_ bytes: [UInt8]) -> Bool {
        CrashLog.parse(bytes.span).pieces.contains { if case .binary = $0 { true } else { false } }
    }

    @Test func `programs and random bytes are no text`() throws {
        var generator = SystemRandomNumberGenerator()
        for count in [1000, 5000, 100_000] {
            let bytes: [UInt8] = (0..<count).map { _ in .random(in: 0...255, using: &generator) }
            #expect(isBinary(bytes))
        }
        for path in ["/bin/ls", "/bin/sh"] { #expect(isBinary(try readFile(path)), "\(path)") }
        #expect(isBinary([1, 2, 3]))
        #expect(isBinary(Array("SQLite format 3\u{0}\u{10}\u{0}\u{1}\u{1}\u{0}\u{40}".utf8)))
    }

    @Test(arguments: [
        "", "text\n", "\u{1B}[31mred\u{1B}[0m\n", "b\u{8}bo\u{8}ol\u{8}ld\u{8}d\u{7}\r\n\t\u{C}", "Größe, 日本語, Кириллица\n",
        String(repeating: "\u{0}", count: 10_000) + "the log goes on behind a hole\n",
        "one \u{0} by mistake in a line that is long enough\n",
    ]) func `what terminals and writers put into logs is text`(text: String) {
        #expect(!isBinary(Array(text.utf8)))
        // The letters of older encodings.
        let letters = (0..<4000).map { UInt8(0xA0 + $0 % 0x60) }
        #expect(!isBinary(letters))
    }

    /// A report in the middle of other bytes is found all the same.
    @Test func `a report in what is no text is found`() {
        let report = Array("Stack: (\n    11076,\n    9668\n)\n".utf8)
        let noise = (0..<3000).map { UInt8($0 % 7) } + [10]
        let bytes = noise + report + noise
        let log = CrashLog.parse(bytes.span)
        #expect(log.reports.count == 1)
        #expect(log.pieces.filter { if case .text = $0 { true } else { false } }.isEmpty)
    }

    @Test func `nothing in it is said in one line`() {
        let bytes = (0..<4000).map { UInt8($0 % 256) }
        let log = CrashLog.parse(bytes.span)
        #expect(
            log.problems.map(\.description) == ["this is not text, and no crash report was found in it"])
    }
}
