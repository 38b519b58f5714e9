import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// `hunt/other` beside the corpus.
private let huntFolder: String? = TestPaths.corpus.map { $0 + "/../hunt/other" }.flatMap {
    TestPaths.isReadable($0 + "/README.md") ? $0 : nil
}

/// Logs of Linux, Android, kernels, runtimes and small systems that could not be read once: each
/// gives the rows that its README and the log itself state.
///
/// Expectations follow from the inputs' digits, and from the address rules of the writers, which
/// the cards cite.
@Suite(.enabled(if: huntFolder != nil, "the hunt's inputs are absent"))
struct OtherHuntTests {
    /// A row as it must be read: `3 p 10e30de3 clickhouse 1a0 DB::Harbour::moor(int)`.
    ///
    /// Its number; its kind (`r` return address, `p` what was executing, `e` looked up as it is;
    /// `i` inlined, `u` unreliable); its address in memory; its image; its offset from the base of
    /// its location; its function. `-` is nothing, and `*` is anything.
    struct Row: Sendable, CustomStringConvertible {
        var fields: [String]
        var description: String { fields.joined(separator: " ") }

        init(_ text: String) {
            let parts = text.split(separator: " ", maxSplits: 5).map(String.init)
            fields = parts + [String](repeating: "*", count: max(0, 6 - parts.count))
        }

        init(_ frame: Frame, of report: CrashReport) {
            let kind =
                switch frame.kind {
                case .returnAddress: "r"
                case .programCounter: "p"
                case .exact: "e"
                default: "?"
                }
            let image = frame.image.map { report.images[$0].name } ?? frame.imageName
            fields = [
                "\(frame.index)", kind + (frame.isInlined ? "i" : "") + (frame.isUnreliable ? "u" : ""),
                frame.address.map { String($0.value, radix: 16) } ?? "-", image ?? "-",
                Row.distance(frame.imageLocation).map { String($0, radix: 16) } ?? "-", frame.printed?.name ?? "-",
            ]
        }

        private static func distance(_ location: ImageLocation?) -> UInt64? {
            switch location {
            case .offset(let offset): offset.value
            case .linkAddress(let address): address.value
            case .fileOffset(let offset), .relativePC(let offset): offset
            case .symbol(let symbol): symbol.offset
            case .mapping(let mapping): mapping.offset
            default: nil
            }
        }

        func fits(_ expected: Row) -> Bool { zip(fields, expected.fields).allSatisfy { $0 == $1 || $1 == "*" } }
    }

    struct Input: Sendable, CustomTestStringConvertible {
        var file: String
        /// The formats of the reports in it.
        var formats: [String]
        /// The rows in the order of the log.
        var rows: [Row]
        var signal: String?
        /// Why it is read otherwise today: the test fails once it is right.
        var missed: String?
        var testDescription: String { file }

        init(_ file: String, _ formats: [String], signal: String? = nil, missed: String? = nil, _ rows: String) {
            (self.file, self.formats, self.signal, self.missed) = (file, formats, signal, missed)
            self.rows = rows.split(separator: "\n").map { Row(String($0)) }
        }
    }

    @Test(arguments: OtherHuntInputs.all) func `the rows are those of the log`(input: Input) throws {
        let folder = try #require(huntFolder)
        let log = SampleLog(bytes: try readFile(folder + "/" + input.file)).parsed()
        #expect(log.reports.count == input.formats.count)
        #expect(zip(log.reports, input.formats).allSatisfy { $0.format == $1 || $1 == "*" }, "\(log.reports.map(\.format))")
        if let signal = input.signal { #expect(log.reports.first?.cause?.signal == signal) }
        let frames = log.reports.flatMap { report in report.allFrames.map { (start: $0.range.lowerBound, row: Row($0, of: report)) } }
        let rows = frames.sorted { $0.start < $1.start }.map(\.row)
        #expect(rows.count == input.rows.count)
        let wrong = zip(rows, input.rows).filter { !$0.fits($1) }
        guard let reason = input.missed else {
            #expect(wrong.isEmpty)
            return
        }
        withKnownIssue("\(input.file): \(reason)") { #expect(wrong.isEmpty) }
    }
    /// The inputs are numbered from 01 to 52.
    @Test func `no input is left out`() {
        let numbers = OtherHuntInputs.all.compactMap { Int($0.file.prefix(2)) }.sorted()
        #expect(numbers == Array(1...52))
    }
}
