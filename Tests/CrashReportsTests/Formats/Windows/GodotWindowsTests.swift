import BinaryPrimitives
import CrashLogModel
import CrashReports
import Testing

/// Logs of Godot's handler where it is built with MinGW, in the layout of version 4.7 beta 4 and of 4.3 to 4.6.
struct GodotWindowsTests {
    private static func log(_ rows: String) -> SampleLog {
        SampleLog(
            """
            ================================================================
            CrashHandlerException: Program crashed with signal 11
            Engine version: Godot Engine v4.7.beta4.mono.official (0a0a0a0a0a)
            Dumping the backtrace. Please include this when reporting the bug on: https://github.com/godotengine/godot/issues
            Load address: 7ff67b5e0000

            \(rows)
            -- END OF C++ BACKTRACE --
            ================================================================

            """)
    }

    private static let reason = "no debug info in PE/COFF executable"

    /// The program is linked at 0x140000000 and was moved by 0x7FF67B5E0000, to 0x7FF7BB5E0000.
    @Test func `rows have modules, and the row below the dispatcher is the instruction that crashed`() throws {
        let report = try Self.log(
            """
            [1] 7ff7bb5f4521 (main+14521) - \(Self.reason)
            [2] 170058ab7 (ntdll.dll+58ab7) - \(Self.reason)
            [3] 17005546d (ntdll.dll+5546d) - \(Self.reason)
            [4] 7ffbd2a41373 (quay.dll+1373) - \(Self.reason)
            [5] 7ff7bb5e178e (main+178e) - \(Self.reason)
            [6] ffffffffffffffff (main+fffffffebfffffff) - \(Self.reason)
            """
        ).report()
        #expect(report.format == "godot-windows" && report.cause?.signal == "SIGSEGV" && report.platform == "Windows")
        let frames = report.threads[0].frames
        #expect(frames.map(\.imageName) == [nil, "ntdll.dll", "ntdll.dll", "quay.dll", nil, nil])
        #expect(frames.map(\.printed) == [nil, nil, nil, nil, nil, nil])
        // One less than the addresses that the unwinder has.
        #expect(frames.map(\.kind).prefix(5) == [.exact, .exact, .exact, .programCounter, .exact])
        #expect(frames.map(\.imageOffset) == [0x14521, 0x58ab7, 0x5546d, 0x1374, 0x178e].map { ImageOffset($0) } + [nil])
        #expect(frames[3].address == RuntimeAddress(0x7ffb_d2a4_1373) && frames[5].address == nil)
        #expect(frames[0].image.map { report.images[$0].base } == RuntimeAddress(0x7ff7_bb5e_0000) && frames[4].image == frames[0].image)
    }

    /// 0x7FF7BB5E178E - 0x7FF67B5E0000 = 0x14000178E.
    @Test func `rows without modules are looked up in the program as linked`() throws {
        let report = try Self.log("[1] 7ff7bb5f4521 - \(Self.reason)\n[2] 170058ab7 - \(Self.reason)\n[3] 7ff7bb5e178e - \(Self.reason)")
            .report()
        #expect(
            report.threads[0].frames.map(\.imageLocation)
                == [.linkAddress(LinkAddress(0x1_4001_4521)), nil, .linkAddress(LinkAddress(0x1_4000_178e))])
    }

    @Test func `versions that print names, and those that print nothing`() throws {
        let named = try Self.log("[1] _gnu_exception_handler (./crt/crt_handler.c:223)\n[2] quay_break (/src/quay.c:22)").report()
        #expect(named.threads[0].frames.map(\.printed?.name) == ["_gnu_exception_handler", "quay_break"])
        #expect(named.threads[0].frames[1].printed?.location == SourceLocation(file: "/src/quay.c", line: 22))
        let empty = try Self.log("[1] error(-1): \(Self.reason)\n[2] error(-1): \(Self.reason)").report()
        #expect(empty.cause?.signal == "SIGSEGV" && empty.threads[0].frames.allSatisfy { $0.address == nil && $0.printed == nil })
    }

    @Test func `an answer takes the place of the reason`() throws {
        let log = Self.log("[1] 7ff7bb5f4521 (main+14521) - \(Self.reason)\n[2] 7ff7bb5e178e (main+178e) - \(Self.reason)")
        func result(_ frame: Frame) -> FrameResult? { frame.index == 2 ? .function("drop", offset: 0x12e, "/src/godot.c", 47) : nil }
        let symbolicated = log.symbolicated(result)
        #expect(symbolicated.text.contains("[2] 7ff7bb5e178e (main+178e) - drop (/src/godot.c:47)\n"), "\(symbolicated.text)")
        #expect(try symbolicated.report().threads[0].frames[1].printed?.name == "drop")
        #expect(symbolicated.symbolicated(result).bytes == symbolicated.bytes)
    }
}
