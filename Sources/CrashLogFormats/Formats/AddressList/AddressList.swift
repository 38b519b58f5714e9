internal import BinaryPrimitives
package import CrashLogModel

/// A bare list of addresses, as people copy it from a debugger, a ticket or a program of their own,
/// and as `atos` and `addr2line` accept it: decimal or hexadecimal, one in a line or several, and
/// addresses by name (`libqueue.so.1+0x10a0`, `main+0x1a`, `vfs_read+0x9d/0x1a0`).
///
/// Every line of the log must be such a row. Numbers without `0x` are hexadecimal if any of the
/// list's has a letter in it or begins with several zeros, as padded addresses do; otherwise
/// decimal.
package struct AddressList: LineFormat {
    package static let name = "address-list"
    package static let summary = "a bare list of addresses, module+offset and function+offset, decimal or hexadecimal"
    package static let triggers: [String] = []
    package static let standsAlone = true

    private var rows: [(row: AddressListRow, start: Int)] = []
    private var frames = 0
    private var hasHexadecimal = false

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        guard let row = AddressListRow(line), !row.entries.isEmpty else { return .none }
        return row.entries.contains { $0.isPlausible } ? .possible : .none
    }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        guard let row = AddressListRow(line), frames + row.entries.count <= Limits.standard.framesPerThread else { return .rejected }
        guard !row.entries.isEmpty else { return .more }
        frames += row.entries.count
        for entry in row.entries {
            guard case .number(let number) = entry.value, !number.hasPrefix else { continue }
            let digits = line.clamped(to: entry.range)
            if number.decimal == nil || digits.hasPrefix("000") { hasHexadecimal = true }
        }
        rows.append((row, range.lowerBound))
        return .more
    }

    package mutating func finish() -> [CrashReport] {
        guard !rows.isEmpty else { return [] }
        var report = CrashReport(format: AddressList.name)
        var frames: [Frame] = []
        var count = 0
        var images = ImageTable()
        for (row, start) in rows {
            for (position, entry) in row.entries.enumerated() {
                let range = start + entry.range.lowerBound..<start + entry.range.upperBound
                var frame = AddressList.frame(
                    entry.value, index: row.index ?? count, at: range, isHexadecimal: hasHexadecimal, &images)
                if position == row.entries.count - 1 {
                    frame.printed = row.printed
                    frame.isInlined = row.isInlined
                }
                if !frame.isInlined { count += 1 }
                frames.append(frame)
            }
        }
        report.threads = [ThreadTrace(index: 0, crashed: true, frames: frames)]
        report.images = images.images
        return [report]
    }

    /// Makes a frame of an entry. Nothing says what kind of address it is, so it is looked up as it
    /// is. With `--adjust always` all are return addresses.
    private static func frame(
        _ value: AddressListRow.Value, index: Int, at range: Range<Int>, isHexadecimal: Bool, _ images: inout ImageTable
    ) -> Frame {
        var frame = Frame(index: index, kind: .exact, address: nil, range: range)
        switch value {
        case .number(let number):
            let value = number.hasPrefix || isHexadecimal ? number.hexadecimal : number.decimal ?? number.hexadecimal
            frame.address = RuntimeAddress(value)
        case .sum(let name, let offset, let size):
            if size == nil, isFileName(name) {
                frame.imageName = Path.foreignName(of: name)
                frame.image = images.index(ofImageNamed: Path.foreignName(of: name), id: nil)
                frame.imageLocation = .offset(ImageOffset(offset))
            } else {
                frame.imageLocation = .symbol(SymbolLocation(name: name, offset: offset, size: size))
            }
        }
        return frame
    }

    /// A path, or a library's or module's name. Any other name may be a function's (`slot.isra.0`)
    /// or a program's: the given files decide.
    private static func isFileName(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        return bytes.contains(UInt8(ascii: "/")) || bytes.span.contains(".so.")
            || [".so", ".dylib", ".ko", ".node", ".exe", ".dll"].contains { name.hasSuffix($0) }
    }

    /// The result follows its address, in the form of atos: `0x401136 main + 26 (main.c:12)`. Each
    /// resolved address ends its line, so that the next entry of a list moves to a line of its own;
    /// inlined calls become lines above it, with the same address.
    package static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        let line = LogLine(around: frame.range, in: log)
        let entry = log.clamped(to: frame.range).copied()
        var trailing = log.clamped(to: frame.range.upperBound..<max(frame.range.upperBound, line.range.upperBound))
        let isLast = trailing.trimmed().count == 0 || frame.printed != nil
        var replacement: [UInt8] = []
        for (index, function) in result.functions.enumerated() {
            if index > 0 { replacement += line.ending + entry }
            replacement += Array(("  " + SymbolText.text(for: function)).utf8)
        }
        guard !isLast else { return TextEdit(range: frame.range.upperBound..<line.range.upperBound, replacement: replacement) }
        // The comma or the blanks between this address and the next give way to the line's end.
        var length = 0
        while let byte = trailing.at(0), isBlank(byte) || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";") {
            trailing = trailing.from(1)
            length += 1
        }
        return TextEdit(
            range: frame.range.upperBound..<frame.range.upperBound + length,
            replacement: replacement + (trailing.count > 0 ? line.ending : []))
    }
}

extension AddressListRow.Entry {
    /// Whether the entry can be an address and is not a small number.
    fileprivate var isPlausible: Bool {
        guard case .number(let number) = value else { return true }
        return number.hasPrefix || number.hexadecimal >= 0x400 || (number.decimal ?? 0) >= 0x400
    }
}

