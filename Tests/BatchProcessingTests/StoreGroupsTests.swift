import BinaryPrimitives
import Databases
import TestSupport
import Testing

@testable import BatchProcessing

/// The groups of a store are those of its reports' signatures, and keep their names.
struct StoreGroupsTests {
    private static let rules = SignatureRules()
    private static let crashes = (try? LabelledCrashes().crashes) ?? []

    private func keep(_ outcomes: [LogOutcome], in store: DatabaseStore) throws {
        var part = StoredPart(rules: Self.rules.fingerprint)
        part.outcomes = outcomes
        try store.keep(part)
        try store.group()
    }

    /// The name of each log's group, in the order of the logs; empty if it is in no group.
    private func groups(in path: String, count: Int) throws -> [String] {
        try Database(path: path).transaction(.reading) { database in
            var names = [String](repeating: "", count: count)
            let sql = "SELECT content, crash_group FROM logs JOIN reports ON log = logs.id JOIN signatures ON signatures.id = signature"
            try database.each(sql) { row in
                let content: String = row["content"]
                names[try #require(Int(content.suffix(16), radix: 16)) / 2] = row["crash_group"] as String? ?? ""
                return true
            }
            return names
        }
    }

    @Test func `groups of a store are those of the signatures`() throws {
        try withTemporaryFolder { folder in
            let store = try DatabaseStore(path: folder + "/s")
            let outcomes = Self.crashes.enumerated().map { outcome($0, of: $1) }
            try keep(outcomes, in: store)
            let names = try groups(in: folder + "/s", count: outcomes.count)
            let signatures = Self.crashes.map { CrashSignature($0.report) }
            let indices = CrashGroups(signatures).groupIndices
            let known = signatures.indices.filter { signatures[$0].absence == nil }
            // The same partition: each name has one number, and each number one name.
            #expect(Set(known.map { "\(names[$0]) \(indices[$0])" }).count == Set(known.map { names[$0] }).count)
            #expect(Set(known.map { names[$0] }).count == Set(known.map { indices[$0] }).count)
            #expect(try store.counts().groups == Set(known.map { indices[$0] }).count)
            // A report without a usable stack may belong to any bug.
            #expect(known.count < signatures.count)
            for index in signatures.indices { #expect(names[index].isEmpty == (signatures[index].absence != nil)) }
        }
    }

    /// Half of the crashes first, then all: what a group was called leads to the group that has
    /// most of its reports, even where groups became one.
    @Test func `a group keeps its name when more reports come`() throws {
        try withTemporaryFolder { folder in
            let store = try DatabaseStore(path: folder + "/s")
            let outcomes = Self.crashes.enumerated().map { outcome($0, of: $1) }
            // Every third, so that all programs and builds are in both parts.
            let early = outcomes.indices.filter { $0 % 3 == 0 }
            try keep(early.map { outcomes[$0] }, in: store)
            let before = try groups(in: folder + "/s", count: outcomes.count)
            try keep(outcomes.indices.filter { $0 % 3 != 0 }.map { outcomes[$0] }, in: store)
            let after = try groups(in: folder + "/s", count: outcomes.count)
            let former = try Database(path: folder + "/s").transaction(.reading) { database in
                var former: [String: String] = [:]
                try database.each("SELECT id, crash_group FROM former_groups") { row in
                    former[row["id"]] = row["crash_group"]
                    return true
                }
                return former
            }
            var kept = 0
            for name in Set(early.map { before[$0] }).subtracting([""]) {
                let members = early.filter { before[$0] == name }
                let now = Dictionary(grouping: members) { after[$0] }.mapValues(\.count)
                let leadsTo = after.contains(name) ? name : former[name]
                let largest = now.values.max()
                // If two have equally many, either is right.
                #expect(leadsTo.flatMap { now[$0] } == largest, "\(name): \(now), leads to \(leadsTo ?? "nothing")")
                if leadsTo == name { kept += 1 }
            }
            #expect(kept > 0)
            // A name is a group's or a former one's, never both.
            #expect(Set(after).isDisjoint(with: former.keys))
        }
    }

    /// The same log without symbols, then with them: it goes to the group that the others are in,
    /// and the name of the group that it leaves leads there.
    @Test func `a log that gains symbols moves to its group`() throws {
        // A crash without symbols, and two of its bug that are known to be one.
        let bare = try #require(
            Self.crashes.indices.first { Self.crashes[$0].isStripped && CrashSignature(Self.crashes[$0].report).lacksSymbols })
        let others = Self.crashes.indices.filter { Self.crashes[$0].label == Self.crashes[bare].label && !Self.crashes[$0].isStripped }
        let first = try #require(others.first)
        let second = try #require(
            others.dropFirst().first {
                CrashGroups([first, $0].map { CrashSignature(Self.crashes[$0].report) }).groups.count == 1
            })
        let same = [first, second]
        try withTemporaryFolder { folder in
            let store = try DatabaseStore(path: folder + "/s")
            // Log 0 gains symbols later; log 1 had them at once.
            try keep([outcome(0, of: Self.crashes[bare]), outcome(1, of: Self.crashes[same[0]])], in: store)
            let before = try groups(in: folder + "/s", count: 2)
            #expect(before[0] != before[1])
            var answered = outcome(0, of: Self.crashes[same[1]])
            // It has fewer unresolved frames than before, as a result with symbols has.
            #expect(answered.unanswered < outcome(0, of: Self.crashes[bare]).unanswered)
            answered.content = outcome(0, of: Self.crashes[bare]).content
            try keep([answered], in: store)
            let after = try groups(in: folder + "/s", count: 2)
            #expect(after[0] == after[1])
            let names = try Database(path: folder + "/s").transaction(.reading) {
                var names: [String] = []
                try $0.each("SELECT id FROM crash_groups UNION SELECT id FROM former_groups") { row in
                    names.append(row["id"])
                    return true
                }
                return names
            }
            #expect(Set(names) == Set(before))
        }
    }
}

/// A log with one report, whose content is twice its number: the key leaves the last bit out.
func outcome(_ number: Int, of crash: LabelledCrash) -> LogOutcome {
    let rules = SignatureRules()
    let content = ContentHash(bytes: (0..<32).map { UInt8(truncatingIfNeeded: (2 * number) >> (8 * (7 - $0 % 8))) })
    let report = ReportRecord(crash.report, rules.signature(of: crash.report)).report
    return LogOutcome(content: content, size: 1, result: .answered, problems: [], reports: [report], rules: rules.fingerprint)
}
