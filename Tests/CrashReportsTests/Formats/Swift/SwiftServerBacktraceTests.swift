import BinaryPrimitives
import CrashLogModel
import CrashReports
import Testing

/// The rows of swift-server/swift-backtrace, as its `Backtrace.swift` prints them.
struct SwiftServerBacktraceTests {
    private static let log = SampleLog(
        """
        Fatal error: something: file main.swift, line 9
        Received signal 11. Backtrace:
        0x55f9abdef472, Backtrace.(printBacktrace in _B82A8C0ED7C904841114FDF244F9E58E)(signal: Swift.Int32) -> () at /app/swift-backtrace/Sources/Backtrace/Backtrace.swift:66
        0x7f66da7c741f
        0x7f66da7c7500 at ./signal/libc sigaction.c:0
        0x5623cca3b876, App.look at (at: Swift.Int) -> () at /app/look at/<compiler-generated>:0
        0x5623cca3b876, protocol witness for App.Command.run(using: Swift.Int) throws -> () in conformance App.Crash : App.Command in App at /app/Crash.swift:23
        0x5623cca3b990, App.descend(Swift.Int) -> () at /app/Crash.swift:30
        0x5623cca3b990, App.descend(Swift.Int) -> () at /app/Crash.swift:30
        Illegal instruction

        """)

    @Test func `rows have a name, a place, both or neither`() throws {
        let report = try Self.log.report()
        #expect(report.format == "swift-server-backtrace" && report.cause?.signal == "11")
        let frames = report.threads[0].frames
        #expect(frames.count == 7)
        #expect(frames[0].printed?.location == SourceLocation(file: "/app/swift-backtrace/Sources/Backtrace/Backtrace.swift", line: 66))
        #expect(frames[1].printed == nil && frames[1].address?.value == 0x7f66_da7c_741f)
        #expect(frames[2].printed == PrintedSymbol(location: SourceLocation(file: "./signal/libc sigaction.c", line: 0)))
        #expect(
            frames[3].printed
                == PrintedSymbol(
                    name: "App.look at (at: Swift.Int) -> ()", location: SourceLocation(file: "/app/look at/<compiler-generated>", line: 0))
        )
    }

    /// libbacktrace's `unwind` has subtracted before it calls back.
    @Test func `every address is looked up as it is`() throws {
        let frames = try Self.log.report().threads[0].frames
        #expect(frames.allSatisfy { $0.kind == .exact && $0.lookupAddress() == $0.address })
    }

    @Test func `rows of one address are inlined calls, unless the function calls itself`() throws {
        let frames = try Self.log.report().threads[0].frames
        #expect(frames.map(\.isInlined) == [false, false, false, true, false, false, false])
    }

    @Test func `releases without the heading are told by their own functions`() throws {
        let rows = Self.log.text.split(separator: "\n").dropFirst(2).dropLast()
        let report = try SampleLog(rows.joined(separator: "\n") + "\n").report()
        #expect(report.threads[0].frames.count == 7 && report.cause?.signal == nil)
        // Without them the rows are anybody's.
        #expect(SampleLog(rows.dropFirst().joined(separator: "\n")).parsed().reports.map(\.format) == ["stack-rows"])
    }

    @Test func `a row is answered as libbacktrace reports inlined calls`() {
        let symbolicated = Self.log.symbolicated { frame in
            frame.index == 1 ? .function("App.outer() -> ()", offset: 3, "/a.swift", 7).inlining("App.inner() -> ()", "/b.swift", 9) : nil
        }
        let rows = "0x7f66da7c741f, App.inner() -> () at /b.swift:9\n0x7f66da7c741f, App.outer() -> () at /a.swift:7\n"
        #expect(symbolicated.text == Self.log.text.replacing("0x7f66da7c741f\n", with: rows))
        #expect(
            symbolicated.symbolicated { _ in .function("other", offset: 1, "/c.swift", 1) }.text.contains("App.inner() -> () at /b.swift:9")
        )
    }

    @Test func `frames that the program could not read are counted`() throws {
        let report = try SampleLog(
            "Received signal 4. Backtrace:\nSwiftBacktrace ERROR: no debug info in ELF executable (errno: -1)\n0x401\n"
        ).report()
        #expect(report.notes == ["The program could not read its own debug information: 1 frames are missing."])
        #expect(SampleLog("Received signal 4. Backtrace:\nSwiftBacktrace ERROR: x (errno: -1)\n").parsed().reports.isEmpty)
    }
}
