import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

struct XorgBacktraceTests {
    private func fixture(_ name: String) -> SampleLog { SampleLog(fixture: "xorg-backtrace/" + name) }

    @Test func `a file's base is its frames' place, a symbol where there is none`() throws {
        let report = try fixture("libqueue/xorg-base.log").report()
        #expect(
            report.process.name == "Xorg" && report.cause?.type == "Segmentation fault" && report.cause?.signal == "11"
                && report.cause?.address == RuntimeAddress(0x10))
        #expect(report.images.map(\.name) == ["Xorg", "libc.so.6", "libqueue.so.1"])
        #expect(report.images.map(\.base) == [nil, nil, RuntimeAddress(0x7f1c_2a00_0000)])
        let frames = report.threads[0].frames
        #expect(
            frames.map(\.imageLocation) == [
                .symbol(SymbolLocation(name: "xorg_backtrace", offset: 0x4d)), .symbol(SymbolLocation(name: "__restore_rt", offset: 0)),
                nil, nil,
                nil, .symbol(SymbolLocation(name: "_start", offset: 0x25)),
            ])
        // The signal's own frame, and the one that it interrupted.
        #expect(frames.map { $0.kind == .programCounter } == [false, true, true, false, false, false])
        let other = try fixture("libqueue/xorg-symbols.log").report()
        #expect(
            other.images[2].base == nil
                && other.threads[0].frames[3].imageLocation == .symbol(SymbolLocation(name: "queue_push", offset: 0x1d)))
    }

    /// A run of Debian's Xvfb 21.1.7 that was sent SIGSEGV.
    @Test func `a real server's log`() throws {
        let report = try fixture("Xvfb/xvfb.log").report()
        #expect(report.process.name == "Xvfb" && report.threads[0].frames.count == 10 && report.cause?.type == "SIGSEGV")
        #expect(report.cause?.message == "Received signal 11 sent by process 14016, uid 0")
        #expect(report.threads[0].frames[2].imageLocation == .symbol(SymbolLocation(name: "epoll_wait", offset: 0x13)))
    }

    @Test(.enabled(if: TestPaths.corpus != nil, "there is no corpus")) func `what abrt extracts`() throws {
        let root = TestPaths.corpus ?? ""
        let log = SampleLog(bytes: TestPaths.bytes(of: root + "/logs/xorg-backtrace/abrt-xorg_journal_crash1.test"))
        let report = try log.report()
        let upstream = String(decoding: try readFile(root + "/expected/upstream/abrt-xorg_journal_crash1.right"), as: UTF8.self)
        let rows = report.threads[0].frames.map { String(log.text(of: $0).dropFirst("(EE) ".count)) }
        #expect(rows + [report.cause?.message ?? ""] == upstream.split(separator: "\n").map(String.init))
        #expect(
            report.process.pid == 1115
                && report.threads[0].frames.map { $0.kind == .programCounter }.prefix(4) == [false, true, true, false])
        // `? (?+0x29) [0x29]`
        #expect(report.threads[0].frames[8].image == nil && report.threads[0].frames[8].imageLocation == nil)
    }

    @Test func `rows of other years`() throws {
        let report = try SampleLog(
            """
            Backtrace:
            0: /usr/bin/X(xorg_backtrace+0x3b) [0x81314bb]
            1: /usr/bin/X (0x8048000+0x5da8d) [0x80a5a8d]
            2: (vdso) (__kernel_rt_sigreturn+0x0) [0xa9a40c]
            3: ?? [0x29]
            4: [0xb804b400]
            5: <signal handler called>
            6: /usr/lib/x.so (a_name_that_was_cut...+0x12) [0xb7b58576]

            Registers at frame #6:
              rax: 0x0
              r15: 0x7ffe
            """
        ).report()
        let frames = report.threads[0].frames
        #expect(frames.map(\.hex) == ["0x81314bb", "0x80a5a8d", "0xa9a40c", "0x29", "0xb804b400", "none", "0xb7b58576"])
        #expect(frames.map(\.image) == [0, 0, nil, nil, nil, nil, 1] && report.images[0].base == RuntimeAddress(0x8048000))
        #expect(frames.map { $0.kind == .programCounter } == [false, false, true, true, false, true, true])
        #expect(frames[6].imageLocation == nil && frames[6].printed == nil)
        #expect(report.threads[0].registers?.values.map(\.name) == ["rax", "r15"])
    }

    @Test func `the heading alone is nobody's`() {
        #expect(SampleLog("Backtrace:\n1: foo\n").parsed().reports.isEmpty)
        #expect(SampleLog("Backtrace:\n\n\n").parsed().reports.isEmpty)
    }

    @Test func `answers stand behind the row`() throws {
        let log = fixture("libqueue/xorg-base.log")
        func result(_ frame: Frame) -> FrameResult? {
            frame.index == 3 ? .function("queue_push", offset: 29, "/src/queue.c", 23, column: 18).inlining("slot", "/src/queue.h", 7) : nil
        }
        let symbolicated = log.symbolicated(result)
        let row = "[   160.641] (EE) 3: /usr/lib/xorg/modules/libqueue.so.1 (queue_push+0x1d) [0x7f1c2a00106d]"
        #expect(
            symbolicated.text
                == log.text.replacing(row, with: row + " slot [inlined] at /src/queue.h:7\n" + row + " queue_push at /src/queue.c:23:18"))
        let frames = try symbolicated.report().threads[0].frames
        #expect(frames[3].isInlined && frames[4].printed?.location == SourceLocation(file: "/src/queue.c", line: 23, column: 18))
        #expect(symbolicated.symbolicated(result).bytes == symbolicated.bytes)
    }
}
