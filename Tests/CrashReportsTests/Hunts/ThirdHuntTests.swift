import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// `hunt/turn3` beside the corpus.
let thirdHuntFolder: String? = TestPaths.corpus.map { $0 + "/../hunt/turn3" }.flatMap {
    TestPaths.isReadable($0 + "/other/README.md") ? $0 : nil
}

/// Crash texts behind lines of loggers and CI systems, tables and register dumps, and families that were not read: each gives the rows
/// that its README and the log itself say.
@Suite(.enabled(if: thirdHuntFolder != nil, "the hunt's inputs are absent"))
struct ThirdHuntTests {
    typealias Input = OtherHuntTests.Input

    @Test(arguments: ThirdHuntInputs.all) func `the rows are those of the log`(input: Input) throws {
        let folder = try #require(thirdHuntFolder)
        let log = SampleLog(bytes: try readFile(folder + "/" + input.file)).parsed()
        #expect(
            zip(log.reports, input.formats).allSatisfy { $0.format == $1 || $1 == "*" } && log.reports.count == input.formats.count,
            "\(log.reports.map(\.format))")
        if let signal = input.signal { #expect(log.reports.first?.cause?.signal == signal) }
        let rows = log.reports.flatMap { report in
            report.allFrames.sorted { $0.range.lowerBound < $1.range.lowerBound }.map { OtherHuntTests.Row($0, of: report) }
        }
        #expect(rows.count == input.rows.count)
        let wrong = zip(rows, input.rows).filter { !$0.fits($1) }
        #expect(wrong.isEmpty)
    }
}
