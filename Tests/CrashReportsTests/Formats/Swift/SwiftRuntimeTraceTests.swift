import BinaryPrimitives
import CrashLogModel
import CrashReports
import Testing

/// The runtime's own stack trace and its two kinds of rows.
struct SwiftRuntimeTraceTests {
    private static let log = SampleLog(
        """
        Swift/Array.swift:692: Fatal error: Index out of range
        Current stack trace:
        0    libswiftCore.so                    0x00007f6d82f5f130 swift_reportError + 33
        2    libswiftCore.so                    0x00007f6d82f6df7b <unavailable> + 1499003
        5    crash D                            0x000055cdb9349233 <unavailable> + 4659
        6    crash D                            0x000055cdb9349300 closure #1 in f() + 1
        Illegal instruction

        """)

    @Test func `a named row prints the symbol's start, another the frame's address`() throws {
        let frames = try Self.log.report().threads[0].frames
        // 0x7f6d82f5f130 + 33; the others as printed; 0x55cdb9349300 + 1
        #expect(frames.map(\.hex) == ["0x7f6d82f5f151", "0x7f6d82f6df7b", "0x55cdb9349233", "0x55cdb9349301"])
        #expect(frames.map(\.index) == [0, 2, 5, 6])
        #expect(frames[0].printed == PrintedSymbol(name: "swift_reportError", offset: 33))
        #expect(frames[2].printed == nil)
        #expect(frames[3].printed == PrintedSymbol(name: "closure #1 in f()", offset: 1))
    }

    @Test func `the line above says why`() throws {
        let cause = try Self.log.report().cause
        #expect(cause?.type == "Fatal error" && cause?.message == "Index out of range")
        #expect(Self.log.parsed().pieces.count == 2)
        // With the backtracer on, the message is not the runtime's trace.
        #expect(SampleLog("a.swift:1: Fatal error: x\n\nother\n").parsed().reports.isEmpty)
        #expect(try SampleLog("PHP Fatal error: x\nCurrent stack trace:\n0 a 0x1000 <unavailable> + 1\n").report().cause?.message == nil)
    }

    @Test func `all of it is return addresses`() throws {
        #expect(try Self.log.report().threads[0].frames.map(\.kind) == Array(repeating: .returnAddress, count: 4))
    }

    @Test func `rows without a name tell where their image lies`() throws {
        let report = try Self.log.report()
        #expect(report.images.map(\.name) == ["libswiftCore.so", "crash D"])
        // 0x7f6d82f6df7b − 1499003 (0x16df7b), 0x55cdb9349233 − 4659 (0x1233)
        #expect(report.images.map(\.base?.value) == [0x7f6d_82e0_0000, 0x55cd_b934_8000])
        #expect(report.threads[0].frames.map(\.image) == [0, 0, 1, 1])
        #expect(report.threads[0].frames[2].imageOffset?.value == 4659)
    }

    /// Swift 6.3 on Linux and the same rows of Apple's runtime: 0x102c44398 + 12, 0x102c443b0 + 140; 0x102c44464 - 1124 = 0x102c44000.
    @Test func `the rows of an access conflict are such rows`() throws {
        let linux = SampleLog(
            """
            Simultaneous accesses to 0x55c8bcaf6178, but modification requires exclusive access.
            Previous access (a modification) started at scale`<unavailable> + 3534 (0x55c8bcaf4dce).
            Current access (a modification) started at:
            1    libswiftCore.so                    0x00007f661c86d7b0 swift_beginAccess + 66
            2    scale                              0x000055c8bcaf4d7a <unavailable> + 3450
            Fatal access conflict detected.

            """)
        let report = try linux.report()
        #expect(report.threads[0].frames.map(\.hex) == ["0x7f661c86d7f2", "0x55c8bcaf4d7a"])
        #expect(report.cause?.type == "Simultaneous accesses")
        #expect(
            report.cause?.message == "Simultaneous accesses to 0x55c8bcaf6178, but modification requires exclusive access.")
        let apple = SampleLog(
            """
            Simultaneous accesses to 0x102c48000, but modification requires exclusive access.
            Previous access (a modification) started at Long`report + 140 (0x102c4443c).
            Current access (a modification) started at:
            1    Long                               0x0000000102c44398 first + 12
            2    Long                               0x0000000102c443b0 report + 140
            3    Long                               0x0000000102c44464 <unavailable> + 1124
            Fatal access conflict detected.

            """)
        let frames = try apple.report().threads[0].frames
        #expect(frames.map(\.hex) == ["0x102c443a4", "0x102c4443c", "0x102c44464"])
        #expect(try apple.report().images.map(\.base?.value) == [0x1_02c4_4000])
        // The message may have been cut off.
        let rows = SampleLog(String(apple.text.split(separator: "\n").dropFirst(2).joined(separator: "\n")) + "\n")
        #expect(try rows.report().threads[0].frames.map(\.hex) == frames.map(\.hex))
    }

    @Test func `the trace ends with its last row`() {
        let pieces = Self.log.parsed().pieces
        #expect(pieces.count == 2)
        #expect(String(decoding: Self.log.bytes[pieces[1].range], as: UTF8.self) == "Illegal instruction\n")
        #expect(SampleLog("Current stack trace:\nnothing\n").parsed().reports.isEmpty)
    }

    @Test func `an answered row means the same frame`() throws {
        func result(_ frame: Frame) -> FrameResult? {
            frame.index == 5
                ? .function("Foo.bar(_:)", offset: 179, "/src/crash.swift", 2, column: 69).inlining("closure #1 in g()", "b.swift", 7) : nil
        }
        let symbolicated = Self.log.symbolicated(result)
        let head = "5    crash D                            "
        // The symbol's start: 0x55cdb9349233 − 179 (0xb3) = 0x55cdb9349180
        let rows =
            head + "0x000055cdb9349233 closure #1 in g() [inlined] at b.swift:7\n" + head
            + "0x000055cdb9349180 Foo.bar(_:) + 179 at /src/crash.swift:2:69"
        #expect(symbolicated.text == Self.log.text.replacing(head + "0x000055cdb9349233 <unavailable> + 4659", with: rows))
        let frames = try symbolicated.report().threads[0].frames
        #expect(frames.map(\.hex) == ["0x7f6d82f5f151", "0x7f6d82f6df7b", "0x55cdb9349233", "0x55cdb9349233", "0x55cdb9349301"])
        #expect(frames[2].isInlined && frames[2].printed?.name == "closure #1 in g()" && frames[2].printed?.location?.line == 7)
        #expect(
            frames[3].printed
                == PrintedSymbol(name: "Foo.bar(_:)", offset: 179, location: SourceLocation(file: "/src/crash.swift", line: 2, column: 69)))
        #expect(symbolicated.symbolicated(result).text == symbolicated.text)
    }
}
