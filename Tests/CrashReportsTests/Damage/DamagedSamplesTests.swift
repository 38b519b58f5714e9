import BinaryPrimitives
import CrashLogFormats
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Each kind of damage over each format's first sample: the same frames and images, and results
/// change nothing but their rows.
struct DamagedSamplesTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var kind: DamageKind
        var sample: CorpusTests.Sample
        var testDescription: String { "\(kind.rawValue) \(sample.testDescription)" }
    }

    /// The first text of each format.
    static let samples: [CorpusTests.Sample] = {
        var seen: Set<String> = []
        return CorpusTests.fixtures.sorted { $0.path < $1.path }.filter { sample in
            // Binary logs are never pasted, and a list of addresses is only accepted if it is the
            // whole log as it is.
            guard let format = FormatRegistry.standard.formats.first(where: { $0.name == sample.folder }), format.acceptsResults,
                sample.folder != "address-list", !sample.path.hasSuffix(".plcrash"),
                sample.log.parsed().reports.allSatisfy({ $0.format == sample.folder })
            else { return false }
            return seen.insert(sample.folder).inserted
        }
    }()

    static let cases = DamageKind.allCases.flatMap { kind in samples.map { Case(kind: kind, sample: $0) } }.filter {
        unreadable[$0.sample.folder]?.contains($0.kind) != true
    }

    /// Kinds of damage that cannot be undone, and why.
    static let unreadable: [String: Set<DamageKind>] = {
        let breaks: Set<DamageKind> = [.wrappedMail, .flowedMail, .wrappedTerminal, .quotedWrapped]
        let mails: Set<DamageKind> = [.wrappedMail, .flowedMail, .quotedWrapped]
        // JSON that goes on over many lines is numbered, coloured and commented by nobody; in a
        // cell its quotes are doubled. Nor is each of its lines a string of another document.
        let documents: Set<DamageKind> = [
            .colours, .colouredJSON, .comment, .difference, .numbered, .searched, .searchedFile, .tableCell, .dockerJSON, .loggersJSON,
        ]
        return [
            // One line is the whole report, or identifies it: half of it does neither.
            "kernel-segfault": breaks, "fuchsia-crash": mails, "apple-ips-legacy": breaks.union([.tableCell, .dockerJSON, .loggersJSON]),
            "apport": breaks,
            // A break inside a row looks like its end: the function, the file and the words `at`
            // and `from` have lines of their own in these formats, too.
            "go-panic": breaks, "rust-panic": breaks.union([.tableCell, .yaml]), "perf-script": breaks, "jvm-hserr": mails,
            "swift-server-backtrace": mails, "systemd-coredump": breaks, "sanitizer-ubsan": mails.union([.comment, .difference]),
            "apple-sample": [.wrappedTerminal],
            // A row that is broken after its function is whole, and what follows is none.
            "windows-cdb": [.flowedMail],
            // The stack is one line, which is broken twice.
            "apple-leaks": [.flowedMail, .wrappedTerminal],
            "kernel-oops": [.wrappedTerminal, .wrappedMail, .quotedWrapped, .colours, .colouredJSON],
            // One row that is broken does not prove damage: the longest line of any log may have
            // another below it.
            "sanitizer-tsan": [.wrappedMail, .quotedWrapped],
            "swift-runtime-trace": [.wrappedTerminal, .wrappedMail, .quotedWrapped],
            "symbolizer-markup": [.wrappedTerminal, .dockerJSON, .loggersJSON],
            "xorg-backtrace": [.wrappedTerminal],
            // Lines of a quoted mail are the longer the deeper it is quoted, and broken where they
            // first were.
            "sanitizer-hwasan": [.quotedWrapped], "swift-backtrace": [.quotedWrapped, .carriageReturnsAlone],
            "android-tombstone": mails.union([.difference]), "apple-crash": [.quotedWrapped],
            // The first line that identifies the report is below the beginning of the cell, and the
            // quotes in it are doubled.
            "android-anr": mails.union([.tableCell]), "java-trace": [.wrappedMail, .quotedWrapped, .tableCell],
            "jvm-javacore": mails.union([.tableCell, .numbered, .searched, .searchedFile]),
            "python-trace": [.tableCell],
            // A panic's text has no end: the end tags of a page below it are read as a part of it.
            "apple-panic": [.details, .tableCell],
            "abrt-json": documents, "apple-ips": documents, "metrickit": documents.union([.wrappedTerminal]),
            "sentry-event-json": documents,
            "kscrash-json": documents,
        ]
    }()

    @Test func `the formats are there`() { #expect(Self.samples.count >= 30) }

    private static func damaged(_ test: Case) -> SampleLog {
        SampleLog(test.kind.damaged(test.sample.log.text))
    }

    @Test(arguments: cases) func `a damaged sample has the same frames and images`(test: Case) {
        let plain = test.sample.log.parsed().reports
        let found = Self.damaged(test).parsed()
        #expect(found.reports.map(\.format) == plain.map(\.format), "\(found.problems)")
        for (report, expected) in zip(found.reports, plain) {
            #expect(report.allFrames.map(\.address) == expected.allFrames.map(\.address))
            #expect(report.allFrames.map(\.kind) == expected.allFrames.map(\.kind))
            #expect(report.allFrames.map(\.imageLocation) == expected.allFrames.map(\.imageLocation))
            #expect(report.images.map(\.base) == expected.images.map(\.base))
            #expect(report.images.map(\.id) == expected.images.map(\.id))
        }
    }

    private static func result(_ frame: Frame) -> FrameResult? {
        guard let address = frame.address, address.value > 64, frame.printed?.name?.contains("exceptionPreprocess") != true else {
            return nil
        }
        let outer = FrameResult.function("found<A&>()", offset: 40, "/src/file.swift", 12, image: frame.imageName ?? "App")
        return address.value % 2 == 0 ? outer.inlining("inlined()", "/src/b.swift", 7) : outer
    }

    @Test(arguments: cases) func `answers are written in the damage's own spelling`(test: Case) {
        let log = Self.damaged(test)
        #expect(log.symbolicated { _ in nil }.bytes == log.bytes)
        guard test.kind.keepsAnswers else { return }
        // The plain log's results, damaged in the same way, are the damaged log's results: no other
        // byte differs.
        let expected = test.kind.damaged(test.sample.log.symbolicated(Self.result).text)
        let symbolicated = log.symbolicated(Self.result)
        // A format that bears empty lines writes its own without one.
        func compared(_ text: String) -> String {
            test.kind == .emptyLines ? text.split(separator: "\n").joined(separator: "\n") : test.kind.undone(text)
        }
        #expect(Self.difference(compared(symbolicated.text), compared(expected)) == "")
    }

    @Test(arguments: cases) func `answers change no byte outside of the frames' rows`(test: Case) {
        let log = Self.damaged(test)
        for report in log.parsed().reports {
            let results = report.allFrames.compactMap { frame in Self.result(frame).map { (frame, $0) } }
            let edits = FormatRegistry.standard.edits(of: report, results: results, in: log.bytes.span)
            let lineEnd = Array(test.kind.lineEnd.utf8)
            // Sanitizers repeat a row in their last line.
            let summary = log.bytes.firstRange(of: Array("SUMMARY: ".utf8)).map { [$0.lowerBound..<log.bytes.count] } ?? []
            let rows = results.map { Self.row(of: $0.0.range, in: log.bytes, lineEnd) } + summary
            for edit in edits {
                let isInside = rows.contains { $0.lowerBound <= edit.range.lowerBound && edit.range.upperBound <= $0.upperBound }
                #expect(isInside, "\(String(decoding: log.bytes[edit.range], as: UTF8.self)) is in no row that has an answer")
            }
        }
    }

    /// The lines that a frame is in, with the end of the last one.
    private static func row(of range: Range<Int>, in bytes: [UInt8], _ lineEnd: [UInt8]) -> Range<Int> {
        func isEnd(_ position: Int) -> Bool { bytes[position...].starts(with: lineEnd) }
        var (start, end) = (range.lowerBound, range.upperBound)
        while start > 0, start < lineEnd.count || !isEnd(start - lineEnd.count) { start -= 1 }
        while end < bytes.count, !isEnd(end) { end += 1 }
        return start..<min(bytes.count, end + lineEnd.count)
    }

    /// The first lines that differ.
    private static func difference(_ text: String, _ expected: String) -> String {
        let (left, right) = (
            text.split(separator: "\n", omittingEmptySubsequences: false), expected.split(separator: "\n", omittingEmptySubsequences: false)
        )
        guard text != expected else { return "" }
        let index = zip(left, right).enumerated().first { $1.0 != $1.1 }?.offset ?? min(left.count, right.count)
        // Some kinds of damage make one line of a log.
        let same = zip(left.dropFirst(index).first ?? "", right.dropFirst(index).first ?? "").prefix { $0 == $1 }.count
        func shown(_ lines: [Substring]) -> Substring {
            lines.dropFirst(index).prefix(3).joined(separator: "\n").dropFirst(max(0, same - 80)).prefix(240)
        }
        return "line \(index + 1): \(shown(left)), not \(shown(right))"
    }
}

