internal import BinaryPrimitives
internal import CrashLogModel

/// A row of gdb's while its lines come: gdb breaks them at 80 columns, mails and trackers anywhere.
///
///     #10 0x00007f08544cae5d in QApplicationPrivate::notify_helper (this=0x69a640,
///         receiver=0xc220a0, e=0x2ad1350) at kernel/qapplication.cpp:3772
///     #27 0x00007f8c3a8de4ef in
///         QEventDispatcherGlib::processEvents(QFlags<QEventLoop::ProcessEventsFlag>) ()
///         from /usr/lib64/libQtCore.so.4
struct GDBBrokenRow {
    private(set) var text: [UInt8]
    private(set) var range: Range<Int>
    private var lines = 1
    /// More lines than a row ever has: structures among the arguments take some.
    private static let limit = 64

    /// Returns `nil` if the line is not the first of a row.
    init?(_ line: Span<UInt8>, at range: Range<Int>) {
        guard let head = GDBRowHead(line) else { return nil }
        let rest = line.from(head.restStart)
        let isRow =
            head.address != nil || rest.hasPrefix("<signal handler called>") || rest.hasPrefix("<function called from gdb>")
            || rest.contains(" (")
        guard isRow else { return nil }
        text = line.copied()
        self.range = range
    }

    /// Reads the next line, if it continues the row.
    mutating func read(_ line: Span<UInt8>, at range: Range<Int>) -> Bool {
        guard lines < GDBBrokenRow.limit, !text.isEmpty, line.count > 0, continues(line) else { return false }
        lines += 1
        text.append(UInt8(ascii: " "))
        text.append(copying: line.trimmed())
        self.range = self.range.lowerBound..<range.upperBound
        return true
    }

    private func continues(_ line: Span<UInt8>) -> Bool {
        let row = text.span.trimmed()
        let trimmed = line.trimmed()
        guard trimmed.count > 0, trimmed[0] != UInt8(ascii: "#"), !GDBHeading.isThread(trimmed) else { return false }
        if isOpen(row) { return true }
        // After the arguments the row is complete, unless the source location or the library is on
        // a line of its own. `from = 3` is a local variable.
        let isIndented = isBlank(line[0])
        guard isIndented || row.hasSuffix(" in") || row.hasSuffix(" from") || row.hasSuffix(" at") else { return false }
        if row.hasSuffix(" in") || row.hasSuffix(" from") || row.hasSuffix(" at") { return true }
        if trimmed.hasPrefix("()") { return true }
        guard trimmed.hasPrefix("at ") || trimmed.hasPrefix("from ") else { return trimmed.hasPrefix("(") && !row.hasSuffix(")") }
        return !trimmed.hasPrefix("at = ") && !trimmed.hasPrefix("from = ") && row.hasSuffix(")")
    }

    /// Whether the arguments' parenthesis has not closed.
    private func isOpen(_ row: Span<UInt8>) -> Bool {
        var depth = 0
        var isString = false
        var index = 0
        while index < row.count {
            let byte = row[index]
            if isString {
                if byte == UInt8(ascii: "\\") { index += 1 }
                if byte == UInt8(ascii: "\"") { isString = false }
            } else if byte == UInt8(ascii: "\"") {
                isString = true
            } else if byte == UInt8(ascii: "(") {
                depth += 1
            } else if byte == UInt8(ascii: ")") {
                depth -= 1
            }
            index += 1
        }
        return depth > 0
    }
}
