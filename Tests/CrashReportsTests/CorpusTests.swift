import BinaryPrimitives
import CrashReports
import TestSupport
import Testing

/// Real logs that nobody here wrote, and the fixtures: each is recognised as what it is, with as many frames and images as a plain search finds in it.
struct CorpusTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        var path: String
        /// The folder's name, which is the format's.
        var folder: String
        var testDescription: String { folder + "/" + (path.split(separator: "/").last.map(String.init) ?? "") }
        var log: SampleLog { SampleLog(bytes: TestPaths.bytes(of: path)) }
    }

    static let formats = FormatRegistry.standard.names

    /// All logs of the corpus. Empty where there is no corpus; `the corpus is there` says so.
    static let corpus: [Sample] = samples(under: TestPaths.corpus.map { $0 + "/logs" } ?? "")
    static let fixtures: [Sample] = samples(under: TestPaths.fixture("logs")).filter { sample in
        ["expected", "addresses", "differences", "README"].allSatisfy { !sample.path.contains("/" + $0) }
    }
    static let ours = (corpus + fixtures).filter { formats.contains($0.folder) }

    private static func samples(under root: String) -> [Sample] {
        TestPaths.files(under: root).compactMap { path in
            let parts = path.dropFirst(root.count + 1).split(separator: "/")
            return parts.count > 1 ? Sample(path: path, folder: String(parts[0])) : nil
        }
    }

    @Test(.enabled(if: TestPaths.corpus == nil, "the corpus is there")) func `without a corpus only the fixtures are read`() {
        print("There is no corpus of logs (CAIRN_CORPUS, or shared/corpus beside the package): its tests have nothing to read.")
    }

    @Test func `the fixtures are there`() { #expect(Self.fixtures.count >= 30) }

    @Test(arguments: ours) func `a sample is recognised as its folder's format`(sample: Sample) {
        let log = sample.log.parsed()
        #expect(!log.reports.isEmpty, "\(log.problems)")
        #expect(log.reports.allSatisfy { $0.format == sample.folder })
        #expect(log.problems.isEmpty)
    }

    @Test(arguments: ours) func `every sample says what happened`(sample: Sample) {
        // A hang has no cause; the second trace of the “recrash” report is a part of the first.
        for report in sample.log.parsed().reports where !sample.path.contains("hang") && !sample.path.contains("recrash") {
            #expect(report.cause?.type != nil || report.format == "swift-runtime-trace" || report.cause?.kind == .languageException)
            if report.format == "swift-backtrace" { #expect(report.architecture != nil && report.platform != nil) }
        }
    }

    @Test(arguments: ours) func `no frame and no image is lost`(sample: Sample) {
        let log = sample.log
        let reports = log.parsed().reports
        let frames = reports.reduce(0) { $0 + $1.allFrames.count }
        let images = reports.reduce(0) { $0 + $1.listedImages.count }
        let expected = NaiveCount(log.text, sample.folder)
        #expect(frames == expected.frames)
        if let count = expected.images { #expect(images == count) }
    }

    @Test(arguments: ours) func `every frame with an address in a listed image has that image`(sample: Sample) {
        for report in sample.log.parsed().reports {
            for frame in report.allFrames {
                guard let address = frame.address else { continue }
                let containing = report.images.filter { $0.contains(address) && !$0.isPlaceholder }
                if !containing.isEmpty { #expect(frame.image.map { report.images[$0].contains(address) } == true) }
            }
        }
    }

    /// What the five formats find in the logs of other folders. Everything that is listed is right: those folders hold logs of our formats in another wrapping.
    @Test(.enabled(if: TestPaths.corpus != nil, "there is no corpus")) func `no other log is claimed`() {
        let expected = [
            // Below the header line of an .ips of iOS 14 stands a text report (bug_type 109).
            "apple-ips-legacy": ["apple-crash": 1],
            // Xcode's organizer keeps text reports in a bundle.
            "xccrashpoint": ["apple-crash": 1],
        ]
        var found: [String: [String: Int]] = [:]
        var count = 0
        for sample in Self.corpus where !Self.formats.contains(sample.folder) {
            count += 1
            let log = sample.log.parsed()
            for format in Set(log.reports.map(\.format)) { found[sample.folder, default: [:]][format, default: 0] += 1 }
            #expect(log.reports.isEmpty == !log.problems.isEmpty, "\(sample.path): \(log.problems)")
        }
        #expect(found == expected)
        #expect(count > 300)
    }
}

/// Counts frames and images without any of the parsers: by line and token.
struct NaiveCount {
    var frames = 0
    /// `nil` where the format lists none.
    var images: Int?

    init(_ text: String, _ folder: String) {
        let isJSON = text.contains("\"kind\": \"crashReport\"")
        let lines = NaiveCount.plain(text).split(whereSeparator: \.isNewline).map {
            $0.split(separator: " ").flatMap { $0.split(separator: "\t") }
        }
        switch folder {
        case "apple-ips":
            frames = text.occurrences(of: "\"imageOffset\"")
            images = text.occurrences(of: "\"source\"")
        case "swift-backtrace" where isJSON:
            frames = text.occurrences(of: "\"kind\":") - 1
            images = text.occurrences(of: "\"baseAddress\"")
        case "swift-backtrace":
            frames = lines.filter { NaiveCount.isSwiftRow($0) }.count
            images = text.occurrences(of: "–0x")
        case "apple-crash":
            frames = lines.filter { NaiveCount.isAppleRow($0) }.count
            images = lines.filter { $0.count > 3 && $0[0].hasPrefix("0x") && $0[1] == "-" && $0[2].hasPrefix("0x") }.count
        case "nsexception-console":
            let numbers = lines.filter { $0.count == 1 && $0[0].allSatisfy { $0.isNumber || $0 == "," } }.count
            let list = lines.first { $0.first?.hasPrefix("(0x") == true }?.count ?? 0
            frames = lines.filter { NaiveCount.isAppleRow($0) }.count + numbers + list
        default:
            frames = lines.filter { NaiveCount.isAppleRow($0) }.count
        }
    }

    /// A number, then somewhere an address.
    private static func isAppleRow(_ tokens: [Substring]) -> Bool {
        guard let first = tokens.first, !first.isEmpty else { return false }
        let number = first.hasPrefix("#") ? first.dropFirst() : first
        return number.allSatisfy(\.isNumber) && tokens.dropFirst().contains { isAddress($0) }
    }

    private static func isSwiftRow(_ tokens: [Substring]) -> Bool {
        guard let first = tokens.first else { return false }
        if tokens == ["..."] { return true }
        guard first.allSatisfy(\.isNumber) else { return false }
        return tokens.last == "..." || tokens.contains { isAddress($0) } || tokens.contains("at")
    }

    private static func isAddress(_ token: Substring) -> Bool {
        token.hasPrefix("0x") && token.count > 2 && token.dropFirst(2).allSatisfy(\.isHexDigit)
    }

    /// Without colours.
    private static func plain(_ text: String) -> String {
        var result = ""
        var isEscape = false
        for scalar in text.unicodeScalars {
            if scalar == "\u{1B}" {
                isEscape = true
            } else if isEscape {
                if scalar.properties.isAlphabetic { isEscape = false }
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension String {
    fileprivate func occurrences(of part: String) -> Int {
        let bytes = Array(utf8)
        let part = Array(part.utf8)
        return bytes.indices.filter { bytes[$0...].starts(with: part) }.count
    }
}

extension CrashReport {
    /// The images of the log's list, without those of which only a frame's row tells the base (`0x1000 + 20`).
    var listedImages: [BinaryImage] { images.filter { $0.path != nil || $0.id != nil || $0.size != nil } }
}
