/// What pages query beyond `StoreQuestions`: everything, row by row, in an order that can be
/// divided into sections.
package protocol ReportLists: StoreQuestions {
    /// The groups' identifiers, those of most reports first.
    func groupIDs() throws(StoreError) -> [String]

    /// How many reports there are of each hour, with its first instant (nanoseconds since 1970
    /// UTC), the earliest first; `nil`: of all reports.
    func forEachHour(ofGroup id: String?, _ body: (_ start: Int64, _ count: Int) -> Void) throws(StoreError)

    /// Reports in an order, until `body` wants no more.
    func forEachReport(_ selection: ReportSelection, by order: ReportOrder, _ body: (ListedReport) -> Bool) throws(StoreError)

    /// Logs by their paths, until `body` wants no more.
    func forEachLog(_ selection: LogSelection, _ body: (ListedLog) -> Bool) throws(StoreError)

    /// The stack of a group's representative report, innermost first.
    /// - Parameter frames: at most so many.
    func leadingStack(ofGroup id: String, frames: Int) throws(StoreError) -> [NamedFrame]

    /// The messages of a group's reports, the most frequent first, and how many there are; those
    /// without one do not count.
    func messages(ofGroup id: String, limit: Int) throws(StoreError) -> ([Tally], Int)
}

/// Which reports a list is of.
package enum ReportSelection: Sendable, Hashable {
    case all
    case group(String)
    /// Those whose innermost frames have no name.
    case lackingSymbols
    /// Those without a stack to be known by.
    case withoutStack
    /// Those that no run has put into a group yet.
    case ungrouped
}

/// What reports are sorted by; reports without this value come last.
package enum ReportOrder: Sendable, Hashable {
    case instant
    case version
    case system
    case device
    case message
    /// By the stacks that reports are known by, in this order; other stacks come last.
    case stacks([Int64])
    /// By the images without symbols that their frames lie in, of which a report may have several.
    case missingImages
}

/// Which logs a list is of.
package enum LogSelection: Sendable, Hashable {
    /// All, a row for each path.
    case all
    case withoutTrace
    /// Those that could not be read as a whole, and files and folders that could not be opened.
    case unreadable
}

/// A report as lists show it.
package struct ListedReport: Sendable, Hashable {
    package var id: Int64
    /// The value that it is sorted by; `nil` if it has none. For stacks it is the identifier, for
    /// images `MissingImage.key`.
    package var section: String?
    /// Where its log is, the first path of several.
    package var path: String
    package var pathCount: Int
    /// The place among the traces of its log, from 0.
    package var number: Int
    package var group: String?
    package var title: String?
    package var process: String?
    package var version: String?
    package var system: String?
    package var device: String?
    /// Nanoseconds since 1970 UTC; `nil` if the log has no timestamp.
    package var instant: Int64?
    /// As the log words it.
    package var time: String?
}

/// A log as lists show it.
package struct ListedLog: Sendable, Hashable {
    /// Where it is, the first path of several.
    package var path: String
    package var pathCount: Int
    /// "answered", "no-trace" or "unreadable".
    package var result: String
    package var problem: String?
    package var reports: Int
}

extension MissingImage {
    /// What distinguishes images.
    package var key: String { [name, identity ?? "", architecture ?? "", path ?? ""].joined(separator: "\u{1}") }
}
