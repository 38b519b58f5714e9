/// A report: what its log says, and where the log is.
package struct ReportReference: Sendable, Hashable {
    package var id: Int64
    /// SHA-256 of the log's bytes, hexadecimal.
    package var log: String
    /// Index among the traces of its log, from 0.
    package var number: Int
    /// Paths of the log, at most as many as the limit; and their number.
    package var paths: [String]
    package var pathCount: Int
    /// The group that it belongs to; `nil` where it is not grouped.
    package var group: String?
    package var title: String?
    package var format: String
    package var process: String?
    package var identifier: String?
    package var version: String?
    package var pid: Int64?
    package var platform: String?
    package var architecture: String?
    package var system: String?
    package var device: String?
    /// Nanoseconds since 1970 UTC; `nil` if the log has no timestamp.
    package var instant: Int64?
    /// As the log writes it.
    package var time: String?
    package var causeKind: String?
    package var causeType: String?
    package var signal: String?
    package var message: String?
    package var faultAddress: UInt64?
    /// Meaning of the cause.
    package var meaning: String?
    /// If there is no `instant`: when the log's file was last modified, nanoseconds since 1970 UTC.
    package var fileTime: Int64?
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
    case withoutTimestamp
    /// Those that no run has put into a group yet.
    case ungrouped
}

/// Sort order of reports; reports without this value come last. Reports of one value are sorted by
/// their time.
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
    /// If there is no `instant`: when the log's file was last modified, nanoseconds since 1970 UTC.
    package var fileTime: Int64?
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
