/// Groups whose reports contain a text.
package struct SearchResult: Sendable, Hashable {
    /// Groups with such reports, those with most first, within the limit.
    package var groups: [FoundGroup]
    package var groupCount: Int
    /// How many reports hold the text; and how many of them are in no group.
    package var reports: Int
    package var ungroupedReports: Int
}

/// A group with reports that hold a text.
package struct FoundGroup: Sendable, Hashable {
    package var id: String
    package var title: String
    /// How many of its reports hold the text, of how many.
    package var matching: Int
    package var reports: Int
    /// The first few matching texts.
    package var matches: [FoundText]
    /// One of the reports.
    package var example: Int64
}

/// A text that holds the one that was looked for.
package struct FoundText: Sendable, Hashable {
    package enum Field: String, Sendable, Hashable, CaseIterable {
        case function, file, message, process, image, title
    }

    package var field: Field
    package var text: String
}
