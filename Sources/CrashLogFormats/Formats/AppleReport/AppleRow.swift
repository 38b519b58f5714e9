internal import BinaryPrimitives
internal import CrashLogModel

/// One frame as Apple's programs print it: ReportCrash's reports, `backtrace_symbols(3)` and so
/// every `First throw call stack`, PLCrashReporter and KSCrash:
///
///     3   CBL Bug Demo                        0x000000010158513c ___forwarding___ + 988
///     0   CrashingTest                  	       0x10e311e45 0x10e30e000 + 15941
///     #0   0x8fe01280 in halt                                         (Mac OS X 10.1)
///     0   Demo       0x0000000104a38000   0000000104a383f8 + 8        (Measure: the image's load address before the frame's own)
///
/// Columns are padded with spaces and tabs, and an image's name may hold spaces itself: the address
/// is what separates them.
struct AppleRow {
    var index: Int
    /// `nil` in the oldest reports, which do not have it.
    var imageName: String?
    var address: UInt64
    /// Just after the address, in bytes from the row's start.
    var addressEnd: Int
    var symbol: SymbolText
    /// The image's load address, where the row has it before the frame's own.
    private(set) var base: UInt64?

    init?(_ row: Span<UInt8>) {
        if let plain = AppleBlanks.replaced(in: row) {
            self.init(plain: plain.span)
        } else {
            self.init(plain: row)
        }
    }

    private init?(plain row: Span<UInt8>) {
        var rest = row
        rest.skipBlanks()
        let isOldest = rest.consume("#")
        guard let number = rest.readDecimal(), let index = Int(exactly: number), let blank = rest.at(0), isBlank(blank) else { return nil }
        self.index = index
        rest.skipBlanks()
        let name = rest
        guard let found = AppleRow.address(in: rest) else { return nil }
        address = found.value
        addressEnd = row.count - rest.count + found.end
        let image = name.upTo(found.start).trimmed()
        // A program without an identifier has an empty column (10.13): blanks as wide as a name,
        // and the tab after it.
        guard isOldest || image.count > 0 || found.start == 0 && AppleRow.isColumn(row.upTo(row.count - rest.count)) else { return nil }
        imageName = image.count > 0 ? image.text : nil
        var text = rest.from(found.end).trimmed()
        if isOldest, text.consume("in ") { text = text.trimmed() }
        if let own = AppleRow.address(behindBase: address, text) {
            base = address
            address = own
            addressEnd += rest.from(found.end).indent + AppleRow.digits
            text = text.from(AppleRow.digits).trimmed()
        }
        symbol = SymbolText(text, imageName: imageName, address: address)
        if let base {
            symbol.imageOffset = address - base
            // `+ 8` counts from a function without a name.
            if text.hasPrefix("+ ") { symbol.printed = nil }
        }
    }

    /// `22` and a column of blanks with a tab at its end.
    private static func isColumn(_ text: Span<UInt8>) -> Bool {
        guard let tab = text.lastIndex(of: UInt8(ascii: "\t")) else { return false }
        return text.upTo(tab).count - text.upTo(tab).trimmed().count >= 16
    }

    /// The first token that is an address. Technical Note TN2123 shows one without `0x` in the row
    /// of an unknown image: `0 ??? 0000000000 0 + 0`.
    private static func address(in text: Span<UInt8>) -> (start: Int, end: Int, value: UInt64)? {
        var start = 0
        while start < text.count {
            var rest = text.from(start)
            let isUnknownImage = start > 0 && text.upTo(start).trimmed().equals("???")
            if let value = rest.readAddress() ?? (isUnknownImage ? rest.readHexadecimal() : nil),
                rest.at(0).map(isBlank) ?? true
            {
                return (start, text.count - rest.count, value)
            }
            guard let next = nextToken(in: text, after: start) else { return nil }
            start = next
        }
        return nil
    }

    /// `0000000104a383f8` behind `0x0000000104a38000`: Measure's text (`binary_address`, `symbol_address`).
    private static func address(behindBase base: UInt64, _ text: Span<UInt8>) -> UInt64? {
        var rest = text
        guard base > 0, base & 0xFFF == 0, text.at(0) == UInt8(ascii: "0"), let value = rest.readHexadecimal(),
            text.count - rest.count == digits, rest.at(0).map(isBlank) ?? true, value >= base, value - base < SymbolText.longestImage
        else { return nil }
        return value
    }

    /// Number of digits of a 64-bit address.
    private static let digits = 16

    private static func nextToken(in text: Span<UInt8>, after start: Int) -> Int? {
        var index = start
        while let byte = text.at(index), !isBlank(byte) { index += 1 }
        while let byte = text.at(index), isBlank(byte) { index += 1 }
        return index < text.count ? index : nil
    }

    /// The row as a frame; its kind is decided where the whole stack is known.
    func frame(at range: Range<Int>) -> Frame {
        var frame = Frame(
            index: index, address: address, range: range, imageName: imageName, imageOffset: symbol.imageOffset, printed: symbol.printed,
            isInlined: symbol.isInlined)
        frame.imageID = symbol.imageID
        return frame
    }

    /// The edit that symbolicates a row: what follows the address is replaced, the columns before
    /// it stay. Inlined calls become rows of their own above it, with `[inlined]`, as reports have
    /// them since macOS 12; they repeat the row's number, so that the numbers of all others stay.
    static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        guard let row = AppleRow(log.clamped(to: frame.range)) else { return nil }
        return edit(at: frame.range, from: row.addressEnd, separator: " ", with: result, in: log)
    }

    /// - Parameters:
    ///   - start: offset in the row from which the result replaces the text, up to the row's end.
    ///     The text before it is repeated in each inlined call's row.
    ///   - separator: in front of the result.
    static func edit(at range: Range<Int>, from start: Int, separator: String, with result: FrameResult, in log: Span<UInt8>) -> TextEdit {
        let texts = result.functions.map { separator + SymbolText.text(for: $0) }
        return .rows(RowResult(range: start..<range.count, functions: texts), in: range, of: log)
    }
}

/// Replaces blanks in a row that a mailer broke over several lines: each line break becomes a
/// blank.
enum AppleBlanks {
    /// The same number of bytes with blanks instead of line breaks; `nil` if there are none, as in
    /// nearly every line.
    static func replaced(in text: Span<UInt8>) -> [UInt8]? {
        var bytes: [UInt8]?
        for index in 0..<text.count {
            switch text[index] {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                if bytes == nil { bytes = text.copied() }
                bytes?[index] = UInt8(ascii: " ")
            default: continue
            }
        }
        return bytes
    }
}
