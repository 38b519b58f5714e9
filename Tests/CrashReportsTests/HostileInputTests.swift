import BinaryPrimitives
import CrashLogFormats
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Nothing that is fed to the parsers may trap: cut off anywhere, with any byte changed, nested or
/// repeated without end.
struct HostileInputTests {
    static let samples: [(format: String, text: String)] = [
        (
            "apple-crash",
            "Process:   App [7]\nVersion: 1 (2)\nCode Type: ARM-64\nException Type:  EXC_BAD_ACCESS (SIGSEGV)\nException Codes: K at 0x10\nCrashed Thread: 1\n\n"
                + "Last Exception Backtrace:\n(0x1010 0x2020)\n\nThread 0 name:  Dispatch queue: q\nThread 0 Crashed:\n0   App   \t0x1010 0x1000 + 16\n(a.h:3)\n1   ???   0x2 f(int) + 3 (a.m:4) [inlined]\n\n"
                + "Thread 0 crashed with ARM Thread State:\n  x0: 0x1  x1: 0x2\n\nBinary Images:\n0x1000 - 0x1fff +App arm64 (1.0) <01d2a9d51f8a35c892287c7cca13c5fc>\n/A b/App\n0x0 - 0xffffffffffffffff ??? ???\n\nx\n"
        ),
        (
            // Broken lines, HTML, Rosetta, an image without an end.
            "apple-crash",
            "Process:   A&amp;B [7]\nPath:\n/A\nCode Type: PPC (Translated)\nException Type:  E (S)\n\nDyld Error Message:\n  x &lt; y\n\nThread 0 Crashed:\n0   com.a\n0x1010 f(&lt;)\n+ 16\n"
                + "1   b\u{A0}  0x1020 g +\n0x10\n(a.c:3)\n2   c   0x1 h + 1\n[inlined]\n\nBinary Images:\n0x1000 -\t??? com.a 1 /A\n0x2000 - 0x2fff &lt;b\n(1) /A long path with a blank in it, so that it was broken/b\nc/b\n\n"
                + "Translated Code Information:\nThread 0: Crashed (0x1, 0x2)\n0x40400000: No symbol\n0x1e18: /A : start + 4\n0x1: :\n"
        ),
        (
            "apple-ips-legacy",
            #"{"app_name":"App","bug_type":"109","timestamp":"2022-01-21 18:14:26.00 +0200"}"#
                + "\n\nProcess:   App [7]\n\nThread 0 Crashed:\n0   App   0x1010 0x1000 + 16\n"
        ),
        (
            // A thread with a frame (1a 06: 12 02: 18 10; 18 01: it crashed), an image (base 16,
            // size 32, path), an exception with a frame.
            "plcrashreporter",
            "plcrash\u{1}\u{1A}\u{6}\u{12}\u{2}\u{18}\u{10}\u{18}\u{1}\u{22}\u{8}\u{8}\u{10}\u{10}\u{20}\u{1A}\u{2}/a*\u{7}\u{A}\u{1}E\u{1A}\u{2}\u{18}\u{11}"
        ),
        (
            // The head, a signal, a cause (7a) with the stacks of an allocation and a release, a
            // thread (82 01) with a frame, a mapping (8a 01). The fields before those two are texts
            // that end with C2, so that C2 82 and C2 8A are letters.
            "android-tombstone-pb",
            "\u{8}\u{1}\u{12}\u{5}a/b:c\u{1A}\u{1}0\"\u{13}2024-05-06 07:08:09(\u{7}0\u{9}J\u{2}/aR\u{7}\u{8}\u{B}\u{12}\u{1}S@\u{1}"
                + "z\u{17}\u{A}\u{1}c\u{12}\u{12}\u{1A}\u{10}\"\u{6}\u{8}\u{10}2\u{2}/a2\u{6}\u{8}\u{10}2\u{2}/a"
                + "B\u{1}\u{82}\u{1}\u{E}\u{8}\u{9}\u{12}\u{A}\u{8}\u{9}\"\u{6}\u{8}\u{10}2\u{2}/a"
                + "B\u{1}\u{8A}\u{1}\u{8}\u{8}\u{10}\u{10} :\u{2}/a"
        ),
        (
            "apple-ips",
            #"{"app_name":"App","bug_type":"309","os_version":"x"}"# + "\n"
                + #"{"pid":1,"asiBacktraces":["0   A   0x1 b + 1\n1   B\t0x2 c"],"exception":{"type":"E","subtype":"K at 0x1"},"threads":[{"triggered":true,"frames":[{"imageOffset":16,"imageIndex":0,"inline":true},[0,1]],"threadState":{"x":[{"value":1}]}}],"usedImages":[{"base":4096,"size":16,"uuid":"ab"},["ab",1]],}"#
        ),
        (
            "apple-ips",
            #"{"bug_type":"288","os_version":"x"}"# + "\n"
                + #"{"panicString":"p\nq","processByPid":{"1":{"procname":"a","threadById":{"2":{"id":2,"kernelFrames":[[1,5]],"userFrames":[[0,16],[9,1]]}}}},"binaryImages":[["ab",4096,"P"],["cd",0,"A"]]}"#
        ),
        (
            "kscrash-json",
            #"{"report":{"process_name":"A","timestamp":1,"type":"standard"},"binary_images":[{"image_addr":4096,"image_size":16,"uuid":"ab","cpu_type":12,"cpu_subtype":9}],"crash":{"error":{"type":"mach","address":1,"signal":{"signal":11}},"threads":[{"crashed":true,"registers":{"basic":{"pc":1}},"backtrace":{"skipped":2,"contents":[{"object_addr":4096,"symbol_addr":4097,"symbol_name":"b","instruction_addr":"0x1003","object_name":"c","line_of_code":"d:1"},]}}]},"user":{"event":{"threads":[{"stacktrace":[{"frameAddress":"0x11","machoLoadAddress":"0x10","machoFile":"/e"}]}]}}}"#
        ),
        (
            "metrickit",
            #"{"crashDiagnostics":[{"callStackTree":{"callStacks":[{"threadAttributed":true,"callStackRootFrames":[{"binaryUUID":"ab","offsetIntoBinaryTextSegment":16,"sampleCount":2,"address":4112,"symbolName":"a","subFrames":[{"address":"0x2001","offsetIntoBinaryTextSegment":4096,"binaryName":"b"}]}]}]},"diagnosticMetaData":{"exceptionType":1,"signal":11}}],"hangDiagnostics":[{"callStackTree":{"callStacks":[{"callStackRootFrames":[{"address":1}]}]}}]}"#
        ),
        (
            "nsexception-console",
            "2008-10-26 13:25:43.385 A b[41:20b] *** Terminating app due to uncaught exception 'X', reason: 'y\nz'\nStack: (\n    2528013804,  f + 3 (a.m:4) [inlined]\n    9668\n)\n*** First throw call stack:\n(0x30b5564f 0x1)\n"
        ),
        (
            "sanitizer-asan",
            "==7==ERROR: AddressSanitizer: SEGV on unknown address 0x8 (pc 0x41 bp 0x1 sp 0x2 T1)\nREAD of size 4 at 0x8 thread T1 (a)\n    #0 0x1010  (/a b/c.so+0x10) (BuildId: 00ff)\n    #1 0x1010 in f(int) C:\\a b.c:3:4\n    #2.1 0x2020 in g ../a.cc:1 <b>+0x2\n"
                + "\nfreed by thread T0 here:\n    #0 0x3 in h+0x1 (d:x86_64+0x100000001)\n    <empty stack>\n==7==Register values:\nrax = 0x1  x1  0002\n==7==Process memory map follows:\n\t0x1000-0x2000\t/a b/c.so\n==7==End of process memory map.\nSUMMARY: AddressSanitizer: SEGV (/a b/c.so+0x10) \nThread T1 created by T0 here:\n    #0 0x4  (<unknown module>)\n  Addressable: 00\n==7==ABORTING\n"
        ),
        (
            "sanitizer-tsan",
            "WARNING: ThreadSanitizer: data race (pid=7)\n  Write of size 4 at 0x8 by thread T1:\n    #0 <null> <null> (a+0x10)\n    #1 f /a.c:3 (a+0x10)\n    #2 <null> <null> (0x7)\n\n  Mutex M1 (0x1) created at:\n    #0 g a.c:1 (a:arm64+0x1)\n\nSUMMARY: ThreadSanitizer: data race (/a+0x10)\n==================\n"
        ),
        (
            "sanitizer-ubsan",
            "a.c:3:4: runtime error: x\n0x1: note: y\n 00 11\n ^~~\n    #0 0x1 (/a+0x1)\n\nSUMMARY: UndefinedBehaviorSanitizer: u (/a+0x1) \n"
        ),
        (
            "sanitizer-gwp-asan",
            "*** GWP-ASan detected a memory error ***\nUse after free at 0x1 (x) by thread 3 here:\n  #0 ./a(f+0x1) [0x2] in g /a.c:1\n  #1 ./a(+0x1) [0x2]\n  #2 [0x3]\n  #3 0x4\n    #4 0x5 in h /b.c:2:1\n0x1 was allocated by thread 4 here:\n  <unknown (x)>\n*** End GWP-ASan report ***\n"
        ),
        (
            "sentry-event-json",
            #"{"timestamp":1.5,"exception":{"values":[{"type":"EXC_BAD_ACCESS","mechanism":{"meta":{"signal":{"number":11}}},"stacktrace":{"frames":[{"instruction_addr":"0x1003","symbol_addr":"0x1","image_addr":"0x1000","package":"/a","function":"f","abs_path":"/b","lineno":2},{"instruction_addr":3,"addr_mode":"rel:0"}],"registers":{"pc":"0x1"}}}]},"threads":[{"id":1,"raw_stacktrace":{"frames":[{"instruction_addr":"0x2"}]}}],"debug_meta":{"images":[{"debug_id":"ab0","image_addr":"0x1000","image_size":16,"cpu_type":12}]}}"#
        ),
        (
            "swift-backtrace",
            "*** Signal 4: Backtracing from 0x7... done ***\n*** Program crashed: Illegal at 0x10 ***\n\nPlatform: x86_64 Linux\n\nThread 0 \"a\" crashed:\n\n0 [inlined] 0x10 f() + 1 in a at /b:1:2\n ...\n9 [ra] \u{1B}[32m0x20\u{1B}[39m\n   1| x\n\nRegisters:\n\nrax 0x1 1\n\nImages (1 omitted):\n\n0x1–0x2 ab a /a\n\nBacktrace took 1s\n"
                + #"{ "kind": "crashReport", "threads": [ { "frames": [ { "kind": "returnAddress", "address": "0x10", "offset": 1, "description": "a + 1", "sourceLocation": { "file": "a", "line": 1 } }, { "kind": "omittedFrames", "count": 9 } ] } ], "images": [ { "baseAddress": "0x1", "endOfText": "0x20" } ] }"#
        ),
        (
            "kernel-oops",
            "[    1.0] BUG: KASAN: x in f+0x1/0x2 at addr ffff88\nCPU: 1 PID: 2 Comm: a Tainted: G  W  4.8.0 #1 c15bceefbf84f6f2d3467011b006ccc8bfce2d1d\nModules linked in: a(O) b [last: c]\n"
                + "RIP: 0010:[<ffffffff82d4e304>]  [<ffffffff82d4e304>] g+0x24/0x30 [m 0102]\nRAX: dffffc0000000000 RSP: 0018:ffff88\nGPR00: c000000008068df8\nKrnl GPRS: 0000000000010000 070000000020db8e\nCall Trace:\n"
                + " <IRQ> [ 1.5]  ? h+0x1/0x2 a/b.c:3 (discriminator 1)\n([<0000000000454004>] 0x1)\n[c000000010f93150] [c000000008028668] .i+0x128/0x170 (unreliable)\n[<c0014990>] (j+0x0/0xf4) from [<c005ccb8>] (k+0x8/0x98)\n"
                + " l from m+0x1/0x2 (P)\n [<  inline >] n o.c:1\n p q.c:2 [inline]\n r (s.c:3 (discriminator 4)) t\n 0xfdc88c28\nPSW : 1 2 (u+0x1/0x2)\nFreed by task 1:\n v+0xffffffffffffffff/0xffffffffffffffff\n #0: (w), at: x+0x1/0x2\n---[ end trace 1 ]---\nKernel panic - not syncing: y\n"
        ),
        (
            "bsd-panic",
            "Fatal trap 12: page fault while in kernel mode\nfault virtual address\t= 0x10\ninstruction pointer\t= 0x20:0xffffffff8102fe62\ncurrent process\t\t= 3 (a)\npanic: x\nKDB: stack backtrace:\n"
                + "#0 0xffffffff80aada97 at f+0x67 a/b.c:3 [inline]\ng(1,2) at netbsd:h+0x10/frame 0x1\nStopped at      i+0x13: x\nddb> show registers\nrip 0x1 j\n"
        ),
        (
            "fuchsia-crash",
            "<== fatal exception: process /a[1] thread b[2]\n<== fatal page fault, PC at 0x1010\n CS: 0 RIP: 0x1010\ndso: id=0102 base=0x1000 name=app:/a\nbt#01: pc 0x1010 sp 0x1 (app:/a,0x10)\nbt#02: [ inline ] c d:1\n"
                + "bt#02: 0x1020 e f/g:2\nbt#03: end\n[[[ELF module #0x0 \"\" BuildID=0102 0x2000]]]\n#0 0x2010 in h i:3 <>+0x10\n#1.1 j • k/l:4\n"
        ),
        (
            "symbolizer-markup",
            "{{{reset}}}\n{{{module:0x1:a:elf:0102}}}\n{{{mmap:0x1000:0x100:load:01:rx:0x10}}}\n x {{{bt:0:0x1010:pc}}} f /a:1:2\n#1.1 g h:3\n{{{bt:1:0x1020}}} {{{pc:0:ra}}} i[j:4] }}}\n"
        ),
        (
            "jvm-hserr",
            "# A fatal error has been detected by the Java Runtime Environment:\n#  SIGSEGV (0xb) at pc=0x10, pid=1, tid=2\n# Java VM: x (1 linux-amd64)\n# Problematic frame:\n# C  [a+0x6]  f+0x3\n\n"
                + "Current thread (0x1):  JavaThread \"m\" [x]\nsiginfo: si_code: 1 (S), si_addr: 0x1\nRegisters:\nRAX=0x1, R8 =0x2\n\nNative frames: (J=\nV  [b+0x1]  g(int)+0x2  (g.c:3)\nj  A.b()V+1\nC  0x5\n\n"
                + "Dynamic libraries:\n1000-2000 r-xp 00000000 fe:00 1   /a\n0x1 - 0x2 \tb\n\nEND.\n"
        ),
        (
            "jvm-javacore",
            "0SECTION       TITLE subcomponent dump routine\n1TISIGINFO     Dump Event \"gpf\" (1) received\n2XHREGISTER      RIP: 10\n3XMTHREADINFO      \"m\" J9VMThread:0x1\n4XESTACKTRACE                at a/b.c(D.java:1(Compiled))\n"
                + "4XENATIVESTACK               f+0x1 (a.c:2, 0x10 [b+0x3])\n4XENATIVESTACK               (0x10 [b+0x3])\nNULL           - END OF DUMP -\n"
        ),
        (
            "go-panic",
            "panic: a\n[signal SIGSEGV: x code=0x1 addr=0x2 pc=0x3] f (a.c:1) +0x2\n\ngoroutine 1 gp=0x1 m=0 [running]:\nnon-Go function at pc=0x3\nc\n\ta.c:1 pc=0x3\nmain.f[...](0x1, {0x2})\n\ta.go:1 +0x2 fp=0x1 sp=0x2 pc=0x3\nmain.g(...)\n\ta.go:2\n"
                + "created by main.h in goroutine 2\n\ta.go:3 +0x1\n...2 frames elided...\n\nrax    0x0\n"
        ),
        (
            "rust-panic",
            "thread 'm' (1) panicked at a.rs:1:2:\nno\nstack backtrace:\n   0:     0x7f0000000010 - a::f\n                           b::g\n                               at b.rs:1:2\n   1:     0x7f0000000020 - <unknown>\n      [... omitted 2 frames ...]\nnote: Some details are omitted\n"
        ),
        (
            "python-trace",
            "Fatal Python error: Aborted\n\nCurrent thread 0x1 (most recent call first):\n  File \"a.py\", line 1 in f\n\nCurrent thread's C stack trace (most recent call first):\n  Binary file \"/a\", at f+0x1 [0x10] at a.c:1\n  Binary file \"/libc.so.6\", at +0x2 [0x20]\n"
                + "  Binary file '<unknown>' [0x1]\n  <truncated rest of calls>\n"
        ),
        (
            "kernel-oops",
            "CPU 0 Unable to handle kernel paging request at virtual address fffffff0, epc == 8003ab3c, ra == 80036f64\nOops[#2]:\nCPU: 0 PID: 172 Comm: k/0:1 Not tainted 3.18.29 #6\nepc   : 8003ab3c f+0x4/0xc\nra    : 80036f64 g+0x14/0xbc\n"
                + "epc : 0x800d9088\n ra : 0x80081f20\nepc : 800d9088 ra : 80081f20 sp : 807a1e90\nFunction entered at [<c01f3200>] from [<c01f32a0>] h+0x1 a.c:3\nFunction entered at [<c01f3200>] from [< inline >] i a.c:3\nFlags: nzCv  ISA Thumb\n"
        ),
        (
            "kernel-segfault",
            "[1.5] a b[42]: segfault at 10 ip 000055d0c0a1b2c3 sp 00007ffd1234abcd error 4 in a b[12c3,55d0c0a1a000+2000] (t() at /a.h:3 inlined into m(int (*)(char))+0x1b at /a.c:12) likely on CPU 4\n[1.6] Code: 48 <49>\ntraps: c[4] trap int3 ip:1 sp:2 error:0 in d[1+2]\n"
                + "d[1]: unhandled signal 11 code 0x1 at 0x10 in e[1+27000]\nCPU: 0 PID: 1 Comm: d Not tainted 6.1.0 #1\nepc : 0000003f957a1c64 ra : 0000003f957a1c00\ndo_page_fault(): sending SIGSEGV to f for invalid read access from 10\nepc = 77a1b2c4 in g[77a00000+9c000]\nra  = 00406f64 in h[400000+9000]\nf[42]: segfault (11) at 10 nip 1 lr 2 code 1\n"
        ),
        (
            "android-tombstone",
            "Fatal signal 11 (SIGSEGV), code 1 (S), fault addr 0x10 in tid 2 (r (1)), pid 1 (p)\n#03 pc 0x1000 a.apk (Missing) (BuildId: 00ab)\n#04 pc 0x74b95ad0d0\n#05 pc 0x754b2509b4 b.so (f(int) + 104)\n#06 pc 1000 c.so g(h*) (../i.cc:2) [arm64-v8a]\n"
        ),
        (
            "systemd-coredump",
            "#23 0x0000000000001001 n/a (l.so + 0x1)\n#24 0x0000000000001002 f (l.so + 0x2)\n\nStack trace of thread 7:\n#6  0x0000000000001001 n/a (l.so + 0x1)\n"
        ),
        (
            "jvm-mixed-stacks",
            "----------------- 7 -----------------\n\"m n\" #1 prio=5\n   java.lang.Thread.State: R\n0x0000000000001001\tf + 0x1\n0x0000000000001002\tg at /a.c:3 [inlined]\n0x0000000000001003\t* a.B.c() bci:0 (I)\n \t* d\n0x0000000000001004\t\t????????\n0x1005\t<S>\n0x1006\th + 0x1 (Native method)\n"
        ),
        (
            "julia-crash",
            "[7] signal (11.-1): S\nin expression starting at a:1\nf at /l.so (unknown line)\ng at a.c:1 [inlined] (ip: 0x1001)\nunknown function (ip: 0x1001) at /l.so\nunknown function (ip: (nil))\nAllocations: 1\n"
        ),
        (
            "winedbg",
            "Unhandled exception: page fault on read access to 0x10 in 32-bit code (0x1001).\nBacktrace:\n=>0 0x1001 in a (+0x1) (0x2)\n  1 0x7b463dae f+0x1d(x=(nil)) [/a.c:12] [inlined] in b (0x3)\nModules:\nModule\tAddress\nPE\t  1000- 2000\tExport          a\nELF\t7b400000-7b7f0000\tDwarf           b<elf>\n  \\-PE\t7b410000-7b7f0000\t\\               b\n"
        ),
        (
            "java-trace",
            "java.lang.Error: signal 11 (SIGSEGV), code 1 (S), fault addr 0000000c\n\tat libil2cpp.0x559590(Native Method)\n\tat libunity.0x3b40f0(Native Method)  f + 1 (a.c:3) [inlined]\n"
        ),
        (
            "java-trace",
            "Exception in thread \"m\" a.BException: c\nd\n\tat a.B.f(B.java:1)\n\tSuppressed: a.C\n\t\tat a.C.g(Native Method)\nCaused by: a.D: e\n\tat a.D.h(D.kt:2)\n\t... 3 more\n"
        ),
        (
            "android-tombstone",
            "*** *** *** *** *** ***\nBuild fingerprint: 'a/b/c:10/X'\nABI: 'arm'\nTombstone maker: 'xCrash 2'\npid: 1, tid: 2, name: n  >>> p <<<\nsignal 11 (SIGSEGV), code 1 (S), fault addr 0x1\n"
                + "Abort message: 'm'\n    #0 0x1 (/l.so+0x2) (BuildId: 00ab)\n    r0  00000001  r1  00000002\nbacktrace:\n    #00 pc 00001001 (offset 0x1)  /a/b.so!c.so (offset 0x2) (f(int)+3) (BuildId: 00ab)\n"
                + "          /a.c:1:2 (g)\n          /a.c:3:4 (f)\n    #01 pc 00002000  <anonymous:1>\n    #02 0x3 in h /a.c:5:6\n\nallocated by thread 1:\n    #00 pc 1  /a.apk (offset 1)\nbuild id:\n/a/b.so (BuildId: 00cd. x)\n"
                + "memory map (1 entry):\n--->0000007b'00001000-0000007b'00002fff r-x  1000  2000  /a/b.so (BuildId: 00cd) (load bias 0x1)\n--- --- --- --- ---\npid: 1, tid: 3, name: o  >>> p <<<\nbacktrace:\n    #00 pc 1  [vdso]\njava stacktrace:\n  at a.b(C.java:1)\n"
        ),
        (
            "android-anr",
            "----- pid 1 at 2023-05-06 07:08:09 -----\nCmd line: a\nABI: 'arm64'\n\"main\" prio=5 tid=1 Native\n  native: #00 pc 0000000000001000  /a.so (offset 17c000) (???)\n  at a.b(C.java:1)\n----- end 1 -----\n"
        ),
        (
            "chromium-misc",
            "[1:2:0603/1:FATAL:a.cc(48)] m\nReceived signal 11 SEGV_MAPERR 000000000010\n==== C stack trace ====\n#0 0x1011 f() [inlined] [a.cc:1,2] (/a/b.so+0x1010)\n#0 0x1011 (/a/b.so+0x1010)\n#1 0x2000 <unknown>\n  ip: 0000000000001011\n[end of stack trace]\n"
                + "# Fatal error in a.cc, line 1\n# m\n 1: 0x1 f (a.c:1:2)\n16: main\n==== C stack trace ====\n [0x1000]\n    /a/b(f+0x1)[0x1001]\nbase::debug::CollectStackTrace [0x1000+58] (a.cc:332)\n(No symbol) [0x1+1]\n"
        ),
        (
            "node-native",
            "FATAL ERROR: m\n----- Native stack trace -----\n\n 1: 0x1001 f(int) [inlined] [node] (a.cc:1:2)\n 1: 0x1001 g [node] (a.cc:3:4)\n 2: 00007FF64E9020FF h+3\n\n----- JavaScript stack trace -----\n\n1: f (a:1:2)\n2: b:3:4\n"
        ),
        (
            "microdump",
            "-----BEGIN BREAKPAD MICRODUMP-----\nV a:1\nO A arm 02 b c\nR 0000000B SIGSEGV 1\nS 0 1 2 3\nS 1 0000\nC "
                + String(repeating: "01", count: 368)
                + "\nM 01000000 0 02000000 8F36148CC4647A8116CAF2A25F591F570 a\n-----END BREAKPAD MICRODUMP-----\n"
        ),
        (
            "xorg-backtrace",
            "(EE) Backtrace:\n(EE) 0: /a/X (f+0x1) [0x1001] g [inlined] at a.c:1:2\n(EE) 0: /a/X (f+0x1) [0x1001] f at a.c:3\n(EE) 1: <signal handler called>\n(EE) 2: /a/b (0x1000+0x2) [0x1002]\n3: ?? [0x29]\n(EE) Registers at frame #2:\n  rax: 0x1\n(EE) Segmentation fault at address 0x1\n(EE) Caught signal 11 (S). x\n"
        ),
        (
            "swift-runtime-trace",
            "a.swift:1: Fatal error: x\nCurrent stack trace:\n0    a b    0x0000000000001010 f + 3 at /a:1:2\n1    a   0x0000000000001233 <unavailable> + 563\n"
        ),
        ("swift-server-backtrace", "Received signal 4. Backtrace:\n0x10, f(_:) at /a b:1\n0x10, g at /c:2\n0x20\n0x30 at x:0\n"),
        (
            "windows-cdb",
            "(1.2): E - code c5 (first chance)\nSTACK_TEXT:\n002df7e4 00fd1423 a!b c+0x1 (FPO: [0]) [c:\\d @ 3]\n\n#  1  Id: 1.2 Suspend: 1\n # Child-SP RetAddr Call Site\n"
                + "00 (Inline Function) --------`-------- a!b+0x3\n01 00000000`00000001 00000000`00000002 : 00000000`00000003 : 0x00000000`00000001\nquit:\n"
        ),
        (
            "unreal",
            "[1.1:1][  0]LogCore: === Critical error: ===\nUnhandled Exception: SIGSEGV: at address 0x10\n\n0x1010 a.so!UnknownFunction(0x10)\n0x2011 b!UnknownFunction(0x10)\n"
                + "0x30 c!PlatformCrashHandler(int) [/d:1]\n[Callstack] 01  0x40 e!f(+0x1)\n<CallStack>g!h() []\ni</CallStack>\n"
        ),
        (
            "glibc-backtrace",
            "*** Error in `./a': free(): x: 0x01 ***\n======= Backtrace: =========\n/l.so(f(int)+0x1)[0x10]\n[bt] (3) ./a(+0x1) [0x11] f at /a.c:1\n (inlined by) g at /b.c:2\n./a()[0x12]\n======= Memory map: ========\n0000-1000 r-xp 00000000 08:01 5   /l.so\n"
        ),
        (
            "gdb-bt",
            "Core was generated by `./a b'.\nProgram terminated with signal SIGSEGV, x.\n[Current thread is 1 (Thread 0x7 (LWP 1))]\n\nThread 1 (LWP 1):\n#0  0x10 in f (a=\"(\",\n    b={1})\n    at a.c:1\n#1  g () at b.c:2\n#2  <signal handler called>\n#3  0x20 in ?? () from\n  /l.so\n"
                + "From  To  Syms Read   Shared Object Library\n0x01  0x30  Yes (*)   /l.so\n   0x0 0x1000 0x1000 0x0 r-xp  /a\n"
        ),
        (
            "apport",
            "ProblemType: Crash\nSignal: 11\nProcMaps:\n 1000-2000 r-xp 00000000 08:01 5   /l.so\nRegisters:\n rax 0x1 1\nStacktrace:\n #0  0x1001 in ?? ()\n #1  0x1002 in f () from /l.so\nStacktraceAddressSignature: /l.so:11:/l.so+1:/l.so+2\nThreadStacktrace:\n .\n Thread 1 (LWP 1):\n #0  0x1001 in ?? ()\nCoreDump: base64\n"
        ),
        (
            "systemd-coredump",
            "           PID: 7 (a)\n        Signal: 11 (SEGV)\n       Message: Process 7 (a) of user 0 dumped core.\n\nModule /l.so with build-id ab01\nStack trace of thread 7:\n#0  0x0000000000001001 n/a (l.so + 0x1)\n#1  0x01 f (l.so + 0x1) [inlined] at /a.c:1\n"
        ),
        (
            "systemd-coredump",
            #"{"COREDUMP_PID":"7","COREDUMP_PROC_MAPS":"1000-2000 r-xp 0 0:0 5 /l.so\n","COREDUMP_PACKAGE_JSON":"{\"l.so\":{\"buildId\":\"ab\"}}","MESSAGE":"Stack trace of thread 7:\n#0  0x0000000000001001 n/a (l.so + 0x1)\n"}"#
        ),
        (
            "perf-script",
            "a b 7/8 [001] 1.000001: PERF_RECORD_MMAP2 7/7: [0x1000(0x1000) @ 0x1000 <ab01>]: r-xp /l.so\na b 7/8 1.000001:   5 cycles:u: \n\t 1001 f+0x1 (inlined)\n  /a.c:1\n\t 1001 g+0x1 (/l.so+0x1)\n\tffffffff81000000 k+0x1 ([kernel.kallsyms])\n\na 7 1.000001: cycles:  1001 f (/l.so)\n"
        ),
        (
            "abrt-json",
            #"{"ureport_version":2,"problem":{"signal":6,"stacktrace":[{"crash_thread":true,"frames":[{"address":17,"build_id":"ab","build_id_offset":1,"file_name":"/a","inlined":true},{"address":18446744073709551615,"build_id_offset":2}]}]}}"#
        ),
    ]

