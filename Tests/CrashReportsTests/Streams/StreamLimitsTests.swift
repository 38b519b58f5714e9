import BinaryPrimitives
import CrashLogFormats
import CrashLogModel
import CrashReports
import Testing

/// Maxima of logs (`Limits`): a log at the maximum is read whole. Beyond it, the rest is left out
/// or read by itself, and the report says which cap was met.
struct StreamLimitsTests {
    private func reports(
        _ text: String, registry: FormatRegistry = .standard, feeding size: Int = .max, _ change: (inout Limits) -> Void
    ) -> [CrashReport] {
        var limits = Limits()
        change(&limits)
        var stream = LogStream(registry: registry, limits: limits)
        let bytes = Array(text.utf8)
        var pieces: [LogStream.Piece] = []
        for start in stride(from: 0, to: bytes.count, by: min(size, bytes.count)) {
            pieces += stream.feed(bytes.span.clamped(to: start..<min(bytes.count, start + min(size, bytes.count))))
        }
        return (pieces + stream.finish()).flatMap(\.reports)
    }

    // MARK: Reports

    /// A report as JSON: threads of that many frames, the last of which crashed, and images.
    private func document(threads: [Int], images: Int = 0) -> String {
        let rows = threads.enumerated().map { index, count in
            let frames = (0..<count).map { #"{ "kind": "programCounter", "address": "0x\#(index + 1)\#($0)0" }"# }.joined(separator: ", ")
            return #"{ "crashed": \#(index == threads.count - 1), "frames": [ \#(frames) ] }"#
        }
        let list = (0..<images).map { #"{ "name": "i\#($0)", "baseAddress": "0x\#($0 + 1)00", "endOfText": "0x\#($0 + 1)ff" }"# }
        return
            #"{ "timestamp": "now", "kind": "crashReport", "threads": [ \#(rows.joined(separator: ", ")) ], "images": [ \#(list.joined(separator: ", ")) ] }"#
            + "\n"
    }

    @Test(arguments: [(4, 3, false), (3, 3, true), (2, 2, true)])
    func `a stack has so many frames`(limit: Int, frames: Int, isSaid: Bool) throws {
        let report = try #require(reports(document(threads: [3])) { limits in limits.framesPerThread = limit }.first)
        #expect(report.threads.map(\.frames.count) == [frames])
        #expect(report.cuts == (isSaid ? ["A stack has \(limit) frames or more: not all are in it."] : []))
        #expect(report.notes.suffix(report.cuts.count) == report.cuts[...])
    }

    /// The thread that crashed comes last, and is whole.
    @Test(arguments: [(6, [2, 2, 2]), (5, [2, 1, 2]), (3, [1, 0, 2]), (1, [0, 0, 1])])
    func `a report has so many frames in all`(limit: Int, frames: [Int]) throws {
        let report = try #require(reports(document(threads: [2, 2, 2])) { limits in limits.framesPerReport = limit }.first)
        #expect(report.threads.map(\.frames.count) == frames)
        #expect(report.cuts == (limit == 6 ? [] : ["The report has more than \(limit) frames: further ones are not in it."]))
    }

    @Test(arguments: [(4, 3, false), (3, 3, true), (2, 2, true)])
    func `a report has so many threads, and so many images`(limit: Int, count: Int, isSaid: Bool) throws {
        let text = document(threads: [1, 1, 1], images: 3)
        let threads = try #require(reports(text) { limits in limits.threads = limit }.first)
        #expect(threads.threads.count == count && threads.images.count == 3)
        #expect(threads.cuts == (isSaid ? ["The report has \(limit) threads or more: further ones are not in it."] : []))
        let images = try #require(reports(text) { limits in limits.images = limit }.first)
        #expect(images.threads.count == 3 && images.images.map(\.name) == Array(["i0", "i1", "i2"].prefix(count)))
        // Frames that lay in an image that was left out have no image.
        #expect(images.threads.map { $0.frames[0].image } == [0, 1, count > 2 ? 2 : nil])
        #expect(images.cuts == (isSaid ? ["The report has \(limit) images or more: further ones are not in it."] : []))
    }

    // MARK: Traces

    private let rows = (0..<5).map { "./a(f+0x\($0))[0x10\($0)]\n" }.joined()

    /// Rows of `backtrace_symbols`, each of which may begin a trace.
    @Test(arguments: [(6, [5]), (5, [5]), (4, [4, 1]), (2, [2, 2, 1])])
    func `traces of so many lines are held`(limit: Int, frames: [Int]) {
        let found = reports(rows) { limits in limits.framesPerReport = limit }
        #expect(found.map { $0.stacks.reduce(0) { $0 + $1.frames.count } } == frames)
        let sentence = "The trace has \(limit) lines or more: what follows is read by itself."
        #expect(found.map(\.cuts) == frames.map { $0 == limit ? [sentence] : [] })
    }

    /// If the lines of two writers alternate, the lines of both count.
    @Test func `traces of several writers have so many lines together`() {
        let log = (0..<3).map { "web_1  | ./a(f+0x\($0))[0x10\($0)]\ndb_1   | ./b(g+0x\($0))[0x20\($0)]\n" }.joined()
        func counts(_ limit: Int) -> [Int] {
            reports(log) { limits in limits.framesPerReport = limit }.map { $0.stacks.reduce(0) { $0 + $1.frames.count } }
        }
        #expect(counts(7) == [3, 3])
        #expect(counts(4) == [2, 2, 1, 1])
    }

    /// `db`'s trace has not gone on for longest when `app` begins a third.
    @Test(arguments: [(3, ["1 2", "3", "4"]), (2, ["1 2", "3", "4"]), (1, ["1", "3", "2", "4"])])
    func `so many traces of several writers are open at one time`(limit: Int, frames: [String]) {
        func row(_ writer: String, _ number: Int) -> String { "\(writer)_1  | ./a(f+0x\(number))[0x\(number)]\n" }
        let log = row("web", 1) + row("db", 3) + row("web", 2) + row("app", 4)
        let found = reports(log) { limits in limits.openTraces = limit }
        #expect(found.map { $0.stacks.flatMap(\.frames).map { "\($0.address?.value ?? 0)" }.joined(separator: " ") } == frames)
        let sentence = "More than \(limit) writers' traces were open at one time: what follows of this one is read by itself."
        let isCut = [3: [false, false, false], 2: [false, true, false], 1: [true, true, true, false]][limit]
        #expect(found.map(\.cuts) == isCut?.map { $0 ? [sentence] : [] })
    }

    /// It is looked at every 4,096 bytes: 400 rows of 26 bytes are as many as may be held, and
    /// 1,000 are not.
    @Test(arguments: [(400, 1), (1000, 2)])
    func `so many bytes are held for a trace`(count: Int, least: Int) {
        let row = "./a(function+0x1)[0x1010]"
        let log = String(repeating: row + "\n", count: count)
        let found = reports(log) { limits in limits.heldTrace = 26 * 400 }
        #expect(found.count >= least && (least > 1 || found.count == 1))
        #expect(found.reduce(0) { $0 + $1.stacks.reduce(0) { $0 + $1.frames.count } } == count)
        let sentence = "More than 10400 bytes were held for the trace: what follows is read by itself."
        #expect(found.dropLast().allSatisfy { $0.cuts == [sentence] } && found.last?.cuts == [])
    }

    /// Lines of another writer between two rows, or many more of them.
    @Test(arguments: [(8_000, 1), (24_000, 2)])
    func `so many bytes of others may stand in a trace`(count: Int, traces: Int) {
        let foreign = String(repeating: "db_1   | query\n", count: count / 15)
        let log = "web_1  | ./a(f+0x1)[0x101]\n" + foreign + "web_1  | ./a(f+0x2)[0x102]\n"
        #expect(reports(log) { limits in limits.foreignText = 10_000 }.count == traces)
    }

    @Test(arguments: [(2, 1, 2), (3, 2, 1)])
    func `so many lines may mean nothing to a trace's format`(count: Int, traces: Int, rows: Int) {
        let registry = FormatRegistry.standard.adding(PatientFormat.self)
        let log = "ROW 0x1\n" + String(repeating: "x\n", count: count) + "ROW 0x2\n"
        let found = reports(log, registry: registry) { limits in limits.unknownLines = 2 }
        #expect(found.count == traces && found.first?.threads.first?.frames.count == rows)
    }

    /// The key that identifies the document comes after the filling, and the log comes in parts of
    /// 100 bytes.
    @Test(arguments: [(800, true), (1200, false)])
    func `a document tells what it is in so many bytes`(count: Int, isFound: Bool) {
        let filling = (0..<count / 20).map { "  \"filler\(String(1000 + $0))\": 1,\n" }.joined()
        let log =
            "{\n" + filling
            + "  \"usedImages\": [], \"procName\": \"App\",\n  \"threads\": [ { \"frames\": [ { \"imageIndex\": 0, \"imageOffset\": 16 } ] } ]\n}\n"
        #expect(reports(log, feeding: 100) { limits in limits.documentHead = 1000 }.count == (isFound ? 1 : 0))
    }

    /// Five events without stacks in a line: each is a reason of its own, up to so many.
    @Test(arguments: [(5, 5, nil), (4, 4, 1), (2, 2, 3)] as [(Int, Int, Int?)])
    func `so many documents are complained of one by one`(limit: Int, reported: Int, further: Int?) {
        var limits = Limits()
        limits.reportedProblems = limit
        var stream = LogStream(limits: limits)
        _ = stream.feed(Array(String(repeating: #"{"debug_meta":{}} "#, count: 5).utf8).span)
        _ = stream.finish()
        #expect(stream.problems.map(\.position) == [0, 18, 36, 54, 72].prefix(reported).map { $0 })
        #expect(Set(stream.problems.map(\.problem)) == ["this Sentry event holds no stacks"])
        #expect(
            stream.problemsAtEnd.dropFirst(reported).map(\.description)
                == (further.map { ["\($0) more documents could not be read: expected what the first \(limit) complaints say"] } ?? []))
    }

    /// A line of 30 bytes is a row. One that is longer than a line may be is not, with any ending.
    @Test(arguments: [(30, true), (29, false)])
    func `a line has so many bytes`(limit: Int, isRow: Bool) throws {
        let row = "./a(f+0x1234567890abc)[0x1010]"
        try #require(row.utf8.count == 30)
        #expect(reports(row + "\n") { limits in limits.lineLength = limit }.count == (isRow ? 1 : 0))
    }
}

/// A format that allows any text between its rows.
private struct PatientFormat: LineFormat {
    static let name = "patient-format"
    static let summary = "for this test"
    static let triggers = ["ROW "]
    private var thread = ThreadTrace(index: 0)

    static func begins(_ line: Span<UInt8>) -> Confidence { line.hasPrefix("ROW ") ? .certain : .none }
    mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        guard line.hasPrefix("ROW ") else { return .unknown }
        thread.frames.append(Frame(index: thread.frames.count, kind: .programCounter, address: RuntimeAddress(1), range: range))
        return .more
    }
    mutating func finish() -> [CrashReport] {
        var report = CrashReport(format: Self.name)
        report.threads = [thread]
        return [report]
    }
    static func edits(of report: CrashReport, results: [(frame: Frame, result: FrameResult)], in log: Span<UInt8>) -> [TextEdit] { [] }
}
