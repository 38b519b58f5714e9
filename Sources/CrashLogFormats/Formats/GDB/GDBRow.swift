internal import BinaryPrimitives
internal import CrashLogModel

/// One row of gdb's `bt` (`print_frame` of gdb/stack.c), with the lines joined on which gdb has
/// broken it:
///
///     #0  0x00007f0853178241 in nanosleep () from /lib/libc.so.6
///     #6  0x00007fffe6a2c5cc in ?? ()
///     #10 0x00007f08544cae5d in QApplicationPrivate::notify_helper (this=0x69a640, receiver=0xc220a0) at kernel/qapplication.cpp:3772
///     #11 unload (ship=0x7fffffffecd0) at harbour.c:16
///     #3  <signal handler called>
struct GDBRow {
    var index: Int
    var address: UInt64?
    /// `nil` for `??`.
    var name: String?
    /// `from`: gdb prints it for a function without a line.
    var imagePath: String?
    var location: SourceLocation?
    /// `<signal handler called>`, `<function called from gdb>`: no function of the program's.
    var isMarker = false

    init?(_ row: Span<UInt8>) {
        guard let head = GDBRowHead(row) else { return nil }
        index = head.index
        address = head.address
        let text = row.from(head.restStart).trimmed()
        if text.hasPrefix("<"), text.hasSuffix(">"), address == nil {
            isMarker = true
            name = text.text
            return
        }
        let tail = GDBRow.tail(of: text)
        location = tail.location
        imagePath = tail.image
        let body = text.upTo(tail.start).trimmed()
        guard body.hasSuffix(")"), let arguments = GDBRow.arguments(of: body) else {
            // Others write rows like gdb's, without its arguments: `#2 0x0000000104a38408 in main`.
            guard address != nil, body.count > 0 else { return nil }
            name = body.upTo(body.firstRange(of: " (")?.lowerBound ?? body.count).text
            return
        }
        // Python's printers of frames have been seen to leave the name out.
        let found = body.upTo(arguments).trimmed()
        guard found.count > 0 || address != nil else { return nil }
        name = found.equals("??") || found.count == 0 ? nil : found.text
        // A row without an address must be a function whose line is known:
        // `#5 main () at main.c:8`. Prose does not match that.
        guard address != nil || location != nil else { return nil }
    }

    /// Source location or library after the arguments, and the offset at which it begins.
    private static func tail(of text: Span<UInt8>) -> (start: Int, location: SourceLocation?, image: String?) {
        if let at = wordBehindArguments(" at ", of: text) {
            let locationText = text.from(at.upperBound).trimmed()
            // Some builds of gdb have `at` before a library, too.
            let location = AddressToLineText.location(locationText)
            return (at.lowerBound, location, location == nil ? locationText.text : nil)
        }
        if let from = wordBehindArguments(" from ", of: text) { return (from.lowerBound, nil, text.from(from.upperBound).trimmed().text) }
        return (text.count, nil, nil)
    }

    /// Range of the last `word` that follows a closing parenthesis; blanks may come before it.
    private static func wordBehindArguments(_ word: String, of text: Span<UInt8>) -> Range<Int>? {
        var end: Int?
        while let range = text.lastRange(of: word, before: end) {
            if text.upTo(range.lowerBound).trimmed().hasSuffix(")"), range.upperBound < text.count { return range }
            end = range.upperBound - 1
        }
        return nil
    }

    /// Offset of the parenthesis that opens the arguments: the last one that follows a blank, is
    /// not inside another pair, and closes at the end. Names have parentheses of their own
    /// (`std::function<void (int)>::operator()(int) const (this=0x1)`), and strings among the
    /// arguments have some that do not match.
    private static func arguments(of text: Span<UInt8>) -> Int? {
        var depth = 0
        var start: Int?
        var found: Int?
        var index = 0
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\""): index = endOfString(text, from: index)
            case UInt8(ascii: "("), UInt8(ascii: "{"):
                if depth == 0 { start = text[index] == UInt8(ascii: "(") && (index == 0 || isBlank(text[index - 1])) ? index : nil }
                depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "}"):
                depth -= 1
                if depth == 0, index == text.count - 1 { found = start }
                if depth < 0 { depth = 0 }
            default: break
            }
            index += 1
        }
        // Quotes or parentheses that do not match, in a string that gdb has cut: the first blank
        // followed by a parenthesis.
        return found ?? text.firstRange(of: " (").map { $0.lowerBound + 1 }
    }

    /// Offset of the closing quote of the string that begins at `start`; `start` itself if the
    /// string is not closed.
    private static func endOfString(_ text: Span<UInt8>, from start: Int) -> Int {
        var index = start + 1
        while index < text.count {
            if text[index] == UInt8(ascii: "\\") { index += 1 } else if text[index] == UInt8(ascii: "\"") { return index }
            index += 1
        }
        return start
    }

    func frame(at range: Range<Int>) -> Frame {
        var frame = Frame(index: index, kind: isMarker ? .exact : .returnAddress, address: address.map { RuntimeAddress($0) }, range: range)
        frame.imageName = imagePath.map(Path.foreignName)
        if name != nil || location != nil { frame.printed = PrintedSymbol(name: name, location: location) }
        return frame
    }
}

/// The beginning of a row: its number and its address.
struct GDBRowHead {
    var index: Int
    var address: UInt64?
    /// gdb puts blanks after the number up to the fourth column: `#0  `, `#10 `.
    var isAligned: Bool
    /// After `in`, or, without an address, after the number.
    var restStart: Int

    init?(_ row: Span<UInt8>) {
        var rest = row
        rest.skipBlanks()
        guard rest.consume("#") else { return nil }
        let digits = rest.count
        guard let number = rest.readDecimal(), let index = Int(exactly: number) else { return nil }
        let width = digits - rest.count
        guard let blank = rest.at(0), isBlank(blank) else { return nil }
        isAligned = width > 1 || rest.at(1) == UInt8(ascii: " ")
        self.index = index
        rest.skipBlanks()
        var behind = rest
        address = nil
        if let value = behind.readAddress() {
            behind.skipBlanks()
            guard behind.consume("in"), behind.count == 0 || isBlank(behind[0]) else { return nil }
            address = value
            behind.skipBlanks()
            rest = behind
        }
        restStart = row.count - rest.count
    }
}
