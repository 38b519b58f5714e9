import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

struct SeastarTests {
    @Test func `rows count from the program, or from the library that they name`() throws {
        let report = try SampleLog(CardSample.text("seastar")).report()
        #expect(report.cause?.signal == "SIGSEGV")
        let frames = report.threads[0].frames
        #expect(frames.map(\.imageLocation) == [0x2ee2d82, 0x2e886bb, 0x3853e].map { .linkAddress(LinkAddress($0)) })
        #expect(frames.allSatisfy { $0.kind == .exact && $0.address == nil })
        #expect(report.images.map(\.name) == ["<unknown>", "libtide.so.6"] && frames.map(\.image) == [0, 0, 1])
    }

    @Test func `a stack in one line`() throws {
        let text =
            "Reactor stalled for 33 ms on shard 1. Backtrace: 0xa1234 0xb5678 /opt/lib/libtide.so.6+0xabcd (BuildId: 2d4295e82afee91a64c6dffbb1935537e002df2d)\n"
        let log = SampleLog(text)
        let report = try log.report()
        #expect(report.format == "seastar" && report.cause?.message == "Reactor stalled for 33 ms on shard 1")
        let frames = report.threads[0].frames
        #expect(frames.map(\.imageLocation) == [0xa1234, 0xb5678, 0xabcd].map { .linkAddress(LinkAddress($0)) })
        #expect(frames.map { log.text(of: $0) } == ["0xa1234", "0xb5678", "/opt/lib/libtide.so.6+0xabcd"])
        #expect(report.images[0].id == ImageID(text: "2d4295e82afee91a64c6dffbb1935537e002df2d"))
        #expect(frames.map(\.image) == [0, 0, 1] && frames.map(\.index) == [0, 1, 2])
        // There is no room for results between the rows.
        #expect(log.answered { _ in .function("moor", offset: 1, "/src/a.cc", 2) }.text == text)
    }

    @Test func `two stalls are two reports`() {
        let line =
            "INFO  2024-01-02 03:04:05,678 [shard 1:main] seastar - Reactor stalled for 5 ms on shard 1. Backtrace: 0xa1234 0xb5678\n"
        let reports = SampleLog(line + line).parsed().reports
        #expect(reports.map { $0.threads[0].frames.count } == [2, 2])
    }
}
