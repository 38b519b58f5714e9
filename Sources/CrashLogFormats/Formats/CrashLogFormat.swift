public import CrashLogModel

/// How sure a format is that a line or document is its own. Content alone decides, never a file's
/// name.
public enum Confidence: Int, Comparable, Sendable {
    /// It is not.
    case none
    /// The line looks like a row of some stack; it counts only if no other format recognises it.
    case weak
    /// It could be; a format that is surer wins.
    case possible
    /// Only this format begins like that.
    case certain

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Describes one crash-log format: how it is detected and read, and how results are written back in
/// its own syntax.
public protocol CrashLogFormat: Sendable {
    /// The name in `cairn formats`, `--log-format` and `CrashReport.format`.
    static var name: String { get }
    /// One line for people: which program writes it.
    static var summary: String { get }
    /// The name and the line of each family of logs that this reads: one, but for a format that
    /// reads many.
    static var families: [(name: String, summary: String)] { get }

    /// Literal texts. Every line for which `begins` returns more than `none` contains at least one,
    /// whatever prefix it has; for a document, within its first 4 KB. The stream searches the log
    /// for all formats' triggers at once and shows a format only those lines, so that a format
    /// costs nothing where it does not occur. The longer and rarer a trigger, the better. Empty:
    /// the format is shown every line.
    static var triggers: [String] { get }

    /// Whether results can be written into such a log. Binary formats hold none: `--format same`
    /// gives the log as it is.
    static var acceptsResults: Bool { get }

    /// The edits that put results into the log: the frame's row (or JSON object) with name, offset,
    /// file and line filled in as the program that writes this format would have, inlined calls as
    /// rows of their own.
    ///
    /// - Parameters:
    ///   - report: a report that this format parsed.
    ///   - results: result of each resolved frame, sorted by position in the log.
    ///   - log: the whole log; the frames' ranges are counted from its first byte.
    /// - Returns: edits in ascending order that do not overlap. A frame whose row already says all
    ///   that the result does gets none.
    static func edits(of report: CrashReport, results: [(frame: Frame, result: FrameResult)], in log: Span<UInt8>) -> [TextEdit]

    /// The same for one frame, of a format that symbolicates each by itself: what the frame's row
    /// or object becomes. `nil` if it cannot hold the result. Only called for results that are
    /// worth writing.
    static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit?
}

extension CrashLogFormat {
    public static var families: [(name: String, summary: String)] { [(name, summary)] }
    public static var acceptsResults: Bool { true }
    public static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? { nil }
}

/// A format made of lines: fed one line at a time, so that a file, a pipe and a live stream are the
/// same to it.
public protocol LineFormat: CrashLogFormat {
    /// Whether `line` (without its ending and prefix) begins a trace of this format.
    static func begins(_ line: Span<UInt8>) -> Confidence

    /// The format is so plain that a trace of it is only believed where it is the whole log. It is
    /// tried on a log's first line alone (no triggers are needed), and where a line is rejected
    /// later, there was no trace.
    static var standsAlone: Bool { get }

    /// Whether `begins` gives the same result for all lines of one shape. Lines have one shape if they differ only in numbers and in names
    /// with digits or underscores; addresses and small numbers are different shapes. After `begins` has rejected two lines, further lines of
    /// their shape are not shown to the format.
    static var isDecidedByShape: Bool { get }

    /// The lines so far are one process' report of a crash whose stack another process writes: the
    /// next beginning of this format continues the trace, even if its prefix differs.
    var awaitsStackFromOtherProcess: Bool { get }
    /// The lines so far are text that many programs print, and have no row: a line with which another format may begin
    /// ends the trace.
    var yieldsToOtherFormats: Bool { get }
    /// Whether a line is a row of the trace, whatever other formats may begin with it.
    func isOwnRow(_ line: Span<UInt8>) -> Bool
    /// Whether a log that begins with `line` is one of this format whose head is cut off. Called
    /// for a log's first line alone, which needs no trigger.
    static func beginsCut(_ line: Span<UInt8>) -> Bool

