import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

struct AppleLeaksTests {
    private func fixture(_ name: String) -> SampleLog { SampleLog(fixture: "apple-leaks/CrashExample/" + name) }

    /// A stack of leaks 4.0, outermost first.
    static let rows = """
        STACK OF 1 INSTANCE OF 'ROOT LEAK: <malloc in push>':
        2   dyld                                  0x1874f9058 start + 2224
        1   leak demo                             0x1024e4518 main + 184  leak_demo.c:94
        0   org.example.App                       0x10d3b1b6e 0x10d3af000 + 11118\u{20}
        ====
            1 (32 bytes) ROOT LEAK: <malloc in push 0x74ff02c040> [32]

        """

    @Test(arguments: ["leaks.txt", "leaks-one-line.txt", "malloc-history.txt"]) func `the three forms hold one stack, innermost first`(
        name: String
    ) throws {
        let report = try fixture(name).report()
        #expect(report.process.name == "CrashExample" && report.process.pid == 5120 && report.architecture == .arm64)
        #expect(report.threads.isEmpty && report.additionalBacktraces.count == 1)
        let stack = try #require(report.additionalBacktraces.first)
        #expect(stack.frames.allSatisfy { $0.kind == .returnAddress })
        // 0x10289c000 + 2708, 2536, 2452, 2224
        let own = stack.frames.filter { $0.image.map { report.images[$0].name } == "CrashExample" }
        #expect(own.map(\.hex) == ["0x10289ca94", "0x10289c9e8", "0x10289c994", "0x10289c8b0"])
        #expect(stack.frames.map(\.index) == Array(0..<stack.frames.count))
        #expect(stack.frames.last?.printed?.name == "start")
    }

    @Test func `each stack is named by what was allocated`() throws {
        #expect(try fixture("leaks.txt").report().additionalBacktraces[0].name == "STACK OF 1 INSTANCE OF 'ROOT LEAK: <Transition>'")
        #expect(try fixture("leaks-one-line.txt").report().additionalBacktraces[0].name == "Leak: 0x600002c3a1c0  size=48")
        #expect(
            try fixture("malloc-history.txt").report().additionalBacktraces[0].name
                == "ALLOC 0x600002c3a1c0-0x600002c3a1ef [size=48]:  Transition")
        let cause = try fixture("leaks.txt").report().cause
        #expect(cause?.type == "leaks" && cause?.message == "1 leak for 48 total leaked bytes.")
    }

    @Test func `rows tell names, files and lines, or base and offset`() throws {
        let frames = try SampleLog(Self.rows).report().additionalBacktraces[0].frames
        #expect(frames.map(\.index) == [0, 1, 2])
        #expect(frames.map(\.imageName) == ["org.example.App", "leak demo", "dyld"])
        #expect(frames[0].imageOffset == ImageOffset(11118) && frames[0].printed == nil)
        let location = BinaryPrimitives.SourceLocation(file: "leak_demo.c", line: 94)
        #expect(frames[1].printed == PrintedSymbol(name: "main", offset: 184, location: location))
        #expect(frames[2].printed == PrintedSymbol(name: "start", offset: 2224))
    }

    @Test func `elements of a line tell names, addresses, images and lines`() throws {
        let line =
            "\tCall stack: [thread 0x7fff7e3b4960]: | 0x2 | start | main DumpRenderTree.mm:835 | 0x106eba614 (My App) f(int) A.swift:12 | operator||(A, B)"
        let frames = try SampleLog("leaks Report Version:  2.0\nLeak: 0x1  size=2  zone: z\n" + line + "\n").report().additionalBacktraces[
            0
        ].frames
        #expect(frames.map(\.printed?.name) == ["operator||(A, B)", "f(int)", "main", "start", nil])
        #expect(frames.map(\.hex) == ["none", "0x106eba614", "none", "none", "0x2"])
        #expect(
            frames[1].imageName == "My App" && frames[1].printed?.location == BinaryPrimitives.SourceLocation(file: "A.swift", line: 12))
        #expect(frames[2].printed?.location?.line == 835)
    }

    @Test func `a report without stacks is one of leaks and says so`() throws {
        let report = try SampleLog(
            "leaks Report Version: 4.0\nProcess 7: 2 leaks for 64 total leaked bytes.\n\n    2 (64 bytes) << TOTAL >>\n"
        ).report()
        #expect(report.format == "apple-leaks" && report.stacks.isEmpty)
        #expect(report.notes == ["The report has no stacks: MallocStackLogging was not set."])
        // Output of the program around the report is not part of it.
        let log = SampleLog("hello\n" + Self.rows + "goodbye\n" + Self.rows).parsed()
        #expect(log.reports.count == 2)
    }

    @Test func `images behind an exclusion are found`() throws {
        let text =
            Self.rows
            + "\n56 leaks excluded (not printed)\n\n\nBinary Images:\n       0x10d3af000 -        0x10d3b6fff +org.example.App (1) <2726F441-870C-3F73-82CE-293D7D3998B6> /Applications/App\n"
        let report = try SampleLog(text).report()
        #expect(report.images.map(\.name) == ["App"] && report.additionalBacktraces[0].frames[0].image == 0)
    }

    // MARK: Results

    @Test func `an answered row is the one that leaks writes, and inlined calls follow below it`() throws {
        func result(_ frame: Frame) -> FrameResult? {
            frame.hex == "0x10d3b1b6e" ? .function("push", offset: 28, "/s/leak.c", 28).inlining("grow()", "/s/b.h", 7) : nil
        }
        let log = SampleLog(Self.rows)
        let symbolicated = log.symbolicated(result)
        let head = "0   org.example.App                       0x10d3b1b6e "
        #expect(
            symbolicated.text
                == log.text.replacing(
                    head + "0x10d3af000 + 11118", with: head + "push + 28  leak.c:28\n" + head + "grow() [inlined]  b.h:7"))
        let frames = try symbolicated.report().additionalBacktraces[0].frames
        #expect(frames.map(\.isInlined) == [true, false, false, false])
        #expect(symbolicated.symbolicated(result).text == symbolicated.text)
    }

    @Test func `an address in a line gets image, name and line behind it`() throws {
        let log = fixture("leaks-one-line.txt")
        func result(_ frame: Frame) -> FrameResult? {
            frame.hex == "0x10289ca94"
                ? .function("operator |", offset: 84, "/s/a.m", 94, image: "CrashExample").inlining("grow()", "/s/b.h", 7) : nil
        }
        let symbolicated = log.symbolicated(result)
        let elements = "0x10289ca94 (CrashExample) operator| a.m:94 | 0x10289ca94 (CrashExample) grow() [inlined] b.h:7"
        #expect(symbolicated.text == log.text.replacing("0x10289ca94", with: elements))
        #expect(symbolicated.symbolicated(result).text == symbolicated.text)
        #expect(try symbolicated.report().additionalBacktraces[0].frames.filter { $0.isInlined }.map(\.printed?.name) == ["grow()"])
    }
}
