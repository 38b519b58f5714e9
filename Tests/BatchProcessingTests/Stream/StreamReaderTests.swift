import BinaryPrimitives
import TestSupport
import Testing

@testable import BatchProcessing

/// Records do not depend on the parts in which the bytes come, and there is one for each line, or
/// pair.
struct StreamReaderTests {
    /// - Parameter part: bytes that come at a time.
    static func records(_ bytes: [UInt8], _ framing: StreamFraming = .ndjson, largest: Int = 100, part: Int) throws -> [StreamRecord] {
        var reader = StreamReader(framing, largest: largest)
        var rest = bytes[...]
        var records: [StreamRecord] = []
        while let record = try reader.next({
            defer { rest = rest.dropFirst(part) }
            return Array(rest.prefix(part))
        }) { records.append(record) }
        return records
    }

    private static func line(_ text: String) -> StreamRecord { .line(Array(text.utf8)) }

    @Test(arguments: [1, 2, 7, 100_000])
    func `each line is a record, whatever is in it`(part: Int) throws {
        let all: [(String, [StreamRecord])] = [
            ("", []), ("\n", [Self.line("")]), ("a", [Self.line("a")]), ("a\n", [Self.line("a")]),
            ("a\n\n\nb", [Self.line("a"), Self.line(""), Self.line(""), Self.line("b")]),
            ("a\r\nb\r\n", [Self.line("a\r"), Self.line("b\r")]),
            // A byte-order mark is not part of the first record, and belongs to a later one.
            ("\u{FEFF}a\n\u{FEFF}b\n", [Self.line("a"), Self.line("\u{FEFF}b")]),
            ("\0\u{2028}\n", [Self.line("\0\u{2028}")]),
        ]
        for (text, records) in all { #expect(try Self.records(Array(text.utf8), part: part) == records, "\(text.debugDescription)") }
        let broken: [UInt8] = [0xFF, 0xFE, 0x0A, 0xC3]
        #expect(try Self.records(broken, part: part) == [.line([0xFF, 0xFE]), .line([0xC3])])
    }

    @Test(arguments: [1, 7, 64, 100_000])
    func `a line that is too long is one record, with its beginning`(part: Int) throws {
        let long = "{\"key\":5,\"log\":\"" + String(repeating: "x", count: 200_000)
        for text in ["a\n\(long)\nb\n", "a\n\(long)\nb"] {
            let records = try Self.records(Array(text.utf8), part: part)
            #expect(records.count == 3 && records.first == Self.line("a") && records.last == Self.line("b"))
            guard case .refused(.line(let head), let error) = records[1] else { return #expect(Bool(false)) }
            #expect(error.kind == .tooLarge && Array(long.utf8).starts(with: head) && head.count <= 1 << 16)
            #expect(StreamKeys(records[1]).members.map(\.value) == [Array("5".utf8)])
        }
        // As many bytes as a record may have, and one more.
        let lines = [100, 101].map { String(repeating: "y", count: $0) }
        let records = try Self.records(Array(lines.joined(separator: "\n").utf8), part: part)
        #expect(records[0] == Self.line(lines[0]))
        guard case .refused = records[1] else { return #expect(Bool(false)) }
        #expect(try Self.records(Array(long.utf8), part: part).count == 1)
    }

    // MARK: Lengths

    private static func pair(_ key: String, _ log: String) -> [UInt8] {
        length(key.utf8.count) + key.utf8 + length(log.utf8.count) + log.utf8
    }
    private static func length(_ count: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) } }

    /// Lengths that Python's `struct` writes are read.
    @Test func `lengths are those of other languages`() throws {
        let script = "import struct, sys; sys.stdout.buffer.write(b''.join(struct.pack('>I', len(b)) + b for b in [b'k', b'x' * 70000]))"
        let written = try run("python3", ["-c", script]).standardOutput
        let records = try Self.records(written, .lengths, largest: 100_000, part: 4096)
        #expect(records == [.pair(key: Array("k".utf8), log: [UInt8](repeating: 0x78, count: 70_000))])
    }

    @Test(arguments: [1, 3, 100_000])
    func `keys and logs have their lengths before them`(part: Int) throws {
        let bytes =
            Self.pair("a", "one\ntwo") + Self.pair("", "") + Self.pair("b", String(repeating: "z", count: 101)) + Self.pair("c", "d")
        let records = try Self.records(bytes, .lengths, part: part)
        try #require(records.count == 4)
        #expect(records[0] == .pair(key: Array("a".utf8), log: Array("one\ntwo".utf8)) && records[1] == .pair(key: [], log: []))
        guard case .refused(.pair(let key, _), let error) = records[2] else { return #expect(Bool(false)) }
        #expect(key == Array("b".utf8) && error.kind == .tooLarge)
        #expect(records[3] == .pair(key: Array("c".utf8), log: Array("d".utf8)))
    }

    /// If the input ends anywhere, the records before the end are whole, and a partial record is an
    /// error.
    @Test func `an input that ends early`() throws {
        let (first, second) = (Self.pair("a", "one"), Self.pair("bb", "three"))
        for end in 0...second.count {
            let records = try Self.records(first + second.prefix(end), .lengths, part: 5)
            #expect(records.count == (end == 0 ? 1 : 2) && records.first == .pair(key: Array("a".utf8), log: Array("one".utf8)))
            if case .refused(_, let error) = records.last { #expect(error.kind == .input && end > 0 && end < second.count) }
        }
        // Bytes that are not a key: its length would be a gigabyte.
        let text = Array("{\"key\":1}\n".utf8) + [UInt8](repeating: 0x20, count: 1000)
        let records = try Self.records(text, .lengths, part: 100)
        guard records.count == 1, case .refused(_, let error) = records[0] else { return #expect(Bool(false)) }
        #expect(error.kind == .input)
    }
}
