import BinaryPrimitives
import CrashLogModel
import CrashReports
import Testing

/// Sentry's events: outermost first in the file, innermost first in the report.
struct SentryEventTests {
    private static let outer = #"{"package":"/Applications/App.app/App","image_addr":"0x1000","instruction_addr":"0x1100","in_app":true}"#
    private static let inner =
        #"{"package":"/Applications/App.app/App","image_addr":"0x1000","instruction_addr":"0x10a0","function":"<redacted>","symbol_addr":"0x1090"}"#
    private static let mechanism =
        #"{"type":"mach","handled":false,"data":{"relevant_address":"0x10"},"meta":{"signal":{"number":11,"name":"SIGSEGV"},"mach_exception":{"exception":1,"code":1,"subcode":0,"name":"EXC_BAD_ACCESS"}}}"#
    private static let registers = #","registers":{"x0":"0x1","pc":"0x10a0"}"#

    private static func log(
        type: String = "EXC_BAD_ACCESS", mechanism: String = mechanism, registers: String = registers, more: String = ""
    ) -> SampleLog {
        SampleLog(
            #"{"event_id":"5d7b","platform":"cocoa","timestamp":1644603730.774,"contexts":{"os":{"name":"iOS","version":"16.2","build":"20C65"},"device":{"arch":"arm64"},"app":{"app_identifier":"org.example","app_name":"App","app_version":"1.0","app_build":"7"}},"#
                + #""exception":{"values":[{"type":"\#(type)","value":"KERN_INVALID_ADDRESS at 0x10.","thread_id":0,"mechanism":\#(mechanism),"stacktrace":{"frames":[\#(outer),\#(inner)]\#(registers)}}]},"#
                + #""threads":{"values":[{"id":0,"crashed":true,"name":"main"},{"id":4,"crashed":false,"stacktrace":{"frames":[\#(outer)]}}]},"#
                + #""debug_meta":{"images":[{"type":"macho","debug_id":"01d2a9d5-1f8a-35c8-9228-7c7cca13c5fc","code_file":"/Applications/App.app/App","image_addr":"0x1000","image_size":8192},{"type":"proguard","uuid":"1"}]}\#(more)}"#
        )
    }

