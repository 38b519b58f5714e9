import BinaryPrimitives
import CrashLogModel
import CrashReports
import Testing

/// Documents between lines: traces, other documents, and the bytes that are held back for them.
struct StructuredLogTests {
    static let report =
        #"{ "timestamp": "now", "kind": "crashReport", "threads": [ { "frames": [ { "kind": "programCounter", "address": "0x10" } ] } ] }"#

    @Test func `a document may stand behind a prefix`() throws {
        let log = SampleLog("web_1  | starting\nweb_1  | \(Self.report)\nweb_1  | over\n")
        let report = try log.report()
        #expect(report.threads[0].frames.map(\.hex) == ["0x10"])
        #expect(log.text(of: report.threads[0].frames[0]) == #"{ "kind": "programCounter", "address": "0x10" }"#)
    }

    @Test func `objects of a structured log are no traces and are not held back`() {
        var stream = LogStream()
        let line = Array(#"{"level":"info","text":"crash-free"}"#.utf8) + [UInt8(ascii: "\n")]
        for _ in 0..<5 { #expect(stream.feed(line.span).reduce(0) { $0 + $1.range.count } == line.count) }
        #expect(stream.finish().isEmpty)
    }

    @Test func `a document over many lines is found when its key comes`() throws {
        let filler = (0..<500).map { "  \"filler\($0)\": \"x\"," }.joined(separator: "\n")
        let log = SampleLog(
            "before\n{\n\(filler)\n  \"usedImages\": [], \"procName\": \"App\",\n  \"threads\": [ { \"frames\": [ { \"imageIndex\": 0, \"imageOffset\": 16 } ] } ]\n}\nafter\n"
        )
        let pieces = log.parsed().pieces
        #expect(pieces.count == 3 && pieces[1].reports.map(\.format) == ["apple-ips"])
        #expect(pieces[0].range == 0..<7)
    }

    @Test func `a key in text behind an object that has ended opens nothing`() {
        let log = SampleLog("{ \"a\": 1 }\nthe key \"usedImages\" and the key \"bug_type\" in prose\n")
        #expect(log.parsed().reports.isEmpty)
    }

    @Test func `a line longer than a line may be passes through, and what follows is read`() throws {
        let long = String(repeating: "x Thread 0 Crashed: ", count: 200_000)
        let log = SampleLog(long + "\nCurrent stack trace:\n0    libA.so   0x0000000000001233 <unavailable> + 563\n")
        #expect(try log.report().format == "swift-runtime-trace")
    }

    @Test func `a document may stand behind prose in its line`() throws {
        let log = SampleLog("uploading payload=\(Self.report) to the server\n")
        #expect(try log.report().threads[0].frames.map(\.hex) == ["0x10"])
        #expect(log.parsed().pieces.map(\.range.count).first == "uploading payload=".utf8.count)
    }

    @Test func `a document that was cut off does not swallow the traces behind it`() {
        let cut = String(Self.report.dropLast(20))
        let log = SampleLog(cut + "\nrestarted\nCurrent stack trace:\n0    libA.so   0x0000000000001233 <unavailable> + 563\n" + cut + "\n")
        let parsed = log.parsed()
        #expect(parsed.reports.map(\.format) == ["swift-runtime-trace"])
        #expect(parsed.problems.count == 2)
        #expect(parsed.pieces.reduce(0) { $0 + $1.range.count } == log.bytes.count)
    }

    @Test func `a log full of documents without an end is read in time`() {
        let line = Self.report.dropLast(20) + "\n"
        let log = SampleLog(String(repeating: String(line), count: 4000))
        #expect(log.parsed().reports.isEmpty)
        #expect(log.parsed().problems.count <= 17)
    }
}
