/// The queries of a store. The commands and the pages use nothing else of it: a database on a
/// server is another implementation.
///
/// No result holds more than its limits allow, however much the store does; what may be more is
/// handed out row by row.
package protocol StoreQuestions: Sendable {
    /// Contents of the store, and what is missing in it.
    func overview(_ limits: QuestionLimits) throws(StoreError) -> StoreOverview

    /// How many reports there are from an instant on (nanoseconds since 1970 UTC); `nil`: at all.
    func reportCount(since: Int64?) throws(StoreError) -> Int

    /// The first groups in an order.
    /// - Parameter since: count only reports from this instant on (nanoseconds since 1970 UTC), and
    ///   groups that have such reports. Reports without a timestamp do not count.
    func groups(_ order: GroupOrder, since: Int64?, limit: Int) throws(StoreError) -> [GroupSummary]

    /// The group with an identifier, or with the only one that begins so; groups that have become
    /// part of another are found by their former identifiers.
    func match(group beginning: String) throws(StoreError) -> GroupMatch

    /// Everything about a group; `nil` if no group has this identifier.
    func detail(ofGroup id: String, _ limits: QuestionLimits) throws(StoreError) -> GroupDetail?

    /// How many reports there are of each version, system and so on; `nil`: of all reports.
    func breakdown(ofGroup id: String?, _ limits: QuestionLimits) throws(StoreError) -> Breakdown

    /// How many reports there are of each day in UTC, the earliest first; `nil`: of all reports. If
    /// there are more days than the limit, the latest are given.
    func days(ofGroup id: String?, limit: Int) throws(StoreError) -> [DayCount]

    /// When reports happened, nanoseconds since 1970 UTC, the earliest first; `nil`: all reports.
    /// If there are more than the limit, the latest are given.
    func instants(ofGroup id: String?, limit: Int) throws(StoreError) -> [Int64]

    /// The groups, those with most reports first, one after the other until `body` wants no more.
    func forEachGroup(_ body: (GroupSummary) -> Bool) throws(StoreError)

    /// Calls `body` with each signature until it returns false.
    func forEachSignature(_ body: (SignatureCount) -> Bool) throws(StoreError)

    /// By which rules the signatures were made: one, unless logs wait for a run to make them anew;
    /// at most ten.
    func rules() throws(StoreError) -> [String]

    /// The reports of a group, the latest first, or all by their numbers, one after the other until
    /// `body` wants no more.
    func forEachReport(ofGroup id: String?, _ body: (ReportReference) -> Bool) throws(StoreError)

    /// The frames of the stacks that groups are known by, report by report, one after the other
    /// until `body` wants no more.
    func forEachFrame(ofGroup id: String?, _ body: (ReportReference, NamedFrame) -> Bool) throws(StoreError)

    /// The groups that have reports with a text in them, those with most first.
    func search(_ text: String, limit: Int) throws(StoreError) -> SearchResult
}

/// How much a result may hold.
package struct QuestionLimits: Sendable, Hashable {
    /// Rows of each list of counts: the largest.
    package var tallies = 20
    /// Different stacks of a group: those of most reports.
    package var stacks = 20
    /// Rows of a stack, innermost first.
    package var frames = 256
    /// Example reports of a group.
    package var examples = 10
    /// Paths of one log.
    package var paths = 5
    /// Images without symbols: those of most reports.
    package var missingImages = 50
    /// Files that could not be read.
    package var unreadFiles = 50
    /// Runs: the latest.
    package var runs = 10
    /// Days with reports: the latest.
    package var days = 5000
    /// Instants of reports: the latest.
    package var instants = 200_000

    package init() {}
}

/// Sort order of groups.
package enum GroupOrder: String, Sendable, CaseIterable {
    /// Those with most reports first.
    case reports
    /// Those with most logs first.
    case logs
    /// Those that happened last first.
    case last
    /// Those that were first seen last first: new bugs.
    case first
}

/// Result of looking up an identifier of a group.
package enum GroupMatch: Sendable, Hashable {
    /// - former: the identifier under which the group was found, if it is not its own any more.
    case found(id: String, former: String?)
    /// Several begin so; the first of them.
    case several([String])
    case none
}
