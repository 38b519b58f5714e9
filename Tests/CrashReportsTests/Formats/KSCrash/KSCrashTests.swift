import BinaryPrimitives
import CrashLogModel
import TestSupport
import Testing

/// KSCrash's JSON and that of its descendants.
struct KSCrashTests {
    private static func log(error: String = mach, thread: String = crashed, more: String = "") -> SampleLog {
        SampleLog(
            #"{"report":{"version":"3.2.0","id":"A","process_name":"App","timestamp":1613661883,"type":"standard"},"#
                + #""binary_images":[{"image_addr":4096,"image_vmaddr":0,"image_size":8192,"name":"/Applications/App.app/App","uuid":"01D2A9D5-1F8A-35C8-9228-7C7CCA13C5FC","cpu_type":16777228,"cpu_subtype":-2147483646}],"#
                + #""system":{"system_name":"iOS","system_version":"16.2","os_version":"20C65","binary_cpu_type":16777228,"binary_cpu_subtype":0,"process_id":495,"CFBundleIdentifier":"org.example","CFBundleVersion":"7","CFBundleShortVersionString":"1.0"},"#
                + #""crash":{"error":\#(error),"threads":[\#(thread)]}\#(more)}"#)
    }
    private static let mach =
        #"{"mach":{"exception":1,"exception_name":"EXC_BAD_ACCESS","code":1,"code_name":"KERN_INVALID_ADDRESS","subcode":0},"signal":{"signal":11,"name":"SIGSEGV"},"address":16,"type":"mach"}"#
    private static let frames =
        #"{"object_name":"App","object_addr":4096,"symbol_name":"<redacted>","symbol_addr":4200,"instruction_addr":4256},{"object_name":"App","object_addr":4096,"instruction_addr":4352}"#
    private static let crashed =
        #"{"backtrace":{"contents":[\#(frames)],"skipped":0},"registers":{"basic":{"x0":1,"pc":4256}},"index":3,"dispatch_queue":"com.apple.main-thread","crashed":true,"current_thread":false}"#

    @Test func `everything in it is read`() throws {
        let report = try Self.log().report()
        #expect(report.format == "kscrash-json" && report.platform == "iOS 16.2 (20C65)" && report.architecture == .arm64)
        #expect(report.process.name == "App" && report.process.pid == 495 && report.process.version == "1.0 (7)")
        // 1613661883 s = 18,676 days and 55,483 s: 2021-02-18 15:24:43.
        #expect(report.timestamp?.utc == "2021-02-18T15:24:43Z")
        let cause = try #require(report.cause)
        #expect(cause.type == "EXC_BAD_ACCESS" && cause.signal == "SIGSEGV" && cause.codes == "KERN_INVALID_ADDRESS")
        #expect(cause.address?.value == 16 && cause.kind == .machException)
        let thread = report.threads[0]
        #expect(thread.index == 3 && thread.crashed && thread.name == "com.apple.main-thread")
        #expect(thread.registers?.values.map(\.name) == ["x0", "pc"])
        // 4256 = 0x10a0, 4352 = 0x1100; the image is at 4096 = 0x1000.
        #expect(thread.frames.map(\.hex) == ["0x10a0", "0x1100"] && thread.frames.map(\.image) == [0, 0])
        #expect(thread.frames.allSatisfy { $0.printed == nil } && report.notes.isEmpty)
        #expect(report.images[0].name == "App" && report.images[0].size == 8192 && report.images[0].architecture == .arm64e)
    }

    @Test func `time is a date, seconds or microseconds`() throws {
        func utc(_ value: String) throws -> String? {
            let text = Self.log().text.replacing("\"timestamp\":1613661883", with: "\"timestamp\":\(value)")
            return try SampleLog(text).report().timestamp?.utc
        }
        #expect(try utc("\"2016-11-07T23:17:23Z\"") == "2016-11-07T23:17:23Z")
        // 1716226564 s = 19,863 days and 63,364 s.
        #expect(try utc("1716226564474658") == "2024-05-20T17:36:04.474658Z")
        #expect(try utc("-1") == "1969-12-31T23:59:59Z")
    }

    /// Kind of frame 0, by the thread's registers and the error.
    @Test(arguments: [
        // The program counter itself.
        ("4256", "\"pc\":4256", "SIGSEGV", Frame.Kind.programCounter),
        // The crashed frame has been dropped with the signal handler's.
        ("4256", "\"rip\":4260", "SIGBUS", .returnAddress), ("4256", "\"eip\":4260", "SIGILL", .returnAddress),
        ("4256", "\"pc\":4260", "SIGABRT", .programCounter),
    ]) func `frame 0`(address: String, registers: String, signal: String, kind: Frame.Kind) throws {
        let thread = Self.crashed.replacing("\"pc\":4256", with: registers)
        let report = try Self.log(error: Self.mach.replacing("SIGSEGV", with: signal), thread: thread).report()
        #expect(report.threads[0].frames.map(\.kind) == [kind, .returnAddress])
    }

    @Test func `a stack that code took is return addresses`() throws {
        let thread = Self.crashed.replacing(#""registers":{"basic":{"x0":1,"pc":4256}},"#, with: "")
        let error =
            #"{"type":"nsexception","reason":"R","nsexception":{"name":"NSRangeException","reason":"out of bounds"},"signal":{"name":"SIGABRT"}}"#
        let report = try Self.log(error: error, thread: thread).report()
        #expect(report.threads[0].frames.map(\.kind) == [.returnAddress, .returnAddress])
        #expect(
            report.cause?.kind == .languageException && report.cause?.type == "NSRangeException" && report.cause?.message == "out of bounds"
        )
        // Another thread without registers was walked from them all the same.
        let other = try Self.log(thread: thread.replacing("\"crashed\":true", with: "\"crashed\":false")).report()
        #expect(other.threads[0].frames.map(\.kind) == [.programCounter, .returnAddress])
    }

    @Test func `frames that were left out are the innermost`() throws {
        let report = try Self.log(thread: Self.crashed.replacing("\"skipped\":0", with: "\"skipped\":64862")).report()
        #expect(report.threads[0].frames.map(\.kind) == [.omitted(count: 64862), .returnAddress, .returnAddress])
        #expect(report.threads[0].frames.map(\.index) == [0, 64862, 64863])
    }

    @Test func `numbers may be strings and commas may trail`() throws {
        let log = Self.log()
        let text = log.text.replacing("\"instruction_addr\":4256}", with: "\"instruction_addr\":\"0x10a0\",}").replacing(
            "}],\"skipped\"", with: "},],\"skipped\"")
        let report = try SampleLog(text).report()
        #expect(report.threads[0].frames.map(\.hex) == ["0x10a0", "0x1100"])
        let symbolicated = SampleLog(text).symbolicated { $0.hex == "0x10a0" ? .function("f", offset: 16) : nil }
        let frame = #""symbol_name":"f","symbol_addr":"0x1090","instruction_addr":"0x10a0",}"#
        #expect(
            symbolicated.text
                == text.replacing(#""symbol_name":"<redacted>","symbol_addr":4200,"instruction_addr":"0x10a0",}"#, with: frame))
    }

    @Test func `frames bring an image along that is not listed`() throws {
        let text = Self.log().text.replacing(#"{"image_addr":4096,"#, with: #"{"image_addr":65536,"#)
        let report = try SampleLog(text).report()
        #expect(report.images.map(\.name) == ["App", "App"] && report.images[1].base?.value == 4096)
        #expect(report.threads[0].frames.map(\.image) == [1, 1])
    }

    @Test func `a report without stacks is named`() throws {
        let error =
            #"{"type":"memory_termination","memory_termination":{"memory_level":"terminal","memory_footprint":100,"memory_limit":100},"signal":{"name":"SIGKILL"}}"#
        let report = try Self.log(error: error, thread: "").report()
        #expect(
            report.cause?.type == "memory_termination"
                && report.cause?.message == "memory_footprint 100, memory_limit 100, memory_level terminal")
        #expect(report.notes.count == 1 && report.notes[0].contains("use of memory"))
    }

    @Test func `a recrash is one report with both stacks`() throws {
        let second = #","recrash_report":{"report":{"type":"minimal"},"crash":{"error":\#(Self.mach),"crashed_thread":\#(Self.crashed)}}"#
        let report = try Self.log(more: second).report()
        #expect(
            report.threads.count == 1 && report.additionalBacktraces.map(\.name) == ["Recrash, thread 3 crashed: com.apple.main-thread"])
        #expect(report.additionalBacktraces[0].frames.map(\.image) == [0, 0] && report.notes.count == 1)
    }

    @Test func `a Bugsnag event brings stacks and images`() throws {
        let frame =
            #"{"method":"main","machoFile":"/b/App","machoUUID":"2EFA58F2-A72D-3F2E-9315-DC35C2A43546","machoLoadAddress":"0x4000","symbolAddress":"0x4010","frameAddress":"0x4020","isPC":true}"#
        let event =
            #"{"report":{"process_name":"App","type":"standard"},"user":{"event":{"exceptions":[{"errorClass":"Error","message":"Oops","stacktrace":[\#(frame)]}],"threads":[{"id":"7","errorReportingThread":true,"stacktrace":[\#(frame)]}],"app":{"id":"org.example"}}}}"#
        let report = try SampleLog(event).report()
        #expect(report.cause?.type == "Error" && report.exceptionBacktrace?.frames.map(\.kind) == [.returnAddress])
        #expect(report.threads.map(\.index) == [7] && report.threads[0].frames.map(\.kind) == [.programCounter])
        #expect(report.images.map(\.id?.uuid) == ["2EFA58F2-A72D-3F2E-9315-DC35C2A43546"] && report.threads[0].frames[0].image == 0)
        let symbolicated = SampleLog(event).symbolicated { $0.kind == .returnAddress ? .function("f", offset: 8, "/a.m", 3) : nil }
        let filled =
            frame.replacing("\"main\"", with: "\"f\"").replacing("0x4010", with: "0x4018").dropLast() + #","file":"/a.m","lineNumber":3}"#
        #expect(symbolicated.text == event.replacing("[\(frame)]}],\"threads\"", with: "[\(filled)]}],\"threads\""))
    }

    // MARK: Results

    @Test func `its own keys are filled in, inlined calls come in front`() throws {
        let log = Self.log()
        func result(_ frame: Frame) -> FrameResult? {
            frame.hex == "0x10a0" ? .function("out", offset: 16, "/s/a.m", 28).inlining("in", "/s/b.h", 7) : nil
        }
        let symbolicated = log.symbolicated(result)
        let start = #"{"object_name":"App","object_addr":4096,"symbol_name":"#
        let inlined = start + #""in","instruction_addr":4256,"line_of_code":"/s/b.h:7","inlined":true}"#
        // 4256 - 16 = 4240
        let outer = start + #""out","symbol_addr":4240,"instruction_addr":4256,"line_of_code":"/s/a.m:28"}"#
        #expect(
            symbolicated.text
                == log.text.replacing(start + #""<redacted>","symbol_addr":4200,"instruction_addr":4256}"#, with: inlined + "," + outer))
        let report = try symbolicated.report()
        #expect(report.threads[0].frames.map(\.isInlined) == [true, false, false])
        #expect(report.threads[0].frames.map(\.kind) == [.programCounter, .programCounter, .returnAddress])
        #expect(
            report.threads[0].frames[1].printed
                == PrintedSymbol(name: "out", offset: 16, location: SourceLocation(file: "/s/a.m", line: 28)))
        #expect(symbolicated.symbolicated(result).text == symbolicated.text)
    }
}

/// KSCrash's own translation of its reports into Apple's text (`KSCrashReportFilterAppleFmt`),
/// frame by frame: address, image, name, offset.
@Suite(.enabled(if: TestPaths.corpus != nil, "there is no corpus"))
struct KSCrashUpstreamTests {
    struct Row: Equatable, CustomStringConvertible {
        var image: String
        var address: String
        var base: String
        var offset: String
        var symbol: String
        var description: String { "\(image) \(address) \(base) \(offset) \(symbol)" }
    }

