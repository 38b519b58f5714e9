import BinaryPrimitives
import CrashLogModel
import TestSupport
import Testing

struct ClickHouseTests {
    @Test func `addresses are as linked, and the build ID is the program's`() throws {
        let report = try SampleLog(CardSample.text("clickhouse")).report()
        #expect(report.cause?.signal == "SIGSEGV" && report.process.name == "clickhouse")
        #expect(report.images.map(\.path) == ["/usr/bin/clickhouse"])
        #expect(report.images[0].id == ImageID(text: "CA7306E4531D31C8CA7306E4531D31C8CA7306E4"))
        let frames = report.threads[0].frames
        #expect(frames.map(\.index) == [3, 4] && frames.map(\.image) == [0, 0])
        #expect(frames.map(\.imageLocation) == [0x10e30de3, 0x10e3d2c3].map { .linkAddress(LinkAddress($0)) })
        // The rows of a signal begin with the executing frame, although its number is 3.
        #expect(frames.map(\.kind) == [.programCounter, .returnAddress])
        #expect(frames[0].printed?.name == "DB::Harbour::moor(int)")
        #expect(frames[0].printed?.location == SourceLocation(file: "./build/../src/harbour.cpp", line: 1853))
        #expect(frames[1].printed?.name == nil)
    }

    @Test func `exceptions`() throws {
        let report = try SampleLog(
            "2023.01.02 03:04:05.678901 [ 4242 ] {} <Error> TCPHandler: Code: 60. DB::Exception: no berth, Stack trace (when copying this message, always include the lines below):\n\n0. DB::Exception::Exception(DB::Exception::MessageMasked&&, int, bool) @ 0xe1207d5 in /usr/bin/clickhouse\n1. ? @ 0x15fed06 in /usr/bin/clickhouse\n"
        ).report()
        #expect(report.format == "clickhouse")
        #expect(report.threads[0].frames.allSatisfy { $0.kind == .returnAddress })
        #expect(report.threads[0].frames.map(\.imageLocation) == [0xe1207d5, 0x15fed06].map { .linkAddress(LinkAddress($0)) })
    }
}
