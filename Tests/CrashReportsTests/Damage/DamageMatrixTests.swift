import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Twelve reports in sixty forms that people and programs give them: no frame is lost and none is invented.
struct DamageMatrixTests {
    /// A form of a text: its name, and the function from the text to the form.
    struct Form: Sendable {
        var name: String
        var apply: @Sendable (String) -> String

        init(_ name: String, _ apply: @escaping @Sendable (String) -> String) { (self.name, self.apply) = (name, apply) }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var report: String
        var form: Form
        var testDescription: String { "\(report) \(form.name)" }
    }

    private static let reports = [
        "apple-crash", "apple-panic", "sanitizer-asan", "gdb-bt", "go-panic", "rust-panic/RustCrash/full-itself.txt",
        "kernel-oops", "android-tombstone", "glibc-backtrace", "nsexception-console/CrashExample/console.log",
        "swift-backtrace/SwiftCrash-O-index/friendly.txt", "apple-ips",
    ]

    /// The text of a report: the named file of the fixtures, or the first text in the folder.
    private static func text(of report: String) -> String? {
        let sample = CorpusTests.fixtures.sorted { $0.path < $1.path }.first { sample in
            sample.path.hasSuffix("logs/" + report) || sample.folder == report && !sample.log.parsed().reports.flatMap(\.allFrames).isEmpty
        }
        return sample.map { String(decoding: $0.log.bytes, as: UTF8.self) }
    }

    // MARK: Forms

    private static func lines(_ text: String) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    private static func each(_ name: String, _ change: @escaping @Sendable (String) -> String) -> Form {
        Form(name) { lines($0).map { change($0) + "\n" }.joined() }
    }

    private static func prefixed(_ prefix: String) -> Form { each("'\(prefix)'") { prefix + $0 } }

