import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Python's tracebacks, faulthandler's stacks, and the C stack below them.
struct PythonTraceTests {
    private static func fixture(_ name: String) -> SampleLog { SampleLog(fixture: "python-trace/\(name)/trace.txt") }

    @Test func `an exception that another caused`() throws {
        let log = Self.fixture("PythonCrash-chain")
        let report = try log.report()
        #expect(
            report.cause?.type == "RuntimeError" && report.cause?.message == "the tank is empty" && report.cause?.kind == .languageException
        )
        // “Most recent call last”: the innermost comes first here.
        #expect(report.threads[0].frames.map { $0.printed?.name } == ["main", "<module>"] && report.threads[0].crashed)
        #expect(report.threads[0].frames.map(\.index) == [0, 1])
        #expect(report.additionalBacktraces.map(\.name) == ["KeyError: 0"])
        #expect(report.additionalBacktraces[0].frames.map(\.kind).contains(.omitted(count: 6)))
        #expect(report.allFrames.allSatisfy { $0.address == nil })
        #expect(log.symbolicated { _ in .function("f", offset: 1, "a.c", 2) }.bytes == log.bytes)
    }

    @Test func `faulthandler's stacks`() throws {
        let report = try Self.fixture("PythonCrash-fault").report()
        #expect(report.cause?.kind == .signal && report.cause?.message == "Segmentation fault")
        #expect(report.threads.count == 2 && report.threads.map(\.crashed) == [false, true])
        #expect(report.threads[1].frames.map { $0.printed?.name } == ["string_at", "leak", "main", "<module>"])
        #expect(report.threads[1].frames[1].printed?.location == SourceLocation(file: "/srv/cairn-fixtures/tank.py", line: 9))
    }

    /// pytest's letters for the tests so far end without a line ending, if run without `-v`.
    @Test(arguments: [".", "FFF", "..F.sxXE", ".R,u-"]) func `a fatal error after pytest's progress`(letters: String) throws {
        let plain = Self.fixture("PythonCrash-fault")
        let mark = Array("Fatal Python error: ".utf8)
        let start = try #require(plain.bytes.indices.first { plain.bytes[$0...].starts(with: mark) })
        let log = SampleLog(bytes: Array(plain.bytes[..<start]) + Array(letters.utf8) + Array(plain.bytes[start...]))
        let (report, expected) = (try log.report(), try plain.report())
        #expect(report.cause == expected.cause && report.cause?.kind == .signal)
        #expect(report.threads.map { $0.frames.map(\.printed) } == expected.threads.map { $0.frames.map(\.printed) })
        #expect(report.notes == expected.notes)
        // Words are no progress.
        let other = SampleLog(bytes: Array(plain.bytes[..<start]) + Array("see: ".utf8) + Array(plain.bytes[start...]))
        #expect(try other.report().cause != expected.cause)
    }

    @Test func `the C stack of a dying interpreter`() throws {
        let report = try Self.fixture("c-stack").report()
        let frames = report.additionalBacktraces[0].frames
        #expect(
            frames.map(\.imageName) == [
                "python3.14", "python3.14", "libc.so.6", "libtank.so", "libtank.so", "python3.14", "python3.14", nil,
            ])
        // With a name, the location is the symbol and the offset from it; without, the address as
        // the file was linked.
        #expect(frames[0].imageLocation == .symbol(SymbolLocation(name: "_Py_DumpStack", offset: 0x42)))
        #expect(frames[1].imageLocation == .linkAddress(LinkAddress(0x32_dcbd)) && frames[1].hex == "0x5b27f7d85cbd")
        // The first row of the C library is the trampoline of the signal's handler: below it is the
        // instruction itself.
        #expect(frames.map(\.kind).prefix(5) == [.returnAddress, .returnAddress, .returnAddress, .programCounter, .returnAddress])
        #expect(frames.last?.kind == .truncated)
        #expect(report.images.map(\.name) == ["python3.14", "libc.so.6", "libtank.so"])
    }

    @Test func `an answer stands in its row`() {
        func result(_ frame: Frame) -> FrameResult? {
            frame.imageLocation == .linkAddress(LinkAddress(0x1106))
                ? .function("fill", offset: 6, "/src/tank.c", 13).inlining("pour", "/src/tank.c", 7) : nil
        }
        let log = Self.fixture("c-stack")
        let symbolicated = log.symbolicated(result)
        let file = "  Binary file \"/srv/libtank.so\", at "
        #expect(
            symbolicated.text
                == log.text.replacing(
                    file + "+0x1106 [0x7f3cbe2af106]",
                    with: file + "pour [inlined] [0x7f3cbe2af106] at /src/tank.c:7\n" + file + "fill+0x6 [0x7f3cbe2af106] at /src/tank.c:13"
                ))
        #expect(symbolicated.symbolicated(result).text == symbolicated.text)
    }

    @Test func `a program that lies where it was linked has no offset`() throws {
        let text =
            "Current thread's C stack trace (most recent call first):\n  Binary file \"/usr/bin/python3.14\" [0x4b53b0]\n  Binary file '<unknown>' [0x1]\n"
        let frames = try SampleLog(text).report().additionalBacktraces[0].frames
        #expect(frames.map(\.imageLocation) == [.linkAddress(LinkAddress(0x4b_53b0)), nil])
    }

    @Test func `a traceback ends with the exception`() {
        let log = SampleLog("Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    x\nKeyboardInterrupt\nanother line\n")
        #expect(log.parsed().pieces.last.map { String(decoding: log.bytes[$0.range], as: UTF8.self) } == "another line\n")
        #expect(SampleLog("Traceback (most recent call last):\nnothing\n").parsed().reports.isEmpty)
    }
}
