import CrashLogModel
import CrashReports
import Testing

/// Other logs of the hunt's kinds, made by the grammars that the readers cite: heads that are cut off elsewhere, other processors, other
/// versions of the program.
struct MadeInputsTests {
    struct Made: Sendable, CustomTestStringConvertible {
        var text: String
        var formats: [String]
        var signal: String?
        var rows: [OtherHuntTests.Row]
        var testDescription: String { String(text.prefix(60)) }

        init(_ text: String, _ formats: [String], signal: String? = nil, _ rows: String) {
            (self.text, self.formats, self.signal) = (text, formats, signal)
            self.rows = rows.split(separator: "\n").map { OtherHuntTests.Row(String($0)) }
        }
    }

    static let made = [
        Made(
            """
            [10575.065330]  [<ffffffff81b2e7d9>] dump_stack+0x45/0x6c
            [10575.065331]  [<ffffffff81b2e7e9>] ? moor_run+0x45/0x6c [moor]
            [10575.065332]  [<ffffffff81b2e7f9>] quay_run+0x45/0x6c

            """, ["kernel-oops"],
            """
            0 r ffffffff81b2e7d9 vmlinux 45 dump_stack
            1 ru ffffffff81b2e7e9 moor.ko 45 moor_run
            2 r ffffffff81b2e7f9 vmlinux 45 quay_run
            """),
        Made(
            """
            Mar  5 10:11:12 host kernel:  dump_stack+0x45/0x6c
            Mar  5 10:11:12 host kernel:  moor_run+0x45/0x6c [moor]
            Mar  5 10:11:12 host kernel:  quay_run+0x45/0x6c

            """, ["kernel-oops"],
            """
            0 r - vmlinux 45 dump_stack
            1 r - moor.ko 45 moor_run
            2 r - vmlinux 45 quay_run
            """),
        Made(
            "[<0>] do_wait+0x1c/0x40\n[<0>] kernel_wait4+0x9d/0x140\n[<0>] do_syscall_64+0x5b/0x80\n", ["kernel-oops"],
            """
            0 r - vmlinux 1c do_wait
            1 r - vmlinux 9d kernel_wait4
            2 r - vmlinux 5b do_syscall_64
            """),
        // A list without a head that somebody wrote.
        Made(
            "vfs_read+0x9d/0x1a0\nksys_read+0x9d/0x1a0\ndo_syscall_64+0x9d/0x1a0\n", ["address-list"],
            """
            0 e - - 9d -
            1 e - - 9d -
            2 e - - 9d -
            """),
        // The first row repeats the link register.
        Made(
            """
            [  223.606866] NIP [c000000000ac0ce8] moor_run+0x18/0xf0
            [  223.606907] LR [c000000000159748] quay_run+0x4a8/0x5f0
            [  223.606954] Call Trace:
            [  223.607030] [c000003fdc18bd40] [c000000000159748] quay_run+0x4a8/0x5f0 (unreliable)
            [  223.607079] [c000003fdc18bda0] [c00000000010c124] rope_run+0x164/0x510

            """, ["kernel-oops"],
            """
            0 p c000000000ac0ce8 vmlinux 18 moor_run
            1 ru c000000000159748 vmlinux 4a8 quay_run
            2 r c00000000010c124 vmlinux 164 rope_run
            """),
        Made(
            """
                #2 0x5646ef225cff in moor ../src/moor.c:1111
                #3 0x5646ef229ae2 in quay (/opt/x/quay+0x1234)

            0x602000000014 is located 4 bytes inside of 40-byte region [0x602000000010,0x602000000038)
            freed by thread T0 here:
                #0 0x7f1f5a5349c1 in free (/opt/x/lib/libasan.so.8+0xb76a8)

            SUMMARY: AddressSanitizer: heap-use-after-free ../src/moor.c:1111 in moor

            """, ["sanitizer-asan"],
            """
            2 e 5646ef225cff - - moor
            3 e 5646ef229ae2 quay 1234 quay
            0 e 7f1f5a5349c1 libasan.so.8 b76a8 free
            """),
        // Nothing says that a sanitizer wrote them.
        Made(
            "    #0 0x5646ef225cff in moor ../src/moor.c:1111\n    #1 0x5646ef229ae2 in quay ../src/quay.c:1302\n", ["stack-rows"],
            """
            0 r 5646ef225cff - - moor
            1 r 5646ef229ae2 - - quay
            """),
        Made(
            "**Stack trace:**\n\n    0x55697dc748\n    0x7f929b8820\n    0x5569c4ba68\n", ["address-list"],
            """
            0 e 55697dc748 - - -
            1 e 7f929b8820 - - -
            2 e 5569c4ba68 - - -
            """),
        Made(
            """
            Code: 48. DB::Exception: x, Stack trace (when copying this message, always include the lines below): 0. DB::Exception::Exception(int) @ 0xe5a9c1a in /usr/bin/clickhouse 1. ? @ 0x13d0c8be in /usr/bin/clickhouse 2. start_thread @ 0x7ea7 in /lib/libpthread-2.31.so (version 22.8.1.1)

            """, ["clickhouse"],
            """
            0 r - clickhouse e5a9c1a DB::Exception::Exception(int)
            1 r - clickhouse 13d0c8be -
            2 r - libpthread-2.31.so 7ea7 start_thread
            """),
        // 3f2485b8 - c05b8 = 3f2a1c44 - 119c44 = 3f188000.
        Made(
            "0x000000003f2485b8 (ferrySdk + 0xc05b8)\n0x000000003f2a1c44 (ferrySdk + 0x119c44)\n0x000000002b0a1c40 (Application + 0x1c40)\n",
            ["stack-rows"],
            """
            0 r 3f2485b8 ferrySdk c05b8 -
            1 r 3f2a1c44 ferrySdk 119c44 -
            2 r 2b0a1c40 Application 1c40 -
            """),
        Made(
            "data abort\npc : [<3ff8b4c4>]          lr : [<3ff8b4bc>]\nreloc pc : [<178084c4>]    lr : [<178084bc>]\nsp : 3ef4bc58\n",
            ["u-boot"],
            """
            0 p - * 178084c4 -
            1 r - * 178084bc -
            """),
        Made(
            "\"Synchronous Abort\" handler, esr 0x96000010\nelr: 00000000000f4bd4 lr : 00000000000f4b98 (reloc)\n", ["u-boot"],
            """
            0 p - * f4bd4 -
            1 r - * f4b98 -
            """),
        Made(
            " psr: 0x61000000\n r00: 0x00000000\n r12: 0x00000000\n  lr: 0x08003a71\n  pc: 0x08001234\nhard fault on thread: tshell\n",
            ["cortex-m-registers"],
            """
            1 r - * 8003a71 -
            0 p - * 8001234 -
            """),
        // 8049b7c - 1b7c = 8048000.
        Made(
            "Process 4242 (moor) terminated SIGSEGV code=1 fltno=11 ip=0000000008049b7c mapaddr=0000000000001b7c ref=0000000000000010\n",
            ["qnx-terminated"], signal: "SIGSEGV", "0 p 8049b7c moor 1b7c -"),
        Made(
            """
            E/TC:0 0 Core data-abort at address 0x0 (translation fault)
            E/TC:0 0  x30 000000000e10a1b4 elr 000000000e10a2c4
            E/TC:0 0 TEE load address @ 0xe100000
            E/TC:0 0 Call stack:
            E/TC:0 0  0x0e10a2c4
            E/TC:0 0  0x0e10b1b4

            """, ["op-tee"],
            """
            0 p e10a2c4 tee.elf * -
            1 r e10b1b4 tee.elf * -
            """),
        Made(
            """
            OS Thread Id: 0x4242 (0)
                    Child SP               IP Call Site
            00007FFD5B2F3C10 00007F1F5A429D90 [InlinedCallFrame: 00007ffd5b2f3c10] Moor.Native.Run(Int32)
            00007FFD5B2F3D00 00007F1F5A42BE40 Moor.Program.Main(System.String[]) [/src/moor/Program.cs @ 12]

            """, ["dotnet-sos"],
            """
            0 p 7f1f5a429d90 - - Moor.Native.Run(Int32)
            1 r 7f1f5a42be40 - - Moor.Program.Main(System.String[])
            """),
        Made(
            """
            Generated by HiviewDFX@OpenHarmony
            Pid:4242
            Process name:./moor
            Reason:Signal:SIGSEGV(SEGV_MAPERR)@0x0000000000000010
            Tid:4242, Name:moor
            #00 pc 0000000000153e90 /system/lib/ld-musl-aarch64.so.1(epoll_wait+80)(6b9883f518515f73e093bce9a89a2548)

            """, ["android-tombstone"], signal: "SIGSEGV", "0 e - ld-musl-aarch64.so.1 153e90 epoll_wait"),
    ]

    @Test(arguments: made) func `the rows are those of the log`(made: Made) {
        let log = SampleLog(made.text).parsed()
        #expect(log.reports.map(\.format) == made.formats)
        if let signal = made.signal { #expect(log.reports.first?.cause?.signal == signal) }
        let rows = log.reports.flatMap { report in
            report.allFrames.sorted { $0.place.lowerBound < $1.place.lowerBound }.map { OtherHuntTests.Row($0, of: report) }
        }
        #expect(rows.count == made.rows.count)
        let wrong = zip(rows, made.rows).filter { !$0.fits($1) }
        #expect(wrong.isEmpty)
    }
}
