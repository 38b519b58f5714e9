import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

struct BoostStacktraceTests {
    @Test func `rows with a name have no address`() throws {
        let report = try SampleLog(CardSample.text("boost-stacktrace")).report()
        let frames = report.threads[0].frames
        #expect(frames.map(\.index) == [0, 1, 2, 3, 4] && frames.allSatisfy { $0.kind == .returnAddress })
        #expect(frames.map(\.hex) == ["none", "none", "0x7fcb3b24524a", "none", "none"])
        #expect(frames.map { $0.printed?.name } == ["harbour::moor(int)", "main", nil, "__libc_start_main", "_start"])
        #expect(frames.map(\.imageName) == ["bo", "bo", "libc.so.6", "libc.so.6", "bo"])
    }

    @Test func `places in the source`() throws {
        let frames = try SampleLog(
            " 0# 0x00007FFFE8AA7B0F in /opt/lib/libharbour.so\n 1# moor(int) at /src/harbour.cpp:12\n 2# 0x0000555555554ABC in ./harbour\n"
        ).report().threads[0].frames
        #expect(frames.map(\.hex) == ["0x7fffe8aa7b0f", "none", "0x555555554abc"])
        #expect(frames[1].printed == PrintedSymbol(name: "moor(int)", location: SourceLocation(file: "/src/harbour.cpp", line: 12)))
    }

    @Test func `names alone are no stack`() { #expect(SampleLog(" 0# moor(int) in ./a\n 1# main in ./a\n").parsed().reports.isEmpty) }
}
