import BinaryPrimitives
import CrashLogFormats
import CrashLogModel
import CrashReports
import Testing

/// Contents of AddressSanitizer's reports besides their rows. The texts are those of gcc 12's and
/// clang 21's runtimes, shortened.
struct AddressSanitizerTests {
    private let report = """
        =================================================================
        ==9024==ERROR: AddressSanitizer: heap-use-after-free on address 0x604000000014 at pc 0x7ffff7fb3295 bp 0x7fffffffe6a0 sp 0x7fffffffe698
        READ of size 4 at 0x604000000014 thread T1 (worker)
            #0 0x7ffff7fb3294  (/src/libstore.so+0x1294)
            #1 0x5555555551d2  (/src/main+0x11d2)

        0x604000000014 is located 4 bytes inside of 40-byte region [0x604000000010,0x604000000038)
        freed by thread T0 here:
            #0 0x7ffff78b76a8  (/lib/libasan.so.8+0xb76a8)

        previously allocated by thread T0 here:
            #0 0x7ffff78b89cf  (/lib/libasan.so.8+0xb89cf)
            #1 0x7ffff7fb31c4  (/src/libstore.so+0x11c4)

        Thread T1 (worker) created by T0 here:
            #0 0x7ffff78b8000  (/lib/libasan.so.8+0xb8000)

        SUMMARY: AddressSanitizer: heap-use-after-free (/src/libstore.so+0x1294)\u{20}
        Shadow bytes around the buggy address:
          0x0c087fff7fb0: 00 00 00 00
        =>0x0c087fff8000: fa fa[fd]fd
        Shadow byte legend (one shadow byte represents 8 application bytes):
          Addressable:           00
          Partially addressable: 01 02 03 04 05 06 07\u{20}
        ==9024==ABORTING
        after
        """