/// A stack below the heading of a trace that did not come: all of its rows are one stack.
struct RowsBelowHeadingsTests {
    static let headings = [
        "Traceback (most recent call last):", "Fatal Python error: Segmentation fault", "panic: runtime error: index out of range",
        "Thread 0 Crashed:", "java.lang.IllegalStateException: moored", "thread 'main' panicked at a.rs:1:2:",
        "Process:         Moor [77]",
    ]

    /// glibc's rows (backtrace_symbols), whose addresses count up by one.
    private static let rows = (0..<8).map { "./harbour(moor\($0)+0x1e)[0x5622e9d06e\(40 + $0)]" }

    @Test(arguments: headings) func `no row is cut off`(heading: String) {
        for step in [1, 7, 4096] {
            var stream = LogStream()
            let bytes = Array(("it starts\n" + ([heading] + Self.rows).joined(separator: "\n") + "\nit goes on\n").utf8)
            var reports: [CrashReport] = []
            for start in stride(from: 0, to: bytes.count, by: step) {
                reports += stream.feed(bytes.span.clamped(to: start..<start + step)).flatMap(\.reports)
            }
            reports += stream.finish().flatMap(\.reports)
            let stacks = reports.flatMap(\.stacks).filter { !$0.frames.isEmpty }
            #expect(stacks.count == 1, "\(heading), \(step)")
            #expect(stacks.first?.frames.map(\.hex) == (0..<8).map { "0x5622e9d06e\(40 + $0)" }, "\(heading), \(step)")
        }
    }
}
