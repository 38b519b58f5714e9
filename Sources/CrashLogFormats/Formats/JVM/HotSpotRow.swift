internal import BinaryPrimitives
internal import CrashLogModel

/// One row of a stack in HotSpot's fatal error logs (`frame::print_on_error`,
/// `frame::print_C_frame` of `runtime/frame.cpp`, `VMError::print_native_stack`):
///
///     C  [libdiv.so+0x6a3]  Java_demo1_NativeDiv_div+0x3
///     V  [libjvm.so+0x5f8ac9]  JavaCalls::call_helper(JavaValue*, Thread*)+0x299  (javaCalls.cpp:415)      JDK 18 and later, where it finds debug information
///     V  [jvm.dll+0x31667a]
///     C  0x0000000001fd4750                                                                               in no library
///     J 728 c1 sun.misc.Unsafe.getLong(J)J (0 bytes) @ 0x00007fa287303dce [0x00007fa287303d00+0xce]
///     j  Tank.empty(I)I+1
///     v  ~StubRoutines::call_stub 0x00007fffe4400fa6
///
/// `V` is the Java machine's own code, `C` other native code; the rest (`J`, `j`, `A`, `v`) is code
/// that the machine compiled, interprets or made while it ran: no file holds it, so that such rows
/// have a name and no address.
struct HotSpotRow {
    /// The file's name in brackets.
    var library: String?
    var offset: UInt64?
    /// Of a row without a library.
    var address: UInt64?
    var printed: PrintedSymbol?
    var isInlined = false
    /// Where the result's place begins: after the bracket or the address.
    var answerStart: Int

    var isNative: Bool { library != nil || address != nil }

    init?(_ row: Span<UInt8>) {
        guard let letter = row.at(0), let blank = row.at(1), blank == UInt8(ascii: " ") else { return nil }
        answerStart = row.count
        switch letter {
        case UInt8(ascii: "C"), UInt8(ascii: "V"):
            guard readNative(row) else { return nil }
        case UInt8(ascii: "J"), UInt8(ascii: "j"), UInt8(ascii: "A"), UInt8(ascii: "v"):
            guard let name = HotSpotRow.javaName(row.from(2)) else { return nil }
            printed = PrintedSymbol(name: name)
        default: return nil
        }
    }

    /// Whether the row is certain to be native code's in a library: `C  [libc.so.6+0x3c050]`.
    static func isNative(_ row: Span<UInt8>) -> Bool { HotSpotRow(row)?.library != nil }

    private mutating func readNative(_ row: Span<UInt8>) -> Bool {
        var rest = row.from(1)
        guard rest.take("  ") else { return false }
        if rest.take("[") {
            guard let end = HotSpotRow.placeEnd(rest) else { return false }
            library = rest.upTo(end.name).text
            offset = end.offset
            rest = rest.from(end.end)
        } else {
            guard let value = rest.takeAddress() else { return false }
            address = value
        }
        guard rest.count == 0 || isBlank(rest[0]) else { return false }
        answerStart = row.count - rest.count
        readSymbol(rest.trimmed())
        return true
    }

    /// `libstdc++.so.6+0x9d]`: where the name ends, the offset, and where the bracket's end is.
    private static func placeEnd(_ text: Span<UInt8>) -> (name: Int, offset: UInt64, end: Int)? {
        var from = 0
        while let plus = text.firstRange(of: "+0x", from: from) {
            var rest = text.from(plus.upperBound)
            if let offset = rest.takeHexadecimal(), rest.at(0) == UInt8(ascii: "]"), plus.lowerBound > 0 {
                return (plus.lowerBound, offset, text.count - rest.count + 1)
            }
            from = plus.lowerBound + 1
        }
        return nil
    }

    /// `JavaMain+0x7e9`, `f(char*, int) [clone .part.28]+0x1b (file.cpp:12)`; cairn's own
    /// `inner [inlined] (b.hpp:7)`
    private mutating func readSymbol(_ text: Span<UInt8>) {
        var rest = text
        guard rest.count > 0 else { return }
        var symbol = PrintedSymbol()
        if rest.hasSuffix(")"), let open = rest.lastRange(of: "  ("),
            let place = SourceLocationText.read(rest.clamped(to: open.upperBound..<rest.count - 1)), place.line > 0
        {
            symbol.location = place
            rest = rest.upTo(open.lowerBound).trimmed()
        }
        isInlined = rest.takeLast(" [inlined]")
        rest = rest.trimmed()
        symbol.offset = rest.takeHexadecimal(atEndBehind: "+0x")
        if rest.count > 0 { symbol.name = rest.text }
        printed = symbol
    }

    /// `728 c1 sun.misc.Unsafe.getLong(J)J (0 bytes) @ …` → `sun.misc.Unsafe.getLong(J)J`. A method
    /// is named with its signature; code that the machine made for itself, with a tilde.
    private static func javaName(_ text: Span<UInt8>) -> String? {
        var rest = text.trimmed()
        var first: String?
        while rest.count > 0 {
            let word = rest.takeToken()
            if word.contains("(") && word.at(0) != UInt8(ascii: "(") || word.at(0) == UInt8(ascii: "~") { return word.text }
            if first == nil, word.count > 2 { first = word.text }
            rest.skipBlanks()
        }
        return first
    }

    func frame(index: Int, at place: Range<Int>) -> Frame {
        Frame(index: index, address: address, place: place, imageName: library, imageOffset: offset, printed: printed, isInlined: isInlined)
    }
}
