internal import BinaryPrimitives
package import CrashLogModel

/// A stack that is nothing but addresses behind a heading, as programs without symbols print it, in one line, or in a document's lines:
///
///     Backtrace: 0x55d31c926b7b 0x55d31c926c01 0x7f41c8e2724a
///
///     ## Backtrace
///
///     ```
///     0x55d31c926b7b
///     0x55d31c926c01
///     0x7f41c8e2724a
///     ```
///
/// The log does not say what kind of addresses they are: some writers move return addresses back,
/// others do not. So they are looked up as they are, unless the code of the images shows the kind.
package struct BacktraceLine: LineFormat {
    package static let name = AddressList.name
    package static let summary = AddressList.summary
    package static let triggers = [
        "acktrace: 0x", "acktrace:", "tack trace:", "tack Trace:", "tacktrace:", "all stack:", "# Backtrace", "# Stack", "# Call",
        "**Backtrace",
        "**Stack", "**Call",
    ]

    private var frames: [Frame] = []
    /// The heading is above the addresses.
    private var isBelowHeading = false

    /// Two numbers may be anything.
    private static let fewest = 3
    /// The first page is never mapped.
    private static let lowest: UInt64 = 4096

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        if entries(line) != nil { return .possible }
        return isHeading(line) ? .weak : .none
    }

    private static let headings = ["backtrace", "stack trace", "stacktrace", "call stack", "callstack"]

    /// `## Backtrace`, `**Stack trace:**`, in letters of either case, and nothing else.
    private static func isHeading(_ line: Span<UInt8>) -> Bool {
        var text = line.trimmed()
        guard text.count <= 32 else { return false }
        while let first = text.at(0), isOne(first, of: "#*_= ") { text = text.from(1) }
        while let last = text.at(text.count - 1), isOne(last, of: ":*_= ") { text = text.upTo(text.count - 1) }
        let lowercase = (0..<text.count).map { text[$0] &- UInt8(ascii: "A") < 26 ? text[$0] | 0x20 : text[$0] }
        return headings.contains { lowercase.span.equals($0) }
    }

    package mutating func consume(_ line: Span<UInt8>, at lineRange: Range<Int>) -> LineVerdict {
        if isBelowHeading { return read(line, at: lineRange) }
        if frames.isEmpty, BacktraceLine.entries(line) == nil, BacktraceLine.isHeading(line) {
            isBelowHeading = true
            return .more
        }
        guard frames.isEmpty, let entries = BacktraceLine.entries(line) else { return .rejected }
        for (index, entry) in entries.enumerated() {
            let range = lineRange.lowerBound + entry.range.lowerBound..<lineRange.lowerBound + entry.range.upperBound
            frames.append(Frame(index: index, kind: .exact, address: RuntimeAddress(entry.address), range: range))
        }
        return .done
    }

    /// A line with an address alone; above the first, blank lines and a fence.
    private mutating func read(_ line: Span<UInt8>, at lineRange: Range<Int>) -> LineVerdict {
        let text = line.trimmed()
        if text.count == 0 || text.hasPrefix("```") { return frames.isEmpty ? .more : .rejected }
        guard frames.count < Limits.standard.framesPerThread, let row = AddressListRow(line), row.index == nil, row.entries.count == 1,
            case .number(let number) = row.entries[0].value, number.hasPrefix, number.hexadecimal >= BacktraceLine.lowest
        else { return .rejected }
        let range = row.entries[0].range
        frames.append(
            Frame(
                index: frames.count { !$0.isInlined }, kind: .exact, address: number.hexadecimal,
                range: lineRange.lowerBound + range.lowerBound..<lineRange.lowerBound + range.upperBound, printed: row.printed,
                isInlined: row.isInlined))
        return .more
    }

    package mutating func finish() -> [CrashReport] {
        guard !frames.isEmpty, !isBelowHeading || frames.count >= BacktraceLine.fewest else { return [] }
        var report = CrashReport(format: BacktraceLine.name)
        report.threads = [ThreadTrace(index: 0, crashed: true, frames: frames)]
        return [report]
    }

    package static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        AddressList.edit(of: frame, with: result, in: log)
    }

    package var incompleteTraceMessage: String { "" }

    /// The addresses, if nothing else follows the heading.
    private static func entries(_ line: Span<UInt8>) -> [(address: UInt64, range: Range<Int>)]? {
        guard let heading = line.firstRange(of: "acktrace: 0x"), heading.lowerBound > 0,
            line[heading.lowerBound - 1] | 0x20 == UInt8(ascii: "b")
        else { return nil }
        var rest = line.from(heading.lowerBound + "acktrace: ".utf8.count)
        var found: [(address: UInt64, range: Range<Int>)] = []
        while true {
            rest.skipBlanks()
            guard rest.count > 0 else { break }
            let start = line.count - rest.count
            guard let address = rest.readAddress(), address >= lowest, found.count < Limits.standard.framesPerThread,
                rest.at(0).map({ isBlank($0) || $0 == UInt8(ascii: "\r") }) ?? true
            else { return nil }
            found.append((address, start..<line.count - rest.count))
            _ = rest.consume("\r")
        }
        return found.count >= fewest ? found : nil
    }
}
