import BinaryPrimitives
import CrashLogModel
import CrashReports
import Testing

/// Rows as `sun.jvm.hotspot.tools.PStack` prints them.
struct HotSpotMixedStacksTests {
    private static let log = """
        Attaching to process ID 4970, please wait...
        ----------------- 4970 -----------------
        "main" #1 prio=5 tid=0x00007f1d2c0a53d0 nid=0x1368 runnable [0x0000000000000000]
           java.lang.Thread.State: RUNNABLE
           JavaThread state: _thread_blocked
        0x00007f1d35063f16\t__futex_abstimed_wait_common + 0xc6
        0x00007f1d350665d8\tmoor + 0x1e8
        0x00007f1d350665e0\tberth
        0x00007f1d1c4a83d0\t* java.lang.Thread.sleep(long) bci:0 (Interpreted frame)
        0x00007f1d1c4a83d8\t* Main.dock() bci:4 line:12 Method*:0x00007f1d00001000 (Compiled frame)
                          \t* Main.run() bci:9 line:20 Method*:0x00007f1d00001008 (Compiled frame)
        0x00007f1d1c4a0671\t<StubRoutines>
        0x00007f1d1c4b1a35\tjava.lang.Object.wait(long) + 0x55 (Native method)
        0x00007f1d35069999\t\t????????

        Locked ownable synchronizers:
            - None

        ----------------- 4971 -----------------
        0x00007f1d35063f16\t__futex_abstimed_wait_common + 0xc6

        """

    @Test func `threads, native frames and Java's`() throws {
        let report = try SampleLog(Self.log).report()
        #expect(report.format == "jvm-mixed-stacks")
        #expect(report.threads.map(\.index) == [4970, 4971] && report.threads.map(\.name) == ["main", nil])
        #expect(report.threads.allSatisfy { !$0.crashed })
        let frames = report.threads[0].frames
        #expect(
            frames.map(\.printed?.name) == [
                "__futex_abstimed_wait_common", "moor", "berth", "java.lang.Thread.sleep(long)", "Main.dock()", "Main.run()",
                "<StubRoutines>",
                "java.lang.Object.wait(long)", nil,
            ])
        // No file holds the code that the machine interprets or compiles.
        #expect(
            frames.map(\.address?.value) == [
                0x7f1d_3506_3f16, 0x7f1d_3506_65d8, 0x7f1d_3506_65e0, nil, nil, nil, nil, nil, 0x7f1d_3506_9999,
            ])
        #expect(
            frames.prefix(3).map(\.imageLocation) == [
                .symbol(SymbolLocation(name: "__futex_abstimed_wait_common", offset: 0xc6)),
                .symbol(SymbolLocation(name: "moor", offset: 0x1e8)),
                .symbol(SymbolLocation(name: "berth", offset: 0)),
            ])
        // The first row of each thread is its program counter.
        #expect(frames[0].kind == .programCounter && frames.dropFirst().allSatisfy { $0.kind == .returnAddress })
        #expect(report.threads[1].frames.map(\.kind) == [.programCounter])
    }

    @Test func `answers stand behind the rows, and are read again`() throws {
        let log = SampleLog(Self.log)
        func result(_ frame: Frame) -> FrameResult? {
            guard let address = frame.address?.value, address & 0xff == 0xd8 || address & 0xff == 0x99 else { return nil }
            return .function("moor", offset: 0x1e8, "/src/a.c", 12).inlining("tie", "/src/a.h", 3)
        }
        let symbolicated = log.symbolicated(result)
        #expect(
            symbolicated.text.contains(
                "0x00007f1d350665d8\ttie at /src/a.h:3 [inlined]\n0x00007f1d350665d8\tmoor + 0x1e8 at /src/a.c:12\n"),
            "\(symbolicated.text)")
        #expect(symbolicated.text.contains("0x00007f1d35069999\t\tmoor + 0x1e8 at /src/a.c:12\n"))
        let frames = try symbolicated.report().threads[0].frames
        #expect(frames.count { $0.isInlined } == 2)
        #expect(frames.filter { !$0.isInlined }.map(\.index) == Array(0..<9))
        #expect(frames.first { $0.printed?.name == "moor" }?.printed?.location == SourceLocation(file: "/src/a.c", line: 12))
        #expect(symbolicated.symbolicated(result).bytes == symbolicated.bytes)
    }

    @Test(arguments: ["----------------- main -----------------\n0x1\tx\n", "----------------- 4970 -----------------\nnothing\n"])
    func `other lines of dashes`(text: String) { #expect(SampleLog(text).parsed().reports.isEmpty) }
}
