/// Where a text was found.
public struct SearchResult: Sendable, Hashable {
    /// Groups with such reports, those with most first, within the limit.
    public var groups: [FoundGroup]
    public var groupCount: Int
    /// How many reports hold the text; and how many of them are in no group.
    public var reports: Int
    public var ungroupedReports: Int
}

/// A group with reports that hold a text.
public struct FoundGroup: Sendable, Hashable {
    public var id: String
    public var title: String
    /// How many of its reports hold the text, of how many.
    public var matching: Int
    public var reports: Int
    /// What was found, the first few.
    public var matches: [FoundText]
    /// One of the reports.
    public var example: Int64
}

/// A text that holds the one that was looked for.
public struct FoundText: Sendable, Hashable {
    public enum Place: String, Sendable, Hashable, CaseIterable {
        case function, file, message, process, image, title
    }

    public var place: Place
    public var text: String
}
