import BinaryPrimitives
import CrashLogModel
import Testing

@testable import Symbolication

/// Kinds of the rows of a stack, by the code. The expected kinds follow from how each stack came about, which
/// the comments say.
@Suite struct FrameKindsTests {
    private func row(
        _ finding: CodeWitness.Finding, _ kind: Frame.Kind = .returnAddress, trampoline: KindEvidence? = nil, known: Bool = true,
        below: Bool = false
    ) -> FrameKinds.Row {
        FrameKinds.Row(kind: kind, finding: finding, trampoline: trampoline, isTrampolineKnown: known, mayBeInterrupted: below)
    }

    private func kinds(_ rows: [FrameKinds.Row], isList: Bool = false) -> [Frame.Kind] {
        let decided = FrameKinds(rows, isList: isList)
        return rows.indices.map { decided.changes[$0]?.kind ?? rows[$0].kind }
    }

    @Test func `rows after calls stay return addresses`() {
        #expect(kinds([row(.afterCall), row(.afterCall), row(.unknown)]) == [.returnAddress, .returnAddress, .returnAddress])
    }

    /// A handler's `backtrace()`: the handler called it, the kernel put the trampoline's address
    /// there, the crash is below, and its callers.
    @Test(arguments: [KindEvidence.trampolineFrameDescription, .trampolineInstructions, .trampolineName])
    func `the row below a trampoline was interrupted, and nothing called the trampoline`(proof: KindEvidence) {
        // The byte before may end a call: a crash in the instruction after one.
        let rows = [row(.afterCall), row(.noCall, trampoline: proof), row(.afterCall, below: true), row(.afterCall)]
        #expect(kinds(rows) == [.returnAddress, .exact, .programCounter, .returnAddress])
        #expect(FrameKinds(rows, isList: false).changes[2]?.evidence == proof)
    }

