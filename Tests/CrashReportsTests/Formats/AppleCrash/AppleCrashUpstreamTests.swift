import BinaryPrimitives
import CrashLogFormats
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Compares text reports with the results of other parsers: Sentry's apple-crash-report-parser (its
/// snapshots), and KSCrash's texts.
@Suite(.enabled(if: TestPaths.corpus != nil, "there is no corpus"))
struct AppleCrashUpstreamTests {
    private static let folder = TestPaths.corpus ?? ""

    private struct Frame: Equatable {
        var thread = 0
        var module: String?
        var symbol: String?
        var file: String?
        var line: Int?
        var address: String?
    }

    private struct Image: Equatable {
        var address: String?
        var size: UInt64?
        var id: String?
        var path: String?
    }

    /// The YAML of a snapshot, which has a key to a line.
    private static func snapshot(_ text: String) -> (frames: [Frame], images: [Image], crashed: [Int]) {
        var frames: [Frame] = []
        var images: [Image] = []
        var crashed: [Int] = []
        var thread = 0
        for line in text.split(separator: "\n") {
            let trimmed = line.drop { $0 == " " || $0 == "-" }
            guard let colon = trimmed.firstRange(of: ": ") else { continue }
            let value = String(trimmed[colon.upperBound...]).trimmingQuotes
            if line.hasPrefix("      - ") { frames.append(Frame(thread: thread)) }
            switch (trimmed[..<colon.lowerBound], line.hasPrefix("      ")) {
            case ("id", _): thread = Int(value) ?? -1
            case ("crashed", _): if value == "true" { crashed.append(thread) }
            case ("module", true): frames[frames.count - 1].module = value
            case ("symbol", true): frames[frames.count - 1].symbol = value
            case ("filename", true): frames[frames.count - 1].file = value
            case ("lineno", true): frames[frames.count - 1].line = Int(value)
            case ("instruction_addr", true): frames[frames.count - 1].address = value
            case ("addr", false): images.append(Image(address: value))
            // Sentry's size leaves out the image's last byte; the list's ends are inclusive.
            case ("size", false): images[images.count - 1].size = UInt64(value).map { $0 + 1 }
            case ("uuid", false): images[images.count - 1].id = value.uppercased()
            case ("path", false) where !images.isEmpty: images[images.count - 1].path = value
            default: break
            }
        }
        return (frames, images, crashed)
    }

    @Test(arguments: ["handcrafted", "XCDYouTubeKit-54"])
    func `frames and images are Sentry's`(name: String) throws {
        let snapshot = TestPaths.bytes(of: Self.folder + "/expected/upstream/apple-crash-report-parser_\(name).snap")
        let expected = Self.snapshot(String(decoding: snapshot, as: UTF8.self))
        let report = try SampleLog(bytes: TestPaths.bytes(of: Self.folder + "/logs/apple-crash/sentry-\(name).txt")).report()
        let frames = report.threads.flatMap { thread in
            thread.frames.map { frame in
                Frame(
                    thread: thread.index, module: frame.imageName == "???" ? nil : frame.imageName, symbol: frame.printed?.name,
                    file: frame.printed?.location?.file,
                    line: frame.printed?.location?.line, address: frame.hex)
            }
        }
        #expect(frames.count > 10 && frames.count == expected.frames.count)
        for (found, expected) in zip(frames, expected.frames) { #expect(found == expected) }
        let images = report.listedImages.map { Image(address: $0.base?.description, size: $0.size, id: $0.id?.uuid, path: $0.path) }
        #expect(images.count == expected.images.count)
        for (found, expected) in zip(images, expected.images) { #expect(found == expected) }
        #expect(report.threads.filter(\.crashed).map(\.index) == expected.crashed)
    }

    /// KSCrash's text output is such a report: every row that begins with a number and holds an
    /// address is a frame.
    @Test(arguments: ["Abort", "CorruptMemory", "CrashInHandler", "NSException", "Zombie"])
    func `KSCrash's texts are read`(name: String) {
        let log = SampleLog(bytes: TestPaths.bytes(of: Self.folder + "/expected/upstream/kscrash-\(name).txt"))
        let reports = log.parsed().reports
        let count = NaiveCount.appleCrash(log.text)
        #expect(reports.allSatisfy { $0.format == "apple-crash" })
        #expect(count.frames > 30 && reports.reduce(0) { $0 + $1.allFrames.count } == count.frames)
        #expect(reports.reduce(0) { $0 + $1.listedImages.count } == count.images)
    }
}

extension String {
    fileprivate var trimmingQuotes: String { hasPrefix("\"") && hasSuffix("\"") && count > 1 ? String(dropFirst().dropLast()) : self }
}