    /// Parses, symbolicates every frame, parses again: as a log whose format is to be found out,
    /// and as one of `format`; of every format where none is given. (Each byte of each sample as a
    /// log of each format would be so many that the tests take an hour; the fuzzer does that.)
    private func exercise(_ bytes: [UInt8], as format: String? = nil) {
        for name in [nil] + (format.map { [$0] } ?? FormatRegistry.standard.names) {
            let log = SampleLog(bytes: bytes)
            _ = log.symbolicated(as: name) { _ in .function("f", offset: 1, "/a.c", 2).inlining("g", "/b.c", 3) }.parsed(as: name)
        }
    }

    @Test(arguments: samples.indices) func `a sample holds its format`(index: Int) {
        #expect(SampleLog(Self.samples[index].text).parsed().reports.first?.format == Self.samples[index].format)
    }

    @Test(arguments: samples.indices) func `cut off at every byte`(index: Int) {
        let bytes = Array(Self.samples[index].text.utf8)
        for count in stride(from: 0, through: bytes.count, by: Repeats.step(4)) {
            exercise(Array(bytes.prefix(count)), as: Self.samples[index].format)
        }
    }

    @Test(arguments: samples.indices) func `without its beginning`(index: Int) {
        let bytes = Array(Self.samples[index].text.utf8)
        for count in stride(from: 0, to: bytes.count, by: 7) {
            exercise(Array(bytes.dropFirst(count)), as: Self.samples[index].format)
        }
    }