/// One line of a list of addresses: its entries, and the text after the last of them if it was
/// symbolicated before.
///
///     0x401136
///     0x401136, 0x401150
///     #3  libqueue.so.1+0x10a0
///     main+0x1a
///     0x401136  main + 26 (main.c:12)
struct AddressListRow {
    struct Entry {
        var value: Value
        /// The entry's bytes in the line.
        var range: Range<Int>
    }

    enum Value: Equatable {
        case number(Number)
        /// `module+0x10`, or `function+0x10`: the letters of a name do not show which it is.
        case sum(name: String, offset: UInt64, size: UInt64?)
    }

    /// A number as it is written.
    struct Number: Equatable {
        var hexadecimal: UInt64
        /// `nil` where it has letters, or is too large.
        var decimal: UInt64?
        var hasPrefix: Bool
    }

    var entries: [Entry] = []
    /// `#3` or `3:` before them.
    var index: Int?
    /// After the last entry.
    var printed: PrintedSymbol?
    var isInlined = false

    /// - Returns: `nil` if anything else is in the line.
    init?(_ line: Span<UInt8>) {
        var rest = line
        while true {
            rest = rest.from(rest.lengthOfRun(ofSeparators: true))
            guard rest.count > 0 else { break }
            let start = line.count - rest.count
            if let previous = entries.last, start - previous.range.upperBound == 2, line.at(start - 1) == UInt8(ascii: " "),
                line.at(start - 2) == UInt8(ascii: " "),
                let text = AddressListRow.result(rest)
            {
                printed = text.printed
                isInlined = text.isInlined
                return
            }
            let token = rest.upTo(rest.lengthOfRun(ofSeparators: false))
            rest = rest.from(token.count)
            if entries.isEmpty, index == nil, let number = AddressListRow.index(token) {
                index = number
                continue
            }
            guard let value = AddressListRow.value(token) else { return nil }
            entries.append(Entry(value: value, range: start..<start + token.count))
            guard entries.count < AddressListRow.maxEntries else { return nil }
        }
        guard index == nil || !entries.isEmpty else { return nil }
        // A numbered row that gives its address in two ways belongs to a stack:
        // `#3 [/lib/libtide.so+0x10] [0x7fe658c3f010]`.
        let sums = entries.count { if case .sum = $0.value { true } else { false } }
        guard index == nil || entries.count != 2 || sums != 1 else { return nil }
    }

    /// Maximum number of entries in a line; no person writes a longer list, so a longer line is not
    /// read.
    private static let maxEntries = 65_536

    /// Reads the result that this package writes after an entry.
    private static func result(_ text: Span<UInt8>) -> SymbolText? {
        let result = SymbolText(text, imageName: nil, address: 0)
        return result.isComplete && result.printed != nil ? result : nil
    }

    private static func index(_ token: Span<UInt8>) -> Int? {
        var rest = token
        if rest.consume("#") { return rest.decimal.flatMap { Int(exactly: $0) } }
        return rest.readDecimal().flatMap { rest.equals(":") ? Int(exactly: $0) : nil }
    }

    private static func value(_ token: Span<UInt8>) -> Value? {
        if let plus = token.lastIndex(of: UInt8(ascii: "+")), plus > 0 { return sum(token.upTo(plus), token.from(plus + 1)) }
        return number(token).map { .number($0) }
    }

    private static func number(_ token: Span<UInt8>) -> Number? {
        var rest = token
        let hasPrefix = rest.consume("0x") || rest.consume("0X")
        let digits = rest
        guard digits.count <= 20, let value = digits.hexadecimal else {
            // More than sixteen digits can be decimal.
            guard !hasPrefix, let decimal = digits.decimal else { return nil }
            return Number(hexadecimal: 0, decimal: decimal, hasPrefix: false)
        }
        let decimal = digits.decimal
        // `add` and `face` are English words; an address of letters alone is rarer.
        guard hasPrefix || decimal != nil || (token.count >= 5 && (0..<token.count).contains { token[$0] &- UInt8(ascii: "0") < 10 }) else {
            return nil
        }
        return Number(hexadecimal: value, decimal: decimal, hasPrefix: hasPrefix)
    }

    private static func sum(_ name: Span<UInt8>, _ offset: Span<UInt8>) -> Value? {
        guard
            (0..<name.count).contains(where: {
                isLetter(name[$0]) || name[$0] >= 0x80 || name[$0] == UInt8(ascii: "_")
            }),
            // `libc.so.1`_read+0x15` has both: that is a stack's row.
            (0..<name.count).allSatisfy({ name[$0] > 0x20 && name[$0] != UInt8(ascii: "`") })
        else { return nil }
        var rest = offset
        guard let distance = readNumber(&rest) else { return nil }
        var size: UInt64?
        if rest.consume("/") {
            guard let bytes = readNumber(&rest) else { return nil }
            size = bytes
        }
        guard rest.count == 0 else { return nil }
        return .sum(name: name.text, offset: distance, size: size)
    }

    /// Reads an offset: hexadecimal with `0x` and else decimal, as all programs write it.
    private static func readNumber(_ rest: inout Span<UInt8>) -> UInt64? {
        if rest.hasPrefix("0x") { return rest.readAddress() }
        return rest.readDecimal()
    }

    fileprivate static func isSeparator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "("), UInt8(ascii: ")"),
            UInt8(ascii: "["),
            UInt8(ascii: "]"), UInt8(ascii: "\""):
            true
        default: false
        }
    }
}

extension Span where Element == UInt8 {
    /// How many blanks, commas, and of what lists are enclosed in, these bytes begin with; or how
    /// many of anything else.
    fileprivate func lengthOfRun(ofSeparators isWanted: Bool) -> Int {
        var length = 0
        while length < count, AddressListRow.isSeparator(self[length]) == isWanted { length += 1 }
        return length
    }
}
