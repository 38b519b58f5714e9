import BinaryPrimitives
import CrashLogModel
import TestSupport
import Testing

struct GodotTests {
    private static func log(_ rows: String, base: String? = "104a38000") -> SampleLog {
        SampleLog(
            """
            ================================================================
            handle_crash: Program crashed with signal 5
            Engine version: Godot Engine v4.4.stable.official (0a0a0a0a0a)
            Dumping the backtrace. Please include this when reporting the bug on: https://github.com/godotengine/godot/issues
            \(base.map { "Load address: \($0)\n\n" } ?? "")\(rows)
            -- END OF BACKTRACE --
            ================================================================

            """)
    }

    @Test func `on macOS`() throws {
        let report = try Self.log(
            """
            [ 1] 18ec897a4 - 1   libsystem_platform.dylib            0x000000018ec897a4 _sigtramp + 56
            [ 2] 104a383f8 - outer (in Demo) + 32
            [ 3] 104a38408 - 3   Demo                                0x0000000104a38408 main + 16
            """
        ).report()
        #expect(report.format == "godot" && report.cause?.signal == "SIGTRAP")
        let frames = report.allFrames
        #expect(frames.map(\.hex) == ["0x18ec897a4", "0x104a383f8", "0x104a38408"])
        #expect(frames.map(\.kind) == [.returnAddress, .programCounter, .returnAddress])
        #expect(frames.map(\.imageName) == ["libsystem_platform.dylib", "Demo", "Demo"])
        #expect(report.images.map(\.name).sorted() == ["Demo", "libsystem_platform.dylib"])
        #expect(report.images.first { $0.name == "Demo" }?.base == RuntimeAddress(0x1_04a3_8000))
        #expect(frames.map(\.printed?.name) == ["_sigtramp", "outer", "main"] && frames.map(\.printed?.offset) == [56, 32, 16])
    }

    @Test func `before 4.4, on Linux, and since 4.7`() throws {
        let old = try Self.log(
            "[2] 2   Demo                                0x0000000104a383f8 Demo + 1016\n[3] 3   Demo                                0x0000000104a38408 main + 16"
        ).report()
        #expect(old.allFrames.map(\.imageLocation) == [.offset(ImageOffset(1016)), .offset(ImageOffset(1032))])
        let linux = try Self.log("[1] /lib/libc.so.6(+0x42520) [0x7f0000042520] (??:0)\n[2] /opt/game(+0x1c9702) [0x5555557c9702] (??:0)")
            .report()
        #expect(linux.allFrames.map(\.imageLocation) == [.linkAddress(LinkAddress(0x42520)), .linkAddress(LinkAddress(0x1c9702))])
        // Offsets in programs of Windows count from the first byte, those of Linux in the same stack are as linked.
        let wine = try Self.log(#"[1] /lib/libc.so.6(+0x42520) [0x7f0000042520] (??:0)\#n[2] C:\game.exe(+0x9702) [0x140009702] (??:0)"#)
            .report()
        #expect(wine.allFrames.map(\.imageLocation) == [.linkAddress(LinkAddress(0x42520)), .offset(ImageOffset(0x9702))])
        // 0x7fffe59c9702 - 0x1c9702 = 0x7fffe5800000.
        let new = try Self.log("[2] 7fffe59c9702 (main+1c9702) - /opt/game(+0x1c9702) [0x7fffe59c9702]", base: nil).report()
        #expect(new.allFrames.map(\.imageLocation) == [.offset(ImageOffset(0x1c9702))])
        #expect(new.images.map(\.base) == [RuntimeAddress(0x7fff_e580_0000)])
    }
}