    /// `3   Crash-Tester                    0x00065628 0x5f000 + 26152 (-[Foo bar] + 68)`
    private static func rows(_ text: String) -> [Row] {
        text.matches(of: #/(?m)^\d+ +(.+?) +0x0*([0-9a-f]+) 0x([0-9a-f]+) \+ (\d+) \((.*)\)$/#).map { match in
            let row = match.output
            return Row(image: String(row.1), address: "0x" + row.2, base: "0x" + row.3, offset: String(row.4), symbol: String(row.5))
        }
    }

    @Test(arguments: ["Abort", "CorruptMemory", "CrashInHandler", "NSException", "Zombie"])
    func `frames agree`(name: String) throws {
        let folder = TestPaths.corpus ?? ""
        let expected = Self.rows(String(decoding: TestPaths.bytes(of: folder + "/expected/upstream/kscrash-\(name).txt"), as: UTF8.self))
        let report = try SampleLog(bytes: TestPaths.bytes(of: folder + "/logs/kscrash-json/kscrash-\(name).json")).report()
        // The text has the recrash after the threads.
        let frames = (report.threads + report.additionalBacktraces).flatMap(\.frames)
        let found = frames.map { frame in
            let image = frame.image.map { report.images[$0] }
            let offset = image?.base.flatMap { base in frame.address.map { $0.value - base.value } } ?? 0
            let symbol = frame.printed.map { "\($0.name ?? "") + \($0.offset ?? 0)" } ?? ""
            return Row(
                image: image?.name ?? "", address: frame.hex, base: image?.base?.description ?? "", offset: "\(offset)", symbol: symbol)
        }
        #expect(found.count > 30 && found.count == expected.count)
        for (found, expected) in zip(found, expected) { #expect(found == expected) }
    }
}
