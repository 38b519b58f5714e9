import TestSupport
import Testing

@testable import BatchProcessing

/// How well the levels find the bugs of `Fixtures/grouping`, counted over pairs, and how well the
/// rules of other tools do.
///
/// Crashes whose own code has no names at all, because neither the binary nor anything else had
/// symbols, are counted apart: nothing says which bug they are, and the only honest group for them
/// is that of their build.
struct LabelledCrashesTests {
    private static let crashes = (try? LabelledCrashes().crashes) ?? []
    private static let signatures = crashes.map { CrashSignature($0.report) }

    /// - Parameter keys: a group for each crash of `numbers`.
    private static func measure(_ numbers: [Int], _ keys: [String]) -> PairMeasure {
        PairMeasure(
            zip(numbers, keys).map { number, key in
                // A report without a stack says why, and is in no bug's group.
                (crashes[number].label, signatures[number].absence == nil ? key : "alone \(number)")
            })
    }

    private static func numbers(where isWanted: (LabelledCrash) -> Bool) -> [Int] { crashes.indices.filter { isWanted(crashes[$0]) } }

    private static func fuzzy(_ numbers: [Int]) -> PairMeasure {
        measure(numbers, CrashGroups(numbers.map { signatures[$0] }).groupIndices.map { String($0) })
    }

    private static func isHeldOut(_ crash: LabelledCrash) -> Bool { HeldOut.contains(crash.program, crash.bug) }

    @Test func theSetIsThere() {
        #expect(Self.crashes.count > 1200)
        #expect(Set(Self.crashes.map(\.label)).count == 45)
    }

    @Test func fuzzyOfWhatWasTunedOn() {
        let measured = Self.fuzzy(Self.numbers { !Self.isHeldOut($0) && !$0.isStripped })
        #expect(measured.precision >= 0.98, "\(measured.text)")
        #expect(measured.recall >= 0.90, "\(measured.text)")
    }

    @Test func fuzzyOfWhatWasHeldOut() {
        let measured = Self.fuzzy(Self.numbers { Self.isHeldOut($0) && !$0.isStripped })
        #expect(measured.precision >= 0.98, "\(measured.text)")
        #expect(measured.recall >= 0.90, "\(measured.text)")
    }

    @Test func exactAndOwnCode() {
        let all = Self.numbers { !$0.isStripped }
        let exact = Self.measure(all, all.map { Self.signatures[$0].exact.text })
        let own = Self.measure(all, all.map { Self.signatures[$0].ownCode.text })
        #expect(exact.precision >= 0.96, "\(exact.text)")
        #expect(own.precision >= 0.98 && own.recall >= 0.5, "\(own.text)")
        // The group that `cairn stream` puts into each record.
        let alone = Self.measure(all, all.map { Self.signatures[$0].group ?? Self.signatures[$0].exact.text })
        #expect(alone.precision >= own.precision && alone.recall >= 0.45, "\(alone.text)")
    }

    /// Without any symbols: no bug is put with another for that.
    @Test func strippedCrashesJoinNoOther() {
        let measured = Self.fuzzy(Self.numbers { _ in true })
        #expect(measured.precision >= 0.98, "\(measured.text)")
    }

    /// The rules of other tools, on the same crashes: all have a lower recall.
    @Test func peers() {
        let numbers = Self.numbers { !$0.isStripped }
        let ours = Self.fuzzy(numbers)
        let peers = [
            ("Socorro", Self.measure(numbers, numbers.map { PeerRules.socorro(Self.crashes[$0].report) })),
            ("xcsym", Self.measure(numbers, numbers.map { PeerRules.xcsym(Self.crashes[$0].report) })),
            ("casr", Self.measure(numbers, PeerRules.casr(numbers.map { Self.crashes[$0].report }).map { String($0) })),
        ]
        for (name, measured) in peers {
            #expect(measured.recall < ours.recall, "\(name): \(measured.text); ours: \(ours.text)")
        }
    }

