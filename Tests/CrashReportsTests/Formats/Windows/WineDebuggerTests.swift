import BinaryPrimitives
import CrashLogModel
import CrashReports
import Testing

/// Rows as `programs/winedbg` prints them.
struct WineDebuggerTests {
    private static let log = """
        Unhandled exception: page fault on read access to 0x00000010 in 32-bit code (0x038e0040).
        Register dump:
         CS:0023 SS:002b DS:002b ES:002b FS:0063 GS:006b
         EIP:038e0040 ESP:0033fec0 EBP:0033fed8 EFLAGS:00010246(  R- --  I  Z- -P- )
        Backtrace:
        =>0 0x038e0040 in harbour (+0x34e0040) (0x0033fed8)
          1 0x7b463dae moor+0x1d(rope=0x11, [ship]=0x2) [/src/wine/moor.c:12] in kernel32 (0x0033ffec)
          2 0x7b463e00 in kernel32 (+0x63e00) (0x0033fffc)
        0x038e0040: movl\t0x10(%eax),%ebx
        Modules:
        Module\tAddress\t\t\tDebug info\tName (3 modules)
        PE\t  400000- 3985000\tExport          harbour
        ELF\t7b400000-7b7f0000\tDwarf           kernel32<elf>
          \\-PE\t7b410000-7b7f0000\t\\               kernel32
        Threads:
        process  tid      prio (all id:s are in hex)

        """

    /// A log of Wine 8 has a dump of the stack between the cause and the rows.
    @Test func `a real log has its cause and its frames`() throws {
        let report = try SampleLog(fixture: "winedbg/berth/backtrace.txt").report()
        #expect(report.cause?.type == "divide by zero" && report.cause?.message == nil && report.architecture == .x86_64)
        #expect(report.threads.map { $0.frames.map(\.imageName) } == [["berth", "berth", "berth", "kernel32", "ntdll", "ntdll"]])
        #expect(report.images.count == 12)
    }

    /// As Wine prints inlined calls of a program with DWARF 4: rows of their own at one address. The rows of `fold` are recursive.
    @Test func `inlined calls are rows at the address of the row below`() throws {
        let text = """
            Unhandled exception: divide by zero in 64-bit code (0x0000014000154f).
            Backtrace:
            =>0 0x0000014000154f quotient+0xa(b=<internal error>) [Z:\\src\\crane.c:25] in crane (0x00000000c812e0)
              1 0x0000014000154f share+0x11(a=<internal error>) [Z:\\src\\crane.c:30] in crane (0x00000000c812e0)
              2 0x0000014000154f grip+0x1f(way=0) [Z:\\src\\crane.c:34] in crane (0x00000000c812e0)
              3 0x0000014000162a fold+0x1a(way=1) [Z:\\src\\crane.c:45] in crane (0x00000000c812e0)
              4 0x0000014000162a fold+0x1a(way=2) [Z:\\src\\crane.c:45] in crane (0x00000000c812f0)
              5 0x00000140008346 main+0x26() [Z:\\src\\crane.c:56] in crane (0x00000000c81300)
            Modules:
            Module\tAddress\t\t\t\t\tDebug info\tName (1 modules)
            PE\t0000000140000000-0000000140040000\tDwarf-4         crane

            """
        let frames = try SampleLog(text).report().threads[0].frames
        #expect(frames.map(\.isInlined) == [true, true, false, false, false, false])
        #expect(frames.map(\.kind).dropFirst(2) == [.programCounter, .returnAddress, .returnAddress, .returnAddress])
    }

