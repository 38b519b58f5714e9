internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel

/// A document that has begun and not ended.
struct OpenDocument: Sendable {
    var format: any DocumentFormat.Type
    /// Start of the document in the log.
    var start: Int
    /// Position up to which its end has been searched.
    var scanned: Int
    var extent: JSONExtent
    /// The format is sure of it: if it cannot be read, that is a problem of the log and no
    /// misunderstanding.
    var isCertain: Bool
    /// All of the log belongs to it.
    var coversWholeLog = false

    /// Looks for its end.
    /// - Parameters:
    ///   - bytes: the window, whose first byte is byte `base` of the log.
    /// - Returns: whether the end is known; `scanned` is then its position.
    mutating func advance(over bytes: Span<UInt8>, base: Int) -> Bool {
        if coversWholeLog {
            scanned = base + bytes.count
            return false
        }
        let step = extent.advance(over: bytes.from(scanned - base))
        scanned += step.count
        return step.isComplete
    }
}

/// A brace or a bracket at a line's beginning: perhaps the first byte of a document that a format
/// will recognise by later bytes.
struct DocumentCandidate: Sendable {
    /// Position of the brace or bracket in the log.
    let start: Int
    /// Start of its line: a quote's mark or a date may come before the brace.
    let lineStart: Int
    /// Position up to which its end has been searched.
    private(set) var scanned: Int
    private var extent = JSONExtent(values: 1)
    /// Number of its bytes that formats were shown, in all calls together.
    private var shown = 0

    init(at start: Int, behind prefix: Int = 0) {
        self.start = start
        lineStart = start - prefix
        scanned = start
    }

    /// Looks for the value's end.
    /// - Parameters:
    ///   - bytes: the window, whose first byte is byte `base` of the log.
    ///   - end: position in the log up to which to search.
    /// - Returns: whether it ends before `end`, or there.
    mutating func hasEnded(upTo end: Int, in bytes: Span<UInt8>, base: Int) -> Bool {
        guard end > scanned else { return false }
        let step = extent.advance(over: bytes.clamped(to: scanned - base..<end - base))
        scanned += step.count
        return step.isComplete
    }

    /// Whether a string of the value continues at `position`: a document whose lines were broken.
    mutating func isInString(at position: Int, in bytes: Span<UInt8>, base: Int) -> Bool {
        !hasEnded(upTo: position, in: bytes, base: base) && scanned == position && extent.isInString
    }

    /// Whether the formats are to be tried again, now that a trigger is in the line that ends
    /// `length` bytes after `start`.
    ///
    /// Each is shown everything from `start` on, because keys come in any order. So that a megabyte
    /// of lines that each have a key of Sentry's, and none that decides, is not looked through
    /// seventy thousand times, no document is shown more than some times its length: at each of its
    /// first lines, and later every so many.
    mutating func isDue(at length: Int) -> Bool {
        guard shown <= length * DocumentCandidate.timesShown else { return false }
        shown += length
        return true
    }

    /// Ten megabytes of such lines take 0.2 s (`scripts/checks/bombs keys_of_no_event`).
    private static let timesShown = 16
}
