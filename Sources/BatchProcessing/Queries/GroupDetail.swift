/// Everything about a group, within the limits of the question.
package struct GroupDetail: Sendable, Hashable {
    package var summary: GroupSummary
    package var breakdown: Breakdown
    package var days: [DayCount]
    /// How many reports have no timestamp.
    package var reportsWithoutInstant: Int
    /// The stacks by which its reports are known, those of most reports first, and how many there
    /// are; stacks that look alike are one, even if their raw addresses differ.
    package var stacks: [GroupStack]
    package var stackCount: Int
    /// The representative report, then the latest.
    package var examples: [ReportReference]
    /// Images on its reports' stacks for which there are no symbols, those of most reports first.
    package var missingImages: [MissingImage]
    package var missingImageCount: Int
    /// Identifiers of groups that have become part of it.
    package var formerIDs: [String]
}

/// How many reports there are of each value, the largest first.
package struct Breakdown: Sendable, Hashable {
    /// The kinds as the logs name them: `SIGABRT`.
    package var kinds: [Tally] = []
    /// The programs' names.
    package var processes: [Tally] = []
    package var versions: [Tally] = []
    /// The operating systems' versions.
    package var systems: [Tally] = []
    /// The hardware's models.
    package var devices: [Tally] = []
    /// The logs' formats.
    package var formats: [Tally] = []
    package var platforms: [Tally] = []
    package var architectures: [Tally] = []

    package init() {}
}

/// A stack of a group, and how many of the group's reports have it.
package struct GroupStack: Sendable, Hashable {
    package var id: Int64
    package var reports: Int
    /// One of these reports.
    package var example: Int64
    /// Rows of the log; there may be more than `frames` holds.
    package var rows: Int
    /// Identifiers of the stacks that look like it and are counted with it, its own among them.
    package var alike: [Int64] = []
    /// Innermost first; of inlined calls each is one.
    package var frames: [NamedFrame]
}

/// A function on a stack, or an unnamed frame.
package struct NamedFrame: Sendable, Hashable {
    /// The row of the log that it belongs to, from 0: inlined calls share one.
    package var row: Int
    /// Meaning of the row's address: program-counter, return-address, exact, async-resume-point,
    /// omitted N, truncated.
    package var kind: String
    /// The function's name, or the one that the log prints; `nil` if neither is known.
    package var function: String?
    package var file: String?
    /// From 1; 0 where it is not known.
    package var line: Int
    package var column: Int
    /// The image's name; `nil` if it is not known.
    package var module: String?
    /// The distance from the image's first byte.
    package var offset: UInt64?
    /// The raw address, where no image is known.
    package var address: UInt64?
    /// A call that was inlined into the next.
    package var isInlined: Bool
    /// The user's own code, not a system's, a language's or a library's, as far as the module and
    /// file show.
    package var isOwn: Bool
    /// Why the frame is unresolved, in one sentence; `nil` if it is resolved, or if there was
    /// nothing to look up.
    package var reason: String?
}

/// An image for which no symbols were found.
package struct MissingImage: Sendable, Hashable {
    package var name: String
    /// Build ID or UUID.
    package var identity: String?
    package var architecture: String?
    package var path: String?
    /// Why: one sentence.
    package var reason: String?
    /// How many reports have frames in it.
    package var reports: Int
}
