/// Queries of pages beyond `StoreQuestions`: all rows, in an order that can be divided into
/// sections.
package protocol ReportLists: StoreQuestions {
    /// The groups' identifiers, those of most reports first.
    func groupIDs() throws(StoreError) -> [String]

    /// How many reports there are of each hour, with its first instant (nanoseconds since 1970
    /// UTC), the earliest first; `nil`: of all reports.
    /// - Parameter column: count each value by itself.
    func forEachHour(ofGroup id: String?, by column: ValueColumn?, _ body: (_ start: Int64, _ value: String?, _ count: Int) -> Void)
        throws(StoreError)

    /// Reports in an order, until `body` wants no more.
    func forEachReport(_ selection: ReportSelection, by order: ReportOrder, _ body: (ListedReport) -> Bool) throws(StoreError)

    /// Logs by their paths, until `body` wants no more.
    func forEachLog(_ selection: LogSelection, _ body: (ListedLog) -> Bool) throws(StoreError)

    /// The stack of a group's representative report, innermost first.
    /// - Parameter frames: at most so many.
    func leadingStack(ofGroup id: String, frames: Int) throws(StoreError) -> [NamedFrame]

    /// How many reports there are of each version, those of one program by themselves. The value is
    /// `ProgramVersion.key`; unknown versions are counted together. `nil`: of all reports.
    func versions(ofGroup id: String?, limit: Int) throws(StoreError) -> [Tally]

    /// The version of a group's first report that has a version and a timestamp.
    func firstVersion(ofGroup id: String) throws(StoreError) -> String?

    /// The values with most reports, and of each the groups with most reports.
    func groups(by column: ValueColumn, values: Int, groups: Int) throws(StoreError) -> [ValueGroups]

    /// Images whose symbols would resolve frames, those that would resolve most first, and how many
    /// there are. Of the stacks that reports are known by each distinct one counts once.
    /// - Parameter stacks: only these; `nil`: all stacks of the store.
    func unresolvedImages(inStacks stacks: [Int64]?, limit: Int) throws(StoreError) -> ([UnresolvedImage], Int)

    /// A report with its stacks; `nil` where it is not there.
    func report(_ id: Int64, _ limits: QuestionLimits) throws(StoreError) -> FullReport?

    /// The messages of a group's reports, the most frequent first, and how many there are; those
    /// without one do not count.
    func messages(ofGroup id: String, limit: Int) throws(StoreError) -> ([Tally], Int)
}

/// A column of reports that groups are listed by.
package enum ValueColumn: String, Sendable, CaseIterable {
    case process, version, system
}

/// A version and its program, as one text that can be compared.
package enum ProgramVersion {
    static func key(_ process: String?, _ version: String) -> String { (process ?? "") + "\u{1}" + version }

    /// `harbor 1.2`.
    static func text(_ key: String) -> String {
        key.split(separator: "\u{1}").joined(separator: " ")
    }

    static func process(_ key: String) -> Substring { key.prefix { $0 != "\u{1}" } }
}

/// A value, and the groups that have reports with it.
package struct ValueGroups: Sendable, Hashable {
    /// A group, and how many of its reports have the value.
    package struct Share: Sendable, Hashable {
        package var group: String
        package var reports: Int
    }

    package var value: String
    package var shares: [Share]
}

/// An image with unresolved frames.
package struct UnresolvedImage: Sendable, Hashable {
    package var image: MissingImage
    /// How many unresolved frames it has on the distinct stacks.
    package var frames: Int
}

/// A report and its stacks, the crashed ones first, then in the order of the log.
package struct FullReport: Sendable, Hashable {
    package struct Stack: Sendable, Hashable {
        /// thread, exception, other.
        package var role: String
        /// The thread's number in the log.
        package var thread: Int
        package var name: String?
        package var crashed: Bool
        /// Rows of the log; there may be more than `frames` holds.
        package var rows: Int
        /// Innermost first; of inlined calls each is one.
        package var frames: [NamedFrame]
    }

    package var reference: ReportReference
    package var stacks: [Stack]
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

/// Sort order of reports; reports without this value come last.
package enum ReportOrder: Sendable, Hashable {
    case instant
    case version
    case system
    case device
    case message
    /// By the stacks that reports are known by, in this order; other stacks come last.
    case stacks([Int64])
}

/// Which logs a list is of.
package enum LogSelection: Sendable, Hashable {
    case withoutTrace
    /// Those that could not be read as a whole, and files and folders that could not be opened.
    case unreadable
}

/// A report as lists show it.
package struct ListedReport: Sendable, Hashable {
    package var id: Int64
    /// The value that it is sorted by; `nil` if it has none. For stacks it is the identifier, for
    /// versions `ProgramVersion.key`.
    package var section: String?
    /// Path of its log; the first one if there are several.
    package var path: String
    package var pathCount: Int
    /// Index among the traces of its log, from 0.
    package var number: Int
    package var group: String?
    package var title: String?
    package var process: String?
    package var version: String?
    package var system: String?
    package var device: String?
    /// Nanoseconds since 1970 UTC; `nil` if the log has no timestamp.
    package var instant: Int64?
    /// As the log writes it.
    package var time: String?
}

/// A log as lists show it.
package struct ListedLog: Sendable, Hashable {
    /// Path of the log; the first one if there are several.
    package var path: String
    package var pathCount: Int
    /// "answered", "no-trace" or "unreadable".
    package var result: String
    package var problem: String?
    package var reports: Int
}
