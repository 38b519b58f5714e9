internal import CrashLogFormats
internal import CrashLogModel

/// A part of a text that shows signs of layers, with the layers to try, the likeliest first.
struct LayerOffer: Sendable {
    /// Each with the first byte that has it.
    var layers: [(damage: Damage, start: Int)]
    var reason: Reason

    enum Reason: Sendable {
        /// No format claims a line as it is. A layer is removed if the line is a part of a report without it.
        /// - end: the end of the line with its ending.
        /// - isAtStart: the line may contain formats that are accepted only as a whole log.
        /// - waits: text that may begin a document is enough.
        case line(end: Int, isAtStart: Bool, waits: Bool)
        /// A trace or document has been read, but its bytes show a layer. The layer is removed if more can be read without it.
        case reading(Reading)
    }
}

/// Result of reading a part of a text as it is.
struct Reading: Sendable {
    /// Empty if there was no stack in it.
    var reports: [CrashReport]
    var range: Range<Int>
    /// Position at which the scan continues.
    var next: Int
    /// Each `<` in it begins an HTML tag.
    var isPage = false
    /// It was a document.
    var document: Document?

    struct Document: Sendable {
        var open: OpenDocument
        var hasEnded: Bool
        /// Why it could not be read.
        var problem: LogError?
    }
}
