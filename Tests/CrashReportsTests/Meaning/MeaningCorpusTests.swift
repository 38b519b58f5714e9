import CrashReports
import Testing

@testable import CrashLogFormats
@testable import CrashLogModel

/// How many real logs get a meaning.
struct MeaningCorpusTests {
    @Test("nine of ten causes of real logs have a meaning", .enabled(if: !CorpusTests.corpus.isEmpty))
    func coverage() {
        var causes = 0
        var meanings = 0
        for sample in CorpusTests.corpus {
            for report in sample.log.parsed().reports {
                guard let cause = report.cause, cause.type != nil || cause.signal != nil else { continue }
                causes += 1
                if report.meaning != nil { meanings += 1 }
            }
        }
        #expect(causes > 400)
        #expect(meanings * 10 >= causes * 9, "\(meanings) of \(causes)")
    }

    @Test("a meaning follows from the report alone, and is the same again", .enabled(if: !CorpusTests.corpus.isEmpty))
    func sources() {
        for sample in CorpusTests.corpus {
            for report in sample.log.parsed().reports {
                guard let meaning = report.meaningWithSource else { continue }
                #expect(!meaning.source.isEmpty)
                #expect(MeaningRulesTests.sentences(meaning.text).count <= 2, "\(sample.path): \(meaning.text)")
            }
        }
    }
}
