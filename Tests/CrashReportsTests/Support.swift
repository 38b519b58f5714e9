import BinaryPrimitives
import CrashLogFormats
import CrashLogModel
import CrashReports
import Synchronization
import TestSupport
import Testing

/// A log given as text, with helpers for the tests.
struct SampleLog {
    var bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }
    init(bytes: [UInt8]) { self.bytes = bytes }
    /// A log of `Fixtures/logs`.
    init(fixture path: String) { bytes = TestPaths.bytes(of: TestPaths.fixture("logs/" + path)) }
    /// A log of the corpus.
    init(corpus path: String) { bytes = TestPaths.bytes(of: (TestPaths.corpus ?? "") + "/logs/" + path) }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    func parsed(as name: String? = nil) -> CrashLog {
        guard name == nil, bytes.count > 4096 else { return CrashLog.parse(bytes.span, formatName: name) }
        return ParsedLogs.log(of: bytes)
    }

    /// The only report in it.
    func report(as name: String? = nil, sourceLocation: Testing.SourceLocation = #_sourceLocation) throws -> CrashReport {
        let log = parsed(as: name)
        #expect(log.reports.count == 1, sourceLocation: sourceLocation)
        return try #require(log.reports.first, "\(log.problems)", sourceLocation: sourceLocation)
    }

    /// The line that a byte of the log is in.
    func line(at position: Int) -> String {
        let start = bytes[..<position].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    func text(of frame: Frame) -> String { String(decoding: bytes[frame.range], as: UTF8.self) }

    /// The log with results written into it: `result` is called for every frame.
    func symbolicated(as name: String? = nil, _ result: (Frame) -> FrameResult?) -> SampleLog {
        let edits = parsed(as: name).reports.flatMap { report in
            FormatRegistry.standard.edits(
                of: report, results: report.allFrames.compactMap { frame in result(frame).map { (frame, $0) } }, in: bytes.span)
        }
        // Interleaved traces' edits are interleaved.
        return SampleLog(bytes: TextEdit.apply(edits.sorted { $0.range.lowerBound < $1.range.lowerBound }, to: bytes.span))
    }
}

/// Cache of long logs that were parsed: many tests use the same files of the corpus.
private enum ParsedLogs {
    private struct Key: Hashable {
        var count: Int
        var hash: Int
    }

    private static let known = Mutex<[Key: CrashLog]>([:])

    static func log(of bytes: [UInt8]) -> CrashLog {
        var hasher = Hasher()
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        let key = Key(count: bytes.count, hash: hasher.finalize())
        if let log = known.withLock({ $0[key] }) { return log }
        let log = CrashLog.parse(bytes.span)
        known.withLock { $0[key] = log }
        return log
    }
}

extension CrashReport {
    /// Every frame, in the order of its range.
    var allFrames: [Frame] {
        stacks.flatMap(\.frames).sorted { $0.range.lowerBound < $1.range.lowerBound }
    }
}

extension FrameResult {
    /// One function without inlined calls.
    static func function(_ name: String, offset: UInt64, _ file: String? = nil, _ line: Int = 0, column: Int = 0, image: String = "App")
        -> FrameResult
    {
        let location = file.map { BinaryPrimitives.SourceLocation(file: $0, line: line, column: column) }
        let function = Function(name: name, mangledName: "_" + name, offset: offset, isInlined: false, location: location)
        return FrameResult(functions: [function], imageName: image)
    }

    /// `name`, inlined into this result's first function.
    func inlining(_ name: String, _ file: String, _ line: Int, column: Int = 0) -> FrameResult {
        let location = BinaryPrimitives.SourceLocation(file: file, line: line, column: column)
        let function = Function(name: name, mangledName: "_" + name, offset: nil, isInlined: true, location: location)
        return FrameResult(functions: [function] + functions, imageName: imageName)
    }
}

extension Frame {
    var hex: String { address.map(\.description) ?? "none" }
}
