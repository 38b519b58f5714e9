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
        // The code that an interrupt interrupted: its counter, and its link register, which is not
        // a row.
        Made(
            """
            NIP [c000000008068dfc] quay_stop+0x27c/0x390
            LR [c000000008068df8] quay_stop+0x278/0x390
            Call Trace:
            [c0000000fe4b7a10] [c000000008068e10] dump_stack+0x10/0x40 (unreliable)
            [c0000000fe4b7a80] [c000000008021f44] do_exit+0x44/0x90
            --- interrupt: 300 at berth+0x20/0x40
                LR = moor_run+0x10/0x30
            [c0000000fe4b7c00] [c0000000080a1f48] tide_run+0x18/0x60

            """, ["kernel-oops"],
            """
            0 p c000000008068dfc vmlinux 27c quay_stop
            1 ru c000000008068df8 vmlinux 278 quay_stop
            2 ru c000000008068e10 vmlinux 10 dump_stack
            3 r c000000008021f44 vmlinux 44 do_exit
            4 p - vmlinux 20 berth
            5 r - vmlinux 10 moor_run
            6 r c0000000080a1f48 vmlinux 18 tide_run
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
        // Nothing in the log says that a sanitizer wrote them.
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
        // `unwind_arm64.c` subtracts 4 from each address; the first of a panic is the address to
        // which `_utee_panic` returns.
        Made(
            """
            E/TC:? 0 TA panicked with code 0xffff0006
            E/LD:  Status of TA 7fc5c039-0542-4ee1-80af-b4eab2f1998d
            E/LD:   arch: aarch64
            E/LD:  region  0: va 0x40004000 pa 0x0e100000 size 0x002000 flags rw-s (ldelf)
            E/LD:  region  1: va 0x40066000 pa 0x0e300000 size 0x01e000 flags r-xs [0]
            E/LD:   [0] 7fc5c039-0542-4ee1-80af-b4eab2f1998d @ 0x40066000
            E/LD:  Call stack:
            E/LD:   0x000000004006a118
            E/LD:   0x0000000040066c50
            E/LD:   0x000000004006b098

            """, ["op-tee"],
            """
            0 r 4006a118 * - -
            1 e 40066c50 * - -
            2 e 4006b098 * - -
            """),
        // The link register is the first return address. 3f248864 - c0864 = 3f188000.
        Made(
            """
            Crashed Thread Info:
                Registers:
                    LR:                      000000003f248850 (ferrySdk + 0xc0850) (quay::Moor(int) + 0x20)
                    PC:                      000000003f248864 (ferrySdk + 0xc0864) (quay::Moor(int) + 0x34)
                Stack Trace:
                    ReturnAddress[00]:       000000003f248850 (ferrySdk + 0xc0850) (quay::Moor(int) + 0x20)
                    ReturnAddress[01]:       000000003f2485b8 (ferrySdk + 0xc05b8)

            """, ["creport"],
            """
            0 p 3f248864 ferrySdk c0864 quay::Moor(int)
            1 r 3f248850 ferrySdk c0850 quay::Moor(int)
            2 r 3f2485b8 ferrySdk c05b8 -
            """),
        Made(
            """
            Unhandled exception: Load access fault
            EPC: 00000000f7f3b8ae RA: 00000000f7f3b506 TVAL: ffffffb300687fb3
            EPC: 000000004022e8ae RA: 000000004022e506 reloc adjusted

            backtrace:
              0: FP: 00000000fdf9ec10 RA: 00000000f7f3b506 - RA: 000000004022e506 reloc adjusted
              1: FP: 00000000fdf9ec40 RA: 00000000f7f3c7ee - RA: 000000004022f7ee reloc adjusted

            """, ["u-boot"],
            """
            0 p - * 4022e8ae -
            1 r - * 4022e506 -
            2 r - * 4022f7ee -
            """),
        Made(
            """
            Stacktrace for the failing thread 0x00007f2c3c000b80 (A=AOT compiled, J=JIT compiled, D=deoptimized, i=inlined):
              i  SP 0x00007ffd5b2f3c10 IP 0x0000563d3c5a1776 size=32    org.example.Quay.tie(Quay.java:7)
              A  SP 0x00007ffd5b2f3c10 IP 0x0000563d3c5a1776 size=32    org.example.Moor.run(Moor.java:12)
              A  SP 0x00007ffd5b2f3c30 IP 0x0000563d3c5a1890 size=48    org.example.Main.main(Main.java:3)

            """, ["graal-native-image"],
            """
            0 pi 563d3c5a1776 - - org.example.Quay.tie
            1 p 563d3c5a1776 - - org.example.Moor.run
            2 r 563d3c5a1890 - - org.example.Main.main
            """),
        // A frame without a symbol is an address.
        Made(
            """
            panicstack = unix:trap+1169 () | unix:cmntrap+e9 () | fffffffff7a3c2e0 () | moor:moor_ioctl+5b () | genunix:ioctl+153 () |

            """, ["illumos-panic"],
            """
            0 r - unix 1169 trap
            1 r - unix e9 cmntrap
            2 p fffffffff7a3c2e0 - - -
            3 r - moor 5b moor_ioctl
            4 r - genunix 153 ioctl
            """),
        // `%i7` of SPARC is the call.
        Made(
            """
            panic[cpu0]/thread=2a1003fbca0: BAD TRAP: type=31 rp=2a1003fb3a0 addr=0 mmu_fsr=0

            000002a1003fb0c0 unix:die+78 (31, 2a1003fb3a0, 0, 0)
              %l0-3: 0000000000000000 0000000000000031 0000000001000000 0000000000002000
            000002a1003fb1a0 unix:trap+9d8 (2a1003fb3a0, 10000, 0, 0)
              %l0-3: 0000000000000000 0000060019e1c000 0000000000000031 0000000000000000

            """, ["illumos-panic"],
            """
            0 e - unix 78 die
            1 e - unix 9d8 trap
            """),
        Made(
            """
            (XEN) ----[ Xen-4.17.0  arm64  debug=y  Not tainted ]----
            (XEN) CPU:    0
            (XEN) Xen call trace:
            (XEN)    [<00000a0000205c54>] quay_free+0x24/0x80 (PC)
            (XEN)    [<00000a0000205d10>] quay_free+0xe0/0x80 (LR)
            (XEN)    [<00000a0000206a18>] rope_update+0x18/0x40

            """, ["xen"],
            """
            0 p - * a0000205c54 quay_free
            1 r - * a0000205d10 quay_free
            2 r - * a0000206a18 rope_update
            """),
        Made(
            """
            Hello world!

            ====================== PANIC ======================
            panicked at examples/panic.rs:24:5:
            This is a panic

            Backtrace:

            0x4200252a
            0x4200252a - main
                at ??:??
            0x42000120
            0x42000120 - _start_rust
                at ../.cargo/registry/src/index.crates.io-6f17d22bba15001f/esp-riscv-rt-0.3.0/src/lib.rs:68

            """, ["esp-hal"],
            """
            0 e - * 4200252a -
            1 e - * 42000120 -
            """),
        Made(
            """


            !! A panic occured in 'src/main.rs', at line 24, column 5

            PanicInfo {
                payload: Any { .. },
                message: Some(
                    This is a panic,
                ),
                location: Location {
                    file: "src/main.rs",
                    line: 24,
                    col: 5,
                },
                can_unwind: true,
            }

            Backtrace:

            0x42001cf8
            0x42000120

            """, ["esp-hal"],
            """
            0 e - * 42001cf8 -
            1 e - * 42000120 -
            """),
        Made(
            """
            Error: failed to run main module `a.wasm`

            Caused by:
                0: failed to invoke command default
                1: error while executing at wasm backtrace:
                       0: 0x69340 - moor_all
                                       at /src/moor.c:30:3
                                 - main
                                       at /src/main.c:7:1
                       1: 0x69400 - _start
                2: wasm trap: wasm `unreachable` instruction executed

            """, ["wasmtime"],
            """
            0 ei - * 69340 moor_all
            0 e - * 69340 main
            1 e - * 69400 _start
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
        OtherHuntTests.expectRows(made.rows, formats: made.formats, signal: made.signal, in: log)
    }
}
