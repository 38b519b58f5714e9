import BinaryPrimitives
import CrashLogFormats
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Unreal Engine's rows on Linux and Windows, with and without addresses.
struct UnrealCallstackTests {
    /// A stack of a program at 0x200000, as a Linux build without its `.sym` file prints it.
    private static let linux = SampleLog(
        """
        Signal 11 caught.
        [2023.02.18-09.15.37:112][  0]LogCore: === Critical error: ===
        Unhandled Exception: SIGSEGV: invalid attempt to read memory at address 0x0000000000000230

        [2023.02.18-09.15.37:112][  0]LogCore: Fatal error!

        0x0000000004d33788 Chicken7!UnknownFunction(0x4b33788)
        0x000000000859f63e Chicken7!UnknownFunction(0x839f63d)
        0x00007f95928a8980 libpthread.so.0!__restore_rt(+0x1f)
        0x0000000009620089 Chicken7!UGameEngine::Tick(float, bool) [/src/GameEngine.cpp:1862]

        [2023.02.18-09.15.37:119][  0]LogExit: Executing StaticShutdownAfterError

        """)

    @Test func `an offset tells where its module lies, and whether the address is a return address`() throws {
        let report = try Self.linux.report()
        let frames = report.threads[0].frames
        // 0x4d33788 - 0x4b33788 = 0x200000, a page's beginning; 0x859f63e - 0x839f63d = 0x200001,
        // one more.
        #expect(frames.map(\.kind) == [.programCounter, .returnAddress, .returnAddress, .returnAddress])
        #expect(report.images.map(\.name) == ["Chicken7"] && report.images[0].base?.value == 0x200000)
        #expect(frames.map(\.image) == [0, 0, nil, 0])
        #expect(frames[2].printed == PrintedSymbol(name: "__restore_rt", offset: 0x1f))
        #expect(
            frames[3].printed
                == PrintedSymbol(name: "UGameEngine::Tick(float, bool)", location: SourceLocation(file: "/src/GameEngine.cpp", line: 1862)))
        #expect(report.obstacle == nil)
    }

    @Test func `the signal and the address that it faulted at`() throws {
        let cause = try #require(try Self.linux.report().cause)
        #expect(cause.kind == .signal && cause.signal == "SIGSEGV" && cause.address?.value == 0x230)
    }

    @Test func `what the signal interrupted is two rows below the handler`() throws {
        let rows = [
            "FUnixCrashContext::CaptureStackTrace() [/src/a.cpp:288]", "PlatformCrashHandler(int, siginfo_t*, void*) [/src/a.cpp:2]",
            "UnknownFunction(0x1297f)", "AHold::Crate() [/src/Hold.cpp:63]", "AHold::Tick(float) [/src/Hold.cpp:80]",
        ]
        let text = rows.enumerated().map { "0x00007f95928a898\($0) libUE4Editor-Core\($0).so!\($1)" }.joined(separator: "\n")
        let frames = try SampleLog("=== Critical error: ===\n" + text + "\n").report().threads[0].frames
        #expect(frames.map(\.kind) == [.returnAddress, .returnAddress, .returnAddress, .programCounter, .returnAddress])
    }

    @Test func `rows without an address hold the offset that was looked up`() throws {
        let log =
            "=== Handled ensure: ===\nlibUE4Editor-Core.so!FDebug::EnsureFailed() [/src/b.cpp:1]\nlibc.so.6!UnknownFunction(0x94ac2)\n"
        let frame = try #require(try SampleLog(log).report().threads[0].frames.last)
        #expect(frame.address == nil && frame.kind == .exact && frame.imageOffset?.value == 0x94ac2)
    }

    @Test func `Windows' rows are read, and their modules have no endings`() throws {
        let report = try SampleLog(fixture: "unreal/grammar/windows.log").report()
        let frames = report.threads[0].frames
        #expect(frames.map(\.imageName).last == "KERNEL32.DLL" && frames.count == 5)
        #expect(frames[2].printed?.name == "<lambda_5fec1e1801a68e0878de1879580bd439>::operator()()")
        #expect(frames[3].printed == nil)
        #expect(report.cause?.type == "Assertion failed" && report.obstacle == nil)
        #expect(report.images.allSatisfy { $0.isNamedWithoutEnding })
    }

    @Test func `CrashContext.runtime-xml has modules alone`() throws {
        let report = try SampleLog(fixture: "unreal/grammar/CrashContext.runtime-xml").report()
        let frames = report.threads[0].frames
        #expect(frames.map(\.imageName) == ["Ferry", "Ferry", "Ferry", "kernel32", "ntdll"])
        #expect(report.cause?.message == "Index < Num() [File:D:\\Games\\Ferry\\Source\\Ferry\\Hold.cpp] [Line: 63]")
        #expect(report.obstacle == nil && report.platform == "Windows")
    }

    @Test func `an element of that name without a function is no stack`() {
        #expect(SampleLog("<CallStack>words\nmore</CallStack>\n").parsed().reports.isEmpty)
    }

    /// Before 4.20, Linux numbered the rows and had no modules but the libraries' paths.
    @Test func `numbered rows of a module`() throws {
        let frames = try SampleLog(
            "[Callstack]  00  0x00007f43b2d02cff  libUE4Editor-Core.so!FEngineLoop::Tick() [Runtime/Core/Stats2.h, line 1686]\n"
        ).report().threads[0].frames
        #expect(frames.map(\.printed?.location) == [SourceLocation(file: "Runtime/Core/Stats2.h", line: 1686)])
    }

    @Test func `a row is answered behind its module`() {
        let symbolicated = Self.linux.symbolicated { frame in
            switch frame.index {
            case 0: .function("AHold::Crate()", offset: 5, "/src/Hold.cpp", 63).inlining("Num()", "/src/Array.h", 9)
            case 1: .function("start", offset: 0x2a)
            default: nil
            }
        }
        let expected = Self.linux.text
            .replacing(
                "0x0000000004d33788 Chicken7!UnknownFunction(0x4b33788)",
                with: "0x0000000004d33788 Chicken7!Num() [/src/Array.h:9]\n0x0000000004d33788 Chicken7!AHold::Crate() [/src/Hold.cpp:63]"
            )
            .replacing("UnknownFunction(0x839f63d)", with: "start(+0x29)")
        #expect(symbolicated.text == expected)
    }

    /// The container that symbolic's tests keep, as the named command unpacks it.
    @Test(.enabled(if: TestPaths.corpus != nil, "there is no corpus")) func `what is in a container is read`() throws {
        let path = (TestPaths.corpus ?? "") + "/logs/unreal/unreal_crash"
        #expect(CrashLog.parse(TestPaths.bytes(of: path).span).foreign?.name == "zlib")
        let unpacked = try run(
            "python3", ["-c", "import sys, zlib; sys.stdout.buffer.write(zlib.decompress(open(sys.argv[1], 'rb').read()))", path])
        let report = try SampleLog(bytes: unpacked.standardOutput).report()
        // Counted in its `<CallStack>`: 14 functions, and the modules kernel32 and ntdll.
        #expect(report.format == "unreal" && report.threads[0].frames.count == 16)
    }
}
