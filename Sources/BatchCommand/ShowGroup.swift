internal import ArgumentParser
internal import BatchProcessing
internal import CommandSupport
internal import Console

/// `cairn batch show GROUP`: all that is known of a bug.
struct ShowGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one group: timeline, stacks, example logs and missing symbols.",
        usage: "cairn batch show GROUP [--store FILE] [--format text|json]",
        discussion: """
            The first digits of the group's identifier are enough, if no other identifier begins with them. The former identifier of a merged group works, too.

            cairn batch show 3f2a9c0011223344
            cairn batch show 3f2a --format json | jq -r '.examples[].paths[]'
            """)

    @Argument(help: ArgumentHelp("The group's identifier, or its first digits.", valueName: "group"))
    var group: String

    @OptionGroup var storeOption: StoreOption
    @OptionGroup var options: ResultOptions

    func validate() throws { try Self.check(group) }

    func run() {
        query(storeOption.store) { (store) throws(StoreError) in
            let found = try Self.find(group, store, at: storeOption.store)
            guard let detail = try store.detail(ofGroup: found.id, QueryLimits()) else {
                throw StoreError(
                    path: storeOption.store,
                    problem: "group \(found.id) was just removed by a run that is still going on. Run the command again")
            }
            switch options.format {
            case .text: printResult(GroupDetailText(theme: options.theme).render(detail, former: found.former))
            case .json: printResult(QueryJSON().render(detail, former: found.former))
            }
            return .done
        }
    }

    /// - Throws: `ValidationError` where a text can be no group's identifier or its beginning.
    static func check(_ group: String) throws {
        guard (1...16).contains(group.utf8.count), group.unicodeScalars.allSatisfy({ $0.isASCII && $0.properties.isASCIIHexDigit }) else {
            throw ValidationError("\(group): not a group: expected 1 to 16 hexadecimal digits, as cairn batch top lists them")
        }
    }

    /// The one group that is meant.
    static func find(_ group: String, _ store: DatabaseQueries, at path: String) throws(StoreError) -> (id: String, former: String?) {
        switch try store.match(group: group) {
        case .none: throw StoreError(path: path, problem: "no group \(group) in it: expected one that cairn batch top lists")
        case .several(let groups):
            throw StoreError(path: path, problem: "several groups begin with \(group): \(groups.joined(separator: " "))")
        case .found(let id, let former): return (id, former)
        }
    }
}
