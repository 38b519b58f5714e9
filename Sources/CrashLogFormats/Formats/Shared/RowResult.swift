internal import BinaryPrimitives
internal import CrashLogModel

/// A result to write into a row, for formats that have a wording of their own for it.
///
///     (EE) 3: /usr/lib/libqueue.so.1 (queue_push+0x1d) [0x7f1c2a00106d] slot [inlined] at /src/queue.h:7
///     (EE) 3: /usr/lib/libqueue.so.1 (queue_push+0x1d) [0x7f1c2a00106d] queue_push at /src/queue.c:23:18
///
/// The text before and after `range` is repeated in the rows of all functions.
struct RowResult {
    /// Counted in the row.
    var range: Range<Int>
    /// Part of `range` that stays, between a function's name and its location. Counted in the row.
    var kept = 0..<0
    /// Text that replaces `range`, innermost function first.
    var functions: [(name: String, location: String)]

    init(range: Range<Int>, keeping kept: Range<Int> = 0..<0, functions: [(name: String, location: String)]) {
        self.range = range
        self.kept = kept
        self.functions = functions
    }

    init(range: Range<Int>, functions: [String]) { self.init(range: range, functions: functions.map { ($0, "") }) }

    /// How the source location is written after a name.
    enum Style: Sendable {
        /// ` at /src/a.c:7:3`
        case at
        /// ` (/src/a.c:7:3)`
        case parentheses
        /// ` [/src/a.c:7,3]`
        case brackets
    }

    /// The mark after the name of an inlined function.
    static let inlined = " [inlined]"

    static func name(_ function: FrameResult.Function) -> String { PlainText.line(function.name) + (function.isInlined ? inlined : "") }

    /// `name+0x1a`; an inlined call has no offset.
    static func symbol(_ function: FrameResult.Function) -> String {
        guard !function.isInlined, let offset = function.offset else { return name(function) }
        return name(function) + "+0x" + String(offset, radix: 16)
    }

    static func location(_ function: FrameResult.Function, _ style: Style) -> String {
        guard let location = function.location else { return "" }
        switch style {
        case .at: return " at " + SourceLocationText.text(location, withColumn: true)
        case .parentheses: return " (" + SourceLocationText.text(location, withColumn: true) + ")"
        case .brackets: return " [" + SourceLocationText.text(location) + (location.column > 0 ? ",\(location.column)" : "") + "]"
        }
    }

    static func text(_ function: FrameResult.Function, _ style: Style) -> String { " " + name(function) + location(function, style) }
}
