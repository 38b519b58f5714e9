import BinaryPrimitives
import CrashLogFormats
import CrashLogModel
import CrashReports
import Testing

/// Contents of the other sanitizers' reports. The texts are those of gcc 12's and clang 21's
/// runtimes, shortened.
struct SanitizerFamilyTests {
    @Test func `ThreadSanitizer`() throws {
        let report = try SampleLog(
            """
            ==================
            WARNING: ThreadSanitizer: data race (pid=9292)
              Read of size 4 at 0x7b0400000000 by thread T1:
                #0 <null> <null> (race+0x1233)
                #1 <null> <null> (race+0x128d)

              Previous write of size 4 at 0x7b0400000000 by main thread (mutexes: write M9):
                #0 <null> <null> (race+0x1240)

              Mutex M9 (0x5555555580c0) created at:
                #0 <null> <null> (libtsan.so.2+0x50468)

              Thread T1 (tid=9294, running) created by main thread at:
                #0 <null> <null> (libtsan.so.2+0x5e686)

            SUMMARY: ThreadSanitizer: data race (/src/race+0x1233)\u{20}
            ==================
            """
        ).report()
        #expect(report.format == "sanitizer-tsan" && report.process.pid == 9292 && report.threads[0].index == 1)
        #expect(report.cause?.type == "data race" && report.cause?.address == RuntimeAddress(0x7b04_0000_0000))
        #expect(
            report.additionalBacktraces.map(\.name) == [
                "Previous write of size 4 at 0x7b0400000000 by main thread (mutexes: write M9):", "Mutex M9 (0x5555555580c0) created at:",
                "Thread T1 (tid=9294, running) created by main thread at:",
            ])
        #expect(report.images.map(\.name) == ["race", "libtsan.so.2"])
        #expect(report.allFrames.allSatisfy { $0.address == nil && $0.kind == .exact && $0.image != nil })
        #expect(report.threads[0].frames.map(\.imageLocation) == [.linkAddress(LinkAddress(0x1233)), .linkAddress(LinkAddress(0x128d))])
    }

    @Test func `LeakSanitizer's blocks are nobody's thread`() throws {
        let report = try SampleLog(
            """
            ==9345==ERROR: LeakSanitizer: detected memory leaks

            Direct leak of 8 byte(s) in 1 object(s) allocated from:
                #0 0x7ffff7813545  (/lib/liblsan.so.0+0x13545)

            Indirect leak of 16 byte(s) in 2 object(s) allocated from:
                #0 0x7ffff7813545  (/lib/liblsan.so.0+0x13545)
                #1 0x555555555146  (/src/leak+0x1146)

            SUMMARY: AddressSanitizer: 24 byte(s) leaked in 3 allocation(s).
            """
        ).report()
        #expect(report.format == "sanitizer-lsan" && report.threads.isEmpty)
        #expect(
            report.additionalBacktraces.map(\.name) == [
                "Direct leak of 8 byte(s) in 1 object(s) allocated from:", "Indirect leak of 16 byte(s) in 2 object(s) allocated from:",
            ])
        #expect(report.cause?.type == "detected memory leaks" && report.cause?.message == "24 byte(s) leaked in 3 allocation(s).")
    }

    @Test func `MemorySanitizer's origins`() throws {
        let report = try SampleLog(
            """
            ==9354==WARNING: MemorySanitizer: use-of-uninitialized-value
                #0 0x55555562e50d  (/src/msan+0xda50d)

              Uninitialized value was stored to memory at
                #0 0x55555562e510  (/src/msan+0xda510)

              Uninitialized value was created by a heap allocation
                #0 0x55555562d659  (/src/msan+0xd9659)
                #1 0x55555562e515  (/src/msan+0xda515)

            SUMMARY: MemorySanitizer: use-of-uninitialized-value (/src/msan+0xda50d)\u{20}
            Exiting
            """
        ).report()
        #expect(report.format == "sanitizer-msan" && report.cause?.type == "use-of-uninitialized-value" && report.threads.count == 1)
        #expect(
            report.additionalBacktraces.map(\.name) == [
                "Uninitialized value was stored to memory at", "Uninitialized value was created by a heap allocation",
            ])
    }

    @Test func `undefined behaviour with a stack and without`() throws {
        let reports = SampleLog(
            """
            ub.cpp:3:62: runtime error: signed integer overflow: 1 + 2147483647 cannot be represented in type 'int'
                #0 0x555555555175  (/src/ub+0x1175)
                #1 0x555555555189  (/src/ub+0x1189)

            ub.cpp:4:90: runtime error: shift exponent 33 is too large for 32-bit type 'int'
            printed by the program
            a.cc:39:3: runtime error: member call on address 0x15577a7fc900 which does not point to an object of type 'A'
            0x15577a7fc900: note: object is of type 'B'
             00 00 00 00  38 f7 74 89 0e 7f 00 00  5c 9b 8c 07
                          ^~~~~~~~~~~~~~~~~~~~~~~
                          vptr for 'B'
                #0 0x555555555199  (/src/ub+0x1199)
            SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior a.cc:39:3 in
            """
        ).parsed().reports
        #expect(reports.map(\.format) == ["sanitizer-ubsan", "sanitizer-ubsan", "sanitizer-ubsan"])
        #expect(reports.map(\.allFrames.count) == [2, 0, 1])
        #expect(reports.allSatisfy { $0.cause?.type == "undefined-behavior" })
        #expect(reports[1].cause?.message == "ub.cpp:4:90: shift exponent 33 is too large for 32-bit type 'int'")
    }

    @Test(
        arguments: [
            "panic: runtime error: index out of range [5] with length 3", "goroutine 1: runtime error: x",
            "runtime error: file a.xsl line 3 element b",
            "Fortran runtime error: End of file", "At line 5: runtime error: x",
        ]) func `other runtime errors`(line: String)
    {
        #expect(!SampleLog(line + "\n").parsed().reports.contains { $0.format == "sanitizer-ubsan" })
    }

    @Test func `HWAddressSanitizer`() throws {
        let report = try SampleLog(
            """
            ==26506==ERROR: HWAddressSanitizer: tag-mismatch on address 0x005a5f652fff at pc 0x00635f670774
            READ of size 1 at 0x005a5f652fff tags: 3a/41 (ptr/mem) in thread T3
                #0 0x635f670774  (/system/bin/fuzzer+0x10774)

            Cause: use-after-free
            0x005a5f652fff is located 4 bytes inside a 40-byte region [0x005a5f652000,0x005a5f653000)
            freed by thread T0 here:
                #0 0x635f670000  (/system/bin/fuzzer+0x10000)

            Memory tags around the buggy address (one tag corresponds to 16 bytes):
              0x6805fffff800: 00  00  00
            =>0x680600000000:[89] 89  89
            Registers where the failure occurred (pc 0x00635f670774):
                x0  3a00005a5f652fff  x1  0000000000000001
            SUMMARY: HWAddressSanitizer: tag-mismatch (/system/bin/fuzzer+0x10774)\u{20}
            """
        ).report()
        #expect(report.format == "sanitizer-hwasan" && report.cause?.type == "use-after-free" && report.threads[0].index == 3)
        #expect(report.additionalBacktraces.map(\.name) == ["freed by thread T0 here:"])
        #expect(report.threads[0].registers?.values.map(\.value) == [0x3a00_005a_5f65_2fff, 1])
    }

    @Test func `libFuzzer's heading is no prefix of valgrind's`() throws {
        let report = try SampleLog(
            """
            ==9356== ERROR: libFuzzer: deadly signal
                #0 0x5555555c4774  (/src/fuzz+0x70774)
                #1 0x555555598848  (/src/fuzz+0x44848)

            NOTE: libFuzzer has rudimentary signal handlers.
                  Combine libFuzzer with AddressSanitizer or similar for better crash reports.
            SUMMARY: libFuzzer: deadly signal
            """
        ).report()
        #expect(report.format == "sanitizer-libfuzzer" && report.process.pid == 9356 && report.cause?.type == "deadly signal")
        #expect(report.allFrames.count == 2)
    }

    @Test func `GWP-ASan's rows are raw`() throws {
        let report = try SampleLog(
            """
            *** GWP-ASan detected a memory error ***
            Use after free at 0x7feccab26000 (0 bytes into a 41-byte allocation at 0x7feccab26000) by thread 31027 here:
              #9 ./a.out(_ZSt3foo+0x45) [0x55585c0afa55]
              #10 ./a.out(+0x9f) [0x55585c0af7cf]
              #11 0x55585c0af7d0

            0x7feccab26000 was deallocated by thread 31027 here:
              #7 ./a.out(main+0x83) [0x55585c0af7b3]

            *** End GWP-ASan report ***
            """
        ).report()
        #expect(report.format == "sanitizer-gwp-asan" && report.cause?.type == "Use after free" && report.threads[0].index == 31027)
        #expect(report.allFrames.allSatisfy { $0.kind == .returnAddress })
        #expect(report.allFrames[0].imageLocation == .symbol(SymbolLocation(name: "_ZSt3foo", offset: 0x45)))
        #expect(
            report.allFrames[1].imageLocation == .linkAddress(LinkAddress(0x9f))
                && report.allFrames[2].address == RuntimeAddress(0x5558_5c0a_f7d0))
        #expect(report.additionalBacktraces.map(\.name) == ["0x7feccab26000 was deallocated by thread 31027 here:"])
    }
}
