internal import CrashLogModel

/// Notes for the user where the code shows that addresses are of another kind than their format says.
enum KindNotes {
    /// Maximum number of frames that are named if many have the same evidence.
    private static let namedFrames = 3

    static func sentences(_ kinds: FrameKinds, _ thread: ThreadTrace) -> [String] {
        var sentences: [String] = []
        let changes = kinds.changes.sorted { $0.key < $1.key }.filter { !thread.frames[$0.key].isInlined }
        let uncalled = changes.filter { $0.value.kind == .programCounter && $0.value.evidence == .noCall }.map {
            thread.frames[$0.key].index
        }
        if uncalled.count > namedFrames {
            let named = uncalled.prefix(namedFrames).map(String.init).joined(separator: ", ")
            let rest = uncalled.count - namedFrames
            sentences.append(
                "frames \(named) and \(rest) more are instructions that were executing, not return addresses: no call returns to their addresses"
            )
        }
        for (index, change) in changes where change.kind == .programCounter {
            let number = thread.frames[index].index
            let proof: String
            switch change.evidence {
            // The log itself shows it by the name.
            case .trampolineName: continue
            case .trampolineFrameDescription, .trampolineInstructions:
                let how = change.evidence == .trampolineInstructions ? "its instructions" : "its frame description"
                proof = "frame \(number - 1) is the trampoline of signal handlers, by \(how)"
            case .noCall where uncalled.count > namedFrames: continue
            case .noCall: proof = "no call returns to its address"
            case .calls, .undecided: continue
            }
            sentences.append("frame \(number) is the instruction that was executing, not a return address: \(proof)")
        }
        if let rule = kinds.rule, let change = changes.first(where: { $0.value.evidence == .calls })?.value {
            let shown = "\(rule.shown) of \(rule.compared) frames that could be compared show it"
            sentences.append(
                change.kind == .returnAddress
                    ? "the addresses are return addresses: calls return to them (\(shown))"
                    : "the addresses are inside of calls, and are looked up unadjusted (\(shown))")
        }
        return sentences
    }
}
