internal import BinaryPrimitives
internal import CrashLogModel

/// A stack that is only addresses, several on a line and in parentheses:
/// `(0x30b5564f 0x34670c5d 0x140e1)`. Devices print exceptions like that, on the console and in
/// reports. It has no room for names, so a symbolicated list becomes the rows that the same program
/// writes when it knows names.
struct AppleAddressList {
    /// How the rows look.
    struct Layout {
        /// Before each row.
        var rowStart: String
        /// The parentheses stay, on lines of their own.
        var hasParentheses: Bool
        /// The width of the image's column, and what follows it.
        var nameWidth: Int
        var nameEnd: String
        /// Addresses are padded with zeros, to 8 or 16 digits.
        var hasPaddedAddresses: Bool

        /// backtrace_symbols(3), and so Foundation: `\t%-4d%-35s 0x%016lx %s + %lu`.
        static let console = Layout(rowStart: "\t", hasParentheses: true, nameWidth: 35, nameEnd: " ", hasPaddedAddresses: true)
        /// ReportCrash's `Last Exception Backtrace:` on iOS: `%-4d%-30s\t0x%lx %s + %lu`.
        static let report = Layout(rowStart: "", hasParentheses: false, nameWidth: 30, nameEnd: "\t", hasPaddedAddresses: false)
    }

    /// From the opening parenthesis to the end of the closing one.
    let range: Range<Int>

    /// The list that an address is in; `nil` if it is alone on its line.
    init?(around addressRange: Range<Int>, in log: Span<UInt8>) {
        let line = LogLine(around: addressRange, in: log)
        let behind = log.clamped(to: addressRange.upperBound..<max(addressRange.upperBound, line.range.upperBound)).trimmed()
        let before = log.clamped(to: line.range.lowerBound..<addressRange.lowerBound).trimmed()
        guard behind.count > 0 || before.count > 0, let open = log.lastIndex(of: UInt8(ascii: "("), before: addressRange.lowerBound) else {
            return nil
        }
        // The list begins on the parenthesis' own line (else its entries are on lines of their
        // own), with nothing but addresses inside.
        var first = log.from(open + 1)
        first.skipBlanks()
        guard first.at(0).map({ $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }) ?? false else { return nil }
        guard AppleAddressList.isOnlyAddresses(log.clamped(to: open + 1..<addressRange.lowerBound)) else { return nil }
        let close = log.firstIndex(of: UInt8(ascii: ")"), from: addressRange.upperBound) ?? line.range.upperBound
        guard close >= addressRange.upperBound, AppleAddressList.isOnlyAddresses(log.clamped(to: addressRange.upperBound..<close)) else {
            return nil
        }
        range = open..<min(close + 1, log.count)
    }

    private static func isOnlyAddresses(_ text: Span<UInt8>) -> Bool {
        for index in 0..<text.count {
            switch text[index] {
            case UInt8(ascii: "x"), UInt8(ascii: "X"), UInt8(ascii: ","), UInt8(ascii: "\n"), UInt8(ascii: "\r"): continue
            default: guard isBlank(text[index]) || hexadecimalValue(text[index]) != nil else { return false }
            }
        }
        return true
    }

    /// The edits of a report that has rows, and lists of addresses: a list becomes rows if at least
    /// one of its addresses is resolved.
    /// - Parameters:
    ///   - row: the edit of a frame that is a row.
    ///   - entry: the edit of a frame that is neither a row nor in a list.
    static func edits(
        _ layout: Layout, of report: CrashReport, results: [(frame: Frame, result: FrameResult)], in log: Span<UInt8>,
        row: (Frame, FrameResult, Span<UInt8>) -> TextEdit?, entry: (Frame, FrameResult, Span<UInt8>) -> TextEdit? = { _, _, _ in nil }
    ) -> [TextEdit] {
        let filter = ResultFilter(report)
        var edits: [TextEdit] = []
        var expanded = 0
        for (frame, result) in results where filter.isImprovement(result, for: frame) && frame.range.lowerBound >= expanded {
            if let edit = row(frame, result, log) {
                edits.add(edit)
            } else if let list = AppleAddressList(around: frame.range, in: log) {
                edits.add(list.rows(layout, of: report, results: results, filter, in: log))
                expanded = list.range.upperBound
            } else if let edit = entry(frame, result, log) {
                edits.add(edit)
            }
        }
        return edits
    }

    /// The edit that turns the list into rows. An unresolved address becomes `0x0 + address`, which
    /// marks it as unknown.
    private func rows(
        _ layout: Layout, of report: CrashReport, results: [(frame: Frame, result: FrameResult)], _ filter: ResultFilter,
        in log: Span<UInt8>
    ) -> TextEdit {
        let frames = report.stacks.lazy.flatMap(\.frames).filter { range.contains($0.range.lowerBound) }
        let found = Dictionary(results.map { ($0.frame.range.lowerBound, $0.result) }, uniquingKeysWith: { first, _ in first })
        let digits = !layout.hasPaddedAddresses ? 0 : frames.contains { ($0.address?.value ?? 0) >> 32 != 0 } ? 16 : 8
        let ending = String(decoding: LogLine(around: range.lowerBound..<range.lowerBound, in: log).ending, as: UTF8.self)
        // A writer's prefix comes before each line, so before the new ones; what else comes before
        // the list does not.
        let line = LogLine(around: range.lowerBound..<range.lowerBound, in: log).range
        let prefix = LinePrefix(of: log.clamped(to: line)).length
        let isAlone = range.lowerBound == line.lowerBound + prefix
        let newLine = ending + (isAlone ? log.clamped(to: line.lowerBound..<range.lowerBound).text : "")
        var rows: [String] = []
        for (index, frame) in frames.enumerated() {
            let address = frame.address?.value ?? 0
            let result = found[frame.range.lowerBound].flatMap { filter.isImprovement($0, for: frame) ? $0 : nil }
            let image = PlainText.line(result?.imageName ?? "???")
            let head = layout.rowStart + padded("\(index)", to: 4) + padded(image, to: layout.nameWidth) + layout.nameEnd
            let symbols = result?.functions.map(SymbolText.text(for:)) ?? ["0x0 + \(address)"]
            rows += symbols.map { head + "0x" + hexadecimal(address, digits: digits) + " " + $0 }
        }
        let text = (layout.hasParentheses ? ["("] + rows + [")"] : rows).joined(separator: newLine)
        return TextEdit(range: range, replacement: Array(text.utf8))
    }
}

/// `text` followed by spaces up to `width`.
func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.utf8.count))
}
