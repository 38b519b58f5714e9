import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

struct GlibcBacktraceTests {
    /// 0x7ffff7fbc12b - 0x112b = 0x7ffff7fbb000 is the library's bias by its first row;
    /// 0x7ffff7fbc171 - 0x7ffff7fbb000 = 0x1171.
    @Test func `one row without a symbol tells where the others of its file lie`() throws {
        let report = try SampleLog(
            "./ferry(+0x1390)[0x555555555390]\n/srv/libharbour.so.1(+0x112b)[0x7ffff7fbc12b]\n/srv/libharbour.so.1(harbour_berth+0x11)[0x7ffff7fbc171]\n"
        ).report()
        #expect(report.format == "glibc-backtrace")
        let frames = report.threads[0].frames
        #expect(frames.map(\.imageLocation) == [0x1390, 0x112b, 0x1171].map { .linkAddress(LinkAddress($0)) })
        #expect(frames.map(\.image) == [0, 1, 1])
        #expect(report.images.map(\.name) == ["ferry", "libharbour.so.1"])
        #expect(report.images.map(\.path) == ["./ferry", "/srv/libharbour.so.1"])
        #expect(frames.allSatisfy { $0.kind == .returnAddress })
        #expect(frames[2].printed == PrintedSymbol(name: "harbour_berth", offset: 0x11))
    }