    /// Go's handler of a signal makes the instruction call `runtime.sigpanic`, which has called `runtime.panicmem`; the byte before
    /// the instruction may end a call.
    @Test func `the row below an injected call was interrupted, and the call's own row is a return address`() {
        var injected = row(.afterCall, trampoline: .trampolineName)
        injected.isInjectedCall = true
        #expect(
            kinds([row(.afterCall), injected, row(.afterCall), row(.afterCall)]) == [
                .returnAddress, .returnAddress, .programCounter, .returnAddress,
            ])
    }

    /// Redis writes the program counter over the trampoline's row.
    @Test func `a row that no call returns to was executing`() {
        let rows = [row(.afterCall), row(.noCall), row(.afterCall)]
        #expect(kinds(rows) == [.returnAddress, .programCounter, .returnAddress])
        #expect(FrameKinds(rows, isList: false).changes[1]?.evidence == .noCall)
    }

    /// A stack overflow faults in the call itself, which pushes the return address.
    @Test func `a row in a call, among rows after calls, was executing`() {
        #expect(kinds([row(.afterCall), row(.inCall), row(.afterCall)]) == [.returnAddress, .programCounter, .returnAddress])
    }

    @Test func `rows that are all in calls were moved back by their writer`() {
        let rows = [row(.inCall), row(.unknown), row(.inCall), row(.betweenCalls)]
        #expect(kinds(rows) == [.exact, .exact, .exact, .exact])
        #expect(FrameKinds(rows, isList: false).rule?.shown == 2)
    }

    @Test func `one row in a call is no rule`() {
        #expect(kinds([row(.inCall), row(.unknown)]) == [.programCounter, .returnAddress])
    }

    /// A list in a mail: nobody says what the addresses are.
    @Test func `addresses of a list that calls return to are return addresses`() {
        let rows = [row(.afterCall, .exact), row(.afterCall, .exact), row(.noCall, .exact), row(.unknown, .exact)]
        #expect(kinds(rows, isList: true) == [.returnAddress, .returnAddress, .exact, .returnAddress])
    }

    /// A sanitizer's first row is the instruction that failed.
    @Test func `the first row of a stack stays exact`() {
        let rows = [row(.afterCall, .exact), row(.afterCall, .exact), row(.afterCall, .exact)]
        #expect(kinds(rows) == [.exact, .returnAddress, .returnAddress])
        #expect(kinds([row(.noCall, .exact), row(.inCall, .exact), row(.inCall, .exact)]) == [.exact, .exact, .exact])
    }

    /// `outer` ends in a call that does not return, and the row below calls `outer`. Dart says that
    /// it moves its rows back; these were not.
    @Test func `a row after the function that the row below calls is a return address`() {
        var after = row(.afterCall, .exact)
        after.isAfterCallee = true
        #expect(kinds([after, row(.afterCall, .exact)]) == [.returnAddress, .returnAddress])
        // Without that the first row may be the instruction that failed, and one row is no rule.
        #expect(kinds([row(.afterCall, .exact), row(.afterCall, .exact)]) == [.exact, .exact])
        // Whoever moves rows back moves all of them.
        #expect(kinds([after, row(.inCall, .exact)]) == [.returnAddress, .exact])
    }

    /// A stack that was put together: the row is not what the signal interrupted, although a
    /// trampoline is above it.
    @Test func `the function that the row below calls counts more than a trampoline above`() {
        var after = row(.afterCall, below: true)
        after.isAfterCallee = true
        #expect(kinds([row(.noCall, trampoline: .trampolineName), after, row(.afterCall)]) == [.exact, .returnAddress, .returnAddress])
    }

    /// The C library is not at hand: `libc.so.6(+0x3c050)` may be the trampoline.
    @Test func `a row below what may be the trampoline is undecided`() {
        let rows = [row(.afterCall), row(.unknown, known: false), row(.afterCall, below: true), row(.afterCall)]
        let decided = FrameKinds(rows, isList: false)
        #expect(decided.undecided == [2])
        #expect(decided.changes.isEmpty)
        // With the library at hand that says that it is none, it is decided.
        #expect(FrameKinds([rows[0], row(.afterCall), rows[2], rows[3]], isList: false).undecided.isEmpty)
        // No call returns to the row: it was interrupted, whatever is above.
        #expect(kinds([rows[0], rows[1], row(.noCall, below: true)]) == [.returnAddress, .returnAddress, .programCounter])
    }

    @Test func `an inlined call has the kind of the function that holds it`() {
        var inlined = row(.unknown)
        inlined.isInlined = true
        #expect(kinds([row(.afterCall), inlined, row(.noCall)]) == [.returnAddress, .programCounter, .programCounter])
    }
}

/// Notes about addresses of another kind than their format says.
@Suite struct KindNotesTests {
    /// A stack in which some rows follow no call.
    private func notes(uncalled: Set<Int>, of count: Int) -> [String] {
        let rows = (0..<count).map {
            FrameKinds.Row(kind: .returnAddress, finding: uncalled.contains($0) ? .noCall : .afterCall, isTrampolineKnown: true)
        }
        let frames = (0..<count).map {
            Frame(index: $0, kind: .returnAddress, address: RuntimeAddress(UInt64($0) + 4096), range: $0..<$0 + 1)
        }
        return KindNotes.sentences(FrameKinds(rows, isList: false), ThreadTrace(index: 0, frames: frames))
    }

    @Test func `each of a few rows has a note`() {
        #expect(
            notes(uncalled: [2, 5], of: 9) == [
                "frame 2 is the instruction that was executing, not a return address: no call returns to its address",
                "frame 5 is the instruction that was executing, not a return address: no call returns to its address",
            ])
    }

    @Test func `many rows have one note`() {
        #expect(
            notes(uncalled: Set(10..<900), of: 1000) == [
                "frames 10, 11, 12 and 887 more are instructions that were executing, not return addresses: no call returns to their addresses"
            ])
    }
}
