import BinaryPrimitives
import CrashLogModel
import CrashReports
import Testing

struct AddressListTests {
    private func frames(_ text: String) -> [String] {
        CrashLog.parse(Array(text.utf8).span).reports.flatMap(\.allFrames).map { frame in
            if let address = frame.address { return address.description }
            switch frame.imageLocation {
            case .symbol(let symbol)?: return "\(symbol.name)+\(symbol.offset)" + (symbol.size.map { "/\($0)" } ?? "")
            case .offset(let offset)?: return "\(frame.imageName ?? "-") \(offset)"
            default: return "-"
            }
        }
    }

    @Test(arguments: [
        ("0x401136\n", ["0x401136"]), ("401136\n401137", ["0x61ef0", "0x61ef1"]), ("40113a\n401137\n", ["0x40113a", "0x401137"]),
        ("0000000000401136\n", ["0x401136"]), ("\n\n  0x1000,0x2000;  0x3000\r\n", ["0x1000", "0x2000", "0x3000"]),
        ("[\"0x1000\", \"0x2000\"]", ["0x1000", "0x2000"]), ("#0  0x1000\n#12 0x2000\n", ["0x1000", "0x2000"]), ("0: 0x1000\n", ["0x1000"]),
        ("18446744073709551615\n", ["0xffffffffffffffff"]), ("main+0x1a\nvfs_read+157/0x1a0\n", ["main+26", "vfs_read+157/416"]),
        ("libc.so.6+0x2409\n/bin/a+16\n", ["libc.so.6 0x2409", "a 0x10"]), ("operator+0x10\n", ["operator+16"]),
        ("0x1000  main + 5 (a.c:3)\n0x1000\n", ["0x1000", "0x1000"]),
    ]) func `rows are read`(text: String, expected: [String]) { #expect(frames(text) == expected) }

    @Test(arguments: [
        "", "\n", "7\n8\n", "0x\n", "0xg\n", "add\nface\n", "#1\n", "0x1000 main\n", "a+b\n", "+0x10\n", "0x1000\n0x2000 text\n",
        "0x1000 + 5\n", "-1000\n",
        "99999999999999999999999\n", "12.5\n", "C++\n", "0x11112222333344445\n",
    ]) func `other text is no list`(text: String) { #expect(frames(text) == []) }

    /// A list inside other text is found if the user names the format.
    @Test func `a forced list is read where it lies`() {
        let log = CrashLog.parse(Array("hello\n0x1000\n0x2000\nbye\n".utf8).span, formatName: "address-list")
        #expect(log.reports.flatMap(\.allFrames).map(\.address) == [RuntimeAddress(0x1000), RuntimeAddress(0x2000)])
    }

    /// A surer format that begins after a number is found; the number is not a report.
    @Test func `a trace behind a number is found`() {
        let text = "4198400\nCurrent stack trace:\n0    App    0x0000000000401136 <unavailable> + 4150\n"
        #expect(CrashLog.parse(Array(text.utf8).span).reports.map(\.format) == ["swift-runtime-trace"])
    }
}

/// A stack in one line, among other text.
struct BacktraceLineTests {
    private func addresses(_ text: String) -> [UInt64] {
        CrashLog.parse(Array(text.utf8).span).reports.flatMap(\.allFrames).compactMap { $0.address?.value }
    }

    @Test(arguments: [
        "Backtrace: 0x55d31c926b7b 0x55d31c926c01 0x7f41c8e2724a\n",
        "fatal: queue is empty\nbacktrace: 0x55d31c926b7b 0x55d31c926c01 0x7f41c8e2724a\nbye\n",
        "2026-11-25 10:00:00 Backtrace: 0x55d31c926b7b  0x55d31c926c01 0x7f41c8e2724a\r\n",
    ]) func `addresses behind the heading are a stack`(text: String) {
        #expect(addresses(text) == [0x55d3_1c92_6b7b, 0x55d3_1c92_6c01, 0x7f41_c8e2_724a])
    }

    @Test(arguments: [
        "Backtrace: 0x55d31c926b7b 0x55d31c926c01\n", "Backtrace: 0x1 0x2 0x3\n", "Backtrace: 0x1000 0x2000 0x3000 and more\n",
        "Backtrace: 0x4008b230:0x3ffb1f50 0x4008b240:0x3ffb1f70 0x4008b250:0x3ffb1f90\n", "acktrace: 0x1000 0x2000 0x3000\n",
    ]) func `other lines are none`(text: String) { #expect(addresses(text) == []) }

    @Test func `what the addresses are is not known`() {
        let report = CrashLog.parse(Array("Backtrace: 0x55d31c926b7b 0x55d31c926c01 0x7f41c8e2724a\n".utf8).span).reports[0]
        #expect(report.format == "address-list")
        #expect(report.allFrames.allSatisfy { $0.kind == .exact })
    }
}
