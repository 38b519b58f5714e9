internal import ArgumentParser
package import BatchProcessing
internal import CommandSupport
internal import Console

extension GroupOrder: ExpressibleByArgument {}

/// `cairn batch top`: the bugs that matter most.
struct TopGroups: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "List the groups of a store, most reports first.",
        usage:
            "cairn batch top [--count COUNT] [--by ORDER] [--since INSTANT] [--process NAME] [--version VERSION] [--store FILE] [--format text|json]",
        discussion: """
            A group is one bug. Below the groups are listed: files that could not be read, images without symbols, and reports in no group.

            cairn batch top --store crashes.sqlite
            cairn batch top --by first --since 7d
            cairn batch top -n 3 --since yesterday --process shop
            cairn batch top --count 100 --format json | jq -r '.groups[] | "\\(.reports) \\(.title)"'
            """)

    @Option(name: [.customShort("n"), .long], help: "Number of groups.")
    var count = 10

    @Option(help: ArgumentHelp("Sort by reports, logs, last (most recent crash) or first (newest bug).", valueName: "order"))
    var by = GroupOrder.reports

    @Option(
        help: ArgumentHelp(
            "Only count reports since then: 7d, 12h, 30m or 2w before now, today, yesterday, a date or a time (default zone: local).",
            valueName: "instant"))
    var since: String?

    @OptionGroup var filter: FilterOptions
    @OptionGroup var storeOption: StoreOption
    @OptionGroup var options: ResultOptions

    func validate() throws {
        if !(1...1_000_000).contains(count) { throw ValidationError("--count \(count): expected 1 to 1000000") }
        if let since, ReadableTime.instant(since) == nil {
            throw ValidationError("--since \(since): expected 7d, 2026-11-22, 2026-11-22T10:00:00Z or the like")
        }
    }

    func run() {
        query(storeOption.store, filter: filter.filter) { (store) throws(StoreError) in
            let instant = since.flatMap { ReadableTime.instant($0) }
            let groups = try store.groups(by, since: instant, limit: count)
            let overview = try store.overview(QueryLimits())
            let counted = try store.reportCount(since: instant)
            switch options.format {
            case .text: printResult(GroupListText(theme: options.theme).render(groups, of: overview, counted: counted, since: instant))
            case .json: printResult(QueryJSON().render(groups, of: overview, counted: counted, since: instant))
            }
            return .done
        }
    }
}
