internal import BinaryPrimitives

/// The colors that a log has set, so that replaced text can have a different color, and the log's own color
/// can be restored.
struct MarkupColors {
    private let areEnabled: Bool
    /// Second digit of the control sequence: 0 black to 7 white; `nil` for the terminal's default.
    private var color: UInt8?
    private var isBold = false

    private static let blue: UInt8 = 4
    private static let cyan: UInt8 = 6
    private static let green: UInt8 = 2

    init(areEnabled: Bool) { self.areEnabled = areEnabled }

    /// Returns the size of the control sequence at the beginning of `text`, of those that markup may have:
    /// ESC [ 0 m, ESC [ 1 m, ESC [ 30 m to ESC [ 37 m; `nil` if there is none.
    static func sequenceSize(_ text: ArraySlice<UInt8>) -> Int? {
        let head = Array(text.prefix(5))
        guard head.count >= 4, head[0] == 0x1b, head[1] == UInt8(ascii: "[") else { return nil }
        if head[3] == UInt8(ascii: "m"), head[2] == UInt8(ascii: "0") || head[2] == UInt8(ascii: "1") { return 4 }
        guard head.count == 5, head[2] == UInt8(ascii: "3"), (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(head[3]),
            head[4] == UInt8(ascii: "m")
        else { return nil }
        return 5
    }

    /// Applies a control sequence of the log.
    mutating func apply(_ sequence: ArraySlice<UInt8>, to output: inout OutputText) {
        let bytes = Array(sequence)
        if bytes.count == 5 {
            color = bytes[3] - UInt8(ascii: "0")
            if let color { set(color, isBold: false, to: &output) }
        } else if bytes[2] == UInt8(ascii: "1") {
            isBold = true
            if areEnabled { output.append("\u{1b}[1m") }
        } else {
            reset(to: &output)
        }
    }

    /// Resets to the terminal's default.
    mutating func reset(to output: inout OutputText) {
        guard color != nil || isBold else { return }
        color = nil
        isBold = false
        if areEnabled { output.append("\u{1b}[0m") }
    }

    /// Sets the color of text that replaces markup.
    func highlight(to output: inout OutputText) { set(color == Self.blue ? Self.cyan : Self.blue, isBold: isBold, to: &output) }

    /// Sets the color of a value in that text.
    func highlightValue(to output: inout OutputText) { set(Self.green, isBold: isBold, to: &output) }

    /// Restores the log's own color.
    func restore(to output: inout OutputText) {
        guard areEnabled else { return }
        if let color { return set(color, isBold: isBold, to: &output) }
        output.append("\u{1b}[0m")
        if isBold { output.append("\u{1b}[1m") }
    }

    private func set(_ color: UInt8, isBold: Bool, to output: inout OutputText) {
        guard areEnabled else { return }
        output.append(text: "\u{1b}[0;\(isBold ? "1;" : "")3\(color)m")
    }
}
