internal import ArgumentParser
internal import BatchProcessing
internal import BinaryPrimitives
internal import CommandSupport
internal import Console

/// `cairn batch prune`: old reports leave a store.
struct PruneStore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Remove old reports from a store.",
        usage:
            "cairn batch prune [--older-than INSTANT] [--process NAME] [--version VERSION] [--where NAME=VALUE] [--group GROUP] [--keep-representatives] [--dry-run] [--store FILE]",
        discussion: """
            A log's reports are removed if all conditions are true of each of them. The log stays noted: a run does not read it again. Prune can be interrupted, and repeated.

            cairn batch prune --older-than 90d --keep-representatives
            cairn batch prune --process shop --version 3.9 --dry-run
            """)

    @Option(
        help: ArgumentHelp(
            "Only reports before then: 90d, 12h, 30m or 2w before now, today, yesterday, a date or a time (default zone: local). A report without a timestamp has the time of its file.",
            valueName: "instant"))
    var olderThan: String?

    @OptionGroup var filter: FilterOptions

    @Option(help: ArgumentHelp("Only reports of this group: its identifier, or the first digits.", valueName: "group"))
    var group: String?

    @Flag(help: "Keep the example of each group, so that the group stays.")
    var keepRepresentatives = false

    @Flag(help: "Only say what would be removed.")
    var dryRun = false

    @OptionGroup var storeOption: StoreOption

    func validate() throws {
        guard olderThan != nil || !filter.filter.isEmpty || group != nil else {
            throw ValidationError("which reports? Give --older-than, --process, --version, --where or --group")
        }
        if let olderThan, ReadableTime.instant(olderThan) == nil {
            throw ValidationError("--older-than \(olderThan): expected 90d, 2026-11-22, 2026-11-22T10:00:00Z or the like")
        }
        if let group { try ShowGroup.check(group) }
    }

    func run() {
        do throws(StoreError) {
            // The store is closed then.
            for line in try prune(storeOption.store) { print(line) }
            endProcess(.done)
        } catch {
            printDiagnostic("batch: \(error.description)")
            endProcess(.failed)
        }
    }

    /// - Returns: what was done, a line each.
    private func prune(_ path: String) throws(StoreError) -> [String] {
        // A store that is not there is not made.
        let queries = try openStore(path)
        var conditions = PruneConditions(
            before: olderThan.flatMap { ReadableTime.instant($0) }, filter: filter.filter, keepsRepresentatives: keepRepresentatives)
        if let group { conditions.group = try ShowGroup.find(group, queries, at: path).id }
        let store = try DatabaseStore(path: path) { printDiagnostic("batch: note: \($0)") }
        if dryRun { return ["would be removed: \(Self.text(try store.countPruned(conditions)))"] }
        let pruned = try store.prune(conditions)
        // The reports are gone, whether or not the file can become smaller now.
        do throws(StoreError) { try store.compact() } catch { printDiagnostic("batch: note: the file did not become smaller: \(error)") }
        let counts = try store.counts()
        return [
            "removed: \(Self.text(pruned))",
            "in the store: \(Self.count(counts.reports, "report")) in \(Self.count(counts.groups, "group"))",
        ]
    }

    private static func text(_ counts: PruneCounts) -> String { "\(count(counts.reports, "report")) of \(count(counts.logs, "log"))" }

    private static func count(_ value: Int, _ noun: String) -> String { "\(value) \(noun)\(value == 1 ? "" : "s")" }
}
