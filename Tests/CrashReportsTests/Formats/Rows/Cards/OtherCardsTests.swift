import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// The smaller families: one test for each.
struct OtherCardsTests {
    private func report(_ name: String) throws -> CrashReport { try SampleLog(CardSample.text(name)).report() }
    private func links(_ addresses: [UInt64]) -> [ImageLocation?] { addresses.map { .linkAddress(LinkAddress($0)) } }

    @Test func `Intel Fortran's table`() throws {
        let report = try report("intel-fortran")
        #expect(report.cause?.signal == "SIGSEGV")
        let frames = report.threads[0].frames
        #expect(frames.map(\.hex) == ["0x51394d", "0x7f6e894bb390", "0x477210"])
        #expect(frames.map(\.imageName) == ["harbour", "libpthread-2.23.s", "harbour"])
        #expect(frames[2].printed == PrintedSymbol(name: "harbour_mp_moor_", location: SourceLocation(file: "harbour.f90", line: 292)))
        #expect(frames[0].printed == nil)
        // 0x…390 is the trampoline.
        #expect(frames.map(\.kind) == [.returnAddress, .returnAddress, .programCounter])
    }

    @Test func `Envoy's two forms`() throws {
        let old = try report("envoy")
        #expect(old.cause?.signal == "SIGSEGV" && old.cause?.address == RuntimeAddress(0))
        #expect(old.images.map(\.path) == ["/opt/harbour"])
        #expect(old.threads[0].frames.map(\.imageLocation) == links([0x4b47a5]) && old.threads[0].frames.map(\.image) == [0])
        let new = try SampleLog(
            "[2019-10-30 10:08:09.106][1][critical][backtrace] [backtrace.h:73] #20: Harbour::moor() [0xf965a4]\n[2019-10-30 10:08:09.107][1][critical][backtrace] [backtrace.h:75] #21: [0xf965b0]\n"
        ).report()
        #expect(new.format == "envoy" && new.threads[0].frames.map(\.index) == [20, 21])
        #expect(new.threads[0].frames.map(\.hex) == ["0xf965a4", "0xf965b0"])
        #expect(new.threads[0].frames[0].printed?.name == "Harbour::moor()")
    }