    @Test func `modules by their ranges, and those in ELF files by these`() throws {
        let report = try SampleLog(Self.log).report()
        #expect(report.format == "winedbg" && report.architecture == .i386 && report.platform == "Wine")
        #expect(report.cause?.type == "page fault" && report.cause?.address == RuntimeAddress(0x10))
        #expect(report.cause?.message == "page fault on read access to 0x00000010")
        let frames = report.threads[0].frames
        #expect(report.threads.count == 1 && report.threads[0].crashed && frames.map(\.index) == [0, 1, 2])
        #expect(frames.map(\.kind) == [.programCounter, .returnAddress, .returnAddress])
        #expect(report.images.map(\.name) == ["harbour", "kernel32<elf>", "kernel32"])
        #expect(report.images.map(\.isPlaceholder) == [false, false, true])
        #expect(report.images.map(\.isNamedWithoutEnding) == [true, false, true])
        #expect(frames.map(\.image) == [0, 1, 1])
        // From the ELF file's first byte: the row counts from the PE module, wherever that begins.
        #expect(
            frames.map(\.imageLocation) == [.offset(ImageOffset(0x34e_0040)), nil, nil]
                && report.images[0].base == RuntimeAddress(0x40_0000))
        #expect(report.images[1].base == RuntimeAddress(0x7b40_0000) && report.images[1].size == 0x3f_0000)
        #expect(
            frames[1].printed == PrintedSymbol(name: "moor", offset: 0x1d, location: SourceLocation(file: "/src/wine/moor.c", line: 12)))
        #expect(report.obstacle == nil && report.notes == [])
    }

    /// Wine prints this zero without `0x` in 64 bits; the row has no module.
    @Test(arguments: [("0000000000000000", "64", "0000000021fc30"), ("0x00000000", "32", "0061fdc8")])
    func `a call of a null pointer has its row`(zero: String, bits: String, frame: String) throws {
        let report = try SampleLog(
            "Unhandled exception: page fault on execute access to 0x\(zero.suffix(8)) in \(bits)-bit code (\(zero)).\nBacktrace:\n=>0 \(zero) (0x\(frame))\n  1 0x00401876 in tide (+0x1876) (0x0061fdf8)\nModules:\nModule\tAddress\nPE\t00400000-00413000\tExport          tide\n"
        ).report()
        #expect(report.format == "winedbg" && report.cause?.type == "page fault")
        let frames = report.threads[0].frames
        #expect(frames.map(\.address) == [RuntimeAddress(0), RuntimeAddress(0x40_1876)] && frames.map(\.imageName) == [nil, "tide"])
        #expect(frames.map(\.kind) == [.programCounter, .returnAddress])
    }

    @Test func `Windows' files alone`() throws {
        let report = try SampleLog(
            "=>0 0x038e0040 in harbour (+0x34e0040) (0x0033fed8)\nModules:\nModule\tAddress\t\t\tDebug info\tName (1 modules)\nPE\t  400000- 3985000\tExport          harbour\n"
        ).report()
        // 0x38e0040 is 0x34e0040 above 0x400000.
        #expect(
            report.obstacle == nil && report.images.map(\.base) == [RuntimeAddress(0x40_0000)] && report.threads[0].frames[0].image == 0)
        #expect(SampleLog("  1 0x038e0040 in harbour (+0x34e0040) (0x0033fed8)\n").parsed().reports.isEmpty)
    }

    @Test func `an answer stands where the debugger would have put it, and is read again`() throws {
        let log = SampleLog(Self.log)
        func result(_ frame: Frame) -> FrameResult? {
            frame.index == 2 ? .function("berth", offset: 0x20, "/src/wine/a.c", 7).inlining("tie", "/src/wine/a.h", 3) : nil
        }
        let symbolicated = log.symbolicated(result)
        #expect(
            symbolicated.text.contains(
                "  2 0x7b463e00 tie [/src/wine/a.h:3] [inlined] in kernel32 (+0x63e00) (0x0033fffc)\n  2 0x7b463e00 berth+0x20 [/src/wine/a.c:7] in kernel32 (+0x63e00) (0x0033fffc)\n"
            ), "\(symbolicated.text)")
        let frames = try symbolicated.report().threads[0].frames
        #expect(frames.map(\.isInlined) == [false, false, true, false] && frames.map(\.image) == [0, 1, 1, 1])
        #expect(frames[3].printed == PrintedSymbol(name: "berth", offset: 0x20, location: SourceLocation(file: "/src/wine/a.c", line: 7)))
        #expect(symbolicated.symbolicated(result).bytes == symbolicated.bytes)
    }
}
