import BinaryPrimitives
import CrashReports
import TestSupport
import Testing

/// Each kind of damage over each format's first sample: the same frames and images, and answers change nothing but their rows.
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
            // Binary logs are never pasted, and a list of addresses is only believed where it is the whole log as it is.
            guard let format = FormatRegistry.standard.formats.first(where: { $0.name == sample.folder }), format.holdsAnswers,
                sample.folder != "address-list", !sample.path.hasSuffix(".plcrash"),
                sample.log.parsed().reports.allSatisfy({ $0.format == sample.folder })
            else { return false }
            return seen.insert(sample.folder).inserted
        }
    }()

    static let cases = DamageKind.allCases.flatMap { kind in samples.map { Case(kind: kind, sample: $0) } }.filter {
        unreadable[$0.sample.folder]?.contains($0.kind) != true
    }

    /// What cannot be undone, and why.
    static let unreadable: [String: Set<DamageKind>] = [:]

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
            #expect(report.allFrames.map(\.imagePlace) == expected.allFrames.map(\.imagePlace))
            #expect(report.images.map(\.base) == expected.images.map(\.base))
            #expect(report.images.map(\.id) == expected.images.map(\.id))
        }
    }

    private static func answer(_ frame: Frame) -> FrameAnswer? {
        guard let address = frame.address, address.value > 64, frame.printed?.name?.contains("exceptionPreprocess") != true else {
            return nil
        }
        let outer = FrameAnswer.function("found<A&>()", offset: 40, "/src/file.swift", 12, image: frame.imageName ?? "App")
        return address.value % 2 == 0 ? outer.inlining("inlined()", "/src/b.swift", 7) : outer
    }

    @Test(arguments: cases) func `answers are written in the damage's own spelling`(test: Case) {
        let log = Self.damaged(test)
        #expect(log.answered { _ in nil }.bytes == log.bytes)
        let plain = test.sample.log
        let expected = test.kind.damaged(plain.answered(Self.answer).text)
        let answered = log.answered(Self.answer)
        // The plain log's answers, damaged in the same way, are the damaged log's answers: no other byte differs. Mail breaks lines that became longer elsewhere, and
        // a publisher's dashes in names are the publisher's.
        guard test.kind != .quotedPrintable, test.kind != .dashes, test.kind != .hardBlanks else { return }
        // A format that bears empty lines writes its own without one.
        func compared(_ text: String) -> String { test.kind == .emptyLines ? text.split(separator: "\n").joined(separator: "\n") : text }
        #expect(Self.difference(compared(answered.text), compared(expected)) == "")
    }

    /// The first lines that differ.
    private static func difference(_ text: String, _ expected: String) -> String {
        let (left, right) = (
            text.split(separator: "\n", omittingEmptySubsequences: false), expected.split(separator: "\n", omittingEmptySubsequences: false)
        )
        guard text != expected else { return "" }
        let index = zip(left, right).enumerated().first { $1.0 != $1.1 }?.offset ?? min(left.count, right.count)
        return "line \(index + 1): \(left.dropFirst(index).prefix(3)), not \(right.dropFirst(index).prefix(3))"
    }
}
