import BinaryPrimitives
import CrashLogModel
import CrashReports
import Testing

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
