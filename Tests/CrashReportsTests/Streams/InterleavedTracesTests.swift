import BinaryPrimitives
import CrashLogModel
import CrashReports
import Testing

/// Traces of several writers in one log, distinguished by their lines' prefixes, between lines that
/// belong to none.
struct InterleavedTracesTests {
    private func addresses(_ log: SampleLog) -> [[String]] { log.parsed().reports.map { $0.stacks.flatMap(\.frames).map(\.hex) } }

    /// 0xfc, 0x101; 0x7b, 0x1c8: 252, 257, 123, 456 in decimal, as Foundation prints them.
    static let containers = SampleLog(
        """
        web_1  | 2008-10-26 13:25:43.385 App[41720:20b] Stack: (
        db_1   | 2008-10-26 13:25:43.386 Store[7:1] Stack: (
        web_1  |     252,
        cache_1  | ready
        db_1   |     123,
        health check: ok
        web_1  |     257
        db_1   |     456
        web_1  | )
        db_1   | )
        web_1  | over

        """)

    @Test func `two processes' traces in containers' lines are both found`() throws {
        #expect(addresses(Self.containers) == [["0xfc", "0x101"], ["0x7b", "0x1c8"]])
        let reports = Self.containers.parsed().reports
        #expect(reports.map(\.process.name) == ["App", "Store"])
        #expect(reports.map(\.process.pid) == [41720, 7])
    }

    @Test func `both are answered, and every other byte stays`() {
        let symbolicated = Self.containers.symbolicated { frame in .function("f\(frame.hex)", offset: 1, "a.m", 3) }
        let expected = Self.containers.text
            .replacing("    252,", with: "    252,  f0xfc + 1 (a.m:3)").replacing("    257\n", with: "    257  f0x101 + 1 (a.m:3)\n")
            .replacing("    123,", with: "    123,  f0x7b + 1 (a.m:3)").replacing("    456\n", with: "    456  f0x1c8 + 1 (a.m:3)\n")
        #expect(symbolicated.text == expected)
        #expect(symbolicated.symbolicated { frame in .function("f\(frame.hex)", offset: 1, "a.m", 3) }.text == expected)
    }

    @Test func `inlined calls' rows carry the prefix of their row`() {
        let log = SampleLog(
            "web_1  | *** First throw call stack:\nweb_1  | (\nweb_1  | \t0   App   0x0000000000001010 0x1000 + 16\nweb_1  | )\n")
        let symbolicated = log.symbolicated { _ in .function("outer", offset: 1, "a.m", 3).inlining("inner", "b.m", 9) }
        let rows = symbolicated.text.split(separator: "\n")
        #expect(rows.count == 5 && rows.allSatisfy { $0.hasPrefix("web_1  | ") })
        #expect(rows[2].contains("inner (b.m:9) [inlined]") && rows[3].contains("outer + 1 (a.m:3)"))
    }

    @Test func `NSLog writes its prefix once, and other processes' messages may stand between`() {
        let log = SampleLog(
            """
            2008-10-26 13:25:43.385 App[41720:20b] Stack: (
                252,
            2008-10-26 13:25:43.390 Other[99:1] hello
                257
            )

            """)
        #expect(addresses(log) == [["0xfc", "0x101"]])
    }

    @Test func `journald writes a prefix before every line`() {
        let prefix = "Oct 26 13:25:43 host app[812]: "
        let log = SampleLog(
            prefix + "Current stack trace:\n" + "Oct 26 13:25:43 host sshd[1]: session opened\n" + prefix
                + "0    libA.so                            0x0000000000001100 foo + 16\n" + prefix + "over\n")
        #expect(addresses(log) == [["0x1110"]])
    }

    @Test(arguments: 1...30) func `parts of any size give the same reports`(size: Int) {
        let log = Self.containers
        var stream = LogStream()
        var reports: [CrashReport] = []
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: log.bytes.count, by: size) {
            stream.feed(log.bytes.span.clamped(to: start..<start + size)) { piece, text in
                reports += piece.reports
                bytes += text.copied()
            }
        }
        stream.finish { piece, text in
            reports += piece.reports
            bytes += text.copied()
        }
        #expect(reports.map { $0.stacks.flatMap(\.frames).map(\.hex) } == [["0xfc", "0x101"], ["0x7b", "0x1c8"]])
        #expect(bytes == log.bytes)
    }

    @Test func `a trace that does not go on does not hold the log back for ever`() {
        var stream = LogStream()
        var passed = 0
        let head = Array("web_1  | *** First throw call stack:\n".utf8)
        stream.feed(head.span) { piece, _ in passed += piece.range.count }
        #expect(passed == 0)
        let noise = Array(String(repeating: "db_1   | select 1\n", count: 10_000).utf8)
        for _ in 0..<8 { stream.feed(noise.span) { piece, _ in passed += piece.range.count } }
        // 8 × 180,000 bytes are more than the megabyte of others' lines for which a trace waits.
        #expect(passed > 400_000)
    }

    @Test func `a report that was cut off does not swallow the traces behind it`() {
        let report =
            "Process:         App [12]\nCode Type:       X86-64 (Native)\n\nThread 0 Crashed:\n0   App           \t0x0000000000001010 0x1000 + 16\n\n"
        let noise = (1...40).map { "ordinary line \($0)\n" }.joined()
        let log = SampleLog(
            report + noise + "Current stack trace:\n0    libA.so   0x0000000000001233 <unavailable> + 563\n" + report + noise
                + StructuredLogTests.report + "\n")
        #expect(log.parsed().reports.map(\.format) == ["apple-crash", "swift-runtime-trace", "apple-crash", "swift-backtrace"])
        // Lines after the report's last row that its format does not have are not part of it.
        #expect(log.parsed().pieces.first.map { log.bytes[$0.range].count } ?? 0 < report.utf8.count + 1)
    }
}
