internal import ArgumentParser
internal import BatchProcessing
internal import CommandSupport
internal import Console

/// `cairn batch diff STORE-A STORE-B`: what a new version, or another week, has brought.
struct DiffStores: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Compare the bugs of two stores: new, gone, grown and shrunk.",
        usage: "cairn batch diff STORE-A STORE-B [--count COUNT] [--format text|json]",
        discussion: """
            Bugs are matched by their stacks, not by the names of their groups. A bug has grown or shrunk if its share of the reports differs by more than \
            twice the standard error of the difference.

            cairn batch diff version-1.sqlite version-2.sqlite
            cairn batch diff last-week.sqlite this-week.sqlite --format json | jq -r '.groups[] | select(.change == "new") | .title'
            """)

    @Argument(help: ArgumentHelp("Store to compare with (before).", valueName: "store-a"))
    var first: String

    @Argument(help: ArgumentHelp("Store to compare (after).", valueName: "store-b"))
    var second: String

    @Option(name: [.customShort("n"), .long], help: "Number of groups of each kind, in text.")
    var count = 20

    @OptionGroup var options: ResultOptions

    func validate() throws {
        if !(1...1_000_000).contains(count) { throw ValidationError("--count \(count): expected 1 to 1000000") }
    }

    func run() {
        query(first) { (store) throws(StoreError) in
            let difference = try StoreDifference(store, try openStore(second))
            switch options.format {
            case .text:
                printResult(DifferenceText(theme: options.theme).render(difference, first: first, second: second, limit: count))
            case .json: printResult(QueryJSON().render(difference, first: first, second: second))
            }
            return .done
        }
    }
}
