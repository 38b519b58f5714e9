import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

struct LLDBTests {
    @Test func `threads, the selected frame, and the reason`() throws {
        let report = try SampleLog(
            """
            (lldb) bt
            * thread #1, queue = 'com.apple.main-thread', stop reason = EXC_BREAKPOINT (code=1, subcode=0x104a383d4)
              * frame #0: 0x0000000104a383d4 Demo`boom + 12
                frame #1: 0x0000000104a383f8 Demo`___lldb_unnamed_symbol4 + 32
                frame #2: 0x0000000104a38408 Demo`main + 16
                frame #3: 0x00000001c1dd8dec dyld`start + 2220
              thread #2
                frame #0: 0x00000001c1dd8000 libsystem_pthread.dylib`start_wqthread

            """
        ).report()
        #expect(report.format == "lldb-bt")
        #expect(report.cause?.type == "EXC_BREAKPOINT" && report.cause?.codes == "code=1, subcode=0x104a383d4")
        #expect(report.threads.map(\.index) == [1, 2] && report.threads.map(\.crashed) == [true, false])
        #expect(report.threads[0].name == "com.apple.main-thread")
        let frames = report.threads[0].frames
        #expect(frames.map(\.kind) == [.programCounter, .returnAddress, .returnAddress, .returnAddress])
        #expect(frames.map(\.printed?.name) == ["boom", nil, "main", "start"])
        #expect(frames.map(\.imageName) == ["Demo", "Demo", "Demo", "dyld"])
        #expect(frames[1].imageLocation == nil)
        #expect(report.threads[1].frames.map(\.kind) == [.programCounter])
    }

    @Test func `on Linux`() throws {
        let report = try SampleLog(
            """
            * thread #1, name = 'harbour', stop reason = signal SIGSEGV: invalid address (fault address: 0x6a6f00)
              * frame #0: 0x0000000000450158 harbour`moor + 197
                frame #1: 0x000055b8c46881f8 harbour`___lldb_unnamed_symbol696$$harbour + 8
                frame #2: 0x00007f43885c5d2d

            """
        ).report()
        #expect(report.cause?.signal == "SIGSEGV" && report.cause?.address == RuntimeAddress(0x6a6f00))
        #expect(report.allFrames.map(\.hex) == ["0x450158", "0x55b8c46881f8", "0x7f43885c5d2d"])
        #expect(report.allFrames.map(\.printed?.name) == ["moor", nil, nil])
        #expect(report.allFrames.map(\.kind) == [.programCounter, .returnAddress, .returnAddress])
    }

    @Test func `arguments, inlined calls, places, and the frame where it stopped`() throws {
        let report = try SampleLog(
            """
            Process 77 stopped
            * thread #1, queue = 'com.apple.main-thread', stop reason = EXC_BAD_ACCESS (code=1, address=0x8)
                frame #0: 0x0000000100003f6c a.out`main(argc=1, argv=0x00007ff7bfeff8a8) at t.c:3:8 [opt]
               1   \tint main(){
               2   \t  int *p = 0;
            -> 3   \t  *p = 1;
            (lldb) bt
            * thread #1, queue = 'com.apple.main-thread', stop reason = EXC_BAD_ACCESS (code=1, address=0x8)
              * frame #0: 0x0000000100003f6c a.out`main [inlined] boom(x=3) at t.c:2:8 [opt]
                frame #1: 0x0000000100003f6c a.out`main(argc=1, argv=0x00007ff7bfeff8a8) at t.c:3:8 [opt]
                frame #2: 0x00007ff80c1d6310 dyld`start + 2432

            """
        ).report()
        #expect(report.cause?.address == RuntimeAddress(8))
        #expect(report.threads.count == 1)
        let frames = report.threads[0].frames
        #expect(frames.map(\.printed?.name) == ["boom", "main", "start"])
        #expect(frames.map(\.isInlined) == [true, false, false])
        #expect(frames.map(\.kind) == [.programCounter, .programCounter, .returnAddress])
        #expect(frames[0].printed?.location == SourceLocation(file: "t.c", line: 2, column: 8))
    }

    @Test func `the old form, and a stack that was cut at its top`() throws {
        let old = try SampleLog(
            """
            * thread #1: tid = 0x161ef6, 0x0000000104a383d4 Demo`boom + 12, queue = 'com.apple.main-thread', stop reason = signal SIGABRT
              * frame #0: 0x0000000104a383d4 Demo`boom + 12
                frame #1: 0x0000000104a38408 Demo`main + 16

            """
        ).report()
        #expect(old.cause?.signal == "SIGABRT" && old.threads[0].name == "com.apple.main-thread")
        let cut = try SampleLog(
            "    frame #4: 0x0000000104a383f8 Demo`outer + 32\n    frame #5: 0x0000000104a38408 Demo`main + 16\n"
        ).report()
        #expect(cut.format == "lldb-bt" && cut.allFrames.map(\.index) == [4, 5])
        #expect(cut.allFrames.allSatisfy { $0.kind == .returnAddress })
    }

    @Test func `an answer behind a row is read again`() throws {
        let log = SampleLog("* thread #1, stop reason = signal SIGTRAP\n  * frame #0: 0x0000000104a383d4 Demo`boom + 12\n")
        let symbolicated = log.symbolicated { _ in FrameResult.function("boom", offset: 12, "/src/demo.c", 5, image: "Demo") }
        #expect(symbolicated.text.contains("Demo`boom + 12 ==> boom at /src/demo.c:5\n"))
        let frame = try #require(symbolicated.parsed().reports.first?.allFrames.first)
        #expect(frame.printed?.name == "boom" && frame.printed?.location == SourceLocation(file: "/src/demo.c", line: 5))
    }
}

struct XcodeNavigatorTests {
    @Test(arguments: ["\t", "  "]) func `threads and rows, with tabs or blanks`(blank: String) throws {
        let report = try SampleLog(
            [
                "Thread 1 Queue : com.apple.main-thread (serial)",
                "#0\(blank)0x0000000104a383d4 in thunk for @escaping @callee_guaranteed () -> () ()",
                "#1\(blank)0x0000000104a383f8 in outer ()", "#2\(blank)0x0000000104a38408 in main ()", "Thread 2",
                "#0\(blank)0x00000001c1dd8000 in start_wqthread ()", "",
            ].joined(separator: "\n")
        ).report()
        #expect(report.format == "xcode-navigator" && report.threads.map(\.index) == [1, 2])
        #expect(report.threads[0].name == "com.apple.main-thread")
        let frames = report.threads[0].frames
        #expect(frames.map(\.kind) == [.programCounter, .returnAddress, .returnAddress])
        #expect(frames.map(\.printed?.name) == ["thunk for @escaping @callee_guaranteed () -> ()", "outer", "main"])
        #expect(report.threads[1].frames.map(\.kind) == [.programCounter])
    }

    @Test func `rows of gdb's kind without its arguments are rows`() throws {
        let report = try SampleLog(
            "#0  0x0000000104a383d4 in boom()\n#1  0x0000000104a383f8 in (Unknown)\n#2  0x0000000104a38408 in main\n#3  0x00000001c1dd8dec in start\n"
        ).report()
        #expect(report.allFrames.map(\.printed?.name) == ["boom()", nil, "main", "start"])
    }
}
