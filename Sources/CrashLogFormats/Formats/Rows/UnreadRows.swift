internal import BinaryPrimitives
internal import CrashLogModel

/// The lines inside a trace that look like rows, but that its format could not read.
///
/// Rows are never lost silently: a note gives the number of missing rows, and quotes the first.
package struct UnreadRows: Sendable {
    private var rows: [(start: Int, text: String)] = []
    private static let maxRows = 1000

    package init() {}

    /// Adds a line if it looks like a row: a row number, and an address or an offset.
    /// - Parameter start: position of the line's first byte in the log.
    package mutating func add(_ line: Span<UInt8>, at start: Int) {
        guard rows.count < Self.maxRows, RowNumber(line, from: line.indent) != nil, RowSearch.firstAddressOrOffset(in: line) != nil else {
            return
        }
        rows.append((start, rows.isEmpty ? PlainText.line(line.trimmed().upTo(60).text) : ""))
    }

    /// The note for a report's rows.
    /// - Parameter end: the trace's end in the log; later rows do not belong to it.
    /// - Returns: `nil` if no row was left over.
    package func note(before end: Int) -> String? {
        let count = rows.count { $0.start < end }
        guard count > 0 else { return nil }
        return count == 1 ? "A row could not be parsed: \(rows[0].text)" : "\(count) rows could not be parsed, the first: \(rows[0].text)"
    }
}
