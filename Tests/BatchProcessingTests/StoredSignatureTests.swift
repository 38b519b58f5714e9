import BinaryPrimitives
import Reporting
import Testing

@testable import BatchProcessing

/// A stored signature has everything that grouping needs.
struct StoredSignatureTests {
    @Test func `signatures that were kept give the groups of those that were not`() throws {
        let signatures = try LabelledCrashes().crashes.map { CrashSignature($0.report) }
        let kept = signatures.compactMap { StoredSignature($0).signature }
        #expect(kept.count == signatures.count)
        let (before, after) = (CrashGroups(signatures), CrashGroups(kept))
        #expect(before.groupIndices == after.groupIndices)
        #expect(before.groups.map(\.hash) == after.groups.map(\.hash))
        #expect(kept.map(\.frames) == signatures.map(\.frames))
    }

    @Test(arguments: ["tab\there", "line\nend", "carriage\rreturn\r\n", "back\\slash\\n", "", "\u{202E}", "name\u{0}"])
    func `any name comes back as it was`(_ text: String) throws {
        let frame = SignatureFrame(
            name: text, language: .rust, module: text + "m", build: ImageID(text: "aa00"), offset: ImageOffset(0x1f), row: 3,
            isInlined: true,
            showsInlinedCalls: false, isClosure: true, closure: text, isHidden: false, isOwn: true, isPrefix: false)
        let signature = CrashSignature(
            kind: CrashKind(family: .exception(type: text), label: text), title: text, exact: CrashSignature.Key("a"),
            ownCode: CrashSignature.Key("b"), frames: [frame, frame], offsets: (text, text), lacksSymbols: true, absence: nil)
        let back = try #require(StoredSignature(signature).signature)
        #expect(back.frames == signature.frames)
        #expect(back.offsets == signature.offsets)
        #expect(back.kind == signature.kind)
    }

    @Test func `a row that is none of ours is none`() {
        var stored = StoredSignature(
            family: "crash", kindLabel: "", title: "", exact: "", ownCode: "", lacksSymbols: false, absence: nil, frames: "\n\n")
        for frames in ["", "one line", "a\nb\nz\t1\trust\tm\t\t\t\tf", "a\nb\no\tx\trust\tm\t\t\t\tf", "a\nb\no\t1\trust\tm\t\tfg\t\tf"] {
            stored.frames = frames
            #expect(stored.signature == nil, "\(frames)")
        }
        stored.frames = "a\nb\no\t1\trust\tm\t\tff\t\tf"
        #expect(stored.signature?.frames.first?.offset == ImageOffset(255))
        stored.absence = "no such reason"
        #expect(stored.signature == nil)
    }
}

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
