import BinaryPrimitives
import CrashLogModel
import Reporting
import SymbolFiles
import Symbolication
import Testing

/// Live logs, part by part: what passes, and when. Without symbols: traces come out as they went
/// in.
struct LiveLogTests {
    private struct NoSymbols: SymbolProvider {
        func prepare(for requests: [ImageRequest]) {}
        func symbols(for request: ImageRequest) -> ImageSymbols { ImageSymbols(source: nil) }
        func trail(for request: ImageRequest) -> SearchTrail { SearchTrail(places: []) }
        func unslidImages(processName: String?) -> [UnslidImage] { [] }
    }

    /// A log and what came out of it so far.
    private struct Run {
        var log = LiveLog(symbolicator: Symbolicator(provider: NoSymbols()), showsText: true)
        var output: [UInt8] = []
        /// `text` and `traces`, as they passed.
        var passed: [String] = []

        mutating func note(_ passages: [LiveLog.Passage]) {
            for passage in passages {
                switch passage {
                case .text(let bytes): passed.append(String(decoding: bytes, as: UTF8.self))
                case .traces(let reports): passed.append("\(reports.count) of \(reports.first?.report.format ?? "")")
                }
            }
        }

        mutating func feed(_ text: String) {
            var passages: [LiveLog.Passage] = []
            log.feed(Array(text.utf8).span, to: &output) { passages.append($0) }
            note(passages)
        }

        mutating func settle() {
            var passages: [LiveLog.Passage] = []
            log.settle(to: &output) { passages.append($0) }
            note(passages)
        }

        mutating func finish() {
            var passages: [LiveLog.Passage] = []
            log.finish(to: &output) { passages.append($0) }
            note(passages)
        }

        /// What came out since the last call.
        mutating func shown() -> String {
            defer { output = [] }
            return String(decoding: output, as: UTF8.self)
        }
    }

    private static let trace = "Stack: (\n    2528013804,\n    11076\n)\n"

    @Test func `lines pass at once, an unfinished one when it is asked for`() {
        var run = Run()
        run.feed("one\ntw")
        #expect(run.shown() == "one\n")
        #expect(run.log.hasUnfinished && !run.log.isHolding)
        run.log.showUnfinished(to: &run.output)
        #expect(run.shown() == "tw")
        #expect(!run.log.hasUnfinished)
        run.feed("o\nthree")
        #expect(run.shown() == "o\n")
        run.finish()
        #expect(run.shown() == "three")
        #expect(run.passed == ["one\n", "two\n", "three"])
    }

    @Test func `a trace is held until its end`() {
        var run = Run()
        run.feed("before\nStack: (\n    2528013804,\n")
        #expect(run.shown() == "before\n")
        #expect(run.log.isHolding && !run.log.hasUnfinished)
        run.log.showUnfinished(to: &run.output)
        #expect(run.shown().isEmpty)
        run.feed("    11076\n)\nafter\n")
        #expect(run.shown() == Self.trace + "after\n")
        #expect(run.passed == ["before\n", "1 of nsexception-console", "after\n"])
    }

    @Test func `silence ends a trace, and what comes then is no part of it`() {
        var run = Run()
        run.feed("Stack: (\n    2528013804,\n    110")
        run.settle()
        #expect(run.shown() == "Stack: (\n    2528013804,\n    110")
        #expect(!run.log.isHolding)
        run.feed("76\n)\n")
        run.finish()
        #expect(run.shown() == "76\n)\n")
        #expect(run.passed.first == "1 of nsexception-console")
    }

    @Test func `silence ends a document that has no end`() {
        var run = Run()
        run.feed("{\"bug_type\":\"309\",\"app_name\":\"A\"}\n{ \"pid\": 1,\n \"threads\": [\n")
        #expect(run.log.isHolding)
        run.settle()
        #expect(run.shown() == "{\"bug_type\":\"309\",\"app_name\":\"A\"}\n{ \"pid\": 1,\n \"threads\": [\n")
        run.feed("more\n")
        #expect(run.shown() == "more\n")
    }

    /// The first half of the line that a trace begins with was shown before it was known what it
    /// is.
    @Test func `a trace whose beginning was shown goes on behind it`() {
        var run = Run()
        run.feed("Sta")
        run.log.showUnfinished(to: &run.output)
        #expect(run.shown() == "Sta")
        run.feed("ck: (\n    2528013804,\n    11076\n)\n")
        #expect(run.shown() == String(Self.trace.dropFirst(3)))
        #expect(run.passed == ["1 of nsexception-console"])
    }

    @Test func `numbers at the beginning are no list of addresses`() {
        var run = Run()
        run.feed("0x1000\n0x2000\n")
        #expect(run.shown() == "0x1000\n0x2000\n")
        #expect(!run.log.isHolding)
    }

    /// However the bytes are cut, and wherever silence falls between them, each comes out once and
    /// in order.
    @Test func `nothing is lost wherever it is cut`() {
        let text = "one\n{\n\"a\": [\n" + Self.trace + "[2/3] two\n" + Self.trace + "end"
        for cut in 0...text.utf8.count {
            for settles in [false, true] {
                var run = Run()
                run.feed(String(decoding: text.utf8.prefix(cut), as: UTF8.self))
                if settles { run.settle() } else { run.log.showUnfinished(to: &run.output) }
                run.feed(String(decoding: text.utf8.dropFirst(cut), as: UTF8.self))
                run.finish()
                #expect(run.shown() == text)
            }
        }
    }
}
