import BinaryPrimitives
import CrashLogModel
import TestSupport
import Testing

struct MinidumpStackwalkTests {
    private static let head = """
        Operating system: Mac OS X
                          13.1.0 22C65
        CPU: arm64
             8 CPUs

        Crash reason:  EXC_BREAKPOINT / EXC_ARM_BREAKPOINT
        Crash address: 0x104a383d4
        Process uptime: 12 seconds


        """
    private static let modules = """
        Loaded modules:
        0x104a38000 - 0x104a3bfff  Demo  ???  (main)  (WARNING: No symbols, Demo, 4C4C44F655553144A1C78F23AF66DDA80)
        0x1c1dd0000 - 0x1c1e3ffff  dyld  ???

        """

    private static func threads(_ crashed: String, _ other: String) -> String {
        """
        \(crashed)
         0  Demo + 0x3d4
             x0 = 0x0000000000000000    x1 = 0x000000016b3c7a10
             pc = 0x0000000104a383d4
            Found by: given as instruction pointer in context
         1  Demo + 0x3f8
            Found by: previous frame's frame pointer
         2  dyld + 0x8de8
            Found by: previous frame's frame pointer
         3  0x104a38408
            Found by: stack scanning

        \(other)
         0  Demo!middle(int, char) [demo.c : 4 + 0x0]
            Found by: given as instruction pointer in context
         1  Demo!outer + 0x20
            Found by: call frame info


        """
    }

    @Test func `Breakpad's callers are where calls return to`() throws {
        let report = try SampleLog(Self.head + Self.threads("Thread 0 (crashed)", "Thread 1") + Self.modules).report()
        #expect(report.format == "minidump-stackwalk")
        #expect(report.cause?.type == "EXC_BREAKPOINT" && report.cause?.address == RuntimeAddress(0x1_04a3_83d4))
        #expect(report.threads.map(\.crashed) == [true, false])
        let frames = report.threads[0].frames
        #expect(frames.map(\.kind) == [.programCounter, .returnAddress, .returnAddress, .returnAddress])
        #expect(
            frames.map(\.imageLocation) == [0x3d4, 0x3f8, 0x8de8].map { .offset(ImageOffset($0)) } + [nil])
        #expect(frames[3].hex == "0x104a38408" && frames[3].image == 0)
        let named = report.threads[1].frames
        #expect(named.map(\.printed?.name) == ["middle(int, char)", "outer"] && named[1].printed?.offset == 0x20)
        #expect(named[0].printed?.location == SourceLocation(file: "demo.c", line: 4))
        #expect(report.images.map(\.name) == ["Demo", "dyld"] && report.images.map(\.size) == [0x4000, 0x70000])
        #expect(report.images[0].id?.description == "4C4C44F6-5555-3144-A1C7-8F23AF66DDA8")
    }

    @Test func `rust-minidump has moved them back`() throws {
        let report = try SampleLog(Self.head + Self.threads("Thread 0  (crashed)", "Thread 1 ") + Self.modules).report()
        #expect(report.allFrames.allSatisfy { $0.kind == .exact })
        let named = try SampleLog(Self.head + Self.threads("Thread 0 main (crashed)", "Thread 1") + Self.modules).report()
        #expect(named.threads[0].name == "main" && named.allFrames.allSatisfy { $0.kind == .exact })
    }

    @Test func `fields between bars`() throws {
        let report = try SampleLog(
            """
            OS|Linux|0.0.0 Linux
            CPU|amd64|family 6|8
            Crash|SIGSEGV|0x10|0
            Module|demo|1.0|demo|4C4C44F655553144A1C78F23AF66DDA80|0x55550000|0x55553fff|1

            0|0|demo|boom|demo.c|5|0x4
            0|1|demo||||0x11f0
            1|0|||||0x55551200

            """
        ).report()
        #expect(report.cause?.signal == "SIGSEGV" && report.architecture == .x86_64)
        #expect(report.threads.map(\.frames.count) == [2, 1])
        #expect(report.threads[0].frames[1].imageLocation == .offset(ImageOffset(0x11f0)))
        #expect(report.threads[0].frames[0].printed?.location == SourceLocation(file: "demo.c", line: 5))
        #expect(report.threads[1].frames[0].hex == "0x55551200" && report.threads[1].frames[0].image == 0)
    }
}
