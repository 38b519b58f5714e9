import BinaryPrimitives
import CrashLogFormats
import CrashLogModel
import CrashReports
import Testing

/// Finding traces in a log: whole or in parts, among other text, in several formats.
struct LogStreamTests {
    private static let mixed = SampleLog(
        """
        server starting
        { "level": "info", "text": "not a crash" }
        Swift/Array.swift:1: Fatal error: x
        Current stack trace:
        0    libA.so                            0x0000000000001100 foo + 16
        1    libA.so                            0x0000000000001233 <unavailable> + 563
        restarted
        2008-10-26 13:25:43.385 CrashExample[41720:20b] Stack: (
            11076,
            9668
        )
        { "timestamp": "now", "kind": "crashReport", "threads": [ { "frames": [ { "kind": "programCounter", "address": "0x10" } ] } ] }
        bye

        """)

    private func summary(_ pieces: [LogStream.Piece], of log: SampleLog) -> [String] {
        pieces.map { piece in
            let text = String(decoding: log.bytes[piece.range], as: UTF8.self)
            return switch piece {
            case .text, .binary: "text " + text
            case .traces(let reports, _): reports.map(\.format).joined(separator: "+") + " " + text
            }
        }
    }

    @Test func `traces are found among text, and every byte is in one piece`() {
        let log = Self.mixed
        let pieces = summary(log.parsed().pieces, of: log)
        let formats = pieces.map { $0.split(separator: " ")[0] }
        #expect(formats == ["text", "swift-runtime-trace", "text", "nsexception-console", "swift-backtrace", "text"])
        #expect(pieces[0].hasSuffix("not a crash\" }\n"))
        #expect(pieces[1].hasPrefix("swift-runtime-trace Swift/Array.swift:1: Fatal error: x\n"))
        #expect(pieces[1].hasSuffix("+ 563\n"))
        #expect(pieces[2] == "text restarted\n")
        #expect(pieces[3].hasSuffix(")\n"))
        #expect(pieces[5] == "text \nbye\n")
    }

    @Test(arguments: 1...40) func `parts of any size give the same traces`(size: Int) {
        let log = Self.mixed
        let whole = summary(log.parsed().pieces.filter(\.isTrace), of: log)
        var stream = LogStream()
        var pieces: [LogStream.Piece] = []
        for start in stride(from: 0, to: log.bytes.count, by: size) {
            pieces += stream.feed(log.bytes.span.clamped(to: start..<start + size))
        }
        pieces += stream.finish()
        #expect(summary(pieces.filter(\.isTrace), of: log) == whole)
        #expect(pieces.reduce([]) { $0 + Array($1.range) } == Array(0..<log.bytes.count))
    }

    @Test func `of a live log text is passed on at once, a trace when it has ended`() {
        var stream = LogStream(isLive: true)
        let first = Array("hello\nCurrent stack trace:\n".utf8)
        #expect(stream.feed(first.span).map(\.range) == [0..<6])
        let row = Array("0    libA.so   0x0000000000001233 <unavailable> + 563\n".utf8)
        #expect(stream.feed(row.span).isEmpty)
        let after = Array("over\n".utf8)
        let end = first.count + row.count
        #expect(stream.feed(after.span).map(\.range) == [6..<end, end..<end + 5])
        #expect(stream.finish().isEmpty)
    }

    @Test func `of a whole log a trace without identities waits for a list of images`() {
        var stream = LogStream()
        let trace = Array("Current stack trace:\n0    libA.so   0x0000000000001233 <unavailable> + 563\nover\n".utf8)
        #expect(stream.feed(trace.span).isEmpty)
        let far = [UInt8](repeating: UInt8(ascii: "\n"), count: 1 << 20)
        #expect(stream.feed(far.span).first?.reports.count == 1)
    }

    @Test func `lines may end with CR LF`() throws {
        let log = SampleLog("Stack: (\r\n    11076,\r\n    9668\r\n)\r\n")
        let frames = try #require(try log.report().exceptionBacktrace?.frames)
        #expect(frames.map { log.text(of: $0) } == ["11076,", "9668"])
    }

    @Test func `a log that is none says so`() {
        let problems = SampleLog("just text\n").parsed().problems
        #expect(problems.map(\.problem) == ["no crash report found"])
        #expect(SampleLog("").parsed().problems.map(\.problem) == ["the log is empty"])
        #expect(SampleLog("x").parsed(as: "nonsense").problems.map(\.problem) == ["no such log format: “nonsense”"])
        #expect(!SampleLog("just text\n").parsed().problems.contains { $0.description.contains("\n") })
    }

    @Test func `a forced format needs no beginning`() throws {
        let rows = SampleLog(
            "0   App                           \t0x0000000000001010 0x1000 + 16\n1   App                           \t0x0000000000001020 main + 4\n"
        )
        #expect(rows.parsed().reports.map(\.format) == ["darwin-backtrace"])
        let report = try rows.report(as: "nsexception-console")
        #expect(report.exceptionBacktrace?.frames.count == 2)
        let addresses = SampleLog("0 0x10\n1 [ra] 0x20\n")
        #expect(try addresses.report(as: "swift-backtrace").threads[0].frames.map(\.kind) == [.programCounter, .returnAddress])
    }

    @Test func `a format can be added`() throws {
        let registry = FormatRegistry.standard.adding(TestFormat.self)
        #expect(registry.names.first == "test-format")
        let bytes = Array("a\nBOOM 0x123\nb\n".utf8)
        let log = CrashLog.parse(bytes.span, registry: registry)
        #expect(log.reports.first?.threads.first?.frames.first?.hex == "0x123")
        #expect(log.pieces.map(\.range) == [0..<2, 2..<13, 13..<15])
    }

    @Test func `places can be moved to a part of the log`() throws {
        let report = Self.mixed.parsed().reports[0]
        let frame = report.threads[0].frames[0]
        #expect(report.moved(by: -10).threads[0].frames[0].range == frame.range.lowerBound - 10..<frame.range.upperBound - 10)
    }
}

extension LogStream.Piece {
    fileprivate var isTrace: Bool {
        if case .traces = self { true } else { false }
    }
}

/// A format of one line.
private struct TestFormat: LineFormat {
    static let name = "test-format"
    static let summary = "for this test"
    static let triggers = ["BOOM "]
    private var report = CrashReport(format: name)

    static func begins(_ line: Span<UInt8>) -> Confidence { line.hasPrefix("BOOM ") ? .certain : .none }
    mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        var rest = line.from(5)
        let address = rest.readAddress().map { RuntimeAddress($0) }
        report.threads = [ThreadTrace(index: 0, frames: [Frame(index: 0, kind: .programCounter, address: address, range: range)])]
        return .done
    }
    mutating func finish() -> [CrashReport] { [report] }
    static func edits(of report: CrashReport, results: [(frame: Frame, result: FrameResult)], in log: Span<UInt8>) -> [TextEdit] { [] }
}
