import BinaryPrimitives
import CrashLogModel
import CrashReports
import Testing

/// Swift's own crash reports as JSON.
struct SwiftBacktraceJSONTests {
    private static let log = SampleLog(
        "Fatal error: x\n\n*** Signal 4: Backtracing from 0x10... done ***\n\n"
            + #"{ "timestamp": "2026-11-20T23:57:56Z", "kind": "crashReport", "description": "Illegal instruction", "faultAddress": "0x0000000000001010", "platform": "Linux (Debian)", "architecture": "x86_64", "threads": [ "#
            + #"{ "name": "crashD", "crashed": true, "registers": {"rax": "0x0000000000000001", "rip": "0x0000000000001010" }, "frames": [ "#
            + #"{ "kind": "programCounter", "address": "0x0000000000001010", "inlined": true, "symbol": "$s1aF", "offset": 0, "description": "a()", "image": "crashD", "sourceLocation": { "file": "/src/inl.swift", "line": 1, "column": 70 } }, "#
            + #"{ "kind": "programCounter", "address": "0x0000000000001010", "symbol": "$s1bF", "offset": 5, "description": "closure #1 in b() + 5", "image": "crashD", "sourceLocation": { "file": "/src/inl.swift", "line": 3, "column": 35 } }, "#
            + #"{ "kind": "returnAddress", "address": "0x0000000000001234" }, { "kind": "omittedFrames", "count": 85 }, { "kind": "asyncResumePoint", "address": "0x0000000000001300" }, { "kind": "truncated" } ] } ], "#
            + #""omittedImages": 2, "images": [ { "name": "crashD", "buildId": "875d20a8", "path": "/src/crashD", "baseAddress": "0x0000000000001000", "endOfText": "0x0000000000002000" } ] , "backtraceTime": 0.005 }"#
            + "\nafter\n")

    @Test func `everything in it is read`() throws {
        let report = try Self.log.report()
        #expect(report.format == "swift-backtrace" && report.timestamp == "2026-11-20T23:57:56Z" && report.platform == "Linux (Debian)")
        #expect(report.cause?.type == "Illegal instruction" && report.cause?.address?.value == 0x1010)
        let thread = report.threads[0]
        #expect(thread.name == "crashD" && thread.crashed && thread.registers?.values.map(\.value) == [1, 0x1010])
        #expect(
            thread.frames.map(\.kind) == [
                .programCounter, .programCounter, .returnAddress, .omitted(count: 85), .asyncResumePoint, .truncated,
            ])
        #expect(thread.frames.map(\.index) == [0, 1, 2, 3, 88, 89])
        #expect(thread.frames[0].isInlined && thread.frames[0].printed?.offset == nil)
        #expect(
            thread.frames[1].printed
                == PrintedSymbol(
                    name: "closure #1 in b()", offset: 5, location: SourceLocation(file: "/src/inl.swift", line: 3, column: 35)))
        #expect(report.images[0].size == 0x1000 && report.images[0].id?.hexadecimal == "875d20a8")
        #expect(thread.frames[2].image == 0)
    }

    @Test func `it stands behind what the program wrote`() {
        let pieces = Self.log.parsed().pieces
        #expect(pieces.count == 3)
        #expect(String(decoding: Self.log.bytes[pieces[2].range], as: UTF8.self) == "\nafter\n")
    }

    @Test func `a frame object is filled in, with inlined calls in front`() throws {
        func result(_ frame: Frame) -> FrameResult? {
            frame.hex == "0x1234"
                ? .function("Foo.bar(_:)", offset: 179, "/src/crash.swift", 2, column: 69, image: "crashD").inlining(
                    "in()", "/src/b.swift", 4) : nil
        }
        let symbolicated = Self.log.symbolicated(result)
        let start = #"{ "kind": "returnAddress", "address": "0x0000000000001234""#
        let inlined =
            start
            + #", "inlined": true, "symbol": "_in()", "offset": 0, "description": "in()", "image": "crashD", "sourceLocation": { "file": "/src/b.swift", "line": 4, "column": 0 } }"#
        // 179 counts to the raw address, 178 to the one that is looked up.
        let outer =
            start
            + #", "symbol": "_Foo.bar(_:)", "offset": 178, "description": "Foo.bar(_:) + 178", "image": "crashD", "sourceLocation": { "file": "/src/crash.swift", "line": 2, "column": 69 } }"#
        #expect(symbolicated.text == Self.log.text.replacing(start + " }", with: inlined + ", " + outer))
        #expect(try symbolicated.report().threads[0].frames.map(\.isInlined) == [true, false, true, false, false, false, false])
        #expect(symbolicated.symbolicated(result).text == symbolicated.text)
    }

    @Test func `a report that was cut off is said in one line`() {
        let cut = SampleLog(bytes: Array(Self.log.bytes.prefix(600))).parsed()
        #expect(cut.reports.isEmpty)
        #expect(cut.problems.count == 1 && cut.problems[0].problem == "the JSON document ends early")
    }
}