    @Test func `everything in it is read`() throws {
        let report = try Self.log().report()
        #expect(report.format == "sentry-event-json" && report.platform == "iOS 16.2 (20C65)" && report.architecture == .arm64)
        #expect(report.process.name == "App" && report.process.identifier == "org.example" && report.process.version == "1.0 (7)")
        // 1644603730 s = 19,034 days and 66,130 s: 2022-02-11 18:22:10.
        #expect(report.timestamp?.utc == "2022-02-11T18:22:10.774Z")
        let cause = try #require(report.cause)
        #expect(cause.type == "EXC_BAD_ACCESS" && cause.signal == "SIGSEGV" && cause.codes == "1, 0" && cause.address?.value == 16)
        let backtrace = try #require(report.exceptionBacktrace)
        #expect(backtrace.frames.map(\.hex) == ["0x10a0", "0x1100"] && backtrace.frames.map(\.kind) == [.programCounter, .returnAddress])
        #expect(backtrace.frames.map(\.index) == [0, 1] && backtrace.frames.map(\.image) == [0, 0])
        #expect(backtrace.registers?.values.map(\.name) == ["x0", "pc"] && backtrace.frames[0].printed == nil)
        #expect(report.threads.map(\.index) == [0, 4] && report.threads.map(\.crashed) == [true, false])
        #expect(report.threads[1].frames.map(\.kind) == [.programCounter])
        #expect(
            report.images.count == 1 && report.images[0].id?.uuid == "01D2A9D5-1F8A-35C8-9228-7C7CCA13C5FC" && report.images[0].size == 8192
        )
    }

    @Test func `a time without a zone is UTC`() throws {
        let text = Self.log().text.replacing("1644603730.774", with: "\"2017-01-26T10:04:32\"")
        #expect(try SampleLog(text).report().timestamp?.utc == "2017-01-26T10:04:32Z")
    }

    @Test func `old events have their numbers and their mechanism elsewhere`() throws {
        let old =
            #"{"posix_signal":{"name":"SIGBUS","signal":10},"relevant_address":"0x42","mach_exception":{"exception_name":"EXC_BAD_ACCESS","code":2,"subcode":8}}"#
        let report = try Self.log(mechanism: old).report()
        #expect(report.cause?.signal == "SIGBUS" && report.cause?.codes == "2, 8" && report.cause?.address?.value == 0x42)
    }

    /// Kind of the innermost frame, by the registers, the signal and the kind of exception.
    @Test(arguments: [
        ("EXC_BAD_ACCESS", #","registers":{"pc":"0x10a0"}"#, Frame.Kind.programCounter),
        ("EXC_BAD_ACCESS", #","registers":{"pc":"0x10a4"}"#, .returnAddress),
        ("NSRangeException", "", .returnAddress), ("cpp_exception", "", .returnAddress),
    ]) func `frame 0`(type: String, registers: String, kind: Frame.Kind) throws {
        let report = try Self.log(type: type, registers: registers).report()
        #expect(report.exceptionBacktrace?.frames.map(\.kind) == [kind, .returnAddress])
    }

    @Test func `of exceptions that caused one another the last ended the process`() throws {
        let first = #"{"values":[{"type":"NSFirst","value":"x","stacktrace":{"frames":[\#(Self.outer)]}},"#
        let report = try SampleLog(Self.log().text.replacing(#""exception":{"values":["#, with: #""exception":"# + first)).report()
        #expect(report.cause?.type == "EXC_BAD_ACCESS" && report.exceptionBacktrace?.name == "EXC_BAD_ACCESS")
        #expect(report.additionalBacktraces.map(\.name) == ["NSFirst"])
    }

    @Test func `a frame may count from its image`() throws {
        let text = Self.log().text.replacing(#""instruction_addr":"0x1100","#, with: #""instruction_addr":"0x100","addr_mode":"rel:0","#)
        #expect(try SampleLog(text).report().exceptionBacktrace?.frames[1].hex == "0x1100")
    }

    @Test func `a frame that counts from an image that is not there has no address`() throws {
        let text = Self.log().text.replacing(#""instruction_addr":"0x1100","#, with: #""instruction_addr":"0x1100","addr_mode":"rel:7","#)
        let frame = try #require(try SampleLog(text).report().exceptionBacktrace?.frames[1])
        #expect(frame.address == nil && frame.image == nil)
    }

    @Test func `the stack that was sent is read where there is no other`() throws {
        let raw = Self.log().text.replacing(
            #""stacktrace":{"frames":[\#(Self.outer),"#, with: #""raw_stacktrace":{"frames":[\#(Self.outer),"#)
        let report = try SampleLog(raw).report()
        #expect(report.additionalBacktraces.map(\.name) == ["raw_stacktrace of EXC_BAD_ACCESS"] && report.exceptionBacktrace == nil)
        let both = Self.log().text.replacing(
            #","registers":"#, with: #","x":0},"raw_stacktrace":{"frames":[\#(Self.outer)]},"y":{"registers":"#)
        #expect(try SampleLog(both).report().additionalBacktraces.isEmpty)
    }

    @Test func `events without native frames are not read`() {
        let python = SampleLog(
            #"{"event_id":"a","platform":"python","exception":{"values":[{"type":"E","stacktrace":{"frames":[{"function":"f","lineno":1}]}}]}}"#
        )
        #expect(
            python.parsed().reports.isEmpty
                && python.parsed().problems.map(\.problem) == ["the frames of this Sentry event have no addresses"])
        let empty = SampleLog(#"{"debug_meta":{"images":[]},"message":"x"}"#)
        #expect(empty.parsed().problems.map(\.problem) == ["this Sentry event holds no stacks"])
    }

    // MARK: Results

    @Test func `Sentry's keys are filled in, inlined calls stand behind`() throws {
        func result(_ frame: Frame) -> FrameResult? {
            frame.hex == "0x10a0" ? .function("out", offset: 32, "/s/a.m", 28).inlining("in", "/s/b.h", 7, column: 3) : nil
        }
        let log = Self.log()
        let symbolicated = log.symbolicated(result)
        let start = #"{"package":"/Applications/App.app/App","image_addr":"0x1000","instruction_addr":"0x10a0","function":"#
        // 0x10a0 - 32 = 0x1080
        let outer = start + #""out","symbol_addr":"0x1080","filename":"a.m","abs_path":"/s/a.m","lineno":28}"#
        let inlined = start + #""in","filename":"b.h","abs_path":"/s/b.h","lineno":7,"colno":3}"#
        #expect(symbolicated.text == log.text.replacing(Self.inner, with: outer + "," + inlined))
        let frames = try symbolicated.report().exceptionBacktrace?.frames ?? []
        #expect(
            frames.map(\.isInlined) == [true, false, false] && frames.map(\.kind) == [.programCounter, .programCounter, .returnAddress])
        #expect(frames.map { $0.printed?.name } == ["in", "out", nil])
        #expect(symbolicated.symbolicated(result).text == symbolicated.text)
    }
}

/// Sentry's events, read for their frames alone: only the images that frames are in are made.
struct SentryImagesOfFramesTests {
    private static let app = "/Applications/App.app/App"

    /// Images of 0x1000 bytes at 0x1000, 0x2000, …; the frames are at the given addresses.
    private static func log(
        images: Int = 4, addresses: [UInt64], type: String = "macho", size: Int = 0x1000, platform: String = #""os":{"name":"iOS"}"#
    ) -> String {
        let frames = addresses.map { #"{"instruction_addr":"0x\#(String($0, radix: 16))"}"# }.joined(separator: ",")
        let list = (0..<images).map { number in
            let path = number == 0 ? app : "/usr/lib/lib\(number).dylib"
            return
                #"{"type":"\#(type)","debug_id":"01d2a9d5-1f8a-35c8-9228-7c7cca13c5f\#(number)","code_file":"\#(path)","image_addr":"0x\#(number + 1)000","image_size":\#(size)}"#
        }
        return
            #"{"event_id":"5d7b","contexts":{\#(platform)},"exception":{"values":[{"type":"SIGABRT","stacktrace":{"frames":[\#(frames)]}}]},"#
            + #""debug_meta":{"images":[\#(list.joined(separator: ","))]}}"#
    }

    private static func report(_ text: String, imagesOfFrames: Bool) throws -> CrashReport {
        var stream = LogStream(imagesOfFrames: imagesOfFrames)
        var reports: [CrashReport] = []
        let bytes = Array(text.utf8)
        stream.feed(bytes.span) { piece, _ in reports += piece.reports }
        stream.finish { piece, _ in reports += piece.reports }
        return try #require(reports.first)
    }

    @Test func `the first image and those of frames are there, and each frame has its own`() throws {
        let text = Self.log(addresses: [0x3010, 0x3020])
        let all = try Self.report(text, imagesOfFrames: false)
        let some = try Self.report(text, imagesOfFrames: true)
        #expect(all.images.count == 4 && some.images == [all.images[0], all.images[2]])
        let frames = try #require(some.exceptionBacktrace?.frames)
        #expect(frames.map(\.image) == [1, 1] && frames.map(\.kind) == all.exceptionBacktrace?.frames.map(\.kind))
        #expect(some.notes == all.notes && some.platform == all.platform)
    }

    /// In each of these logs another image could change a result about the frames.
    @Test(arguments: [
        log(addresses: [0x3010, 0x9010]),
        log(addresses: [0x3010], size: 0x1001),
        log(addresses: [0x3010], type: "elf"),
        log(addresses: [0x3010], platform: #""app":{}"#),
    ]) func `a frame in no image, images that overlap, and other systems have all images`(text: String) throws {
        let all = try Self.report(text, imagesOfFrames: false)
        #expect(try Self.report(text, imagesOfFrames: true).images == all.images && all.images.count == 4)
    }

    /// 0x1010, counted from the fourth image at 0x4000, is 0x5010: not the first image's 0x1010.
    @Test func `frames that count from an image have all images`() throws {
        let text = Self.log(addresses: [0x1010, 0x3010]).replacing(
            #""instruction_addr":"0x1010"}"#, with: #""instruction_addr":"0x1010","addr_mode":"rel:3"}"#)
        let report = try Self.report(text, imagesOfFrames: true)
        #expect(report.images.count == 4 && report.exceptionBacktrace?.frames.last?.address?.value == 0x5010)
        #expect(report.exceptionBacktrace?.frames.last?.image == 3)
    }

    @Test func `an event without frames says so`() throws {
        let text = Self.log(addresses: []).replacing(#""debug_meta""#, with: #""threads":{"values":[{"id":0}]},"debug_meta""#)
        #expect(try Self.report(text, imagesOfFrames: true).notes == Self.report(text, imagesOfFrames: false).notes)
    }
}