    @Test(arguments: samples.indices) func `with any byte changed`(index: Int) {
        let bytes = Array(Self.samples[index].text.utf8)
        // With a step of five each of the seven values comes to any kind of position.
        for position in stride(from: 0, to: bytes.count, by: Repeats.step(5)) {
            for value in [0x00, 0x0A, 0x20, 0x28, 0x2D, 0x39, 0xFF] as [UInt8] where position % 7 == Int(value) % 7 {
                var changed = bytes
                changed[position] = value
                exercise(changed, as: Self.samples[index].format)
            }
        }
    }

    @Test(arguments: samples.indices) func `with a line missing`(index: Int) {
        let lines = Self.samples[index].text.split(separator: "\n", omittingEmptySubsequences: false)
        for missing in lines.indices {
            let text = (lines[..<missing] + lines[(missing + 1)...]).joined(separator: "\n")
            exercise(Array(text.utf8), as: Repeats.areAll ? nil : Self.samples[index].format)
        }
    }

    @Test func `numbers at the edge of 64 bits`() {
        let max = "0xffffffffffffffff"
        for text in [
            "Thread 0 Crashed:\n0   a   \(max) \(max) + 18446744073709551615\n\nBinary Images:\n\(max) - \(max) a (*) <00> /a\n0x0 - \(max) b /b\n",
            "Current stack trace:\n18446744073709551615 a \(max) <unavailable> + 18446744073709551615\n0 a \(max) f + 1\n0 a 0x0 <unavailable> + 1\n",
            "*** Program crashed: x at \(max) ***\nThread 18446744073709551615 crashed:\nThread 9223372036854775807 crashed:\n9223372036854775807 [ra] \(max)\n...\n0 0x0\nImages:\n\(max)–0x0 a b /c\n0x0–\(max) a b /c\n",
            #"{ "kind": "crashReport", "threads": [ { "frames": [ { "kind": "omittedFrames", "count": 9223372036854775807 }, { "kind": "omittedFrames", "count": -9223372036854775808 }, { "kind": "returnAddress", "address": "0xffffffffffffffff", "offset": -1 } ] } ] }"#,
            #"{"bug_type":"309","app_name":"a","threads":[{"frames":[{"imageOffset":18446744073709551615,"imageIndex":0},{"imageOffset":1,"imageIndex":-1},{"imageOffset":-1,"imageIndex":9223372036854775807}]}],"usedImages":[{"base":18446744073709551615,"size":18446744073709551615}]}"#,
            "==18446744073709551615==ERROR: AddressSanitizer: x\n==9223372036854775807==ERROR: AddressSanitizer: x on address \(max) (pc \(max) T18446744073709551615)\n    #9223372036854775807 \(max)  (/a+\(max))\n    #0 \(max) in f (/a+0x7fffffffffffffff)\n    #0 0x1 in f /a:9223372036854775807:18446744073709551615\n==1==Process memory map follows:\n0x0-\(max) /a\n\(max)-0x0 /a\nSUMMARY: AddressSanitizer: x (/a+\(max))\n",
            "Stack: (\n18446744073709551615,\n18446744073709551616,\n)\n*** First throw call stack:\n(\(max) 0x0)\n",
        ] { exercise(Array(text.utf8)) }
    }

