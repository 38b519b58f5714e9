/// Differences between two stores: bugs that are new, gone, grown or shrunk.
///
/// Two stores may have different names for one bug, so the signatures of both are put into groups
/// together. Growth compares a bug's share of all reports of its store, because a store that covers
/// twice the days has twice the reports.
package struct StoreDifference: Sendable {
    package enum Change: String, Sendable, CaseIterable {
        case new, gone, grown, shrunk
        /// The shares differ by no more than chance explains.
        case same
    }

    /// A bug in both stores.
    package struct Group: Sendable, Hashable {
        package var title: String
        package var change: Change
        /// Its reports in the first and in the second store.
        package var before: Int
        package var after: Int
        /// Identifier of the group in each store. If a store has several, it is the one with most
        /// reports; `nil` if the store does not have the group.
        package var idBefore: String?
        package var idAfter: String?
        /// When it was first and last seen in the second store, or where it is gone in the first;
        /// nanoseconds since 1970 UTC.
        package var first: Int64?
        package var last: Int64?
    }

    /// All reports of the stores.
    package let before: Int
    package let after: Int
    /// By change, and of each change those first that matter most.
    package let groups: [Group]
    /// The stores' signatures were made by different rules, so a new group may be an old bug under
    /// a new identifier.
    package let hasDifferentRules: Bool

    package init(_ first: DatabaseQueries, _ second: DatabaseQueries) throws(StoreError) {
        var counts: [SignatureCount] = []
        try first.forEachSignature { signature in
            counts.append(signature)
            return true
        }
        let border = counts.count
        try second.forEachSignature { signature in
            counts.append(signature)
            return true
        }
        let all = (first: counts[..<border].reduce(0) { $0 + $1.reports }, second: counts[border...].reduce(0) { $0 + $1.reports })
        (before, after) = (all.first, all.second)
        // Reports without a usable stack may be of any bug.
        let known = counts.indices.filter { counts[$0].signature.signature?.absence == nil && counts[$0].signature.signature != nil }
        let groups = CrashGroups(known.compactMap { counts[$0].signature.signature }).groups.map { group in
            Self.group(group.members.map { known[$0] }, counts, border, all)
        }
        self.groups = groups.sorted { left, right in
            if left.change != right.change { return Self.rank(left.change) < Self.rank(right.change) }
            let (one, other) = (Self.weight(left, all), Self.weight(right, all))
            return one != other ? one > other : (left.title, left.idAfter ?? "") < (right.title, right.idAfter ?? "")
        }
        hasDifferentRules = try Set(first.rules()) != Set(second.rules())
    }

    private static func group(
        _ members: [Int], _ counts: [SignatureCount], _ border: Int, _ all: (first: Int, second: Int)
    ) -> Group {
        var names: (first: [String: Int], second: [String: Int]) = ([:], [:])
        var group = Group(title: "", change: .same, before: 0, after: 0)
        var representative = RepresentativeSignature()
        for member in members {
            let count = counts[member]
            representative.add(member, title: count.signature.title, kindLabel: count.signature.kindLabel, reports: count.reports)
            if member < border {
                group.before += count.reports
                if let name = count.group { names.first[name, default: 0] += count.reports }
            } else {
                group.after += count.reports
                if let name = count.group { names.second[name, default: 0] += count.reports }
            }
        }
        group.title = representative.index.map { counts[$0].signature.title } ?? ""
        for member in members where (member >= border) == (group.after > 0) {
            group.first = [group.first, counts[member].first].compactMap { $0 }.min()
            group.last = [group.last, counts[member].last].compactMap { $0 }.max()
        }
        group.idBefore = names.first.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
        group.idAfter = names.second.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
        group.change = change(group.before, group.after, all)
        return group
    }

    /// Two shares differ by more than chance where their difference is more than twice its standard
    /// error, the shares being one under the hypothesis (the test for two proportions).
    static func change(_ before: Int, _ after: Int, _ all: (first: Int, second: Int)) -> Change {
        if before == 0 { return .new }
        if after == 0 { return .gone }
        let (first, second) = (Double(all.first), Double(all.second))
        let difference = Double(after) / second - Double(before) / first
        let pooled = Double(before + after) / (first + second)
        let variance = pooled * (1 - pooled) * (1 / first + 1 / second)
        guard difference * difference > 4 * variance else { return .same }
        return difference > 0 ? .grown : .shrunk
    }

    private static func rank(_ change: Change) -> Int { Change.allCases.firstIndex(of: change) ?? 0 }

    /// How much the share has changed; of what has not, how large it is.
    private static func weight(_ group: Group, _ all: (first: Int, second: Int)) -> Double {
        let (one, other) = (Double(group.before) / Double(max(1, all.first)), Double(group.after) / Double(max(1, all.second)))
        if group.change == .same { return other }
        return one < other ? other - one : one - other
    }
}

/// A signature of a store, and how many reports have it.
package struct SignatureCount: Sendable, Hashable {
    package var signature: StoredSignature
    /// The group that it is in.
    package var group: String?
    package var reports: Int
    /// The earliest and latest instant, nanoseconds since 1970 UTC.
    package var first: Int64?
    package var last: Int64?
}
