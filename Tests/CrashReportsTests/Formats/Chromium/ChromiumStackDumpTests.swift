import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

struct ChromiumStackDumpTests {
    private func fixture() -> SampleLog { SampleLog(fixture: "chromium-misc/libqueue/dump.log") }
    private func corpus(_ name: String) -> SampleLog { SampleLog(corpus: "chromium-misc/clusterfuzz-\(name).txt") }

    @Test func `a signal's dump: what a row's file and number mean, and what was interrupted`() throws {
        let report = try fixture().report()
        #expect(report.cause?.type == "SIGSEGV" && report.cause?.signal == "11" && report.cause?.codes == "SEGV_MAPERR")
        #expect(report.cause?.address == RuntimeAddress(0x10))
        let frames = report.threads[0].frames
        // The program looks up the byte before; the interrupted instruction is the one in the
        // register `ip`, one further on.
        #expect(
            frames.map(\.imageLocation) == [
                .linkAddress(LinkAddress(0xa6a3bb1)), .linkAddress(LinkAddress(0x4251f)), .linkAddress(LinkAddress(0x1033)),
                .linkAddress(LinkAddress(0x106c)), .linkAddress(LinkAddress(0x1103)), nil,
            ])
        #expect(frames.map(\.kind) == [.exact, .exact, .programCounter, .exact, .exact, .returnAddress])
        #expect(report.images.map(\.name) == ["example", "libc.so.6", "libqueue.so.1"])
        #expect(report.threads[0].registers?.values.count == 19)
    }

    @Test func `an answer stands in front of the file`() throws {
        let log = fixture()
        func result(_ frame: Frame) -> FrameResult? {
            frame.index == 3
                ? .function("push(int)", offset: 29, "/src/queue.c", 23, column: 18).inlining("slot()", "/src/queue.h", 7)
                : frame.index == 5 ? .function("main", offset: 1) : nil
        }
        let symbolicated = log.symbolicated(result)
        let head = "#3 0x7f1c2a00106d "
        #expect(
            symbolicated.text
                == log.text.replacing(
                    head + "(/opt/example/libqueue.so.1+0x106c)",
                    with: head + "slot() [inlined] [/src/queue.h:7] (/opt/example/libqueue.so.1+0x106c)\n" + head
                        + "push(int) [/src/queue.c:23,18] (/opt/example/libqueue.so.1+0x106c)"
                ).replacing("0x59903852280c <unknown>", with: "0x59903852280c main"))
        let frames = try symbolicated.report().threads[0].frames
        #expect(
            frames[3].isInlined
                && frames[4].printed
                    == PrintedSymbol(name: "push(int)", location: SourceLocation(file: "/src/queue.c", line: 23, column: 18))
        )
        #expect(frames[4].imageLocation == .linkAddress(LinkAddress(0x106c)))
        #expect(symbolicated.symbolicated(result).bytes == symbolicated.bytes)
    }

    @Test(.enabled(if: TestPaths.corpus != nil, "there is no corpus")) func `rows of all platforms`() throws {
        let mac = try corpus("check_failure_chrome_mac").report()
        #expect(
            mac.process.pid == 15121 && mac.cause?.codes == "fling_curve.cc(48)"
                && mac.cause?.message == "Check failed: max_start_velocity > 0 (0 vs. 0)")
        #expect(mac.threads[0].frames[0].printed == PrintedSymbol(name: "_ZN4base5debug10StackTraceC1Ev", offset: 19))
        let windows = try corpus("check_log_message").report()
        #expect(windows.threads[0].frames[0].hex == "0x7ff9b2ddc1ba")
        #expect(
            windows.threads[0].frames[0].printed
                == PrintedSymbol(
                    name: "base::debug::CollectStackTrace", offset: 58,
                    location: SourceLocation(file: "base/debug/stack_trace_win.cc", line: 332)))
        let bare = try corpus("generic_segv").report()
        #expect(bare.threads[0].frames.map(\.hex) == ["0x7f6b13882bf1", "0x7f6b137dadb5", "0x7f6b0d5c2340", "0x7f69a09750a9"])
        let old = try corpus("v8_unimplemented_code").report()
        #expect(old.cause?.message == "unimplemented code" && old.threads[0].frames.map(\.index) == Array(1...17))
        #expect(old.threads[0].frames[15].address == nil && old.threads[0].frames[15].printed?.name == "__libc_start_main")
        // A failed check's stack, then the signal's.
        let reports = corpus("security_dcheck_failure").parsed().reports
        #expect(reports.map { $0.threads[0].frames.count } == [45, 50] && reports.map(\.cause?.type) == ["FATAL", "SIGABRT"])
        // `ip: 00007f48990abcc9` is frame 4's address.
        #expect(reports[1].threads[0].frames.indices.filter { reports[1].threads[0].frames[$0].kind == .programCounter } == [4])
    }

    /// ClusterFuzz' own expected states of these logs: the first frames that it does not pass over,
    /// functions without their parameters.
    @Test(
        .enabled(if: TestPaths.corpus != nil, "there is no corpus"),
        arguments: [
            ("cfi_nodebug", ["abc::def", "foo", "bar"], 0),
            (
                "security_dcheck_failure",
                ["ui::LatencyInfo::AddLatencyNumberWithTimestampImpl", "ui::LatencyInfo::AddLatencyNumberWithTimestamp"], 3
            ),
            (
                "check_failure_with_assert_message",
                ["content::RenderProcessHostImpl::CheckAllTerminated", "content::BrowserMainLoop::ShutdownThreadsAndCleanUp"], 3
            ),
            ("check_log_message", ["base::internal::AssertBaseSyncPrimitivesAllowed"], 6),
        ]) func `the frames that ClusterFuzz reads`(name: String, functions: [String], first: Int) throws
    {
        let frames = try #require(corpus(name).parsed().reports.first).threads[0].frames
        let names = frames[first...].prefix(functions.count).map { String(($0.printed?.name ?? "").prefix { $0 != "(" }) }
        #expect(names == functions)
    }

    /// Row 13 of ClusterFuzz' `check_failure_with_msan_abrt` is indented.
    @Test func `one blank in front of a row`() throws {
        let log =
            "[1:1:0412/075451.163515:FATAL:a.cc(57)] Check failed: x\n"
            + "#0 0x29f221 <unknown>\n #1 0x3847a7 <unknown>\n#2 0x3813e9 <unknown>\n"
        let report = try SampleLog(log).report()
        #expect(report.format == "chromium-misc" && report.threads[0].frames.map(\.hex) == ["0x29f221", "0x3847a7", "0x3813e9"])
    }

    @Test func `other programs' rows and words are not Chromium's`() {
        for text in [
            "Received signal 11. Backtrace:\n0x1, f at a:1\n", "(EE) Received signal 11 sent by process 4025, uid 0\n",
            "    #0 0x4a2b3c in main /a.c:3\n",
            "#0  0x00007f48 in raise () from /lib/libc.so.6\n", "#0 0xffffffff80aada97 at kdb_backtrace+0x67\n",
            "[1:1:0412/075451.163515:FATAL:a.cc(57)] x\n",
            "# Fatal error in a.cc, line 2\n# x\n#\n",
        ] { #expect(!SampleLog(text).parsed().reports.contains { $0.format == "chromium-misc" }, "\(text)") }
    }
}
