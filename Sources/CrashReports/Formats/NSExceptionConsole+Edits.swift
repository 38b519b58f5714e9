internal import BinaryPrimitives

extension NSExceptionConsole {
    /// Numbered rows are answered as `AppleRow` has it. An entry on a line of its own, which had no way of telling a name, gets it two spaces behind:
    /// `    11076,  -[CrashExampleAppDelegate performTransition] + 88 (CrashExampleAppDelegate.m:94)`. A list of addresses on one line becomes numbered rows,
    /// if at least one of them is answered.
    public static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        let filter = AnswerFilter(report)
        var edits: [TextEdit] = []
        var expanded = 0
        for (frame, answer) in answers where filter.isImprovement(answer, for: frame) && frame.place.lowerBound >= expanded {
            if let edit = AppleRow.edit(of: frame, with: answer, in: log) {
                edits.append(edit)
            } else if let list = list(around: frame.place, in: log) {
                edits.append(expansion(of: list, report, answers, filter, in: log))
                expanded = list.upperBound
            } else if let edit = edit(ofEntry: frame, with: answer, in: log) {
                edits.append(edit)
            }
        }
        return edits
    }

    private static func edit(ofEntry frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        var rest = log.clamped(to: frame.place)
        guard (rest.takeAddress() ?? rest.takeDecimal()) != nil else { return nil }
        _ = rest.take(",")
        let start = frame.place.upperBound - rest.count
        let line = LogLine(around: frame.place, in: log)
        return AppleRow.edit(
            replacing: start..<frame.place.upperBound, head: line.range.lowerBound..<start, ending: line.ending, separator: "  ",
            with: answer, in: log)
    }

    /// The list in parentheses that an entry is in, if it is not alone on its line.
    private static func list(around place: Range<Int>, in log: Span<UInt8>) -> Range<Int>? {
        let line = LogLine(around: place, in: log)
        let behind = log.clamped(to: place.upperBound..<line.range.upperBound).trimmed()
        let before = log.clamped(to: line.range.lowerBound..<place.lowerBound).trimmed()
        guard behind.count > 0 || before.count > 0, let open = log.lastIndex(of: UInt8(ascii: "("), before: place.lowerBound) else {
            return nil
        }
        // Nothing but entries between the parenthesis and this one.
        guard isOnlyEntries(log.clamped(to: open + 1..<place.lowerBound)) else { return nil }
        let close = log.firstIndex(of: UInt8(ascii: ")"), from: place.upperBound) ?? line.range.upperBound
        guard isOnlyEntries(log.clamped(to: place.upperBound..<close)) else { return nil }
        return open..<min(close + 1, log.count)
    }

    private static func isOnlyEntries(_ text: Span<UInt8>) -> Bool {
        for index in 0..<text.count {
            switch text[index] {
            case UInt8(ascii: "x"), UInt8(ascii: "X"), UInt8(ascii: ","), UInt8(ascii: "\n"), UInt8(ascii: "\r"): continue
            default: guard isBlank(text[index]) || hexadecimalValue(text[index]) != nil else { return false }
            }
        }
        return true
    }

    /// The list as the rows of backtrace_symbols(3): number, image, address, symbol and offset. What is not answered is `0x0 + address`, that function's way of
    /// saying that it knows nothing.
    private static func expansion(
        of list: Range<Int>, _ report: CrashReport, _ answers: [(frame: Frame, answer: FrameAnswer)], _ filter: AnswerFilter,
        in log: Span<UInt8>
    ) -> TextEdit {
        let frames = (report.exceptionBacktrace?.frames ?? []).filter { list.contains($0.place.lowerBound) }
        let found = Dictionary(answers.map { ($0.frame.place.lowerBound, $0.answer) }, uniquingKeysWith: { first, _ in first })
        let digits = frames.contains { ($0.address?.value ?? 0) >> 32 != 0 } ? 16 : 8
        let ending = String(decoding: LogLine(around: list.lowerBound..<list.lowerBound, in: log).ending, as: UTF8.self)
        var text = "(" + ending
        for (index, frame) in frames.enumerated() {
            let address = frame.address?.value ?? 0
            let answer = found[frame.place.lowerBound].flatMap { filter.isImprovement($0, for: frame) ? $0 : nil }
            let image = answer?.imageName ?? "???"
            let symbols = answer?.functions.map(AppleSymbolText.text(for:)) ?? ["0x0 + \(address)"]
            for symbol in symbols {
                text +=
                    "\t\(padded("\(index)", to: 4))\(padded(image, to: 35)) 0x\(hexadecimal(address, digits: digits)) \(symbol)\(ending)"
            }
        }
        return TextEdit(range: list, replacement: Array((text + ")").utf8))
    }
}

/// `text` with spaces behind it up to `width`, and at least one.
func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.utf8.count))
}

/// Lower-case hexadecimal digits with zeros before them up to `digits`.
func hexadecimal(_ value: UInt64, digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
}
