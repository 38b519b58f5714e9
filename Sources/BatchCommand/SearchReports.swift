internal import ArgumentParser
internal import BatchProcessing
internal import CommandSupport
internal import Console

/// `cairn batch search TEXT`: which bugs have it on their stacks.
struct SearchReports: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Search functions, files, messages, processes, images and titles of reports.",
        usage: "cairn batch search TEXT [--count COUNT] [--process NAME] [--version VERSION] [--store FILE] [--format text|json]",
        discussion: """
            The text may be any part of a name. ASCII case is ignored, and no character is special. All threads of a report are searched.

            cairn batch search Mold::pour
            cairn batch search libfoo.so --format json | jq -r '.groups[].id'
            """)

    @Argument(help: ArgumentHelp("Text to search for.", valueName: "text"))
    var text: String

    @Option(name: [.customShort("n"), .long], help: "Number of groups.")
    var count = 10

    @OptionGroup var filter: FilterOptions
    @OptionGroup var storeOption: StoreOption
    @OptionGroup var options: ResultOptions

    func validate() throws {
        if text.isEmpty { throw ValidationError("the text is empty: expected a part of a name") }
        // SQLite's patterns end at 50,000 bytes.
        if text.utf8.count > 10_000 { throw ValidationError("a text of \(text.utf8.count) bytes: expected 10000 at most") }
        if !(1...1_000_000).contains(count) { throw ValidationError("--count \(count): expected 1 to 1000000") }
    }

    func run() {
        query(storeOption.store, filter: filter.filter) { (store) throws(StoreError) in
            let result = try store.search(text, limit: count)
            switch options.format {
            case .text: printResult(SearchText(theme: options.theme).render(result, of: text))
            case .json: printResult(QueryJSON().render(result, of: text))
            }
            return .done
        }
    }
}
