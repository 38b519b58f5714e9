import Testing

@testable import BatchProcessing

struct RepresentativeSignatureTests {
    private func chosen(_ signatures: [(title: String, kindLabel: String, reports: Int)]) -> Int? {
        var representative = RepresentativeSignature()
        for (index, signature) in signatures.enumerated() {
            representative.add(index, title: signature.title, kindLabel: signature.kindLabel, reports: signature.reports)
        }
        return representative.index
    }

    /// The stack of 44 + 33 reports, not the signature of 50; of its two kinds that of 44.
    @Test func `the most frequent stack counts, whatever the signal`() {
        #expect(
            chosen([
                ("SIGTRAP in save", "SIGTRAP", 50), ("SIGSEGV in take | sell", "SIGSEGV", 33), ("SIGABRT in take | sell", "SIGABRT", 44),
            ]) == 2)
    }

    @Test func `of equals the first`() {
        #expect(chosen([("SIGSEGV in b", "SIGSEGV", 1), ("SIGSEGV in a", "SIGSEGV", 1)]) == 0)
        #expect(chosen([]) == nil)
    }

    /// `date -u -d 1980-01-01 +%s` is 315532800.
    @Test func `impossible times are none`() {
        let (second, now): (Int64, Int64) = (1_000_000_000, 1_774_569_600_000_000_000)
        for (instant, isPossible) in [
            (0, false), (315_532_800 * second, false), (315_532_800 * second + 86_400 * second, true), (now, true),
            (now + 14 * 3600 * second, true), (now + 25 * 3600 * second, false), (-1, false), (.max, false),
        ] as [(Int64, Bool)] { #expect(ReportRecord.isPossible(instant, now: now) == isPossible, "\(instant)") }
    }
}
