internal import BinaryPrimitives
package import CrashLogModel

extension SwiftBacktrace {
    /// A row gets ` NAME + OFFSET in IMAGE at PATH:LINE:COLUMN` after its address. Inlined calls
    /// get rows of their own above it, with `[inlined]` and without an offset. They repeat the
    /// row's number, so that the numbers of all others stay. A coloured row is symbolicated in the
    /// backtracer's colours.
    package static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        let isApple = isApple(report)
        return AnswerFilter.edits(of: report, answers: answers, in: log) { edit(of: $0, with: $1, isApple: isApple, in: $2) }
    }

    private static func edit(of frame: Frame, with answer: FrameAnswer, isApple: Bool, in log: Span<UInt8>) -> TextEdit? {
        let place = frame.place
        let text = log.clamped(to: place)
        // One name, two forms: a frame of the JSON form is an object.
        if text.at(0) == UInt8(ascii: "{") { return SwiftBacktraceJSON.edit(of: frame, with: answer, isApple: isApple, in: log) }
        let plain = ANSIText(text)
        guard let row = SwiftBacktraceRow(plain.bytes.span), row.address != nil else { return nil }
        let paint = Paint(isColored: plain.isColored)
        let symbols = answer.functions.map {
            symbol($0, offset: printedOffset($0, of: frame, isApple: isApple), in: row.symbol.imageName ?? answer.imageName, paint)
        }
        let numberEnd = place.lowerBound + plain.positionBehind(row.indexEnd, in: text)
        let addressStart = place.lowerBound + plain.positionAfter(row.addressStart)
        let addressEnd = place.lowerBound + plain.positionBehind(row.addressEnd, in: text)
        let columns = answer.functions.map { attributes($0, of: row) }
        guard symbols.count > 1 || columns.last != row.attributes else {
            return TextEdit(range: addressEnd..<place.upperBound, replacement: Array((symbols.first ?? "").utf8))
        }

        // Number and address as the row has them; between them the attributes, as wide as the
        // row's.
        let line = LogLine(around: place, in: log)
        let head = log.clamped(to: line.range.lowerBound..<numberEnd).copied()
        let address = log.clamped(to: addressStart..<addressEnd).copied()
        let width = max(0, row.addressStart - row.indexEnd - 2)
        var replacement: [UInt8] = []
        for (index, symbol) in symbols.enumerated() {
            if index > 0 { replacement += line.ending + head }
            replacement +=
                columns[index] == row.attributes
                ? log.clamped(to: numberEnd..<addressStart).copied() : Array(column(columns[index], width: width, paint).utf8)
            replacement += address + Array(symbol.utf8)
        }
        return TextEdit(range: numberEnd..<place.upperBound, replacement: replacement)
    }

    /// ` [ra] [inlined] `
    private static func column(_ attributes: [String], width: Int, _ paint: Paint) -> String {
        let plainWidth = attributes.reduce(attributes.count - 1) { $0 + $1.utf8.count + 2 }
        let spaces = String(repeating: " ", count: max(0, width - plainWidth))
        return " " + attributes.map { paint.attribute("[\($0)]") }.joined(separator: " ") + spaces + " "
    }

    /// The row's attributes and those that the result adds, in the backtracer's order.
    private static func attributes(_ function: FrameAnswer.Function, of row: SwiftBacktraceRow) -> [String] {
        var attributes = row.attributes.filter { $0 == "ra" || $0 == "async" }
        if function.isInlined { attributes.append("inlined") }
        // A friendly report shows no attributes, and so only the one without which the row could
        // not be understood.
        guard row.addressStart > row.indexEnd + 1 else { return attributes }
        if SwiftFunctionKind.isThunk(function.mangledName) { attributes.append("thunk") }
        if SwiftFunctionKind.isSystem(function) { attributes.append("system") }
        return attributes
    }

    private static func symbol(_ function: FrameAnswer.Function, offset: UInt64?, in image: String, _ paint: Paint) -> String {
        var text = " " + paint.symbol(PlainText.line(function.name))
        if let offset, offset > 0 { text += paint.offset(" + \(offset)") }
        text += " in " + paint.image(PlainText.line(image))
        if let location = function.location { text += " at " + paint.location(SwiftSymbolText.text(location)) }
        return text
    }

    /// What follows `+`. On Linux the backtracer counts to the address that it looks up: for a
    /// return address, one byte less than the raw one. On Apple's systems it counts to the raw
    /// address (`originalProgramCounter` in `SymbolicatedBacktrace`). Inlined calls have none.
    static func printedOffset(_ function: FrameAnswer.Function, of frame: Frame, isApple: Bool) -> UInt64? {
        guard let offset = function.offset, !function.isInlined else { return nil }
        return frame.kind == .returnAddress && offset > 0 && !isApple ? offset - 1 : offset
    }

    static func isApple(_ report: CrashReport) -> Bool {
        guard let platform = report.platform else { return false }
        return ["macOS", "iOS", "tvOS", "watchOS", "visionOS"].contains { platform.hasPrefix($0) }
    }
}

/// The colours of swift-backtrace's standard theme.
private struct Paint {
    var isColored: Bool

    func symbol(_ text: String) -> String { paint(text, "96") }
    func offset(_ text: String) -> String { paint(text, "37") }
    func image(_ text: String) -> String { paint(text, "36") }
    func location(_ text: String) -> String { paint(text, "33") }
    func attribute(_ text: String) -> String { paint(text, "34") }

    private func paint(_ text: String, _ color: String) -> String { isColored ? "\u{1B}[\(color)m\(text)\u{1B}[39m" : text }
}
