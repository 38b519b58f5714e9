import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Logs of Node 20 itself, and rows of other releases.
struct NodeNativeTraceTests {
    private func fixture(_ name: String) -> SampleLog { SampleLog(fixture: "node-native/" + name) }

    @Test func `both stacks of process.abort()`() throws {
        let report = try fixture("abort/abort.log").report()
        #expect(report.process.name == "node" && report.images.map(\.name) == ["node"])
        let frames = report.threads[0].frames
        #expect(frames.map(\.index) == [1, 2, 3, 4, 5] && frames.allSatisfy { $0.kind == .returnAddress && $0.image == 0 })
        // The program is linked where it runs.
        #expect(frames.map(\.hex) == ["0xd3a3c0", "0xf50bdf", "0xf5144d", "0xf51915", "0x195e376"])
        #expect(frames.map(\.imageLocation) == frames.map { $0.address.map { .linkAddress(LinkAddress($0.value)) } })
        #expect(
            frames.map(\.printed?.name) == [
                nil, "v8::internal::FunctionCallbackArguments::Call(v8::internal::CallHandlerInfo)", nil,
                "v8::internal::Builtin_HandleApiCall(int, unsigned long*, v8::internal::Isolate*)", nil,
            ])
        let scripts = try #require(report.additionalBacktraces.first)
        #expect(scripts.name == "JavaScript stack trace" && scripts.frames.count == 7 && scripts.frames.allSatisfy { $0.address == nil })
        #expect(scripts.frames[0].printed == PrintedSymbol(location: SourceLocation(file: "[eval]", line: 1, column: 9)))
        #expect(
            scripts.frames[1].printed
                == PrintedSymbol(name: "runScriptInThisContext", location: SourceLocation(file: "node:internal/vm", line: 209, column: 10)))
    }

    @Test func `the reason stands in front`() throws {
        let report = try fixture("out-of-memory/oom.log").report()
        #expect(
            report.cause?.type == "FATAL ERROR"
                && report.cause?.message == "Reached heap limit Allocation failed - JavaScript heap out of memory")
        #expect(report.threads[0].frames.count == 16)
    }

    @Test func `what was loaded elsewhere has no place, and the report says so`() throws {
        let log = SampleLog(
            "----- Native stack trace -----\n\n 1: 0x560cc6575d43 node::Assert(node::AssertionInfo const&) [/opt/node]\n 2: 0x7f0c11bb7d90  [/lib/x86_64-linux-gnu/libc.so.6]\n 3: 00007FF64E9020FF node::TriggerNodeReport+71583\n"
        )
        let report = try log.report()
        #expect(report.threads[0].frames.map(\.imageLocation) == [nil, nil, nil])
        #expect(report.images.map(\.name) == ["node", "libc.so.6"])
        #expect(report.threads[0].frames[2].printed == PrintedSymbol(name: "node::TriggerNodeReport", offset: 71583))
        #expect(report.notes == ["the log has no load addresses of libraries and position-independent programs"])
    }

    @Test func `Node before 20 has no headings`() throws {
        let report = try SampleLog(
            "x\n 1: 0xb09980 node::Abort() [node]\n 2: 0xa1c235 node::FatalError(char const*, char const*) [node]\nAborted\n"
        ).report()
        #expect(report.format == "node-native" && report.threads[0].frames.count == 2)
        #expect(!SampleLog(" 1: 0xb27abe4\n 2: 0xb27b212\n").parsed().reports.contains { $0.format == "node-native" })
    }

    @Test func `answers stand around the file`() throws {
        let log = SampleLog("----- Native stack trace -----\n\n 1: 0xd3a3c0  [node]\n12: 0xf50bdf v8::f() [node]\n")
        func result(_ frame: Frame) -> FrameResult? {
            frame.index == 1
                ? .function("node::Abort()", offset: 16, "../src/node.cc", 12, column: 3).inlining("inner()", "../src/a.h", 7)
                : .function("v8::f()", offset: 2, "f.cc", 9)
        }
        let symbolicated = log.symbolicated(result)
        #expect(
            symbolicated.text
                == "----- Native stack trace -----\n\n 1: 0xd3a3c0 inner() [inlined] [node] (../src/a.h:7)\n 1: 0xd3a3c0 node::Abort() [node] (../src/node.cc:12:3)\n12: 0xf50bdf v8::f() [node] (f.cc:9)\n"
        )
        let frames = try symbolicated.report().threads[0].frames
        #expect(frames.map(\.isInlined) == [true, false, false] && frames.map(\.printed?.location?.line) == [7, 12, 9])
        #expect(frames.map(\.imageName) == ["node", "node", "node"])
        #expect(symbolicated.symbolicated(result).bytes == symbolicated.bytes)
    }
}