    /// Whatever the order, and however often each comes: the same groups.
    @Test func orderDoesNotMatter() {
        let numbers = Array(Self.signatures.indices)
        func partition(_ order: [Int]) -> Set<Set<Int>> {
            let groups = CrashGroups(order.map { Self.signatures[$0] })
            return Set(groups.groups.map { Set($0.members.map { order[$0] }) })
        }
        let straight = partition(numbers)
        var generator = SeededNumbers(seed: 7)
        for _ in 0..<3 { #expect(partition(numbers.shuffled(using: &generator)) == straight) }
        #expect(partition(numbers + numbers.prefix(300)) == straight)
    }

    /// Twice the distinct stacks take about twice the time: ten thousand are grouped in a moment
    /// even without optimisation.
    @Test func manyStacks() {
        let frames = Self.signatures.first { $0.frames.count >= 5 && $0.absence == nil }
        guard let frames else { return }
        func made(_ count: Int) -> [CrashSignature] {
            (0..<count).map { number in
                var signature = frames
                for index in signature.frames.indices { signature.frames[index].name = "function\(number &* 31 &+ index &* (number % 7))" }
                return signature
            }
        }
        let few = made(1000)
        let many = made(4000)
        let short = processorTime { _ = CrashGroups(few) }
        let long = processorTime { _ = CrashGroups(many) }
        #expect(long < short * 12, "1,000 stacks took \(short), 4,000 took \(long)")
    }
}

/// How well groups agree with labels, counted over pairs of crashes: of the pairs that are in one
/// group, those of one bug (precision); of the pairs of one bug, those in one group (recall).
private struct PairMeasure {
    var together: Int
    var grouped: Int
    var labelled: Int

    var precision: Double { grouped == 0 ? 1 : Double(together) / Double(grouped) }
    var recall: Double { labelled == 0 ? 1 : Double(together) / Double(labelled) }

    /// - Parameter crashes: the label and the group of each.
    init(_ crashes: [(label: String, group: String)]) {
        func pairs(_ counts: some Sequence<Int>) -> Int { counts.reduce(0) { $0 + $1 * ($1 - 1) / 2 } }
        var labels: [String: Int] = [:]
        var groups: [String: Int] = [:]
        var both: [String: Int] = [:]
        for crash in crashes {
            labels[crash.label, default: 0] += 1
            groups[crash.group, default: 0] += 1
            both[crash.label + "\u{0}" + crash.group, default: 0] += 1
        }
        together = pairs(both.values)
        grouped = pairs(groups.values)
        labelled = pairs(labels.values)
    }

    var text: String {
        func permille(_ value: Double) -> String {
            let digits = String(Int((value * 1000).rounded()))
            return "0".count + digits.count > 4 ? "1.000" : "0." + String(repeating: "0", count: 3 - min(3, digits.count)) + digits
        }
        return "precision \(permille(precision)), recall \(permille(recall))"
    }
}

/// The crashes that the rules were not tuned on: the whole of one program, and every third bug of
/// the others.
///
/// The rules were made with the others alone. The fuzzy level then had a precision of 0.981 and a
/// recall of 0.848 on these; looking for why showed one error, which was mended (a log's own rows
/// of inlined calls were dropped for results that know of none): 0.999 and 0.902 since. So they are
/// no longer unseen.
private enum HeldOut {
    private static let program = "relay"
    /// The third, sixth, ninth and twelfth of the lists of bugs in `scripts/checks/grouping-set`.
    private static let bugs: Set = [
        "foundry/require-heat", "foundry/pool-mold", "foundry/out-of-range", "foundry/sort-null", "granary/require-grind",
        "granary/closure-divide", "granary/cast",
        "ledger/require-close", "ledger/parse", "ledger/raw-write",
    ]

    static func contains(_ program: String, _ bug: String) -> Bool { program == self.program || bugs.contains(program + "/" + bug) }
}
