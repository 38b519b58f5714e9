import BinaryPrimitives
import Databases
import TestSupport
import Testing

@testable import BatchProcessing

/// Old reports leave a store, with all that only they used.
struct StorePruningTests {
    private static let day: Int64 = 86_400_000_000_000
    private static let crashes = Array(((try? LabelledCrashes().crashes) ?? []).prefix(24))
    private static let tables = [
        "reports", "threads", "loaded_images", "stacks", "frames", "functions", "texts", "frame_kinds", "images", "signatures",
        "crash_groups",
    ]

    /// A log for each crash, that of number N on day N; every third is of version 2.
    private static let outcomes = crashes.enumerated().map { number, crash in
        var outcome = outcome(number, of: crash)
        outcome.reports[0].instant = Int64(number) * day
        outcome.reports[0].version = number % 3 == 0 ? "2" : "1"
        return outcome
    }

    private func store(_ path: String, _ outcomes: some Sequence<LogOutcome>) throws -> DatabaseStore {
        let store = try DatabaseStore(path: path)
        var part = StoredPart(rules: SignatureRules().fingerprint)
        part.outcomes = Array(outcomes)
        try store.keep(part)
        try store.group()
        return store
    }

    private func rows(_ path: String) throws -> [Int] {
        try Database(path: path).transaction(.reading) { database in
            try Self.tables.map { try database.count("SELECT count(*) FROM \($0)") }
        }
    }

    private func days(_ path: String) throws -> [Int64] {
        try Database(path: path).transaction(.reading) { database in
            var days: [Int64] = []
            try database.each("SELECT instant FROM reports ORDER BY instant") { row in
                days.append(row.number(0).map { $0 / Self.day } ?? -1)
                return true
            }
            return days
        }
    }

    @Test func `what is left is what a store of the later logs has`() throws {
        try withTemporaryFolder { folder in
            let pruned = try store(folder + "/pruned", Self.outcomes)
            let conditions = PruneConditions(before: 10 * Self.day)
            #expect(try pruned.countPruned(conditions) == PruneCounts(logs: 10, reports: 10))
            #expect(try pruned.prune(conditions) == PruneCounts(logs: 10, reports: 10))
            try pruned.compact()
            _ = try store(folder + "/later", Self.outcomes.dropFirst(10))
            #expect(try rows(folder + "/pruned") == rows(folder + "/later"))
            #expect(try pruned.counts().logs == 24 && pruned.counts().prunedLogs == 10)
            // It is done.
            #expect(try pruned.prune(conditions) == PruneCounts())
        }
    }

    @Test func `a log whose reports were removed is known, whatever the rules`() throws {
        try withTemporaryFolder { folder in
            let store = try store(folder + "/s", Self.outcomes)
            _ = try store.prune(PruneConditions(before: Self.day))
            let others = ResultRequirements(rules: "others", retriesUnresolved: true)
            #expect(try store.has(Self.outcomes[0].content, others))
            #expect(try !store.has(Self.outcomes[1].content, others))
            // Another writer may have read it meanwhile.
            var part = StoredPart(rules: "others")
            part.outcomes = [Self.outcomes[0]]
            try store.keep(part)
            #expect(try store.counts().reports == 23)
        }
    }

    @Test func `conditions are all true of what is removed`() throws {
        try withTemporaryFolder { folder in
            let store = try store(folder + "/s", Self.outcomes)
            // The days from 0 to 9 that 3 divides.
            let conditions = PruneConditions(before: 10 * Self.day, filter: ReportFilter(version: "2"))
            #expect(try store.prune(conditions) == PruneCounts(logs: 4, reports: 4))
            #expect(try days(folder + "/s") == [1, 2, 4, 5, 7, 8] + (10..<24))
            let none = PruneConditions(filter: ReportFilter(process: "no such program"))
            #expect(try store.prune(none) == PruneCounts())
        }
    }

    @Test func `a group can be removed, and groups can keep an example`() throws {
        try withTemporaryFolder { folder in
            let store = try store(folder + "/s", Self.outcomes)
            func groups() throws -> [(id: String, reports: Int)] {
                try DatabaseQueries(path: folder + "/s").groups(.reports, since: nil, limit: 100).map { ($0.id, $0.reports) }
            }
            let before = try groups()
            let largest = try #require(before.first)
            try #require(largest.reports > 1)
            #expect(try store.prune(PruneConditions(group: largest.id)).reports == largest.reports)
            #expect(try groups().map(\.id).sorted() == before.dropFirst().map(\.id).sorted())
            // Reports without a group are removed, too.
            _ = try store.prune(PruneConditions(before: .max, keepsRepresentatives: true))
            #expect(try groups().map(\.id).sorted() == before.dropFirst().map(\.id).sorted())
            #expect(try groups().allSatisfy { $0.reports == 1 })
            #expect(try store.counts().reports == before.count - 1)
        }
    }

    @Test func `a report without a timestamp has the time of its file, or stays`() throws {
        try withTemporaryFolder { folder in
            var outcomes = Array(Self.outcomes.prefix(3))
            for index in outcomes.indices { outcomes[index].reports[0].instant = nil }
            let store = try store(folder + "/s", outcomes)
            var part = StoredPart(rules: SignatureRules().fingerprint)
            for (number, modified) in [(0, 5 * Self.day), (1, 7 * Self.day)] {
                part.files.append(
                    StoredFile(path: "/logs/\(number)", stamp: FileStamp(size: 1, modified: modified), content: outcomes[number].content))
            }
            try store.keep(part)
            #expect(try store.prune(PruneConditions(before: 6 * Self.day)) == PruneCounts(logs: 1, reports: 1))
            #expect(try store.has(outcomes[0].content, ResultRequirements(rules: "others")))
            #expect(try store.counts().reports == 2)
        }
    }
}
