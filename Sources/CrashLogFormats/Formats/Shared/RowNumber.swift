internal import BinaryPrimitives
internal import CrashLogModel

/// The number at a row's beginning, in all punctuations: `#12`, `# 12`, `12:`, `12.`, `[12]`,
/// `(12)`, `12#`, `frame #3:`, `at 3`, `3 `.
struct RowNumber {
    /// Rows of one stack number themselves alike.
    enum Style: UInt8 {
        case none, hash, hashBlank, hashColon, colon, dot, brackets, parentheses, hashBehind, frame, bare
    }

    var value: Int
    var style: Style
    /// After the number and the blanks that follow.
    var end: Int

    /// - Parameter position: start of the row; blanks and bullets may come before the number.
    init?(_ line: Span<UInt8>, from position: Int) {
        var rest = line.from(position)
        RowNumber.skipBullets(&rest)
        let isFrame = rest.consume("frame ")
        // Kotlin/Native: `at 0   Demo   0x…`
        let isAt = !isFrame && rest.consume("at ")
        rest.skipBlanks()
        guard let first = rest.at(0) else { return nil }
        var style = Style.none
        switch first {
        case UInt8(ascii: "#"):
            rest = rest.from(1)
            style = rest.consume(" ") ? .hashBlank : .hash
            rest.skipBlanks()
        case UInt8(ascii: "["):
            rest = rest.from(1)
            // MXNet: `[bt] (3) `
            if rest.consume("bt] (") { style = .parentheses } else { style = .brackets }
            rest.skipBlanks()
        case UInt8(ascii: "("):
            rest = rest.from(1)
            style = .parentheses
        default: guard isDigit(first) else { return nil }
        }
        let digits = rest.count
        guard let number = rest.readDecimal(), digits - rest.count <= 6, let value = Int(exactly: number) else { return nil }
        self.value = value
        switch style {
        case .hash, .hashBlank:
            if rest.consume(":") { style = isFrame ? .frame : .hashColon } else if rest.consume(".") { style = .hashColon }
        case .brackets: guard rest.consume("]") else { return nil }
        case .parentheses: guard rest.consume(")") else { return nil }
        default:
            if rest.consume(":") {
                style = .colon
            } else if rest.consume(".") {
                style = .dot
            } else if rest.consume("#") {
                style = .hashBehind
            } else {
                style = .bare
            }
        }
        guard let blank = rest.at(0), isBlank(blank) || (style == .hashColon && rest.count > 0) else { return nil }
        guard !isAt || style == .bare else { return nil }
        rest.skipBlanks()
        guard rest.count > 0 else { return nil }
        self.style = style
        end = line.count - rest.count
    }

    /// `* `, `=>`, `> `, `| `, `thr<6> `: what debuggers and logs put before a row.
    static func skipBullets(_ rest: inout Span<UInt8>) {
        rest.skipBlanks()
        while let byte = rest.at(0), isOne(byte, of: "*>|-~"), let blank = rest.at(1), isBlank(blank) {
            rest = rest.from(1)
            rest.skipBlanks()
        }
        if rest.hasPrefix("=>") { rest = rest.from(2) }
        // Envoy before 1.8: `thr<6> #0 0x4b47a5`
        if rest.hasPrefix("thr<"), let close = rest.firstIndex(of: UInt8(ascii: ">")), close < 16 {
            rest = rest.from(close + 1)
            rest.skipBlanks()
        }
    }
}
