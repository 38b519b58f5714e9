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
        func trail(for request: ImageRequest) -> SearchTrail { SearchTrail(locations: []) }
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

        mutating func flushOpenTraces() {
            var passages: [LiveLog.Passage] = []
            log.flushOpenTraces(to: &output) { passages.append($0) }
            note(passages)
        }

        mutating func notifySilence(of milliseconds: Int) {
            var passages: [LiveLog.Passage] = []
            log.notifySilence(of: .milliseconds(milliseconds), to: &output) { passages.append($0) }
            note(passages)
        }

        mutating func finish() {
            var passages: [LiveLog.Passage] = []
            log.finish(to: &output) { passages.append($0) }
            note(passages)
        }

        /// Output since the last call.
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
        #expect(run.log.hasUnfinished && !run.log.hasOpenTrace)
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
        #expect(run.log.hasOpenTrace && !run.log.hasUnfinished)
        run.log.showUnfinished(to: &run.output)
        #expect(run.shown().isEmpty)
        run.feed("    11076\n)\nafter\n")
        #expect(run.shown() == Self.trace + "after\n")
        #expect(run.passed == ["before\n", "1 of nsexception-console", "after\n"])
    }

    @Test func `silence ends a trace, and what comes then is no part of it`() {
        var run = Run()
        run.feed("Stack: (\n    2528013804,\n    110")
        run.flushOpenTraces()
        #expect(run.shown() == "Stack: (\n    2528013804,\n    110")
        #expect(!run.log.hasOpenTrace)
        run.feed("76\n)\n")
        run.finish()
        #expect(run.shown() == "76\n)\n")
        #expect(run.passed.first == "1 of nsexception-console")
    }

    private static let rows = [
        "/opt/berth(moor+0x1c2)[0x55d0c0a0b1c2]\n", "/opt/libquay.so.6(+0x29d90)[0x7f1f5a429d90]\n",
        "/opt/berth(_start+0x25)[0x55d0c0a0b025]\n",
    ]

    /// A quarter of a second after a trace's last row its rows are shown. It is still open: a report comes once, with all rows.
    @Test func `a held trace is shown after a short silence, and goes on`() {
        var run = Run()
        run.feed("before\n" + Self.rows[0] + Self.rows[1])
        _ = run.shown()
        #expect(run.log.hasOpenTrace && run.log.silence == .milliseconds(250))
        run.notifySilence(of: 250)
        #expect(run.shown() == Self.rows[0] + Self.rows[1])
        #expect(run.log.hasOpenTrace && run.log.silence == .seconds(2))
        run.feed(Self.rows[2])
        #expect(run.shown().isEmpty && run.log.silence == .milliseconds(250))
        run.notifySilence(of: 260)
        #expect(run.shown() == Self.rows[2] && run.passed == ["before\n"])
        run.notifySilence(of: 2000)
        #expect(run.shown().isEmpty && !run.log.hasOpenTrace)
        run.feed("after\n")
        run.finish()
        #expect(run.shown() == "after\n")
        #expect(run.passed == ["before\n", "1 of glibc-backtrace", "after\n"])
    }

    /// The line that ends a trace may come after the trace was shown.
    @Test func `text behind a trace that was shown comes once`() {
        var run = Run()
        run.feed(Self.rows.joined())
        run.notifySilence(of: 250)
        _ = run.shown()
        run.feed("after\nan unfini")
        run.finish()
        #expect(run.shown() == "after\nan unfini")
    }

    @Test func `a heading without rows is not shown before the rows`() {
        var run = Run()
        run.feed("Stack: (\n")
        run.notifySilence(of: 250)
        #expect(run.shown().isEmpty && run.log.hasOpenTrace)
        run.feed("    2528013804,\n    11076\n)\n")
        #expect(run.shown() == Self.trace)
    }

    @Test func `silence ends a document that has no end`() {
        var run = Run()
        run.feed("{\"bug_type\":\"309\",\"app_name\":\"A\"}\n{ \"pid\": 1,\n \"threads\": [\n")
        #expect(run.log.hasOpenTrace)
        run.flushOpenTraces()
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
        #expect(!run.log.hasOpenTrace)
    }

    /// However the bytes are cut, and wherever silence falls between them, each comes out once and
    /// in order.
    @Test func `nothing is lost wherever it is cut`() {
        let text = "one\n{\n\"a\": [\n" + Self.trace + "[2/3] two\n" + Self.trace + "end"
        for cut in 0...text.utf8.count {
            for silence in [2, 250, 2000] {
                var run = Run()
                run.feed(String(decoding: text.utf8.prefix(cut), as: UTF8.self))
                if silence > 2 { run.notifySilence(of: silence) } else { run.log.showUnfinished(to: &run.output) }
                run.feed(String(decoding: text.utf8.dropFirst(cut), as: UTF8.self))
                run.finish()
                #expect(run.shown() == text)
            }
        }
    }
}
