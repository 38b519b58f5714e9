import BinaryPrimitives
import CrashLogModel
import Testing

@testable import Symbolication

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
