import Testing

/// One small log of each family of stacks that has a card. Logs that are not marked as real are made: invented names
/// and addresses in the family's rows.
struct CardSample: Sendable, CustomTestStringConvertible {
    var name: String
    var text: String
    var log: SampleLog { SampleLog(text) }
    var testDescription: String { name }

    init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
    }

    static func text(_ name: String) -> String { all.first { $0.name == name }?.text ?? "" }

    static let all = first + second

    private static let first = [
        // Real: memcheck 3.19, a stripped program.
        CardSample(
            "valgrind",
            """
            ==8220== Invalid read of size 4
            ==8220==    at 0x10915C: ??? (in /srv/harbour/moor-stripped)
            ==8220==    by 0x109169: ??? (in /srv/harbour/moor-stripped)
            ==8220==    by 0x10918A: ??? (in /srv/harbour/moor-stripped)
            ==8220==    by 0x4884249: (below main) (libc_start_call_main.h:58)
            ==8220==  Address 0x4a42044 is 0 bytes after a block of size 4 alloc'd
            ==8220==    at 0x48417B4: malloc (in /usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so)
            ==8220==    by 0x10917F: ??? (in /srv/harbour/moor-stripped)
            ==8220==    by 0x4884249: (below main) (libc_start_call_main.h:58)

            """),
        CardSample(
            "pytorch",
            """
            Exception raised from moor at ../c10/harbour.cpp:43 (most recent call first):
            frame #3: <unknown function> + 0x20ba6 (0x7e3b07e98ba6 in /opt/lib/libharbour.so)
            frame #4: harbour::Ship::~Ship() + 0x1e3 (0x7e3b07e9a507 in /opt/lib/libharbour.so)
            frame #8: /opt/bin/python() [0x510ceb]

            """),
        // Real: glog 0.6 of Debian 12.
        CardSample(
            "glog",
            """
            *** Aborted at 1795621667 (unix time) try "date -d @1795621667" if you are using GNU date ***
            PC: @                0x0 (unknown)
            *** SIGSEGV (@0x8) received by PID 665 (TID 0x7fdc28c3ee40) from PID 8; stack trace: ***
                @     0x7fdc28eb0cfe (unknown)
                @     0x7fdc28ceb050 (unknown)
                @     0x55a6d7781149 (unknown)
                @     0x55a6d7781155 harbour::berth()
                @     0x55a6d7781171 main
                @     0x7fdc28cd624a (unknown)
                @     0x7fdc28cd6305 __libc_start_main
                @     0x55a6d7781081 _start

            """),
        CardSample(
            "abseil",
            """
            *** SIGSEGV received at time=1646847326 on cpu 0 ***
            PC: @     0x7fde64ca37e3  (unknown)  harbour::Moor()
                @     0x7fde8a1a53c0       3344  (unknown)
                @     0x7fde64ca3674         80  harbour::Berth()
                @     0x7fde64ca32ce         64  (unknown)

            """),
        CardSample(
            "folly",
            """
            *** Aborted at 1716799045 (Unix time, try 'date -d @1716799045') ***
            *** Signal 11 (SIGSEGV) (0x30) received by PID 4242 (pthread TID 0x7f5e2cf06640) (linux TID 4243) (code: address not mapped to object), stack trace: ***
                @ 000000000058190c folly::symbolizer::(anonymous namespace)::signalHandler(int, siginfo_t*, void*)
                                   /src/folly/SignalHandler.cpp:449
                @ 00000000000140ff (unknown)
                @ 000000000050b96f harbour::moor()

            """),
        CardSample(
            "llvm-stack-dump",
            """
            Stack dump:
            0.\tProgram arguments: harbourc -c tide.c
             #0 0x0000757e27fc4d90 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) (/usr/lib/libLLVM.so.18.1+0x7c4d90)
             #1 0x0000757e27fc1d4d (/usr/lib/libLLVM.so.18.1+0x7c1d4d)
             #2 0x0000757e2724c1d0 __restore_rt (/usr/lib/libc.so.6+0x3d1d0)
             #3 0x0000757e2fdf7fc5 (/usr/lib/libharbour.so.18.1+0x3f7fc5)
            #10 0x000060512ebe7fd5 main (/usr/bin/harbourc+0xafd5)

            """),
        // Real: gcc 12.
        CardSample(
            "gfortran",
            """

            Program received signal SIGSEGV: Segmentation fault - invalid memory reference.

            Backtrace for this error:
            #0  0x7fcab56218c2 in ???
            #1  0x7fcab5620a55 in ???
            #2  0x7fcab545a04f in ???
            \tat ./signal/../sysdeps/unix/sysv/linux/x86_64/libc_sigaction.c:0
            #3  0x5616024f8162 in moor_
            \tat /srv/harbour/rise.f90:4
            #4  0x5616024f818c in harbour
            \tat /srv/harbour/rise.f90:15
            #5  0x5616024f81c8 in main
            \tat /srv/harbour/rise.f90:16

            """),
        CardSample(
            "clickhouse",
            """
            2021.06.20 11:59:33.939867 [ 66337 ] {} <Fatal> BaseDaemon: (version 21.1.2.15, build id: CA7306E4531D31C8CA7306E4531D31C8CA7306E4) (from thread 55832) (query_id: x) Received signal Segmentation fault (11)
            2021.06.20 11:59:33.939950 [ 66337 ] {} <Fatal> BaseDaemon: Stack trace: 0x10e30de3 0x10e3d2c3 0x10e3d826
            2021.06.20 11:59:33.946014 [ 66337 ] {} <Fatal> BaseDaemon: 3. ./build/../src/harbour.cpp:1853: DB::Harbour::moor(int) @ 0x10e30de3 in /usr/bin/clickhouse
            2021.06.20 11:59:33.951393 [ 66337 ] {} <Fatal> BaseDaemon: 4. ? @ 0x10e3d2c3 in /usr/bin/clickhouse

            """),
        CardSample(
            "seastar",
            """
            Segmentation fault on shard 5.
            Backtrace:
              0x0000000002ee2d82
              0x0000000002e886bb
              /opt/lib/libtide.so.6+0x000000000003853e

            """),
        // Real: 1.6.
        CardSample(
            "backward-cpp",
            """
            Stack trace (most recent call last):
            #6    Object "[0xffffffffffffffff]", at 0xffffffffffffffff, in\u{20}
            #5    Object "./bw", at 0x55a48bbe6500, in\u{20}
            #4    Object "/lib/x86_64-linux-gnu/libc.so.6", at 0x7f4547e45304, in __libc_start_main
            #3    Object "/lib/x86_64-linux-gnu/libc.so.6", at 0x7f4547e45249, in\u{20}
            #2    Object "./bw", at 0x55a48bbe65df, in\u{20}
            #1    Object "./bw", at 0x55a48bbe65d4, in\u{20}
            #0    Object "./bw", at 0x55a48bbe65c9, in\u{20}
            Segmentation fault (Address not mapped to object [0x8])

            """),
        CardSample(
            "eu-stack",
            """
            TID 4242:
            #0  0x00007f6079cfbdd0 pause
            #1  0x000055bb5442a166
            #2  0x00007f6079c4f24a __libc_start_call_main
            TID 4243:
            #0  0x00007f6079cfbdd0 read

            """),
        // Real: 1.74.
        CardSample(
            "boost-stacktrace",
            """
             0# harbour::moor(int) in ./bo
             1# main in ./bo
             2# 0x00007FCB3B24524A in /lib/x86_64-linux-gnu/libc.so.6
             3# __libc_start_main in /lib/x86_64-linux-gnu/libc.so.6
             4# _start in ./bo

            """),
        CardSample(
            "intel-fortran",
            """
            forrtl: severe (174): SIGSEGV, segmentation fault occurred
            Image              PC                Routine            Line        Source            \u{20}
            harbour            000000000051394D  Unknown               Unknown  Unknown
            libpthread-2.23.s  00007F6E894BB390  Unknown               Unknown  Unknown
            harbour            0000000000477210  harbour_mp_moor_          292  harbour.f90

            """),
    ]

    private static let second = [
        CardSample(
            "envoy",
            """
            [2017-06-08 16:27:02.711][6][critical][backtrace] Caught Segmentation fault, suspect faulting address 0x0
            [2017-06-08 16:27:02.714][6][critical][backtrace] Backtrace obj</opt/harbour> thr<6> (use tools/stack_decode.py):
            [2017-06-08 16:27:02.714][6][critical][backtrace] thr<6> #0 0x4b47a5

            """),
        CardSample(
            "xen",
            """
            (XEN) ----[ Xen-4.17.2  x86_64  debug=n  Not tainted ]----
            (XEN) RIP:    e008:[<ffff82d04023a355>] moor.c#quay_free+0x65/0xd0
            (XEN) Xen call trace:
            (XEN)    [<ffff82d04023a355>] R moor.c#quay_free+0x65/0xd0
            (XEN)    [<ffff82d04027459e>] F rope_update+0x1ea/0x273
            (XEN)    [<ffff82d0402033f5>] S __high_rope+0xd5/0xe0

            """),
        CardSample(
            "vmkernel",
            """
            #PF Exception 14 in world 63406:berth IP 0x41801cd9c266 addr 0x0
            0x41229eb9b590:[0x41801cd9c266]moor@vmkernel#nover+0xdb9 stack: 0x410015264580
            0x41229eb9b600:[0x41801cd9fc73]quay@vmkernel#nover+0x18a stack: 0x41229eb9b630

            """),
        CardSample(
            "haiku",
            """
            \tthread 812: w>berth
            \t\tstate: Exception (Segment violation)

            \t\tFrame\t\tIP\t\t\tFunction Name
            \t\t-----------------------------------------------
            \t\t0x72189aa0\t0x1c0cc7a\tBerth::moor(Berth) + 0x6
            \t\t0x72189bc0\t0xf50661\t/boot/system/lib/librope.so + 0x38167

            """),
        CardSample(
            "ipsw",
            """
            Thread 45 Crashed:
              0: libobjc.A.dylib         (slide=0x27010000) 0x1c18b61e0 _objc_msgSend + 32
              1: CoreFoundation          (slide=0x27010000) 0x1ac86676c -[__NSDictionaryM objectForKeyedSubscript:] + 184
              2: Demo                    (slide=0x27010000) 0x12d0103f8

            """),
        CardSample(
            "op-tee",
            """
            TA panicked with code 0x0
            Status of TA 7fc5c039-0542-4ee1-80af-b4eab2f1998d (0xe171f00) (active)
             arch: arm  load address: 0x203000 ctx-idr: 2
             region 2: va 0x203000 pa 0xe300000 size 0x1e000 flags r-x--- [0]
             [0] 7fc5c039-0542-4ee1-80af-b4eab2f1998d @ 0x203000
            Call stack:
             0x00212900
             0x0020f601

            """),
        CardSample(
            "illumos-panic",
            """
            panic[cpu3]/thread=fffffe00f5df5c20: BAD TRAP: type=e (#pf Page fault) rp=fffffe00f5df4910 addr=8

            fffffe00f5df4800 unix:trap+1169 ()
            fffffe00f5df4910 unix:cmntrap+e9 ()
            fffffe00f5df4a20 moor:moor_ioctl+5b ()

            """),
        CardSample(
            "qnx-terminated",
            """
            Process 1007650 (quay) terminated SIGSEGV code=1 fltno=11 ip=08048d14(/tmp/quay@main+0x1c) mapaddr=00000d14. ref=00000000

            """),
        CardSample(
            "creport",
            """
            Crashed Thread Info:
                Registers:
                    X[00]:                   0000000000000000
                    LR:                      000000003f248850 (ferrySdk + 0xc0850)
                    PC:                      000000003f248864 (ferrySdk + 0xc0864)
                Stack Trace:
                    ReturnAddress[00]:       000000003f2485b8 (ferrySdk + 0xc05b8)
                    ReturnAddress[01]:       000000002b0a1c40 (Application + 0x1c40)

            """),
        CardSample(
            "graal-native-image",
            """
            Stacktrace Stage0:

              RSP 000000bc7a2ff6d0 RIP 00007ff669b6d776 FrameSize 32
              RSP 000000bc7a2ff6f0 RIP 00007ff669b6d6fc FrameSize 16
            Stacktrace Stage1:

              SP 0x000000bc7a2ff6d0 IP 0x00007ff669b6d776 size=32    org.example.Moor.run(Moor.java:12)

            """),
        CardSample(
            "wasmtime",
            """
            Error: error while executing at wasm backtrace:
                0: 0x9641b - moor.wasm!abort
                1: 0x3b4b4 - moor.wasm!<wasm function 129>

            """),
        CardSample(
            "webassembly",
            """
            moor_abort@https://moor.example/moor.wasm:wasm-function[7]:0x9641b
            berth@https://moor.example/moor.js:10:5
            moor_all@https://moor.example/moor.wasm:wasm-function[129]:0x3b4b4

            """),
        CardSample(
            "wamr",
            """
            #00: 0x9641b - moor_abort
            #01: 0x3b4b4 - $f129

            Exception: unreachable

            """),
        CardSample(
            "wasmer",
            """
                at moor_abort (moor.wasm[7]:0x9641b)
                at <unnamed> (moor.wasm[129]:0x3b4b4)

            """),
        CardSample(
            "dotnet-sos",
            """
            OS Thread Id: 0x4242 (0)
            Child-SP         RetAddr          Caller, Callee
            00007FFD5B2F3C10 00007f1f5a429d90 libcoreclr.so!CallDescrWorkerInternal + 124, calling libcoreclr.so!Moor
            00007FFD5B2F3C20 00007f1f5a42ad90 libcoreclr.so!MethodDescCallSite::CallTargetWorker + 0x1a4

            """),
        CardSample(
            "esp-hal",
            """
            panicked at '[AppCpu] Exception 'Load access fault (5)' mepc=0x4ff403a6, mtval=0x00000000
            TrapFrame { ra: 1107312716, t0: 1107312704, a0: 15, a7: 0 }' (esp_hal src/exception_handler/mod.rs:113)

            """),
        CardSample(
            "bcc",
            """
            4 bytes in 1 allocations from stack
            \t0 [<00007f05944c098c>] _Znwm+0x1c [/usr/lib/libtide.so.6.0.30]
            \t1 [<0000558508caa1bb>] moor+0x12 [/opt/harbour]
            \t2 [<00007f0594212d90>] [/usr/lib/libc.so.6]
            \t3 [<b515dd6bd2425100>] <null sym>

            """),
        CardSample(
            "compute-sanitizer",
            """
            =========     Saved host backtrace up to driver entry point at kernel launch time
            =========         Host Frame: launch_moor(Ship*, int) [0x9544e] in harbour.so
            =========     Host Frame:/lib64/libtide.so.1 (tide + 0x34e) [0x2d725e]
            =========     Host Frame:./harbour [0x36feb]

            """),
        CardSample(
            "mono",
            """
            =================================================================
            \tNative stacktrace:
            =================================================================
            \t0x7fb9e3ca5c19 - /usr/lib/libharbour.so.1 :\u{20}
            \t0x7fb9e3c54a31 - /usr/lib/libharbour.so.1 : moor
            \t0x7fb9e3620980 - /lib/libtide.so.0 :\u{20}

            """),
        CardSample(
            "unity",
            """
            Obtained 4 stack frames.
            #0  0x0000000104a383d4 in boom()
            #1  0x0000000104a383f8 in (Unknown)
            #2  0x0000000104a38408 in main
            #3  0x00000001c1dd8dec in start

            """),
        CardSample(
            "moz-stack-walk",
            """
            #01: ???[/opt/harbour/libxul.so +0x1180]
            #02: moor(Ship*)[/opt/harbour/libxul.so +0x11bc]

            """),
        CardSample(
            "haproxy",
            """
                         call trace(18):
                         |       0x5dc900 <fc ff ff e8 30 94 e5 ff]: moor+0x70/0x341 > main-0xb80
                         | 0x7f477dd0c3a0 <00 00 00 00 0f 1f 40 00]: libtide:+0x123a0

            """),
        CardSample(
            "greenplum",
            """
            1    0x7f1a4d50d918 libharbour.so moor + 0x258
            2    0x7f1a4d52ea03 libharbour.so <symbol not found> + 0x4d52ea03
            3    0x4027db harbour main + 0x56b

            """),
        CardSample(
            "libunwind",
            """
              ip=0x565c2614 sp=0xf7862460 <moor+0x2a5>
              ip=0x5665dba5 sp=0xf7862550 <berth+0x44>

            """),
        // Real: LDC 1.30.
        CardSample(
            "druntime",
            """
            core.exception.ArrayIndexError@har.d(3): index [5] is out of bounds for array of length 3
            ----------------
            ??:? onArrayIndexError [0x7fefdf24539d]
            ??:? _d_arraybounds_index [0x7fefdf2459bd]
            ??:? [0x556d38c831bc]
            ??:? [0x556d38c831d4]
            ??:? [0x556d38c831fc]
            ??:? void rt.dmain2._d_run_main2(char[][], ulong, extern (C) int function(char[][])*).runAll() [0x7fefdf27cb7b]
            ??:? _d_run_main2 [0x7fefdf27c995]
            ??:? _d_run_main [0x7fefdf27c7ed]
            ??:? [0x556d38c83231]
            ??:? [0x7fefdefd9249]
            ??:? __libc_start_main [0x7fefdefd9304]
            ??:? [0x556d38c83090]

            """),
        // Real: 6.1.
        CardSample(
            "strace",
            """
             > /usr/lib/x86_64-linux-gnu/libc.so.6(_exit+0x29) [0xd4409]
             > /usr/lib/x86_64-linux-gnu/libc.so.6(erand48_r+0x1a2) [0x3e522]
             > /usr/lib/x86_64-linux-gnu/libc.so.6(exit+0x1a) [0x3e69a]
             > /usr/lib/x86_64-linux-gnu/libc.so.6(__libc_init_first+0x91) [0x27251]
             > /usr/lib/x86_64-linux-gnu/libc.so.6(__libc_start_main+0x85) [0x27305]
             > /srv/harbour/moor(_start+0x21) [0x1091]

            """),
        CardSample(
            "ruby",
            """
            -- C level backtrace information -------------------------------------------
            /usr/lib/libharbour.so.3.1(harbour_print+0x11) [0x7fdc2222ca28] dump.c:759
            /usr/lib/libharbour.so.3.1(harbour_report) dump.c:1045
            /usr/lib/libharbour.so.3.1(harbour_signal+0xf0) [0x7fdc2202a7f0] error.c:821
            /usr/lib/libharbour.so.3.1(harbour_yield) insn.c:4015
            /usr/lib/libharbour.so.3.1(harbour_block+0x0) [0x7fdc2221a31f] vm.c:1367

            """),
        CardSample(
            "ceph",
            """
             ceph version 16.2.4 (3cbe25cde3cfa028984618ad32de9edc4c1eaed0) pacific (stable)
             1: /lib64/libpthread.so.0(+0x12b20) [0x7fd4fedaeb20]
             2: (Harbour::moor(Ship&, int)+0x91) [0x562cbdfcaa61]
             3: (()+0x8865e2) [0x562cbda865e2]
             4: ceph-osd(+0x57f956) [0x562cbd77f956]
             5: main()
             6: __libc_start_main()
             7: _start()

            """),
        // Real: 0.9.13, under Wine 8.
        CardSample(
            "drmingw",
            """
            tide.exe caused an Access Violation at location 0000000382A41374 in module quay.dll Writing to location 0000000000000000.

            Registers:
            rip=0000000382A41374 rsp=000000000021FBB8 rbp=0000000000C81420 iopl=0         nv up ei pl nz na po nc


            AddrPC           Params
            0000000382A41374 0000000000000000 0000000000000000 0000000000000000  quay.dll!0x1374
            0000000382A413C1 0000000000000000 0000000000000000 0000000000000000  quay.dll!0x13c1
            000000014000178F 0000000000000000 0000000000000000 0000000000000000  tide.exe!0x178f

            0000000140000000-0000000140012000 tide.exe
            0000000382A40000-0000000382A4E000 quay.dll

            """),
        CardSample(
            "godot-windows",
            """
            CrashHandlerException: Program crashed with signal 11
            Engine version: Godot Engine v4.7.beta4.mono.official (0a0a0a0a0a)
            Load address: 7ff67b5e0000

            [1] 7ff7bb5f4521 (main+14521) - no debug info in PE/COFF executable
            [2] 170058ab7 (ntdll.dll+58ab7) - no debug info in PE/COFF executable
            [3] 7ff7bb5e168c (main+168c) - no debug info in PE/COFF executable
            [4] 7ffbd2a41393 (quay.dll+1393) - no debug info in PE/COFF executable
            -- END OF C++ BACKTRACE --

            """),
    ]
}
