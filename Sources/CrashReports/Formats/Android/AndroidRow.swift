internal import BinaryPrimitives

/// One frame of an Android stack, as `Unwinder::FormatFrame` of libunwindstack, debuggerd before it, ART and xCrash print it:
///
///     #00 pc 000000000005c1a4  /system/lib64/libc.so (abort+180) (BuildId: ba489d4985c0cf173209da67405662f9)
///     #03 pc 0000000001f9a6cc  /data/app/x/base.apk!libmonochrome.so (offset 0x17c000) (BuildId: …)
///     #04 pc 00000000000a1b2c  /data/app/x/base.apk (offset 0x2000)         the library inside is not named
///     #01 pc 00001234 (offset 0x1000)  /system/lib/libc.so                   Android 9
///     #85 pc 00004456  <anonymous:ee137000>
///     #07 pc 00000000000060c8  /data/app/x/libxcrash.so (???)                ART
///     #00  pc 0x00000000000564f4  /apex/…/libc.so (abort+164)                the Play console
///
/// Names of functions hold blanks and parentheses, `operator()` among them; names of mappings hold blanks: what stands behind a row is told by its marks.
struct AndroidRow {
    var index: Int
    var pc: UInt64
    /// The mapping's name as the row has it, with `!library`: `/system/lib64/libc.so`, `<unknown>`, `[anon:…]`.
    var mapping: String
    /// `(offset 0x…)`
    var mapOffset: UInt64?
    var id: ImageID?
    var printed: PrintedSymbol?
    /// Where the name stands in the row, with the blank and the parentheses around it; empty where the row has none, at its place.
    var nameRange: Range<Int>

    init?(_ row: Span<UInt8>) {
        var rest = row
        rest.skipBlanks()
        if rest.take("native:") { rest.skipBlanks() }
        guard rest.take("#"), let number = rest.takeDecimal(), let index = Int(exactly: number) else { return nil }
        self.index = index
        rest.skipBlanks()
        guard rest.take("pc"), rest.at(0).map(isBlank) ?? false else { return nil }
        rest.skipBlanks()
        _ = rest.take("0x")
        guard let pc = rest.takeHexadecimal(), rest.at(0).map(isBlank) ?? true else { return nil }
        self.pc = pc
        rest.skipBlanks()
        // Android 9 has the offset in front of the mapping.
        if let offset = AndroidRow.takeOffset(&rest) {
            mapOffset = offset
            rest.skipBlanks()
        }
        let name = rest.upTo(AndroidRow.mappingLength(rest)).trimmed()
        mapping = name.text
        rest = rest.from(AndroidRow.mappingLength(rest))
        var tail = rest
        tail.skipBlanks()
        if let offset = AndroidRow.takeOffset(&tail) {
            mapOffset = offset
            rest = tail
        }
        let nameStart = row.count - rest.count
        nameRange = nameStart..<nameStart
        takeIdentity(&rest)
        takeName(rest, at: nameStart)
    }

    /// `(offset 0x17c000)`; ART leaves `0x` out.
    private static func takeOffset(_ rest: inout Span<UInt8>) -> UInt64? {
        var text = rest
        guard text.take("(offset ") else { return nil }
        _ = text.take("0x")
        guard let offset = text.takeHexadecimal(), text.take(")") else { return nil }
        rest = text
        return offset
    }

    /// A mapping's name ends at the parenthesis behind it; one in brackets may hold anything. `(deleted)` is the kernel's and belongs to the name.
    private static func mappingLength(_ text: Span<UInt8>) -> Int {
        var start = 0
        if text.at(0) == UInt8(ascii: "["), let close = text.firstIndex(of: UInt8(ascii: "]")) { start = close }
        if text.at(0) == UInt8(ascii: "<"), let close = text.firstIndex(of: UInt8(ascii: ">")) { start = close }
        var open = text.firstRange(of: " (", from: start)
        if let found = open, text.from(found.lowerBound).hasPrefix(" (deleted)") {
            open = text.firstRange(of: " (", from: found.upperBound)
        }
        return open?.lowerBound ?? text.count
    }

    /// ` (BuildId: 71c71d33…)`, the row's last part; cut off where a log cuts long lines.
    private mutating func takeIdentity(_ rest: inout Span<UInt8>) {
        guard let mark = rest.lastRange(of: " (BuildId: ") else { return }
        let value = rest.from(mark.upperBound)
        if let close = value.firstIndex(of: UInt8(ascii: ")")) { id = ImageID(text: value.upTo(close).text) }
        rest = rest.upTo(mark.lowerBound)
    }

    /// ` (art::Thread::Run(void*)+236)`, ` (???)`
    private mutating func takeName(_ text: Span<UInt8>, at start: Int) {
        guard text.hasPrefix(" ("), let end = text.lastIndex(of: UInt8(ascii: ")")) else { return }
        nameRange = start..<start + end + 1
        var name = text.clamped(to: 2..<end)
        guard name.count > 0, !name.equals("???"), !name.equals("<unknown>") else { return }
        var symbol = PrintedSymbol()
        if let plus = name.lastIndex(of: UInt8(ascii: "+")), plus > 0 {
            var digits = name.from(plus + 1)
            if let offset = digits.takeDecimal(), digits.count == 0 {
                symbol.offset = offset
                name = name.upTo(plus)
            }
        }
        symbol.name = name.text
        printed = symbol
    }
}