    /// A reader that has no line yet.
    init()

    /// A reader for a log that is of that one of its `families`.
    init(family: String)

    /// Reads the next line of a trace.
    /// - Parameters:
    ///   - line: the line's text, without its ending and without a prefix such as a date that was
    ///     split off.
    ///   - range: position of those bytes in the log.
    /// - Returns: `more` if the trace may go on, `done` if this line was its last, `rejected` if
    ///   the line is not part of it (the trace ended before it), `unknown` if it means nothing to
    ///   the format although such lines may be in a trace.
    mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict

    /// The reports of the trace so far, in the log's order: one for each process in it; empty if
    /// nothing in it was a stack.
    mutating func finish() -> [CrashReport]

    /// Why `finish` gave no report: what the trace's first line looks like, and what is missing.
    /// Continues a sentence that begins with that line. Empty where the line looks like nothing in
    /// particular.
    var incompleteTraceMessage: String { get }
}

extension LineFormat {
    public init(family: String) { self.init() }

    public static var standsAlone: Bool { false }
    public static var isDecidedByShape: Bool { false }
    public var awaitsStackFromOtherProcess: Bool { false }
    public var yieldsToOtherFormats: Bool { false }
    public func isOwnRow(_ line: Span<UInt8>) -> Bool { false }
    public static func beginsCut(_ line: Span<UInt8>) -> Bool { false }

    public var incompleteTraceMessage: String { "looks like the beginning of \(Self.name), but no stack follows it." }
}

/// A format's result for a line that it was given.
public enum LineVerdict: Sendable {
    /// The line is part of the trace, which may continue.
    case more
    /// The line was the last of the trace.
    case done
    /// The trace ended before the line.
    case rejected
    /// The trace may go on after this line. It ends before it where another format is certain that
    /// the line is its own beginning, and where `Limits.unknownLines` of them follow one another.
    case unknown
}

/// A format that is one document (JSON, a property list): parsed whole.
public protocol DocumentFormat: CrashLogFormat {
    /// Whether a log that begins with `start` (up to some kilobytes) is such a document.
    static func begins(_ start: Span<UInt8>) -> Confidence

    /// How many JSON values after one another make a document: 1, or 2 for a header and a body.
    static var topLevelValues: Int { get }

    /// First bytes of such a document, if it is not text: the whole log is then the document. Empty
    /// for text, and for documents that `begins` recognises by their structure.
    static var magic: [UInt8] { get }

    /// Whether such a document is not text: only a whole log can be one, and its first bytes show
    /// it. Without magic bytes, `begins` returns `possible` while more of the log is needed.
    static var isBinary: Bool { get }

    /// Parses the document: one report for each process in it, at least one. Missing parts become
    /// notes.
    /// - Throws: `LogError` where nothing of it can be used.
    static func parse(_ document: Span<UInt8>) throws(LogError) -> [CrashReport]

    /// The same for a document that may hold a text report, as old `.ips` files do.
    /// - Parameters:
    ///   - imagesOfFrames: images that no frame is in may be left out, where the results for the
    ///     frames stay what they are: of 400 images of an app, its stacks are in some 20.
    ///   - readText: returns the reports of such a text, with ranges that count from its first
    ///     byte.
    static func parse(
        _ document: Span<UInt8>, imagesOfFrames: Bool, readText: (Span<UInt8>) -> [CrashReport]
    ) throws(LogError) -> [CrashReport]
}

extension DocumentFormat {
    public static var topLevelValues: Int { 1 }
    public static var magic: [UInt8] { [] }
    public static var isBinary: Bool { !magic.isEmpty }

    public static func parse(
        _ document: Span<UInt8>, imagesOfFrames: Bool, readText: (Span<UInt8>) -> [CrashReport]
    ) throws(LogError) -> [CrashReport] {
        try parse(document)
    }
}