    private static func numbered(_ name: String, _ prefix: @escaping @Sendable (Int) -> String) -> Form {
        Form(name) { lines($0).enumerated().map { prefix($0 + 1) + $1 + "\n" }.joined() }
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - "\(number)".count)) + "\(number)"
    }

    /// Broken at a column, as terminals do.
    private static func cut(_ width: Int) -> Form {
        Form("cut at \(width)") { text in
            lines(text).map { line in
                let characters = Array(line)
                return stride(from: 0, to: max(1, characters.count), by: width).map {
                    String(characters[$0..<min(characters.count, $0 + width)]) + "\n"
                }.joined()
            }.joined()
        }
    }

    /// Broken at the last blank before a column, as mailers do; longer words are not broken.
    private static func wrapped(_ width: Int) -> Form {
        Form("wrapped at \(width)") { text in
            lines(text).map { line in
                var (result, rest) = ("", Substring(line))
                while rest.count > width {
                    let end = rest.index(rest.startIndex, offsetBy: width + 1)
                    let inside = rest[rest.index(after: rest.startIndex)..<end].lastIndex(of: " ")
                    guard let blank = inside ?? rest[end...].firstIndex(of: " ") else { break }
                    result += rest[..<blank] + "\n"
                    rest = rest[rest.index(after: blank)...]
                }
                return result + rest + "\n"
            }.joined()
        }
    }

    private static func boxed(_ side: String) -> Form {
        Form("box of \(side)") { text in
            let rows = lines(text)
            let width = rows.map(\.count).max() ?? 0
            let border = String(repeating: "-", count: width)
            let inner = rows.map { side + $0 + String(repeating: " ", count: width - $0.count) + side + "\n" }.joined()
            return "+\(border)+\n" + inner + "+\(border)+\n"
        }
    }

    static let forms: [Form] =
        DamageKind.allCases.map { kind in Form(kind.rawValue) { kind.damaged($0) } }
        + ["// ", "/// ", ";; ", "-- ", "- ", "* ", "> > ", "│ ", "┃  ", "10:21 <ada> ", "12: "].map(prefixed)
        + [60, 72, 100, 132].map(cut) + [60, 80, 100].map(wrapped) + [boxed("│"), boxed("|")]
        + [
            Form("comment of C") { "/*\n" + lines($0).map { " * " + $0 + "\n" }.joined() + " */\n" },
            Form("removed lines") { "@@ -1,9 +0,0 @@\n" + lines($0).map { "-" + $0 + "\n" }.joined() },
            each("code spans") { $0.isEmpty ? "" : "`\($0)`" },
            numbered("list") { "\($0). " }, numbered("numbers with a bar") { padded($0, 4) + " | " },
            numbered("nl") { padded($0, 6) + "  " },
            Form("one line with \\n") { DamageKind.jsonEscaped($0) + "\n" },
            each("Elasticsearch") {
                "{\"_source\":{\"@timestamp\":\"2026-11-29T10:00:00Z\",\"message\":\"\(DamageKind.jsonEscaped($0))\",\"host\":\"a\"}}"
            },
            each("journalctl -o json") { "{\"_PID\":\"812\",\"MESSAGE\":\"\(DamageKind.jsonEscaped($0))\",\"PRIORITY\":\"3\"}" },
            each("logfmt") { "time=2026-11-29T10:00:00Z level=error msg=\"\(DamageKind.jsonEscaped($0))\"" },
            prefixed("E1129 10:00:00.123456     812 moor.go:77] "), prefixed("2026-11-29 10:00:00,123 - root - ERROR - "),
            prefixed("2026-11-29 10:00:00.123 ERROR 1 --- [main] c.m.Quay : "), prefixed("2026-11-29T10:00:00.1234567Z "),
            prefixed("\u{1B}[2m2026-11-29T10:00:00Z\u{1B}[0m \u{1B}[31mERROR\u{1B}[0m "),
            Form("another log between") { text in
                lines(text).enumerated().map { index, line in
                    "2026-11-29T10:00:00.\(100 + index % 900)Z web-1 moor[812]: \(line)\n"
                        + (index % 3 == 1 ? "2026-11-29T10:00:00.\(100 + index % 900)Z web-2 quay[77]: served \(index) in 12 ms\n" : "")
                }.joined()
            },
            Form("prose around") { "Hi all, my app died with this, see below. Thanks!\n\n" + $0 + "\nAny idea?\n" },
        ]

    /// Frames that a form has twice.
    private static let twice = Form("twice") { $0 + "\n" + $0 }

    // MARK: Exceptions

    /// Forms that are not read whole, and why.
    private static let unreadable: [String: Set<String>] = {
        let mails: Set<String> = ["wrappedMail", "flowedMail", "quotedWrapped", "wrapped at 60", "wrapped at 80", "wrapped at 100"]
        return [
            // A document's strings are broken inside words, its lines are between others, or its quotes are escaped twice.
            "apple-ips": ["wrappedTerminal", "another log between", "logfmt"],
            // Names with blanks and without addresses: the halves of a row look like rows.
            "rust-panic/RustCrash/full-itself.txt": mails.union(["cut at 60", "cut at 72", "wrappedTerminal", "yaml"]).union(
                // Every other line of the first sixteen has no row: in a comment they may be an example.
                ["'// '", "'/// '", "comment of C"]),
            "swift-backtrace/SwiftCrash-O-index/friendly.txt": mails.union(["cut at 72"]),
            // Quoted once more, lines are longer than where they were broken.
            "apple-crash": ["quotedWrapped"],
            // The last field of a row, `pc=0x…`, is alone on its line: the row is read by its offset in the function.
            "go-panic": mails.union(["cut at 60"]),
            // The path of the program is in a line that was broken.
            "gdb-bt": ["cut at 60", "wrapped at 60"],
            // Single brackets are what is in the other halves.
            "glibc-backtrace": ["cut at 60"],
        ]
    }()

    static let cases = reports.flatMap { report in forms.map { Case(report: report, form: $0) } }.filter {
        unreadable[$0.report]?.contains($0.form.name) != true
    }

    // MARK: Tests

    /// Fields of a frame that every form preserves.
    private static func rows(of text: String) -> [String] {
        SampleLog(bytes: Array(text.utf8)).parsed().reports.flatMap(\.allFrames).map { frame in
            [
                frame.address.map { String($0.value, radix: 16) }, frame.imageLocation.map { "\($0)".filter { $0 != " " } },
                frame.printed?.name.map { String($0.filter { $0 != " " && $0 != "\t" }) }, "\(frame.kind)",
            ].map { $0 ?? "-" }.joined(separator: " ")
        }
    }

    @Test func `there are sixty forms of twelve reports`() {
        #expect(Self.forms.count >= 60 && Self.reports.count >= 12)
        #expect(Self.reports.allSatisfy { Self.text(of: $0) != nil })
    }

    @Test(arguments: cases) func `no frame is lost or invented`(test: Case) throws {
        let text = try #require(Self.text(of: test.report))
        let form = test.form.apply(text)
        let log = SampleLog(bytes: Array(form.utf8)).parsed()
        #expect(Self.rows(of: form) == Self.rows(of: text), "\(log.reports.map(\.format)) \(log.problems)")
    }

    @Test(arguments: reports) func `a report twice has its frames twice`(report: String) throws {
        let text = try #require(Self.text(of: report))
        #expect(Self.rows(of: Self.twice.apply(text)).count == 2 * Self.rows(of: text).count)
    }

    @Test(arguments: reports) func `a report that ends early has the frames up to there`(report: String) throws {
        let text = try #require(Self.text(of: report))
        let whole = Self.rows(of: text)
        let rows = Self.lines(text)
        for count in stride(from: 1, to: rows.count, by: max(1, rows.count / 24)) {
            let found = Self.rows(of: rows[..<count].map { $0 + "\n" }.joined())
            // A document's list of images is at its end: offsets have no addresses yet.
            let known = Set(whole.flatMap { $0.split(separator: " ") })
            #expect(found.allSatisfy { known.contains($0.split(separator: " ")[0]) || $0.hasPrefix("- ") }, "after line \(count)")
        }
    }
}