    @Test func `each stack keeps its meaning`() throws {
        let report = try SampleLog(report).report()
        #expect(report.format == "sanitizer-asan" && report.process.pid == 9024)
        let thread = try #require(report.threads.first)
        #expect(report.threads.count == 1 && thread.index == 1 && thread.name == "worker" && thread.crashed && thread.frames.count == 2)
        #expect(
            report.additionalBacktraces.map(\.name) == [
                "freed by thread T0 here:", "previously allocated by thread T0 here:", "Thread T1 (worker) created by T0 here:",
            ])
        #expect(report.additionalBacktraces.map(\.frames.count) == [1, 2, 1])
        #expect(report.images.map(\.path) == ["/src/libstore.so", "/src/main", "/lib/libasan.so.8"])
        #expect(thread.registers == RegisterState(values: [("pc", 0x7fff_f7fb_3295), ("bp", 0x7fff_ffff_e6a0), ("sp", 0x7fff_ffff_e698)]))
    }

    @Test func `what happened`() throws {
        let cause = try #require(try SampleLog(report).report().cause)
        #expect(cause.kind == .runtimeError && cause.type == "heap-use-after-free" && cause.address == RuntimeAddress(0x6040_0000_0014))
        #expect(cause.message?.hasSuffix("; READ of size 4 at 0x604000000014 thread T1 (worker)") == true)
    }

    /// The runtime has subtracted; the heading's pc is one more than the first row's address.
    @Test func `addresses are looked up as they are`() throws {
        let report = try SampleLog(report).report()
        #expect(report.allFrames.allSatisfy { $0.kind == .exact && $0.lookupAddress() == $0.address })
        #expect(report.threads[0].frames[0].imageLocation == .linkAddress(LinkAddress(0x1294)))
    }

    @Test func `a signal`() throws {
        let report = try SampleLog(
            """
            AddressSanitizer:DEADLYSIGNAL
            =================================================================
            ==1328==ERROR: AddressSanitizer: ABRT on unknown address 0x053900000530 (pc 0x7ca64c12000b bp 0x7ffe20c6caa0 sp 0x7ffe20c6c6f0 T8)
            ==1328==WARNING: invalid path to external symbolizer!
            ==1328==The signal is caused by a READ memory access.
                #0 0x7ca64c12000b  (/lib/libc.so.6+0x4300b) (BuildId: 0702430aef5fa3dda43986563e9ffcc47efbd75e)

            ==1328==Register values:
            rax = 0x0000000000000000  rbx = 0x00007ca634368940
             r8 = 0x0000000000000000   r9 = 0x00007ffe20c6c6f0
            AddressSanitizer can not provide additional info.
            SUMMARY: AddressSanitizer: ABRT (/lib/libc.so.6+0x4300b) (BuildId: 0702430aef5fa3dda43986563e9ffcc47efbd75e)
            Thread T8 created by T7 here:
                #0 0xb2354f89  (/lib/libasan.so+0x4f89)
            ==1328==ABORTING
            """
        ).report()
        #expect(report.cause?.kind == .signal && report.cause?.signal == "SIGABRT" && report.cause?.type == "ABRT")
        #expect(report.threads[0].index == 8 && report.cause?.address == RuntimeAddress(0x539_0000_0530))
        let values = try #require(report.threads[0].registers?.values)
        #expect(values.map(\.name) == ["rax", "rbx", "r8", "r9"] && values[1].value == 0x7ca6_3436_8940)
        #expect(report.additionalBacktraces.map(\.name) == ["Thread T8 created by T7 here:"])
        #expect(report.images[0].id?.hexadecimal == "0702430aef5fa3dda43986563e9ffcc47efbd75e")
    }

    /// Before 2013 the runtime wrote blanks after the process.
    @Test func `old reports`() throws {
        let report = try SampleLog(
            """
            ==12254== ERROR: AddressSanitizer heap-use-after-free
            ==12254== ERROR: AddressSanitizer: heap-use-after-free on address 0x7f0c at pc 0x40 bp 0x7f sp 0x7e
            READ of size 1 at 0x7f0c thread T0
                #0 0x40 (/src/a.out+0x40)
            ==12254== ABORTING
            """
        ).report()
        #expect(report.process.pid == 12254 && report.allFrames.count == 1)
    }

    @Test func `a map tells where the images lie`() throws {
        let linux = try SampleLog(
            """
            ==7==ERROR: AddressSanitizer: SEGV on unknown address 0x0 (pc 0x401136 bp 0x0 sp 0x0 T0)
                #0 0x401136  (/src/main+0x401136)
                #1 0x7f0000001010 in f
            ==7==Process memory map follows:
            \t0x000000400000-0x000000401000\t/src/main
            \t0x000000401000-0x000000402000\t/src/main
            \t0x7f0000000000-0x7f0000002000\t/lib/libf.so
            \t0x7ffd00000000-0x7ffd00010000\t[stack]
            ==7==End of process memory map.
            SUMMARY: AddressSanitizer: SEGV (/src/main+0x401136)\u{20}
            ==7==ABORTING
            """
        ).report()
        #expect(linux.images.map(\.name) == ["main", "libf.so"])
        #expect(linux.images[0].base == RuntimeAddress(0x400000) && linux.images[0].size == 0x2000)
        #expect(linux.allFrames.map(\.image) == [0, 1])
        // On Apple's systems the map follows the last message.
        let apple = try SampleLog(
            """
            ==7==ERROR: AddressSanitizer: SEGV on unknown address 0x0 (pc 0x10f5f4158 bp 0x0 sp 0x0 T0)
                #0 0x10f5f4158 in f+0x18 (a.out:x86_64+0x100003158)
            ==7==ABORTING
            Process module map:
            0x10f5f1000-0x10f5f8000 /src/a.out (x86_64) <01D2A9D5-1F8A-35C8-9228-7C7CCA13C5FC>
            End of module map.
            x
            """
        ).report()
        #expect(apple.images.count == 1 && apple.architecture == .x86_64)
        #expect(apple.images[0].path == "/src/a.out" && apple.images[0].id?.uuid == "01D2A9D5-1F8A-35C8-9228-7C7CCA13C5FC")
        #expect(apple.images[0].base == RuntimeAddress(0x1_0f5f_1000) && apple.images[0].size == 0x7000)
    }

    @Test func `colours, prefixes and CRLF`() throws {
        let plain = try SampleLog(report).report()
        var lines = report.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        lines[1] = "\u{1B}[1m\u{1B}[31m" + lines[1]
        lines[3] = "\u{1B}[1m\u{1B}[0m" + lines[3]
        for text in [
            lines.joined(separator: "\n"), report.replacing("\n", with: "\r\n"),
            report.split(separator: "\n", omittingEmptySubsequences: false).map { "01-26 13:25:43.385  1234  1240 F asan    : " + $0 }
                .joined(separator: "\n"),
            report.split(separator: "\n", omittingEmptySubsequences: false).map { "web_1  | " + $0 }.joined(separator: "\n"),
        ] {
            let found = try SampleLog(text).report()
            #expect(found.allFrames.map(\.address) == plain.allFrames.map(\.address))
            #expect(found.additionalBacktraces.map(\.name) == plain.additionalBacktraces.map(\.name))
        }
    }

    @Test func `rows without a report`() throws {
        let log = SampleLog("x\n    #0 0x7ffff7fb3294  (/src/libstore.so+0x1294)\n    #1 0x5555555551d2  (/src/main+0x11d2)\n\nmore\n")
        let report = try log.report()
        #expect(report.format == "sanitizer-asan" && report.allFrames.count == 2 && report.cause == nil)
        #expect(report.notes.contains { $0.contains("not inside a sanitizer's report") })
        for other in [
            "    #0 0x7ffff7fb3294 in main\n    #1 0x1\n", "    #0 0x7ffff7fb3294 in main /src/a.c:5:3\n",
            "#0  0x7ffff7fb3294 in main () at a.c:5\n", "    #0 0x40 <unknown>\n",
        ] {
            // One of them is GDB's.
            #expect(!SampleLog(other).parsed().reports.contains { $0.format.hasPrefix("sanitizer-") })
        }
    }

    /// A heading in prose, and one that was cut off, are no reports.
    @Test(arguments: ["It says ERROR: AddressSanitizer: x\n", "==1==ERROR: AddressSanitizer: SEGV on unknown address 0x0\n"])
    func `no stack, no report`(text: String) { #expect(SampleLog(text).parsed().reports.isEmpty) }

    @Test func `the runtime's own checks`() throws {
        let report = try SampleLog(
            "==7==AddressSanitizer: CHECK failed: asan_thread.cpp:369 \"((ptr[0] == kMagic)) != (0)\" (0x0, 0x0) (tid=7)\n    #0 0x51 in f /a.cpp:3:1\n"
        ).report()
        #expect(report.cause?.type == "CHECK failed" && report.process.pid == 7 && report.allFrames.count == 1)
    }

    @Test func `an empty stack`() throws {
        let report = try SampleLog(
            "==7==ERROR: AddressSanitizer: SEGV on unknown address 0x0 (pc 0x0 bp 0x0 sp 0x0 T0)\n    <empty stack>\n\n"
        ).report()
        #expect(report.allFrames.isEmpty && report.notes.count == 1)
    }

    /// One frame a row, looked up as it is: the runtime has moved return addresses back already
    /// (`StackTrace::GetPreviousInstructionPc`).
    @Test func `a stack that was pasted from a later row on`() throws {
        let report = try SampleLog(
            "    #3 0x7ffff7fb3294  (/src/libharbour.so+0x1294)\n    #4 0x7ffff7fb3394  (/src/libharbour.so+0x1394)\n    #5 0x5555555550e0 in _start (/src/main+0x10e0)\n"
        ).report()
        #expect(report.format == "sanitizer-asan")
        #expect(report.threads[0].frames.map(\.index) == [3, 4, 5])
        #expect(report.threads[0].frames.allSatisfy { $0.kind == .exact })
        #expect(report.threads[0].frames.map(\.address?.value) == [0x7fff_f7fb_3294, 0x7fff_f7fb_3394, 0x5555_5555_50e0])
        #expect(report.images.map(\.path) == ["/src/libharbour.so", "/src/main"])
    }

    /// LLVM's own dump of its stack has one blank where the runtime has two, no ` in `, and return
    /// addresses (`lib/Support/Unix/Signals.inc`).
    @Test func `LLVM's stack dump is no sanitizer's`() {
        let rows =
            " #4 0x00007f3a5c1c4d90 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) (/usr/lib/libLLVM.so.18.1+0x7c4d90)\n #5 0x00007f3a5c1c4e90 (/usr/lib/libLLVM.so.18.1+0x7c4e90)\n"
        #expect(SampleLog(rows).parsed().reports.allSatisfy { $0.format != "sanitizer-asan" })
    }
}