    @Test func `nesting and repetition end`() {
        exercise(Array(String(repeating: "{\"a\":[", count: 20_000).utf8))
        exercise(Array(String(repeating: "{\n", count: 20_000).utf8))
        exercise(Array(String(repeating: "Thread 0 Crashed:\n", count: 5_000).utf8))
        exercise(Array(("*** First throw call stack:\n(" + String(repeating: "0x1 ", count: 5_000)).utf8))
        exercise(
            Array(
                (String(repeating: "a", count: Limits.standard.lineLength + 10)
                    + "\nCurrent stack trace:\n0    a   0x0000000000001010 f + 3\n").utf8))
    }

    /// Rows of 40,000 images that the log does not list, each at a base of its own: compared each
    /// with all, 800 million comparisons.
    @Test(arguments: ["nsexception-console", "systemd-coredump", "xorg-backtrace"])
    func `frames that each bring an image along are read in time`(format: String) throws {
        let heads = [
            "nsexception-console": "*** First throw call stack:\n(\n",
            "systemd-coredump": "Message: Process 7 (a) of user 0 dumped core.\n\nStack trace of thread 7:\n",
            "xorg-backtrace": "(EE) Backtrace:\n",
        ]
        let rows = (0..<40_000).map { index in
            let base = 0x1_0000_0000 + index << 16
            let (address, start) = ("0x" + String(base + 16, radix: 16), "0x" + String(base, radix: 16))
            return switch format {
            case "systemd-coredump": "#\(index)  \(address) n/a (lib\(index).so + 0x10)\n"
            case "xorg-backtrace": "(EE) \(index): /lib/lib\(index).so (\(start)+0x10) [\(address)]\n"
            default: "\(index)   App\(index)   \(address) \(start) + 16\n"
            }
        }
        let log = SampleLog((heads[format] ?? "") + rows.joined())
        var found: CrashReport?
        let time = try processorTime { found = try log.report() }
        #expect(time < .seconds(30))
        let report = try #require(found)
        #expect(report.format == format && report.images.count == 40_000)
        let frame = try #require(report.stacks.first { !$0.frames.isEmpty }?.frames.last)
        #expect(frame.image == 39_999 && report.images[39_999].base == RuntimeAddress(0x1_0000_0000 + 39_999 << 16))
    }

