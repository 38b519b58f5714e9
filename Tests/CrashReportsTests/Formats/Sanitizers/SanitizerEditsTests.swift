import BinaryPrimitives
import CrashLogFormats
import CrashLogModel
import Testing

/// Results written as the runtime writes them with its symbolizer on.
struct SanitizerEditsTests {
    private let inlined = FrameResult.function("use(int)", offset: 9, "/src/s.cpp", 21, column: 70).inlining(
        "sum(int)", "/src/s.cpp", 11, column: 12)

    private let log = SampleLog(
        """
        ==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x60 at pc 0x41 bp 0x1 sp 0x1
        READ of size 4 at 0x60 thread T0
            #0 0x1000  (/src/lib.so+0x100) (BuildId: 00ff)
            #1 0x2000  (/src/main+0x200)
            #2 0x3000  (/src/main+0x300)

        SUMMARY: AddressSanitizer: heap-use-after-free (/src/lib.so+0x100) (BuildId: 00ff)\u{20}
        ==1==ABORTING

        """)

    /// Rows below inlined calls take higher numbers, resolved or not: what the runtime's own
    /// counter does.
    @Test func `numbers go on, and the summary is answered`() {
        let symbolicated = log.symbolicated { $0.index == 0 ? inlined : nil }
        #expect(
            symbolicated.text == """
                ==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x60 at pc 0x41 bp 0x1 sp 0x1
                READ of size 4 at 0x60 thread T0
                    #0 0x1000 in sum(int) /src/s.cpp:11:12
                    #1 0x1000 in use(int) /src/s.cpp:21:70
                    #2 0x2000  (/src/main+0x200)
                    #3 0x3000  (/src/main+0x300)

                SUMMARY: AddressSanitizer: heap-use-after-free /src/s.cpp:11:12 in sum(int)
                ==1==ABORTING

                """)
        // Symbolicated in two steps, the numbers are those of one.
        let both = symbolicated.symbolicated { $0.address == RuntimeAddress(0x2000) ? inlined : nil }
        #expect(both.text == log.symbolicated { $0.index < 2 ? inlined : nil }.text)
        #expect(both.text.contains("    #3 0x2000 in use(int) /src/s.cpp:21:70\n    #4 0x3000  (/src/main+0x300)\n"))
    }

    @Test func `a name without a place leaves the module`() {
        let symbolicated = log.symbolicated { $0.index == 0 ? .function("f", offset: 3) : nil }
        #expect(symbolicated.text.contains("    #0 0x1000 in f (/src/lib.so+0x100) (BuildId: 00ff)\n    #1 0x2000 "))
        #expect(symbolicated.text.contains("heap-use-after-free (/src/lib.so+0x100) (BuildId: 00ff) in f \n"))
        #expect(symbolicated.symbolicated { $0.index == 0 ? .function("f", offset: 3) : nil }.text == symbolicated.text)
    }

    @Test func `ThreadSanitizer's rows keep their module`() {
        let log = SampleLog(
            "WARNING: ThreadSanitizer: data race (pid=1)\n  Read of size 4 at 0x7b by thread T1:\n    #0 <null> <null> (race+0x10) (BuildId: 00ff)\n    #1 <null> <null> (race+0x20)\n\n"
        )
        let symbolicated = log.symbolicated { $0.index == 0 ? inlined : .function("main", offset: 1) }
        #expect(
            symbolicated.text.hasSuffix(
                """
                    #0 sum(int) /src/s.cpp:11:12 (race+0x10) (BuildId: 00ff)
                    #1 use(int) /src/s.cpp:21:70 (race+0x10)
                    #2 main <null> (race+0x20)


                """))
        #expect(symbolicated.symbolicated { _ in inlined }.text.contains("#2 sum(int) /src/s.cpp:11:12 (race+0x20)\n    #3 use(int)"))
        #expect(symbolicated.symbolicated { $0.imageLocation == .linkAddress(LinkAddress(0x10)) ? inlined : nil }.text == symbolicated.text)
    }

    /// One address in all rows: recursion, each frame with the same inlined call.
    @Test func `recursion is not inlining`() throws {
        var text = "==1==ERROR: AddressSanitizer: stack-overflow on address 0x60 (pc 0x41 bp 0x1 sp 0x1 T0)\n"
        for index in 0..<4 { text += "    #\(index) 0x1000  (/src/main+0x100)\n" }
        let symbolicated = SampleLog(text).symbolicated { _ in inlined }
        let frames = try symbolicated.report().allFrames
        #expect(frames.count == 8 && frames.map(\.isInlined) == [true, false, true, false, true, false, true, false])
        #expect(frames.map(\.index) == Array(0..<8))
        #expect(symbolicated.symbolicated { _ in inlined }.text == symbolicated.text)
    }

    /// The runtime looks for the first call that is not its own (`FrameIsInternal`).
    @Test func `the summary passes over the runtime`() {
        let own = FrameResult.function("__hwasan_load4", offset: 1, "/b/llvm-project/compiler-rt/lib/hwasan/hwasan.cpp", 507)
        let symbolicated = log.symbolicated { $0.index == 0 ? own : inlined }
        #expect(symbolicated.text.contains("SUMMARY: AddressSanitizer: heap-use-after-free /src/s.cpp:11:12 in sum(int)\n"))
    }

    @Test func `versions and dots are left out as the runtime does`() {
        let symbolicated = log.symbolicated { _ in
            .function("__libc_start_main@GLIBC_2.2.5", offset: 1, "./csu/../csu/libc-start.c", 360, column: 3)
        }
        #expect(symbolicated.text.contains("    #0 0x1000 in __libc_start_main csu/../csu/libc-start.c:360:3\n"))
        #expect(log.symbolicated { _ in .function("@objc A.b", offset: 1) }.text.contains(" in @objc A.b (/src/main+0x200)\n"))
    }

    @Test func `GWP-ASan's rows keep all they say`() {
        let log = SampleLog(
            "*** GWP-ASan detected a memory error ***\nUse after free at 0x7f by thread 3 here:\n  #9 ./a.out(+0x45) [0x1000]\n  #10 ./a.out(main+0x1) [0x2000]\n"
        )
        let symbolicated = log.symbolicated { _ in inlined }
        #expect(
            symbolicated.text.hasSuffix(
                """
                  #9 ./a.out(+0x45) [0x1000] in sum(int) /src/s.cpp:11:12
                  #9 ./a.out(+0x45) [0x1000] in use(int) /src/s.cpp:21:70
                  #10 ./a.out(main+0x1) [0x2000] in sum(int) /src/s.cpp:11:12
                  #10 ./a.out(main+0x1) [0x2000] in use(int) /src/s.cpp:21:70

                """))
        #expect(symbolicated.symbolicated { _ in inlined }.text == symbolicated.text)
    }
}
