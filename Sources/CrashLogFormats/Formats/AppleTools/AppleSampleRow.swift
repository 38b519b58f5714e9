internal import BinaryPrimitives
internal import CrashLogModel

/// One row of the call graph of `sample`:
///
///     +   2761 main  (in App) + 48  [0x101671e30]  main.m:57
///     + !     194 main  (in calc_1brc) + 680,640,...  [0x1058f15d1,0x1058f15a9,...]  main.m:71
///         2449 ???  (in App)  load address 0x103c0a000 + 0x3eb0  [0x103c0deb0]
///         12 ???  (in <unknown binary>)  [0x34a8da74e4e2]
///     +   2761 main (in App) (main.m:57) [0x101671e30]            as MacSymbolicator pastes atos' output
///     +   2761 inner() [inlined]  (in App)  [0x101671e30]  b.h:7  cairn's own, below the row that holds the call
///
/// The columns before the count show what a row is called by; the glyphs in them only help the eye.
struct AppleSampleRow {
    struct Address {
        var value: UInt64
        /// In bytes from the row's start.
        var range: Range<Int>
    }

    /// Where the count begins.
    var column: Int
    var samples: Int
    /// Where the text after the count begins.
    var nameStart: Int
    var name: String?
    var isInlined = false
    var imageName: String?
    /// How far the first address is from the image's first byte, where the row says where that is.
    var imageOffset: UInt64?
    /// `+ 680,640`: one for each address.
    var offsets: [UInt64] = []
    var location: SourceLocation?
    /// At most a few: `sample` lists two and says `...`.
    var addresses: [Address] = []
    /// From `[` to the end of `]`; `nil` in rows without addresses.
    var addressList: Range<Int>?

    /// What a heading of a thread has after its count.
    static let thread = "Thread_"

    /// - Returns: `nil` for a line that has no count; also for the heading of a thread.
    init?(_ row: Span<UInt8>) {
        guard let start = AppleSampleRow.count(of: row) else { return nil }
        column = start.column
        samples = start.samples
        nameStart = start.end
        let text = row.from(start.end)
        guard text.count > 0, !text.hasPrefix(AppleSampleRow.thread) else { return nil }
        takeAddresses(text, at: start.end)
        var before = row.clamped(to: start.end..<(addressList?.lowerBound ?? row.count)).trimmed()
        if let list = addressList { location = AppleSampleRow.location(row.from(list.upperBound).trimmed()) }
        if let image = AppleSampleRow.image(in: before) {
            imageName = before.clamped(to: image.name).text
            takePosition(before.from(image.end).trimmed())
            before = before.upTo(image.start).trimmed()
        } else if addressList == nil, let value = before.address {
            // `12 0x0`: nothing is known but the address.
            addresses = [Address(value: value, range: start.end..<start.end + before.count)]
            return
        }
        isInlined = before.takeLast(" [inlined]")
        before = before.trimmed()
        if !before.equals("???"), before.count > 0 { name = before.text }
    }

    /// The count that begins a row or the heading of a thread: after blanks and the tree's glyphs,
    /// followed by a blank.
    /// - Returns: also where the text after it begins.
    static func count(of row: Span<UInt8>) -> (column: Int, samples: Int, end: Int)? {
        var column = 0
        while let byte = row.at(column), isTree(byte) { column += 1 }
        var rest = row.from(column)
        guard let value = rest.takeDecimal(), let samples = Int(exactly: value), rest.at(0) == UInt8(ascii: " ") else { return nil }
        rest.skipBlanks()
        return (column, samples, row.count - rest.count)
    }

    private static func isTree(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "+"), UInt8(ascii: "!"), UInt8(ascii: ":"), UInt8(ascii: "|"): true
        default: false
        }
    }

    /// `[0x1058f15d1,0x1058f15a9,...]`
    private mutating func takeAddresses(_ text: Span<UInt8>, at start: Int) {
        guard let found = text.lastRange(of: " [0x") else { return }
        var rest = text.from(found.lowerBound + 2)
        var list: [Address] = []
        while list.count < 64 {
            let from = start + text.count - rest.count
            guard let value = rest.takeAddress() else { break }
            list.append(Address(value: value, range: from..<start + text.count - rest.count))
            guard rest.take(",") else { break }
        }
        _ = rest.take("...")
        guard rest.take("]"), !list.isEmpty else { return }
        addresses = list
        addressList = start + found.lowerBound + 1..<start + text.count - rest.count
    }

    /// `(in Electron Helper (Renderer))`: the last in the row, for a function's name may hold the
    /// like.
    private static func image(in text: Span<UInt8>) -> (start: Int, name: Range<Int>, end: Int)? {
        guard let found = text.lastRange(of: " (in ") else { return nil }
        var depth = 1
        var index = found.upperBound
        while let byte = text.at(index) {
            if byte == UInt8(ascii: "(") { depth += 1 }
            if byte == UInt8(ascii: ")") { depth -= 1 }
            if depth == 0 { return (found.lowerBound, found.upperBound..<index, index + 1) }
            index += 1
        }
        return nil
    }

    /// What is between the image and the addresses: `+ 680,640,...`,
    /// `load address 0x101671000 + 0xe30`, `(main.m:57)`.
    private mutating func takePosition(_ text: Span<UInt8>) {
        var rest = text
        if rest.take("load address ") {
            guard let base = rest.takeAddress(), let first = addresses.first?.value, base <= first else { return }
            imageOffset = first - base
            return
        }
        if rest.take("+ ") {
            while offsets.count < 64, let offset = rest.takeDecimal() {
                offsets.append(offset)
                guard rest.take(",") else { break }
            }
            _ = rest.take("...")
            rest = rest.trimmed()
        }
        if rest.hasPrefix("("), rest.hasSuffix(")") { location = AppleSampleRow.location(rest.from(1).upTo(rest.count - 2)) ?? location }
    }

    /// `main.m:71`; for several addresses possibly `main.m:71,75,...`, of which the first counts.
    private static func location(_ text: Span<UInt8>) -> SourceLocation? {
        guard let colon = text.lastIndex(of: UInt8(ascii: ":")), colon > 0 else { return nil }
        var digits = text.from(colon + 1)
        guard let number = digits.takeDecimal(), digits.count == 0 || digits.hasPrefix(","), let line = Int(exactly: number) else {
            return nil
        }
        return SourceLocation(file: text.upTo(colon).text, line: line)
    }

    /// What the row already says of its address number `index`.
    func printed(_ index: Int) -> PrintedSymbol? {
        let offset = index < offsets.count ? offsets[index] : nil
        guard name != nil || location != nil else { return nil }
        return PrintedSymbol(name: name, offset: name == nil ? nil : offset, location: location)
    }
}