    @Test func `Envoy's mapping places the rows in it`() throws {
        let head = "[2024-10-30 10:08:09.106][1][critical][backtrace] [./source/server/backtrace.h:"
        let report = try SampleLog(
            """
            \(head)104] Caught Segmentation fault, suspect faulting address 0x10
            \(head)96] Address mapping: 55d0c0a1a000-55d0c0f10000 /opt/harbour
            \(head)98] #0: Harbour::moor() [0x55d0c0a965a4]
            \(head)98] #1: [0x7f05944c098c]

            """
        ).report()
        #expect(report.images.map(\.path) == ["/opt/harbour"] && report.images[0].base == nil && report.images[0].size == nil)
        // 0x55d0c0a965a4 - 0x55d0c0a1a000, of 0x55d0c0f10000 - 0x55d0c0a1a000 bytes.
        let frames = report.threads[0].frames
        #expect(
            frames.map(\.imageLocation) == [.mapping(MappingLocation(offset: 0x7c5a4, size: 0x4f6000)), nil]
                && frames.map(\.image) == [0, nil])
    }

    @Test func `bcc's rows have names and files`() throws {
        let frames = try report("bcc").threads[0].frames
        #expect(frames.map(\.hex) == ["0x7f05944c098c", "0x558508caa1bb", "0x7f0594212d90", "0xb515dd6bd2425100"])
        #expect(frames.map(\.imageName) == ["libtide.so.6.0.30", "harbour", "libc.so.6", nil])
        #expect(frames[0].printed == PrintedSymbol(name: "_Znwm", offset: 0x1c) && frames[3].printed == nil)
    }

    @Test func `compute-sanitizer's brackets are offsets in the module`() throws {
        let frames = try report("compute-sanitizer").threads[0].frames
        #expect(frames.map(\.imageLocation) == links([0x9544e, 0x2d725e, 0x36feb]))
        #expect(frames.map(\.imageName) == ["harbour.so", "libtide.so.1", "harbour"])
        #expect(frames.map { $0.printed?.name } == ["launch_moor(Ship*, int)", "tide", nil])
    }

    @Test func `compute-sanitizer's files in the lines below`() throws {
        let report = try SampleLog(
            "=========     Saved host backtrace up to driver entry point at kernel launch time\n=========     Device Frame:weigh(int*) in harbour.cu:3 [0x1b0]\n=========     Host Frame:harbour::moor(Ship*) in src/harbour.cu:332 [0x7ac0c]\n=========                in /opt/lib/libharbour.so.3\n=========     Host Frame:__libc_start_main in ../csu/libc-start.c:379 [0x29e40]\n=========                in /lib/x86_64-linux-gnu/libc.so.6\n=========     Host Frame:_start [0xa065]\n=========                in /opt/./harbour\n=========\n"
        ).report()
        let frames = report.threads[0].frames
        #expect(frames.map(\.imageLocation) == links([0x7ac0c, 0x29e40, 0xa065]))
        #expect(frames.map { $0.printed?.name } == ["harbour::moor(Ship*)", "__libc_start_main", "_start"])
        #expect(frames.map(\.imageName) == ["libharbour.so.3", "libc.so.6", "harbour"])
        #expect(frames[0].printed?.location == SourceLocation(file: "src/harbour.cu", line: 332))
        #expect(frames.allSatisfy { $0.kind == .returnAddress })
    }

    @Test func `Mono's rows`() throws {
        let frames = try report("mono").threads[0].frames
        #expect(frames.map(\.hex) == ["0x7fb9e3ca5c19", "0x7fb9e3c54a31", "0x7fb9e3620980"])
        #expect(frames.map { $0.printed?.name } == [nil, "moor", nil])
        let whole = try SampleLog(
            "\tNative Crash Reporting\n=====\nGot a SIGSEGV while executing native code. This usually indicates\na fatal error in the mono runtime or one of the native libraries \nused by your application.\n=====\n\n=====\n\tNative stacktrace:\n=====\n\t0x55deef76a03c - mono : (null)\n\t0x7f7bce938809 - /lib/libc.so.6 : (null)\n\t0x7ffe76d98230 - Unknown\n\n"
        ).report()
        #expect(whole.format == "mono" && whole.cause?.signal == "SIGSEGV")
        #expect(whole.threads[0].frames.map(\.imageName) == ["mono", "libc.so.6", nil])
        // The executing frame is directly below the runtime's rows: the handler of SIGSEGV has left its own stack.
        #expect(whole.threads[0].frames.map(\.kind) == [.returnAddress, .programCounter, .returnAddress])
        #expect(whole.threads[0].frames.allSatisfy { $0.printed == nil })
    }

    @Test func `Unity's rows keep what is in brackets`() throws {
        let frames = try report("unity").threads[0].frames
        #expect(frames.map(\.hex) == ["0x104a383d4", "0x104a383f8", "0x104a38408", "0x1c1dd8dec"])
        #expect(frames.map { $0.printed?.name } == ["boom()", nil, "main", "start"])
        #expect(frames.allSatisfy { $0.kind == .returnAddress })
    }

    /// The trampoline has the name of the exported function before it, and the interrupted frame is the second row.
    @Test(arguments: ["__sigaction", "funlockfile"]) func `Unity's first row on Linux is the trampoline`(name: String) throws {
        let report = try SampleLog(
            "Caught fatal signal - signo:11 code:1 errno:0 addr:0x8\nObtained 3 stack frames.\n#0  0x007f4d36409520 in \(name)\n#1  0x007f4b58b4a3c8 in harbour::moor(Ship*)\n#2  0x007f4b58bb7674 in (Unknown)\n"
        ).report()
        #expect(report.threads[0].frames.map(\.kind) == [.returnAddress, .programCounter, .returnAddress])
        #expect(report.threads[0].frames.map(\.hex) == ["0x7f4d36409520", "0x7f4b58b4a3c8", "0x7f4b58bb7674"])
    }

    @Test func `Firefox' offsets count from the library's first byte`() throws {
        let frames = try report("moz-stack-walk").threads[0].frames
        #expect(frames.map(\.imageOffset) == [ImageOffset(0x1180), ImageOffset(0x11bc)] && frames.map(\.index) == [1, 2])
        #expect(frames.map { $0.printed?.name } == [nil, "moor(Ship*)"])
    }

    @Test func `HAProxy's rows show bytes`() throws {
        let frames = try report("haproxy").threads[0].frames
        #expect(frames[0].imageLocation == .symbol(SymbolLocation(name: "moor", offset: 0x70, size: 0x341)))
        #expect(frames[1].imageLocation == .offset(ImageOffset(0x123a0)) && frames[1].imageName == "libtide")
    }

    @Test func `Greenplum's lower halves of addresses are no offsets`() throws {
        let frames = try report("greenplum").threads[0].frames
        #expect(frames.map(\.index) == [1, 2, 3])
        #expect(frames.map(\.hex) == ["0x7f1a4d50d918", "0x7f1a4d52ea03", "0x4027db"])
        #expect(frames.map(\.imageName) == ["libharbour.so", "libharbour.so", "harbour"])
        #expect(frames.map(\.printed) == [PrintedSymbol(name: "moor", offset: 0x258), nil, PrintedSymbol(name: "main", offset: 0x56b)])
    }

    /// `%-4d %p %s %s + 0x%x`, and with `gp_log_stack_trace_lines` `%-4d %p %s %s (%s)`.
    @Test func `Greenplum's numbers have a column of four, and places are no offsets`() throws {
        let frames = try SampleLog(
            "9    0x4027db harbour main + 0x56b\n10   0x4027ab harbour Moor (harbour.c:1234)\n11   0x7f1a4d52ea03 libharbour.so <symbol not found> (tide.c:12)\n"
        ).report().threads[0].frames
        #expect(frames.map(\.index) == [9, 10, 11] && frames.map(\.hex) == ["0x4027db", "0x4027ab", "0x7f1a4d52ea03"])
        #expect(frames.map(\.imageName) == ["harbour", "harbour", "libharbour.so"])
        #expect(frames.map { $0.printed?.name } == ["main", "Moor", nil])
        #expect(frames[1].printed?.location == SourceLocation(file: "harbour.c", line: 1234))
    }

    /// Measured with libunwind 1.6.2: `__sigaction` of glibc 2.36 is 44 bytes long, and the
    /// trampoline begins 0x40 bytes after its start.
    @Test func `libunwind names the trampoline after the exported function before it`() throws {
        let frames = try SampleLog(
            "ip=0x7f37c3775050 sp=0x7f37c3770010 <__sigaction+0x40>\nip=0x4013cb sp=0x7f37c3770410 <moor+0x7>\nip=0x4013e2 sp=0x7f37c3770420 <main+0x15>\n"
        ).report().threads[0].frames
        #expect(frames.map(\.kind) == [.returnAddress, .programCounter, .returnAddress])
    }

    @Test func `libunwind's rows`() throws {
        let frames = try report("libunwind").threads[0].frames
        #expect(frames.map(\.hex) == ["0x565c2614", "0x5665dba5"])
        #expect(frames.map(\.printed) == [PrintedSymbol(name: "moor", offset: 0x2a5), PrintedSymbol(name: "berth", offset: 0x44)])
    }

    @Test func `D's rows have no module, and are moved back`() throws {
        let report = try SampleLog(
            "core.exception.ArrayIndexError@harbour.d(2): index [6] is out of bounds for array of length 3\n----------------\n??:? onArrayIndexError [0x7f8889d6639d]\n??:? [0x555d7294b306]\n??:? [0x555d7294b34a]\nsource/harbour.d:17 void harbour.moor(int) [0x555d7294b3bc]\n"
        ).report()
        #expect(report.format == "druntime" && report.cause?.type == "core.exception.ArrayIndexError")
        #expect(report.cause?.message == "index [6] is out of bounds for array of length 3" && report.images.isEmpty)
        let frames = report.threads[0].frames
        #expect(frames.map(\.hex) == ["0x7f8889d6639d", "0x555d7294b306", "0x555d7294b34a", "0x555d7294b3bc"])
        #expect(frames.map { $0.printed?.name } == ["onArrayIndexError", nil, nil, "void harbour.moor(int)"])
        #expect(frames[3].printed?.location == SourceLocation(file: "source/harbour.d", line: 17))
        #expect(frames.allSatisfy { $0.kind == .exact })
    }

    /// The number in brackets is a position in the file or an address as linked, depending on the library that strace
    /// was built with; the function and the offset in it are the same for both.
    @Test func `strace's rows are places in functions, or offsets in the module`() throws {
        let report = try report("strace")
        let frames = report.threads[0].frames
        let expected: [(String, UInt64)] = [
            ("_exit", 0x29), ("erand48_r", 0x1a2), ("exit", 0x1a), ("__libc_init_first", 0x91), ("__libc_start_main", 0x85),
            ("_start", 0x21),
        ]
        #expect(frames.map(\.imageLocation) == expected.map { .symbol(SymbolLocation(name: $0.0, offset: $0.1)) })
        let others = try SampleLog(
            "pause() = ?\n > /opt/harbour(harbour::moor(int)+0x9) [0x114c]\n > /opt/harbour() [0x1169]\n > /opt/harbour(main+0x9) [0x1179]\n"
        ).report()
        #expect(others.threads[0].frames.map(\.imageLocation).prefix(2) == links([0x114c, 0x1169])[...])
        #expect(frames[0].printed == PrintedSymbol(name: "_exit", offset: 0x29) && frames.allSatisfy { $0.address == nil })
        #expect(report.images.map(\.path) == ["/usr/lib/x86_64-linux-gnu/libc.so.6", "/srv/harbour/moor"])
    }

    /// 0x562cbda865e2 - 0x8865e2 = 0x562cbd200000 = 0x562cbd77f956 - 0x57f956: the unnamed module
    /// is ceph-osd.
    @Test func `Ceph's unnamed module is the one with the same bias`() throws {
        let report = try report("ceph")
        let frames = report.threads[0].frames
        #expect(frames.map(\.index) == [1, 2, 3, 4, 5, 6, 7])
        #expect(frames[2].imageLocation == .linkAddress(LinkAddress(0x8865e2)) && frames[2].image == frames[3].image)
        #expect(frames[2].image.map { report.images[$0].name } == "ceph-osd")
        #expect(frames[1].imageLocation == .symbol(SymbolLocation(name: "Harbour::moor(Ship&, int)", offset: 0x91)))
        #expect(frames[4].printed?.name == "main()" && frames[4].address == nil)
        let caught = try SampleLog(
            "*** Caught signal (Segmentation fault) **\n in thread 7f6c5f10b700 thread_name:ms_dispatch\n" + CardSample.text("ceph")
        )
        .report()
        #expect(caught.format == "ceph" && caught.cause?.signal == "SIGSEGV")
    }

    @Test func `a module that is not named is not the first that is`() throws {
        let report = try SampleLog(" 1: /lib/libtide.so(+0x10) [0x7f0000001010]\n 2: (()+0x8865e2) [0x562cbda865e2]\n").report()
        #expect(report.threads[0].frames[1].image.map { report.images[$0].name } == "<unknown>")
    }

    /// 0x7f0fca76524a - 0x2724a = 0x7f0fca73e000; a bracket that repeats the address is no information.
    @Test func `Ruby prints offsets of rows without a name`() throws {
        let report = try SampleLog(
            "-- C level backtrace information -------------------------------------------\n/usr/lib/libharbour.so.3.1(0x7f0fcac64998) [0x7f0fcac64998]\n/lib/libc.so.6(__restore_rt+0x0) [0x7f0fca77a050]\n/lib/libc.so.6(kill+0x7) [0x7f0fca77a267]\nharbour(0x563afeffe10b) [0x563afeffe10b]\n/lib/libc.so.6(0x2724a) [0x7f0fca76524a]\n"
        ).report()
        let frames = report.threads[0].frames
        #expect(frames.map(\.hex) == ["0x7f0fcac64998", "0x7f0fca77a050", "0x7f0fca77a267", "0x563afeffe10b", "0x7f0fca76524a"])
        #expect(frames.map(\.imageName) == ["libharbour.so.3.1", "libc.so.6", "libc.so.6", "harbour", "libc.so.6"])
        #expect(frames[4].imageLocation == .linkAddress(LinkAddress(0x2724a)))
        #expect(report.images.first { $0.name == "libc.so.6" }?.base == RuntimeAddress(0x7f0fca73e000))
        #expect(frames.map(\.kind) == [.returnAddress, .returnAddress, .programCounter, .returnAddress, .returnAddress])
    }

    @Test func `Ruby's C level backtrace is one stack`() throws {
        let report = try report("ruby")
        #expect(report.threads.count == 1 && report.threads[0].frames.contains { $0.isInlined })
    }

    @Test func `eu-stack's first row of each thread was executing`() throws {
        let report = try SampleLog("PID 4242 - process\n" + CardSample.text("eu-stack")).report()
        #expect(report.threads.map(\.index) == [4242, 4243])
        #expect(report.threads.map { $0.frames.map(\.kind) } == [[.programCounter, .returnAddress, .returnAddress], [.programCounter]])
        #expect(report.threads[0].frames.map(\.hex) == ["0x7f6079cfbdd0", "0x55bb5442a166", "0x7f6079c4f24a"])
        #expect(report.threads[0].frames.map { $0.printed?.name } == ["pause", nil, "__libc_start_call_main"])
    }

    @Test func `folly's addresses count in images that are not named`() throws {
        let report = try report("folly")
        #expect(report.cause?.signal == "SIGSEGV" && report.cause?.address == RuntimeAddress(0x30))
        let frames = report.threads[0].frames
        #expect(frames.map(\.imageLocation) == links([0x58190c, 0x140ff, 0x50b96f]))
        #expect(frames.allSatisfy { $0.kind == .exact && $0.address == nil && $0.image == nil })
        #expect(frames[0].printed?.location == SourceLocation(file: "/src/folly/SignalHandler.cpp", line: 449))
        #expect(frames[2].printed?.name == "harbour::moor()")
    }

    /// 0x7e3b07e98ba6 - 0x20ba6 = 0x7e3b07e78000 is the library's bias; 0x7e3b07e9a507 -
    /// 0x7e3b07e78000 = 0x22507.
    @Test func `PyTorch's offsets of unnamed functions count in the library`() throws {
        let report = try report("pytorch")
        #expect(report.cause?.type == "c10::Error" && report.cause?.message == "Exception raised from moor at ../c10/harbour.cpp:43")
        let frames = report.threads[0].frames
        #expect(frames.map(\.index) == [3, 4, 8])
        #expect(frames.map(\.imageLocation) == links([0x20ba6, 0x22507, 0x510ceb]))
        #expect(frames.map(\.imageName) == ["libharbour.so", "libharbour.so", "python"])
        #expect(frames[1].printed == PrintedSymbol(name: "harbour::Ship::~Ship()", offset: 0x1e3))
        #expect(frames.allSatisfy { $0.kind == .returnAddress })
    }

    @Test func `gfortran's addresses are moved back already`() throws {
        let report = try report("gfortran")
        #expect(report.cause?.signal == "SIGSEGV")
        #expect(report.cause?.message == "Program received signal SIGSEGV: Segmentation fault - invalid memory reference.")
        let frames = report.threads[0].frames
        #expect(frames.count == 6 && frames.allSatisfy { $0.kind == .exact })
        #expect(frames.map { $0.printed?.name } == [nil, nil, nil, "moor_", "harbour", "main"])
        #expect(frames[3].printed?.location == SourceLocation(file: "/srv/harbour/rise.f90", line: 4))
    }

    @Test func `errors of gfortran's library`() throws {
        let report = try SampleLog(
            "At line 4 of file rise.f90\nFortran runtime error: Index '9' of dimension 1 of array 'a' above upper bound of 3\n\nError termination. Backtrace:\n#0  0x401194 in ???\n#1  0x4011f4 in ???\n#2  0xffffffffffffffff in ???\n"
        ).report()
        #expect(report.format == "gfortran" && report.cause?.type == "Fortran runtime error")
        #expect(report.threads[0].frames.map(\.hex) == ["0x401194", "0x4011f4", "none"])
    }

    @Test func `gdb's words are gdb's and not gfortran's`() throws {
        let report = try SampleLog(
            "Program received signal SIGSEGV, Segmentation fault.\n0x0000000000401136 in moor ()\n#0  0x0000000000401136 in moor ()\n#1  0x000000000040115a in main ()\n"
        ).report()
        #expect(report.format == "gdb-bt")
    }

    @Test func `LLVM: the frame that the trampoline interrupted is exact`() throws {
        let report = try report("llvm-stack-dump")
        #expect(report.process.name == "harbourc")
        let frames = report.threads[0].frames
        #expect(frames.map(\.index) == [0, 1, 2, 3, 10])
        #expect(frames.map(\.imageLocation) == links([0x7c4d90, 0x7c1d4d, 0x3d1d0, 0x3f7fc5, 0xafd5]))
        #expect(frames.map(\.kind) == [.returnAddress, .returnAddress, .returnAddress, .programCounter, .returnAddress])
        #expect(frames[0].printed?.name == "llvm::sys::PrintStackTrace(llvm::raw_ostream&, int)")
    }

    /// 0x104a383f8 - 1016 = 0x104a38000 is the image's first byte; 0x104a383d4 - 0x104a38000 =
    /// 0x3d4.
    @Test func `LLVM's rows on Darwin count from the image's first byte`() throws {
        let report = try SampleLog(
            "Stack dump without symbol names (ensure you have llvm-symbolizer in your PATH or set the environment var `LLVM_SYMBOLIZER_PATH` to point to it):\n0  Demo                     0x0000000104a383d4 boom + 12\n1  Demo                     0x0000000104a383f8 Demo + 1016\n2  Demo                     0x0000000104a38408 main + 16\n3  dyld                     0x00000001c1dd8dec start + 2220\n"
        ).report()
        #expect(report.format == "llvm-stack-dump")
        let frames = report.threads[0].frames
        #expect(frames.prefix(3).map(\.imageLocation) == [0x3d4, 0x3f8, 0x408].map { .offset(ImageOffset($0)) })
        #expect(frames.map(\.imageName) == ["Demo", "Demo", "Demo", "dyld"])
        #expect(report.images[0].base == RuntimeAddress(0x104a38000))
    }

    @Test func `a failed assertion above LLVM's stack is the cause`() throws {
        let report = try SampleLog(
            "harbourc: tide.cpp:12: void moor(): Assertion `ship' failed.\nPLEASE submit a bug report to https://bugs.example and include the crash backtrace.\n"
                + CardSample.text("llvm-stack-dump")
        ).report()
        #expect(report.format == "llvm-stack-dump" && report.cause?.type == "assertion failed")
        #expect(report.threads[0].frames.count == 5)
    }

    @Test func `Seastar's rows count from the program, or from the library that they name`() throws {
        let report = try report("seastar")
        #expect(report.cause?.signal == "SIGSEGV")
        let frames = report.threads[0].frames
        #expect(frames.map(\.imageLocation) == links([0x2ee2d82, 0x2e886bb, 0x3853e]))
        #expect(frames.allSatisfy { $0.kind == .exact && $0.address == nil })
        #expect(report.images.map(\.name) == ["<unknown>", "libtide.so.6"] && frames.map(\.image) == [0, 0, 1])
    }

    @Test func `Seastar's stack in one line`() throws {
        let text =
            "Reactor stalled for 33 ms on shard 1. Backtrace: 0xa1234 0xb5678 /opt/lib/libtide.so.6+0xabcd (BuildId: 2d4295e82afee91a64c6dffbb1935537e002df2d)\n"
        let log = SampleLog(text)
        let report = try log.report()
        #expect(report.format == "seastar" && report.cause?.message == "Reactor stalled for 33 ms on shard 1")
        let frames = report.threads[0].frames
        #expect(frames.map(\.imageLocation) == links([0xa1234, 0xb5678, 0xabcd]))
        #expect(frames.map { log.text(of: $0) } == ["0xa1234", "0xb5678", "/opt/lib/libtide.so.6+0xabcd"])
        #expect(report.images[0].id == ImageID(text: "2d4295e82afee91a64c6dffbb1935537e002df2d"))
        #expect(frames.map(\.image) == [0, 0, 1] && frames.map(\.index) == [0, 1, 2])
        // There is no room for results between the rows.
        #expect(log.symbolicated { _ in .function("moor", offset: 1, "/src/a.cc", 2) }.text == text)
    }

    @Test func `two stalls of Seastar are two reports`() {
        let line =
            "INFO  2024-01-02 03:04:05,678 [shard 1:main] seastar - Reactor stalled for 5 ms on shard 1. Backtrace: 0xa1234 0xb5678\n"
        let reports = SampleLog(line + line).parsed().reports
        #expect(reports.map { $0.threads[0].frames.count } == [2, 2])
    }

    @Test func `ClickHouse's addresses are as linked, and the build ID is the program's`() throws {
        let report = try report("clickhouse")
        #expect(report.cause?.signal == "SIGSEGV" && report.process.name == "clickhouse")
        #expect(report.images.map(\.path) == ["/usr/bin/clickhouse"])
        #expect(report.images[0].id == ImageID(text: "CA7306E4531D31C8CA7306E4531D31C8CA7306E4"))
        let frames = report.threads[0].frames
        #expect(frames.map(\.index) == [3, 4] && frames.map(\.image) == [0, 0])
        #expect(frames.map(\.imageLocation) == links([0x10e30de3, 0x10e3d2c3]))
        // The rows of a signal begin with the executing frame, although its number is 3.
        #expect(frames.map(\.kind) == [.programCounter, .returnAddress])
        #expect(frames[0].printed?.name == "DB::Harbour::moor(int)")
        #expect(frames[0].printed?.location == SourceLocation(file: "./build/../src/harbour.cpp", line: 1853))
        #expect(frames[1].printed?.name == nil)
    }

    @Test func `ClickHouse's exceptions`() throws {
        let report = try SampleLog(
            "2023.01.02 03:04:05.678901 [ 4242 ] {} <Error> TCPHandler: Code: 60. DB::Exception: no berth, Stack trace (when copying this message, always include the lines below):\n\n0. DB::Exception::Exception(DB::Exception::MessageMasked&&, int, bool) @ 0xe1207d5 in /usr/bin/clickhouse\n1. ? @ 0x15fed06 in /usr/bin/clickhouse\n"
        ).report()
        #expect(report.format == "clickhouse")
        #expect(report.threads[0].frames.allSatisfy { $0.kind == .returnAddress })
        #expect(report.threads[0].frames.map(\.imageLocation) == links([0xe1207d5, 0x15fed06]))
    }

    @Test func `Boost's rows with a name have no address`() throws {
        let report = try report("boost-stacktrace")
        let frames = report.threads[0].frames
        #expect(frames.map(\.index) == [0, 1, 2, 3, 4] && frames.allSatisfy { $0.kind == .returnAddress })
        #expect(frames.map(\.hex) == ["none", "none", "0x7fcb3b24524a", "none", "none"])
        #expect(frames.map { $0.printed?.name } == ["harbour::moor(int)", "main", nil, "__libc_start_main", "_start"])
        #expect(frames.map(\.imageName) == ["bo", "bo", "libc.so.6", "libc.so.6", "bo"])
    }

    @Test func `Boost's rows with a source location`() throws {
        let frames = try SampleLog(
            " 0# 0x00007FFFE8AA7B0F in /opt/lib/libharbour.so\n 1# moor(int) at /src/harbour.cpp:12\n 2# 0x0000555555554ABC in ./harbour\n"
        ).report().threads[0].frames
        #expect(frames.map(\.hex) == ["0x7fffe8aa7b0f", "none", "0x555555554abc"])
        #expect(frames[1].printed == PrintedSymbol(name: "moor(int)", location: SourceLocation(file: "/src/harbour.cpp", line: 12)))
    }

    @Test func `Boost's names alone are not a stack`() {
        #expect(SampleLog(" 0# moor(int) in ./a\n 1# main in ./a\n").parsed().reports.isEmpty)
    }

    @Test func `backward-cpp: outermost first, moved back, the cause below`() throws {
        let report = try report("backward-cpp")
        #expect(report.cause?.signal == "SIGSEGV" && report.cause?.address == RuntimeAddress(8))
        let frames = report.threads[0].frames
        #expect(frames.map(\.index) == [0, 1, 2, 3, 4, 5, 6] && frames.allSatisfy { $0.kind == .exact })
        #expect(frames.map(\.hex).prefix(2) == ["0x55a48bbe65c9", "0x55a48bbe65d4"] && frames[6].address == nil)
        #expect(frames.map(\.imageName).prefix(4) == ["bw", "bw", "bw", "libc.so.6"])
        #expect(frames[4].printed?.name == "__libc_start_main")
    }

    @Test func `backward-cpp's rows of which the source is known`() throws {
        let report = try SampleLog(
            "Stack trace (most recent call last) in thread 2603:\n#2    Source \"../csu/libc-start.c\", line 308, in __libc_start_main [0x7fb7655cc082]\n#1    Object \"/opt/lib/libtide.so\", at 0x7f91b97ef21e, in \n#0    Object \"/opt/harbour\", at 0x55b35919fc04, in moor(int)\nSegmentation fault (Address not mapped to object [0x8])\n"
        ).report()
        #expect(report.threads[0].index == 2603)
        let frames = report.threads[0].frames
        #expect(frames.map(\.hex) == ["0x55b35919fc04", "0x7f91b97ef21e", "0x7fb7655cc082"])
        #expect(frames[2].printed?.location == SourceLocation(file: "../csu/libc-start.c", line: 308))
        #expect(frames.map { $0.printed?.name } == ["moor(int)", nil, "__libc_start_main"])
    }
}
