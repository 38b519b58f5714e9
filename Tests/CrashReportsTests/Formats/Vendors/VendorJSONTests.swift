import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Events of vendors by the table of their keys.
struct VendorJSONTests {
    private static let frame =
        #"{"frameAddress":"0x1010","symbolAddress":"0x1008","machoFile":"/x/App","machoLoadAddress":"0x1000","machoUUID":"4C4C44ED-5555-3144-A1F6-E835C4EE10B4","isPC":true}"#

    private static func bugsnag(_ type: String, _ frame: String = frame) -> SampleLog {
        SampleLog(#"{"events":[{"exceptions":[{"errorClass":"\#(type)","message":"why","stacktrace":[\#(frame)]}],"threads":[]}]}"#)
    }

    /// A crash's stack begins with its program counter, a thrown exception's with where a call returns to.
    @Test(arguments: [
        ("SIGABRT", Frame.Kind.programCounter), ("EXC_BAD_ACCESS", .programCounter), ("NSRangeException", .returnAddress),
    ]) func `the error's class says what the first frame is`(type: String, kind: Frame.Kind) throws {
        let report = try Self.bugsnag(type).report()
        #expect(report.format == "bugsnag-json" && report.cause?.type == type && report.cause?.message == "why")
        #expect(report.allFrames.map(\.kind) == [kind])
    }

    @Test func `a frame of Android's NDK names the library as its file`() throws {
        let frame =
            #"{"frameAddress":"0x7b0a5d23f8","loadAddress":"0x7b0a5d2000","file":"/data/app/x/lib/arm64/libquay.so","lineNumber":1016,"codeIdentifier":"4c4c44f655553144a1c78f23af66dda84c4c44f6"}"#
        let report = try Self.bugsnag("SIGSEGV", frame).report()
        #expect(report.images.map(\.name) == ["libquay.so"] && report.images[0].base?.value == 0x7b0a5d2000)
        #expect(report.images[0].id != nil)
        #expect(report.allFrames.map(\.printed) == [nil])
    }

    @Test func `results are in the vendor's keys`() {
        let text = Self.bugsnag("SIGABRT").symbolicated { _ in .function("main", offset: 8, "/src/a.c", 7) }.text
        #expect(text.contains(#""method":"main""#) && text.contains(#""file":"/src/a.c""#) && text.contains(#""lineNumber":7"#))
    }

    @Test func `an event without addresses says so`() throws {
        let log = Self.bugsnag("Error", #"{"file":"a.js","lineNumber":1,"frameAddress":null,"machoLoadAddress":null}"#).parsed()
        #expect(log.reports.isEmpty)
        #expect(log.problems.map(\.problem) == ["this event has no stack with addresses"])
    }

    /// Digits alone are hexadecimal, too.
    @Test func `Measure's addresses have no prefix, and its images may come first`() throws {
        let log = SampleLog(
            #"{"binary_images":[{"start_addr":"0000000100001000","end_addr":"0000000100001fff","name":"App","arch":"arm64","uuid":"4c4c44ed55553144a1f6e835c4ee10b4","path":"/x/App"}],"#
                + "\n"
                + #""exceptions":[{"type":"NSRangeException","frames":[{"symbol_address":"0000000100001010","binary_address":"0000000100001000","binary_name":"App"}]}]}"#
        )
        let report = try log.report()
        #expect(report.format == "measure-json" && report.allFrames.map(\.hex) == ["0x100001010"])
        #expect(report.images.count == 1 && report.images[0].size == 0x1000 && report.allFrames.map(\.image) == [0])
        let text = log.symbolicated { _ in .function("main", offset: 8, "/src/a.c", 7) }.text
        #expect(text.contains(#""method_name":"main","file_name":"/src/a.c","line_num":7"#))
    }

    /// A document on one line is taken by what is in its beginning.
    private static let rows = #"0   App   0x0000000100001010 0x100001000 + 16\n1   App   0x0000000100001020 0x100001000 + 32"#

    private static func datadog(_ message: String) -> SampleLog {
        SampleLog(
            #"{"type":"error","error":{"is_crash":true,"type":"SIGSEGV (#11)","message":"\#(message)","stack":"\#(rows)","#
                + #""threads":[{"name":"Thread 0","crashed":true,"stack":"\#(rows)"},{"name":"Thread 1","crashed":false,"stack":"0   App   0x0000000100001030 0x100001000 + 48"}],"#
                + #""binary_images":[{"uuid":"4C4C44ED-5555-3144-A1F6-E835C4EE10B4","name":"App","load_address":"0x0000000100001000","max_address":"0x0000000100001fff","arch":"arm64"}]}}"#
        )
    }

    /// The event's own stack is the crashed thread's once more.
    @Test func `Datadog's stacks are texts`() throws {
        let log = Self.datadog("Application crash: SIGSEGV (Segmentation fault)")
        let report = try log.report()
        #expect(report.format == "datadog-json" && report.cause?.signal == "SIGSEGV" && report.cause?.codes == nil)
        #expect(report.threads.map { $0.frames.map(\.hex) } == [["0x100001010", "0x100001020"], ["0x100001030"]])
        #expect(report.threads.map { $0.frames.map(\.kind) } == [[.programCounter, .returnAddress], [.programCounter]])
        #expect(report.threads.map(\.crashed) == [true, false] && report.images.map(\.id?.description.isEmpty) == [false])
        #expect(report.threads[0].frames.map(\.image) == [0, 0] && report.exceptionBacktrace == nil)
        let text = log.symbolicated { _ in .function("main", offset: 8, "/src/a.c", 7) }.text
        #expect(text.contains(#""crashed":true,"stack":"0   App   0x0000000100001010 main + 8 (a.c:7)\n1   App"#))
    }

    @Test func `after a thrown exception Datadog's own stack is the exception's`() throws {
        let report = try Self.datadog("Terminating app due to uncaught exception 'NSRangeException', reason: 'out of bounds'.").report()
        #expect(report.cause?.kind == .languageException && report.threads.map(\.frames.count) == [2, 1])
        #expect(report.exceptionBacktrace?.frames.map(\.kind) == [.returnAddress, .returnAddress])
    }

    /// Android's and Flutter's stacks of an event are other formats' rows, and are read as a text in a JSON string.
    @Test(arguments: ["", "\n"]) func `a Datadog event with rows of others`(lineEnd: String) {
        let rows =
            #"#00 pc 0000000000001010  /data/app/lib/arm64/libquay.so (moor+16)\n#01 pc 0000000000001020  /data/app/lib/arm64/libquay.so"#
        let log = SampleLog(
            #"{\#(lineEnd)"error":{\#(lineEnd)"is_crash":true,\#(lineEnd)"source_type":"android",\#(lineEnd)"stack":"\#(rows)"}}"#)
        #expect(log.parsed().reports.map(\.allFrames.count) == [2])
    }

    @Test func `an event inside of a KSCrash report is of that report`() throws {
        let log = SampleLog(
            #"{"user":{"event":{"exceptions":[{"errorClass":"Error","stacktrace":[\#(Self.frame)]}]}},"report":{"process_name":"App","type":"standard"},"crash":{"threads":[]}}"#
        )
        #expect(try log.report().format == "kscrash-json")
    }
}