    @Test func `without such a row the symbol tells the place`() throws {
        let frames = try SampleLog("./a(main+0x9) [0x55be8ed7119c]\n./b(f+0x1)[0x10]\n").report().threads[0].frames
        #expect(
            frames.map(\.imageLocation) == [
                .symbol(SymbolLocation(name: "main", offset: 9)), .symbol(SymbolLocation(name: "f", offset: 1)),
            ])
    }

    @Test func `two biases of one file are used for neither`() throws {
        let frames = try SampleLog("./a(+0x10)[0x1010]\n./a(+0x10)[0x2010]\n./a(f+0x1)[0x2020]\n").report().threads[0].frames
        #expect(frames[2].imageLocation == .symbol(SymbolLocation(name: "f", offset: 1)))
    }

    @Test func `programs that are linked where they lie`() throws {
        let frames = try SampleLog("./ferry() [0x4013b1]\n./ferry[0x40152d]\n").report().threads[0].frames
        #expect(frames.map(\.imageLocation) == [.linkAddress(LinkAddress(0x4013b1)), .linkAddress(LinkAddress(0x40152d))])
    }

    @Test func `a static program's rows are addresses alone, and more than one`() throws {
        let report = try SampleLog("[0x401821]\n[0x40199d]\n").report()
        #expect(report.threads[0].frames.map(\.hex) == ["0x401821", "0x40199d"])
        #expect(report.images.isEmpty && report.threads[0].frames.allSatisfy { $0.imageLocation == nil && $0.image == nil })
        #expect(SampleLog("[0x401821]\nmore\n").parsed().reports.isEmpty)
        // V8's stack of JavaScript.
        #expect(
            SampleLog(
                "    2: __f_5 [0x7e9a0103e639] [/a/fuzz.js:3530] [bytecode=0x1 offset=3](this=0x7 <x>,0x7e)\n    3: __f_6 [0x7e] [/a.js:1](x y)\n"
            ).parsed().reports.isEmpty)
        #expect(SampleLog("table[0x10] of x\ntable[0x11]\n").parsed().reports.isEmpty)
    }

    @Test func `an address before its symbol has no place`() throws {
        let frames = try SampleLog("./a(f-0x8)[0x1010]\n").report().threads[0].frames
        #expect(frames.map(\.imageLocation) == [nil])
    }

    @Test(arguments: [
        ("[ 3] /lib64/libc.so.6(abort+0x148)[0x7f01]", "/lib64/libc.so.6"),
        ("[bt] (3) /x/lib mx.so(dmlc::StackTrace(int)+0x4a) [0x7f01]", "/x/lib mx.so"),
        ("#3  ./a(+0x1)[0x7f01]", "./a"), (" 3: ./a(+0x1) [0x7f01]", "./a"), ("12# ./a(+0x1) [0x7f01]", "./a"),
    ])
    func `numbers before rows`(row: String, module: String) throws {
        let frame = try #require(try SampleLog(row + "\n").report().threads[0].frames.first)
        #expect(frame.hex == "0x7f01" && frame.imageName == module.split(separator: "/").last.map(String.init))
    }

    /// Ubuntu's message of 2011: the image's base is 0x25a000 by the map, and 0x33ecca - 0xe4cca =
    /// 0x25a000.
    @Test func `the memory map of glibc's own report gives the images`() throws {
        let log = SampleLog(
            "*** buffer overflow detected ***: ar terminated\n======= Backtrace: =========\n/lib/libc.so.6(__fortify_fail+0x50)[0x33fdf0]\n/lib/libc.so.6(+0xe4cca)[0x33ecca]\nar[0x804ec04]\n======= Memory map: ========\n"
                + "0025a000-003b4000 r-xp 00000000 08:01 918337     /lib/libc-2.13.so\n003b5000-003b7000 r--p 0015a000 08:01 918337     /lib/libc-2.13.so\n08048000-080b5000 r-xp 00000000 08:01 2290982    /usr/local/bin/ar\n080b7000-080bb000 rw-p 00000000 00:00 0 \nmake[3]: *** [x] Aborted\n"
        )
        let report = try log.report()
        #expect(report.cause?.type == "buffer overflow detected")
        #expect(report.process.name == "ar")
        #expect(report.images.map(\.name) == ["libc-2.13.so", "ar"])
        #expect(report.images[0].base == RuntimeAddress(0x25a000) && report.images[0].size == 0x3b7000 - 0x25a000)
        #expect(report.threads[0].frames.map(\.image) == [0, 0, 1])
        #expect(report.threads[0].frames.map(\.imageLocation) == [nil, .linkAddress(LinkAddress(0xe4cca)), nil])
        #expect(log.parsed().pieces.last.map { String(decoding: log.bytes[$0.range], as: UTF8.self) } == "make[3]: *** [x] Aborted\n")
    }

    @Test(arguments: [
        (
            "*** glibc detected *** ./a.out: double free or corruption (fasttop): 0x0804b008 ***", "double free or corruption (fasttop)",
            "a.out"
        ),
        ("*** Error in `/tmp/a.out': free(): invalid pointer: 0x00007ffd5e0 ***", "free(): invalid pointer", "a.out"),
        ("*** stack smashing detected ***: <unknown> terminated", "stack smashing detected", nil),
        ("ferry: ferry.c:75: count_crate: Assertion `ship->crates < crate' failed.", "assertion failed", "ferry"),
    ])
    func `reasons`(line: String, type: String, process: String?) throws {
        let report = try SampleLog(line + "\nSignal 6:\n./a(+0x1)[0x7f01]\n").report()
        #expect(report.cause?.type == type)
        #expect(report.process.name == process)
        #expect(SampleLog(line + "\nand nothing more\n").parsed().reports.isEmpty)
    }

    @Test func `what a signal interrupted is no return address where the trampoline is named`() throws {
        let frames = try SampleLog("./a(+0x1)[0x7f01]\n/lib/libc.so.6(__restore_rt+0x0)[0x7f11]\n./a(+0x21)[0x7f21]\n./a(+0x31)[0x7f31]\n")
            .report().threads[0].frames
        #expect(frames.map(\.kind) == [.returnAddress, .returnAddress, .programCounter, .returnAddress])
    }

    /// As addr2line prints them: `addr2line -pfi -e ferry 0x1494` prints `sum at /src/ferry.c:50`
    /// and, on a line of its own, ` (inlined by) spin at /src/ferry.c:60`.
    @Test func `answers stand behind the rows in addr2line's words`() throws {
        let plain = SampleLog("./a(+0x1495)[0x7f01]\r\n[0x7f02]\r\n")
        let text = plain.symbolicated { frame in
            let result = FrameResult.function("spin", offset: 5, "/src/ferry.c", 60)
            return frame.hex == "0x7f01" ? result.inlining("sum", "/src/ferry.c", 50) : result
        }
        #expect(
            text.text
                == "./a(+0x1495)[0x7f01] sum at /src/ferry.c:50\r\n (inlined by) spin at /src/ferry.c:60\r\n[0x7f02] spin at /src/ferry.c:60\r\n"
        )
        let frames = try text.report().threads[0].frames
        #expect(frames.map(\.isInlined) == [true, false, false])
        #expect(frames.map(\.printed?.name) == ["sum", "spin", "spin"])
        #expect(frames.map(\.hex) == ["0x7f01", "0x7f01", "0x7f02"])
    }
}
