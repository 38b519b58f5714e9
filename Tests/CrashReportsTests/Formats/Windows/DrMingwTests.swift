import BinaryPrimitives
import CrashLogModel
import CrashReports
import Testing

/// Reports as DrMingw's handler writes them. The layout is that of reports of version 0.9.13, run under Wine 8.
struct DrMingwTests {
    private static let cause =
        "tide.exe caused an Access Violation at location 0000000382A41374 in module quay.dll Writing to location 0000000000000010.\n"
    private static let parameters = "0000000000000003 00000000FFFFFFFF 0000000000000000"
    private static let report = """
        -------------------

        Error occurred on Monday, November 30, 2026 at 14:27:09.

        \(cause)
        Registers:
        rax=0000000000000016 rbx=0000000000C81480 rcx=0000000000000000
        rip=0000000382A41374 rsp=000000000021FBB8 rbp=0000000000C81420 iopl=0         nv up ei pl nz na po nc
        xmm0=00000000003402B8:000000000034D630 xmm1=0000000000000000:00000000003402B8 xmm2=0032004F002D0034:0036005F00360038


        AddrPC           Params
        0000000382A41374 \(parameters)  quay.dll!0x1374
        0000000140001834 \(parameters)  tide.exe!back+0x14  [/src/tide.c:74]
            72: static int back(int n) {
            73:     volatile int k = n;
        >   74:     int r = drop(k + 1);
            75:     return r + k;
        00000001400015CC \(parameters)  tide.exe!0x15cc

        0000000140000000-0000000140012000 tide.exe
        0000000170000000-0000000170361000 ntdll.dll   \t6.1.7601.24059
        0000000382A40000-0000000382A4E000 quay.dll

        Windows 10.0.18362.1350
        DrMingw 0.9.13

        """

    @Test func `a report has its cause, its frames and its modules`() throws {
        let report = try SampleLog(Self.report).report()
        #expect(report.format == "drmingw" && report.platform == "Windows" && report.architecture == .x86_64)
        #expect(report.cause?.type == "Access Violation" && report.cause?.address == RuntimeAddress(0x10))
        let frames = report.threads[0].frames
        #expect(report.threads.count == 1 && report.threads[0].crashed)
        #expect(frames.map(\.address) == [0x3_82a4_1374, 0x1_4000_1834, 0x1_4000_15cc].map { RuntimeAddress($0) })
        #expect(frames.map(\.kind) == [.programCounter, .returnAddress, .returnAddress])
        #expect(report.images.map(\.name) == ["tide.exe", "ntdll.dll", "quay.dll"])
        // 0x382A41374 - 0x382A40000 = 0x1374.
        #expect(frames.map { $0.image.map { report.images[$0].name } } == ["quay.dll", "tide.exe", "tide.exe"])
        #expect(report.images.map(\.base) == [0x1_4000_0000, 0x1_7000_0000, 0x3_82a4_0000].map { RuntimeAddress($0) })
        #expect(report.images.map(\.size) == [0x12000, 0x36_1000, 0xe000])
        #expect(frames[1].printed == PrintedSymbol(name: "back", offset: 0x14, location: SourceLocation(file: "/src/tide.c", line: 74)))
    }

    @Test(arguments: [
        (
            "tide.exe caused an Integer division by zero at location 0000000140001374 in module tide.exe.", "Integer division by zero",
            Architecture.x86_64
        ),
        ("tide.exe caused a Privileged instruction at location 00401374.", "Privileged instruction", .i386),
        (
            "My Game.exe caused an Unknown [0xE0001234] Exception at location 7B013D7E in module kernelbase.dll.",
            "Unknown [0xE0001234] Exception", .i386
        ),
    ])
    func `causes`(line: String, type: String, architecture: Architecture) throws {
        let rows =
            architecture == .i386
            ? "004016C5 00000004 3FFE2C00 0061FE18  tide.exe!0x16c5\n" : "0000000140001374 \(Self.parameters)  tide.exe!0x1374\n"
        let report = try SampleLog("\(line)\n\nAddrPC   \(architecture == .i386 ? "" : "        ")Params\n\(rows)").report()
        #expect(report.cause?.type == type && report.cause?.address == nil && report.architecture == architecture)
        #expect(report.threads[0].frames.count == 1)
    }

    /// Version 0.8.2 subtracts the lower half of a module's address, and prints no ranges: 0x382A41374 - 0x82A40000 = 0x300001374.
    @Test func `offsets and lines of old versions`() throws {
        let report = try SampleLog(
            "\(Self.cause)\nAddrPC           Params\n0000000382A41374 \(Self.parameters)  quay.dll!0x300001374\n0000000140001834 \(Self.parameters)  tide.exe!back  [/src/tide.c @ 74]\n\ntide.exe\nquay.dll\n"
        ).report()
        let frames = report.threads[0].frames
        #expect(frames[0].imageOffset == ImageOffset(0x1374) && frames[0].imageName == "quay.dll")
        #expect(frames[1].printed?.location == SourceLocation(file: "/src/tide.c", line: 74) && frames[1].printed?.name == "back")
    }

    @Test func `rows alone are a stack, and their parameters are no addresses`() throws {
        let report = try SampleLog(
            "000000014000178F \(Self.parameters)  tide.exe!drop+0x12f\n0000000140001834 \(Self.parameters)  tide.exe!0x1834\n"
        ).report()
        #expect(report.format == "drmingw" && report.threads[0].frames.count == 2)
    }

    @Test func `an answer stands where the handler would have put it, and is read again`() throws {
        let log = SampleLog(Self.report)
        func result(_ frame: Frame) -> FrameResult? {
            frame.index == 0 ? .function("hitch", offset: 0x4, "/src/quay.c", 13).inlining("knot", "/src/quay.c", 6) : nil
        }
        let symbolicated = log.symbolicated(result)
        #expect(
            symbolicated.text.contains(
                "0000000382A41374 \(Self.parameters)  quay.dll!knot [inlined]  [/src/quay.c:6]\n0000000382A41374 \(Self.parameters)  quay.dll!hitch+0x4  [/src/quay.c:13]\n"
            ), "\(symbolicated.text)")
        let frames = try symbolicated.report().threads[0].frames
        #expect(frames.map(\.isInlined) == [true, false, false, false])
        #expect(frames[1].printed == PrintedSymbol(name: "hitch", offset: 4, location: SourceLocation(file: "/src/quay.c", line: 13)))
        #expect(symbolicated.symbolicated(result).bytes == symbolicated.bytes)
    }
}