    /// A line without an end of which each byte comes by itself, as from a program that writes so
    /// to a pipe: looked at anew from its beginning each time, 200,000 bytes are 20 billion.
    @Test(arguments: ["", "{", #"{"a": ""#, "Thread 0 Crashed: ", "#0 0x1010 in f a.c:1 ", "*** Program crashed: "])
    func `a long line that comes byte by byte is read in time`(start: String) {
        // Live logs are searched for other things.
        for registry in [FormatRegistry.standard, FormatRegistry.standard.forLiveLogs] { readByteByByte(start, registry) }
    }

    private func readByteByByte(_ start: String, _ registry: FormatRegistry) {
        let log = Array(start.utf8) + [UInt8](repeating: UInt8(ascii: "a"), count: 200_000)
        var pieces: [LogStream.Piece] = []
        let time = processorTime {
            var stream = LogStream(registry: registry)
            for position in log.indices { pieces += stream.feed(log.span.clamped(to: position..<position + 1)) }
            pieces += stream.finish()
        }
        #expect(time < .seconds(20))
        #expect(
            pieces.allSatisfy { $0.reports.isEmpty } && pieces.first?.range.lowerBound == 0 && pieces.last?.range.upperBound == log.count)
    }

    /// Lines that continue a value of Apple's header: 20,000 codes, and 20,000 lines of a broken
    /// path. The value ends with the first line past 4,096 bytes.
    @Test func `a value that many lines of a header bring is cut`() throws {
        let path = String(repeating: "/" + String(repeating: "a", count: 63), count: 2)
        let text =
            "Process: a [7]\nPath:\n" + String(repeating: path + "\n", count: 20_000) + "Code Type: ARM-64\n"
            + String(repeating: "Exception Codes: 0x0000000000000001\n", count: 20_000)
            + "\nThread 0 Crashed:\n0   a   0x1010 0x1000 + 16\n"
        var found: CrashReport?
        let time = try processorTime { found = try SampleLog(text).report() }
        #expect(time < .seconds(30))
        let report = try #require(found)
        // 18 characters and ", " before each but the first: 4,098 with the 205th, which is past
        // 4,096, so that no other comes.
        #expect(report.cause?.codes?.utf8.count == 18 + 204 * 20)
        // 128 characters and " " before each but the first: 4,127 with the 32nd.
        #expect(report.process.path?.utf8.count == 128 + 31 * 129)
    }

    @Test(.enabled(if: TestPaths.corpus != nil, "there is no corpus")) func `corrupt files of other kinds are no crash logs`() {
        for path in TestPaths.files(under: (TestPaths.corpus ?? "") + "/malformed") {
            #expect(SampleLog(bytes: TestPaths.bytes(of: path)).parsed().reports.isEmpty)
        }
    }
}
