internal import BinaryPrimitives
internal import CrashLogModel

/// One row of a stack of `perf script` (`sample__fprintf_callchain` of
/// tools/perf/util/evsel_fprintf.c):
///
///     	    55555555549a spin+0x2a (/srv/ferry-pie)
///     	            112b [unknown] (/srv/libharbour.so.1)
///     	            1495 sum+0x25 (inlined)
///     	    7ffff7fbc12b unload+0x2b (/srv/libharbour.so.1+0x112b)
struct PerfRow {
    var address: UInt64
    /// `nil` for `[unknown]`.
    var name: String?
    var offset: UInt64?
    /// The mapped file, or what perf calls it: `[kernel.kallsyms]`, `[vdso]`, `//anon`. `nil` where
    /// the row has none.
    var object: String?
    /// With `-F +dsoff`: where in the file.
    var fileOffset: UInt64?
    var isInlined = false
    /// Where the name begins, and the parentheses after it (or the row's end).
    var nameStart: Int
    var tailStart: Int
    /// `file.c:94`, where `-F +srcline` and a tool have put it on one line.
    var location: SourceLocation?

    init?(_ row: Span<UInt8>) {
        var rest = row
        rest.skipBlanks()
        let digits = rest.count
        guard let address = rest.takeHexadecimal(), digits - rest.count >= 1, rest.count == 0 || isBlank(rest[0]) else { return nil }
        self.address = address
        rest.skipBlanks()
        nameStart = row.count - rest.count
        var end = row.count
        while end > nameStart, isBlank(row[end - 1]) { end -= 1 }
        tailStart = end
        let text = row.clamped(to: nameStart..<end)
        if text.hasSuffix(" (inlined)") {
            isInlined = true
            tailStart = end - " (inlined)".utf8.count
        } else if let open = text.openingParenthesis, open == 0 || isBlank(text[open - 1]) {
            // A path may have parentheses of its own.
            takeObject(text.clamped(to: open + 1..<text.count - 1))
            tailStart = nameStart + open
        }
        takeName(row.clamped(to: nameStart..<tailStart).trimmed())
        guard object != nil || isInlined || name != nil || row.clamped(to: nameStart..<end).equals("[unknown]") else { return nil }
    }

    /// `/srv/libharbour.so.1`, `/srv/libharbour.so.1+0x112b`
    private mutating func takeObject(_ text: Span<UInt8>) {
        var path = text
        fileOffset = path.takeHexadecimal(atEndBehind: "+0x")
        object = path.text
    }

    /// `spin+0x2a`
    private mutating func takeName(_ text: Span<UInt8>) {
        guard text.count > 0, !text.equals("[unknown]") else { return }
        var symbol = text
        offset = symbol.takeHexadecimal(atEndBehind: "+0x")
        name = symbol.text
    }

    /// Code of the kernel: the upper half of the addresses, on every 64-bit machine that perf runs
    /// on.
    var isKernel: Bool { address >> 63 == 1 || object?.hasPrefix("[kernel") == true || object?.hasPrefix("[guest.kernel") == true }

    /// Whether the row's object is a file.
    var isOfFile: Bool { object?.utf8.first == UInt8(ascii: "/") && object?.hasPrefix("//anon") == false }

    func frame(index: Int, at place: Range<Int>) -> Frame {
        Frame(
            index: index, address: address, place: place, imageName: object.map(Path.foreignName),
            printed: name.map { PrintedSymbol(name: $0, offset: offset) }, isInlined: isInlined)
    }
}
