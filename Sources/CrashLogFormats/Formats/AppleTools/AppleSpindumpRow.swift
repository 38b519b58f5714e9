internal import BinaryPrimitives
internal import CrashLogModel

/// One row of spindump's trees, and of its lists `Heaviest stack for the target process:`
///
///     101  start + 2432 (dyld + 25360) [0x7ff806675310]
///       49  static App.$main() + 35 (App.swift:31,1 in App + 17460019) [0x10772db33] 1-49
///      *101  ??? (kernel + 1376720) [0xffffff800042c1d0] (runnable)        the kernel's
///     11  ??? (dyld + 82408)                                               without addresses
///     12 start + 53 (QQ) [0x14e55]                                         OS X 10.9
///      *101  ??? [0]                                                       nothing is known
///     13  <truncated backtrace>                                            could not be read further down
///
/// After the address there may be in which samples the row was met (`1-49`) and what the thread did
/// (`(running)`).
struct AppleSpindumpRow {
    /// Where the count begins. A star before it is in the column of a blank.
    var column: Int
    var samples: Int
    /// The kernel's own.
    var isKernel: Bool
    /// Where the text after the count begins.
    var nameStart: Int
    var name: String?
    var offset: UInt64?
    var isInlined = false
    var location: SourceLocation?
    var imageName: String?
    var imageOffset: UInt64?
    var address: UInt64?
    /// `<truncated backtrace>`: spindump could not read the stack further down.
    var isTruncated = false
    /// Where the image's parentheses end; without them, where the name and its offset do.
    var answerEnd: Int

    init?(_ row: Span<UInt8>) {
        var rest = row
        rest.skipBlanks()
        isKernel = rest.take("*")
        column = row.count - rest.count
        guard let value = rest.takeDecimal(), let samples = Int(exactly: value), rest.at(0) == UInt8(ascii: " ") else { return nil }
        self.samples = samples
        rest.skipBlanks()
        nameStart = row.count - rest.count
        if rest.trimmed().equals("<truncated backtrace>") {
            isTruncated = true
            answerEnd = row.count
            return
        }
        var text = rest
        if let found = AppleSpindumpRow.address(in: rest) {
            address = found.value
            text = rest.upTo(found.start)
        } else if !rest.hasSuffix(")") {
            return nil
        }
        text = text.trimmed()
        answerEnd = nameStart + text.count
        if let group = AppleSpindumpRow.group(text) {
            takeImage(text.clamped(to: group))
            text = text.upTo(group.lowerBound - 1).trimmed()
        }
        guard address != nil || imageOffset != nil else { return nil }
        isInlined = text.takeLast(" [inlined]")
        text = text.trimmed()
        offset = text.takeDecimal(atEndBehind: " + ")
        text = text.trimmed()
        if text.count > 0, !text.equals("???") { name = text.text }
    }

    /// ` [0x7ff806675310]`, or ` [0]`, and where it begins.
    private static func address(in text: Span<UInt8>) -> (start: Int, value: UInt64)? {
        var from = 0
        while let found = text.firstRange(of: " [0", from: from) {
            var rest = text.from(found.lowerBound + 2)
            if let value = rest.takeAddress() ?? (rest.take("0") ? 0 : nil), rest.hasPrefix("]") { return (found.lowerBound, value) }
            from = found.upperBound
        }
        return nil
    }

    /// What is in the parentheses that end `text`: names of images and functions hold pairs of
    /// their own.
    private static func group(_ text: Span<UInt8>) -> Range<Int>? {
        guard let open = text.openingParenthesis, text.at(open - 1) == UInt8(ascii: " ") else { return nil }
        return open + 1..<text.count - 1
    }

    /// `dyld + 25360`, `App.swift:31,1 in App + 17460019`, `App.swift in App + 17460153`, `QQ`
    private mutating func takeImage(_ text: Span<UInt8>) {
        var rest = text
        imageOffset = rest.takeDecimal(atEndBehind: " + ")
        if let within = rest.lastRange(of: " in ") {
            location = AppleSpindumpRow.location(rest.upTo(within.lowerBound))
            rest = rest.from(within.upperBound)
        }
        if rest.count > 0, !rest.equals("???") { imageName = rest.text }
    }

    /// `App.swift:31,1`; without a line where the compiler made the code.
    private static func location(_ text: Span<UInt8>) -> SourceLocation? {
        guard text.count > 0 else { return nil }
        guard let colon = text.lastIndex(of: UInt8(ascii: ":")) else { return SourceLocation(file: text.text, line: 0) }
        var rest = text.from(colon + 1)
        guard let line = rest.takeDecimal().flatMap({ Int(exactly: $0) }) else { return SourceLocation(file: text.text, line: 0) }
        let column = rest.take(",") ? rest.takeDecimal().flatMap { Int(exactly: $0) } : nil
        return SourceLocation(file: text.upTo(colon).text, line: line, column: column ?? 0)
    }

    var printed: PrintedSymbol? {
        guard name != nil || location != nil else { return nil }
        return PrintedSymbol(name: name, offset: name == nil ? nil : offset, location: location)
    }
}
