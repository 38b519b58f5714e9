internal import BinaryPrimitives
internal import CrashLogModel

/// One row of a mixed stack, as `run` of `sun.jvm.hotspot.tools.PStack` (JDK's `jdk.hotspot.agent`)
/// prints it: the address, a tab, and what is there:
///
///     0x00007f1d35063f16	__futex_abstimed_wait_common + 0xc6          native code: the nearest symbol of an ELF file, as its table spells it
///     0x00007f1d35063f16	????????                                     native code without a symbol; a further tab comes before it
///     0x00007f1d1c4a83d0	* java.lang.Thread.sleep(long) bci:0 (Interpreted frame)
///                       	* Main.run() bci:4 line:12 (Compiled frame)  inlined into the row above: no address
///     0x00007f1d1c4a0671	<StubRoutines>
///     0x00007f1d1c4b1a35	java.lang.Object.wait(long) + 0x55 (Native method)
///
/// What the machine interprets, compiled or made while it ran is in no file. After a native row
/// comes this package's result, ` at FILE:LINE`, and ` [inlined]`.
struct HotSpotMixedRow {
    var address: UInt64?
    var printed: PrintedSymbol?
    /// The row is of code that a file may hold.
    var isNative = false
    var isInlined = false
    /// After the address and the tabs.
    var nameStart: Int

    /// - Parameter isInStack: only then a row may lack the address.
    init?(_ row: Span<UInt8>, isInStack: Bool) {
        var rest = row
        if let value = rest.takeAddress() {
            address = value
            // A tab; a copy may have blanks.
            guard rest.count > 0, isBlank(rest[0]) else { return nil }
        } else {
            rest.skipBlanks()
            guard isInStack, rest.count < row.count, rest.hasPrefix("* ") else { return nil }
        }
        rest.skipBlanks()
        nameStart = row.count - rest.count
        var text = rest.trimmed()
        guard text.count > 0 else { return nil }
        if text.take("* ") || text.hasPrefix("<") || text.hasSuffix(" (Native method)") {
            printed = PrintedSymbol(name: HotSpotMixedRow.javaName(text))
            return
        }
        isNative = true
        guard !text.equals("????????") else { return }
        printed = HotSpotMixedRow.symbol(&text)
        isInlined = text.equals(" [inlined]")
    }

    /// `java.lang.Thread.sleep(long) bci:0 (Interpreted frame)`,
    /// `java.lang.Object.wait(long) + 0x55 (Native method)`
    private static func javaName(_ text: Span<UInt8>) -> String {
        let end = [" bci:", " + 0x", " (Native method)"].compactMap { text.firstRange(of: $0)?.lowerBound }.min() ?? text.count
        return text.upTo(end).text
    }

    /// `moor + 0x1e8`; the offset is left out where it is zero. What follows it stays in `text`.
    private static func symbol(_ text: inout Span<UInt8>) -> PrintedSymbol {
        var name = text
        text = text.from(text.count)
        if name.hasSuffix(" [inlined]") {
            text = name.from(name.count - " [inlined]".utf8.count)
            name = name.upTo(name.count - " [inlined]".utf8.count)
        }
        var symbol = PrintedSymbol()
        if let at = name.lastRange(of: " at "), let location = AddressToLineText.location(name.from(at.upperBound)) {
            symbol.location = location
            name = name.upTo(at.lowerBound)
        }
        symbol.offset = name.takeHexadecimal(atEndBehind: " + 0x") ?? 0
        symbol.name = name.trimmed().text
        return symbol
    }
}
