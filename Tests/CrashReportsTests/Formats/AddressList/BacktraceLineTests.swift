import BinaryPrimitives
import CrashLogModel
import CrashReports
import Testing

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
