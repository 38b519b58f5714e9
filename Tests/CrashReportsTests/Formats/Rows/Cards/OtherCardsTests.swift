import BinaryPrimitives
import CrashLogModel
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
}
