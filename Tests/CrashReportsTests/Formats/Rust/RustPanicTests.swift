import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Rust's panics and backtraces, short, full, and as programs print them.
struct RustPanicTests {
    private static func fixture(_ name: String) -> SampleLog { SampleLog(fixture: "rust-panic/RustCrash/\(name).txt") }

    @Test func `a full backtrace of a stripped program`() throws {
        let log = Self.fixture("full-stripped")
        let report = try log.report()
        #expect(report.cause?.kind == .languageException && report.cause?.type == "panic")
        #expect(report.cause?.message == "index out of bounds: the len is 3 but the index is 7" && report.cause?.codes == "main.rs:15:5")
        let frames = report.threads[0].frames
        #expect(report.threads[0].name == "main" && frames.map(\.index) == Array(0...23))
        // All are return addresses, the first one too: the walk begins in the function that walks.
        #expect(frames.allSatisfy { $0.kind == .returnAddress })
        #expect(frames[13].printed == PrintedSymbol(name: "pump") && frames[12].printed == nil)
        #expect(frames[20].printed?.location == SourceLocation(file: "./csu/../sysdeps/nptl/libc_start_call_main.h", line: 58, column: 16))
        #expect(log.text(of: frames[20]).hasSuffix("libc_start_call_main.h:58:16"))
        #expect(report.images.isEmpty)
    }

    @Test func `rows of one address and other names are inlined calls`() throws {
        let frames = try Self.fixture("full-itself").report().threads[0].frames
        let pour = try #require(frames.firstIndex { $0.printed?.name?.hasPrefix("main::pour") == true })
        #expect(frames[pour].isInlined && !frames[pour + 1].isInlined && frames[pour].address == frames[pour + 1].address)
        // A recursion returns to the same address again and again.
        let recursion =
            "stack backtrace:\n   0:           0x211b70 - a::f\n   1:           0x211b70 - a::f\n   2:           0x211c49 - a::main\n"
        #expect(try SampleLog(recursion).report().threads[0].frames.map(\.isInlined) == [false, false, false])
    }

    @Test func `a short backtrace`() throws {
        let frames = try Self.fixture("short-itself").report().threads[0].frames
        #expect(frames.allSatisfy { $0.address == nil && $0.printed?.name != nil })
        #expect(frames.first { $0.printed?.name?.hasPrefix("main::fill") == true }?.printed?.location?.line == 21)
        let log = SampleLog(
            "thread 'x' panicked at 'no', a.rs:1:2\nstack backtrace:\n   0: a::f\n      [... omitted 3 frames ...]\n   1: b::g\nnote: x\n")
        let report = try log.report()
        #expect(report.cause?.message == "no" && report.cause?.codes == "a.rs:1:2" && report.threads[0].name == "x")
        #expect(report.threads[0].frames.map(\.kind) == [.returnAddress, .omitted(count: 3), .returnAddress])
    }

    @Test func `a program prints a backtrace by itself`() throws {
        let log = Self.fixture("printed-itself").parsed()
        // Printed, then the panic's own.
        #expect(log.reports.count == 2)
        let frames = log.reports[0].threads[0].frames
        // The standard library numbers inlined calls; the backtrace crate gives a frame's parts one
        // number, and the last is the function that holds the code.
        let pour = try #require(frames.firstIndex { $0.printed?.name?.hasPrefix("main::pour") == true })
        #expect(frames[pour].isInlined && frames[pour + 1].printed?.name?.hasPrefix("main::fill") == true && !frames[pour + 1].isInlined)
        let parts =
            "   0:           0x211aa3 - a::f\n                           b::g\n                               at b.rs:1:2\n   1:           0x211b00 - c::h\n"
        let crate = try SampleLog(parts).report().threads[0].frames
        #expect(crate.map { $0.printed?.name } == ["a::f", "b::g", "c::h"] && crate.map(\.isInlined) == [true, false, false])
        #expect(crate.map(\.index) == [0, 0, 1] && crate[1].address == crate[0].address && crate[1].printed?.location?.line == 1)
        let debug = Self.fixture("debug-itself").parsed().reports
        #expect(
            debug.count == 2
                && debug[0].threads[0].frames.contains {
                    $0.printed?.name?.hasPrefix("main::fill") == true && $0.printed?.location?.line == 21
                })
    }

    @Test func `what a signal interrupted is exact`() throws {
        let text =
            "stack backtrace:\n   0:           0x211b70 - a::handler\n   1:     0x7ffff7dd6000 - __restore_rt\n   2:           0x211c49 - <unknown>\n   3:           0x211c60 - a::main\n"
        #expect(
            try SampleLog(text).report().threads[0].frames.map(\.kind) == [.returnAddress, .returnAddress, .programCounter, .returnAddress])
    }

    @Test func `an answer is written as a backtrace writes itself`() throws {
        func result(_ frame: Frame) -> FrameResult? {
            frame.index == 11
                ? .function("main::fill", offset: 6, "/src/main.rs", 21, column: 5).inlining("main::pour", "/src/main.rs", 15, column: 9)
                : nil
        }
        let log = Self.fixture("full-stripped")
        let symbolicated = log.symbolicated(result)
        let row = "  11:           0x211b70 - "
        let blanks = String(repeating: " ", count: 27)
        #expect(
            symbolicated.text
                == log.text.replacing(
                    row + "<unknown>\n",
                    with: row + "main::pour\n" + blanks + "    at /src/main.rs:15:9\n" + blanks + "main::fill\n" + blanks
                        + "    at /src/main.rs:21:5\n"))
        let frames = try symbolicated.report().threads[0].frames
        #expect(frames.count == 25 && frames[11].isInlined && frames[12].printed?.name == "main::fill" && frames[13].index == 12)
        #expect(symbolicated.symbolicated(result).text == symbolicated.text)
    }

    @Test func `a panic without a backtrace is no trace`() {
        #expect(
            SampleLog("thread 'main' panicked at a.rs:1:2:\nboom\nnote: run with `RUST_BACKTRACE=1` environment variable\nnext\n").parsed()
                .reports.isEmpty)
        #expect(SampleLog("   0: nothing here\nstack backtrace:\nnothing\n").parsed().reports.isEmpty)
    }
}
