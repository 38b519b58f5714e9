/// Everything about a group, within the limits of the question.
public struct GroupDetail: Sendable, Hashable {
    public var summary: GroupSummary
    public var breakdown: Breakdown
    public var days: [DayCount]
    /// How many reports do not tell when they happened.
    public var reportsWithoutInstant: Int
    /// The stacks by which its reports are known, those of most reports first, and how many there are; stacks that look alike are one, whatever their raw addresses.
    public var stacks: [GroupStack]
    public var stackCount: Int
    /// The report that stands for it, then the latest.
    public var examples: [ReportReference]
    /// Images on its reports' stacks for which there are no symbols, those of most reports first.
    public var missingImages: [MissingImage]
    public var missingImageCount: Int
    /// Identifiers of groups that have become part of it.
    public var formerIDs: [String]
}

/// How many reports there are of each value, the largest first.
public struct Breakdown: Sendable, Hashable {
    /// The programs' names.
    public var processes: [Tally] = []
    public var versions: [Tally] = []
    /// The operating systems' versions.
    public var systems: [Tally] = []
    /// The hardware's models.
    public var devices: [Tally] = []
    /// The logs' formats.
    public var formats: [Tally] = []
    public var platforms: [Tally] = []
    public var architectures: [Tally] = []

    public init() {}
}

/// A stack of a group, and how many of the group's reports have it.
public struct GroupStack: Sendable, Hashable {
    public var id: Int64
    public var reports: Int
    /// One of these reports.
    public var example: Int64
    /// Rows of the log; there may be more than `frames` tells.
    public var rows: Int
    /// Identifiers of the stacks that look like it and are counted with it, its own among them.
    public var alike: [Int64] = []
    /// Innermost first; of inlined calls each is one.
    public var frames: [NamedFrame]
}

/// A function on a stack, or what is known where no function is.
public struct NamedFrame: Sendable, Hashable {
    /// The row of the log that it belongs to, from 0: inlined calls share one.
    public var row: Int
    /// What the row's address means: program-counter, return-address, exact, async-resume-point, omitted N, truncated.
    public var kind: String
    /// The function's name, or the one that the log prints; `nil` where there is none.
    public var function: String?
    public var file: String?
    /// From 1; 0 where it is not known.
    public var line: Int
    public var column: Int
    /// The image's name; `nil` where none is known.
    public var module: String?
    /// The distance from the image's first byte.
    public var offset: UInt64?
    /// The raw address, where no image is known.
    public var address: UInt64?
    /// A call that was inlined into the next.
    public var isInlined: Bool
    /// Code of the user, not of a system, a language or a library, as far as the place tells.
    public var isOwn: Bool
    /// Why there is no answer: one sentence; `nil` where there is, and where there was nothing to ask.
    public var reason: String?
}

/// An image for which no symbols were found.
public struct MissingImage: Sendable, Hashable {
    public var name: String
    /// Build ID or UUID.
    public var identity: String?
    public var architecture: String?
    public var path: String?
    /// Why: one sentence.
    public var reason: String?
    /// How many reports have frames in it.
    public var reports: Int
}
