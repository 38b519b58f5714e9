internal import BinaryPrimitives
internal import CrashLogModel

/// One frame of an Android stack, as `Unwinder::FormatFrame` of libunwindstack, debuggerd before
/// it, ART and xCrash print it:
///
///     #00 pc 000000000005c1a4  /system/lib64/libc.so (abort+180) (BuildId: ba489d4985c0cf173209da67405662f9)
///     #03 pc 0000000001f9a6cc  /data/app/x/base.apk!libmonochrome.so (offset 0x17c000) (BuildId: …)
///     #04 pc 00000000000a1b2c  /data/app/x/base.apk (offset 0x2000)         the library inside is not named
///     #01 pc 00001234 (offset 0x1000)  /system/lib/libc.so                   Android 9
///     #85 pc 00004456  <anonymous:ee137000>
///     #07 pc 00000000000060c8  /data/app/x/libxcrash.so (???)                ART
///     #00  pc 0x00000000000564f4  /apex/…/libc.so (abort+164)                the Play console
///     #01 pc 0x1139620 split_config.arm64_v8a.apk (Missing) (BuildId: …)      Crashlytics, which has no symbols of the library
///     #02 pc 0x139684 libharbour.so (moor + 104)                              Crashlytics
///     #03 pc 0x74b95ad0d0                                                     Crashlytics, outside of every image it knows
///     #00 pc 000000000062d6b4 libharbour.so harbour::Moor(harbour::Ship*) (../../src/harbour.cc:2562) [arm64-v8a]     an app's own symbolizer
///
/// Names of functions hold blanks and parentheses, `operator()` among them; names of mappings hold
/// blanks. What follows a row is recognised by its marks.
struct AndroidRow {
    var index: Int
    var pc: UInt64
    /// The mapping's name as the row has it, with `!library`: `/system/lib64/libc.so`, `<unknown>`,
    /// `[anon:…]`.
    var mapping: String
    /// `(offset 0x…)`
    var mapOffset: UInt64?
    var id: ImageID?
    var printed: PrintedSymbol?
    /// Given after the row, `[arm64-v8a]`, or by the heading of translated code.
    var architecture: Architecture?
    /// Range of the name in the row, with the blank and the parentheses around it; empty, at the
    /// position where a name would be, if the row has none.
    var nameRange: Range<Int>

    init?(_ row: Span<UInt8>) {
        var rest = row
        rest.skipBlanks()
        if rest.consume("native:") { rest.skipBlanks() }
        guard rest.consume("#"), let number = rest.readDecimal(), let index = Int(exactly: number) else { return nil }
        self.index = index
        rest.skipBlanks()
        guard rest.consume("pc"), rest.at(0).map(isBlank) ?? false else { return nil }
        rest.skipBlanks()
        _ = rest.consume("0x")
        guard let pc = rest.readHexadecimal(), rest.at(0).map(isBlank) ?? true else { return nil }
        self.pc = pc
        rest.skipBlanks()
        // Android 9 has the offset in front of the mapping.
        if let offset = AndroidRow.readOffset(&rest) {
            mapOffset = offset
            rest.skipBlanks()
        }
        if let parts = HarmonyRow(rest) {
            let start = row.count - rest.count
            mapping = rest.upTo(parts.mappingEnd).text
            id = ImageID(buildID: rest.clamped(to: parts.id).text)
            printed = parts.printed
            nameRange = start + parts.name.lowerBound..<start + parts.name.upperBound
            return
        }
        let bareName = AndroidRow.lengthBeforeBareName(rest)
        let length = bareName ?? AndroidRow.mappingLength(rest)
        mapping = rest.upTo(length).trimmed().text
        rest = rest.from(length)
        var tail = rest
        tail.skipBlanks()
        if let offset = AndroidRow.readOffset(&tail) {
            mapOffset = offset
            rest = tail
        }
        let nameStart = row.count - rest.count
        nameRange = nameStart..<nameStart
        readBuildID(&rest)
        if bareName == nil { readName(rest, at: nameStart) } else { readBareName(rest) }
    }

    /// Whether `pc` is an address of the process.
    ///
    /// It is where the unwinder found no mapping for it: `rel_pc` is then the pc itself
    /// (`Unwinder::Unwind` of libunwindstack's `Unwinder.cpp`), and the row ends with `<unknown>`;
    /// Crashlytics writes nothing there. And no library is linked beyond 4 GB: there lie only the
    /// mappings of 64-bit processes.
    var isAbsolute: Bool { mapping.isEmpty || mapping == "<unknown>" || pc >> 32 != 0 }

    /// The mapping as the row has it; the file name alone if the path is relative, which a device's
    /// never is.
    var imageName: String? {
        if mapping.isEmpty { return nil }
        return mapping.hasPrefix(".") && mapping.contains("/") ? Path.foreignName(of: mapping) : mapping
    }

    /// Whether the text after the address can be a mapping's name. It must not be a field of
    /// another program's row: `#0 pc 0x55e0 - moor + 0x18`, `#0 pc 0x55e0 [./a+0x18]`.
    var namesMapping: Bool {
        let name = Array(mapping.utf8)
        guard !name.span.contains("+0x"), !name.span.contains(" + "), !mapping.hasPrefix("("), !mapping.hasPrefix("- ") else {
            return false
        }
        // Android's are absolute, or a name without a folder.
        if mapping.hasPrefix("../") || mapping.hasPrefix("./") || name.span.at(1) == UInt8(ascii: ":") { return false }
        return !mapping.hasPrefix("[") || ["[anon", "[vdso]", "[vectors]", "[stack", "[heap]"].contains { mapping.hasPrefix($0) }
    }

    /// `(offset 0x17c000)`; ART leaves `0x` out.
    private static func readOffset(_ rest: inout Span<UInt8>) -> UInt64? {
        var text = rest
        guard text.consume("(offset ") else { return nil }
        _ = text.consume("0x")
        guard let offset = text.readHexadecimal(), text.consume(")") else { return nil }
        rest = text
        return offset
    }

    /// A mapping's name ends at the parenthesis after it; one in brackets may hold anything.
    /// `(deleted)` is the kernel's and belongs to the name.
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

    /// Length of the library's name, if a function follows it without parentheses.
    private static func lengthBeforeBareName(_ text: Span<UInt8>) -> Int? {
        var rest = text
        let file = rest.readToken()
        rest.skipBlanks()
        guard file.hasSuffix(".so"), let first = rest.at(0), first != UInt8(ascii: "(") else { return nil }
        return file.count
    }

    /// ` harbour::Moor(harbour::Ship*) (../../src/harbour.cc:2562) [arm64-v8a]`
    private mutating func readBareName(_ text: Span<UInt8>) {
        var name = text.trimmed()
        if name.hasSuffix("]"), let open = name.lastRange(of: "["), open.lowerBound == 0 || isBlank(name[open.lowerBound - 1]) {
            // xCrash has the build ID, too: `[armeabi-v7a::588a3fa81d5b949473fefc4e6006becf]`.
            var inside = name.clamped(to: open.upperBound..<name.count - 1)
            if let mark = inside.firstRange(of: "::") {
                id = ImageID(buildID: inside.from(mark.upperBound).text)
                inside = inside.upTo(mark.lowerBound)
            }
            architecture = AndroidHead.architecture(inside.text)
            name = name.upTo(open.lowerBound).trimmed()
        }
        var symbol = PrintedSymbol()
        if name.hasSuffix(")"), let open = name.lastRange(of: " ("),
            let location = AddressToLineText.location(name.clamped(to: open.upperBound..<name.count - 1))
        {
            symbol.location = location
            name = name.upTo(open.lowerBound).trimmed()
        }
        guard name.count > 0 else { return }
        symbol.name = name.text
        printed = symbol
    }

    /// ` (BuildId: 71c71d33…)`, the row's last part; cut off where a log cuts long lines.
    private mutating func readBuildID(_ rest: inout Span<UInt8>) {
        guard let mark = rest.lastRange(of: " (BuildId: ") else { return }
        let value = rest.from(mark.upperBound)
        if let close = value.firstIndex(of: UInt8(ascii: ")")) { id = ImageID(buildID: value.upTo(close).text) }
        rest = rest.upTo(mark.lowerBound)
    }

    /// ` (art::Thread::Run(void*)+236)`, ` (moor + 104)`, ` (???)`, ` (Missing)`
    private mutating func readName(_ text: Span<UInt8>, at start: Int) {
        guard text.hasPrefix(" ("), let end = text.lastIndex(of: UInt8(ascii: ")")) else { return }
        nameRange = start..<start + end + 1
        var name = text.clamped(to: 2..<end)
        guard name.count > 0, !["???", "<unknown>", "Missing"].contains(where: { name.equals($0) }) else { return }
        var symbol = PrintedSymbol()
        if let plus = name.lastIndex(of: UInt8(ascii: "+")), plus > 0 {
            var digits = name.from(plus + 1)
            digits.skipBlanks()
            if let offset = digits.readDecimal(), digits.count == 0 {
                symbol.offset = offset
                name = name.upTo(plus).trimmed()
            }
        }
        symbol.name = name.text
        printed = symbol
    }

    init(index: Int, pc: UInt64, mapping: String, mapOffset: UInt64? = nil, id: ImageID?, printed: PrintedSymbol?) {
        (self.index, self.pc, self.mapping, self.mapOffset, self.id, self.printed) = (index, pc, mapping, mapOffset, id, printed)
        nameRange = 0..<0
    }
}

/// The rest of a row of OpenHarmony's faultloggerd behind its address: `PATH(NAME+OFFSET)(BUILDID)`, without blanks.
private struct HarmonyRow {
    var mappingEnd: Int
    /// With its parentheses; empty without a name.
    var name: Range<Int>
    var id: Range<Int>
    var printed: PrintedSymbol?

    init?(_ text: Span<UInt8>) {
        let text = text.trimmed()
        guard text.hasSuffix(")"), let open = text.lastIndex(of: UInt8(ascii: "(")), open > 0, !isBlank(text[open - 1]) else { return nil }
        id = open + 1..<text.count - 1
        guard id.count >= 32, id.allSatisfy({ hexadecimalValue(text[$0]) != nil }) else { return nil }
        (mappingEnd, name) = (open, open..<open)
        guard text[open - 1] == UInt8(ascii: ")") else { return }
        // A name has parentheses of its own.
        var (start, depth) = (open, 0)
        while start > 0 {
            start -= 1
            if text[start] == UInt8(ascii: ")") { depth += 1 }
            if text[start] == UInt8(ascii: "(") { depth -= 1 }
            if depth == 0 { break }
        }
        guard depth == 0, start > 0 else { return nil }
        (mappingEnd, name) = (start, start..<open)
        let inside = text.clamped(to: start + 1..<open - 1)
        var symbol = PrintedSymbol(name: inside.text)
        if let plus = inside.lastIndex(of: UInt8(ascii: "+")), let offset = inside.from(plus + 1).decimal {
            symbol = PrintedSymbol(name: inside.upTo(plus).text, offset: offset)
        }
        printed = symbol
    }
}

/// Rows of sanitizers in an Android log, where one's report is the abort message, or where a tool
/// has symbolicated the stack (ClusterFuzz, ndk-stack):
///
///     #0 0x7b24d90a08  (/system/lib64/libclang_rt.hwasan-aarch64-android.so+0x2ca08) (BuildId: …)
///     #1 0x00081218 in pthread_kill /bionic/libc/bionic/pthread_kill.cpp:45
///     #0 0x00000333 in                                                             nothing was found
extension SanitizerRow {
    init?(inAndroidLog line: Span<UInt8>) {
        self.init(line)
        let tail = line.from(headEnd).trimmed()
        guard address != nil, tail.hasPrefix("in ") || tail.equals("in") || tail.hasPrefix("(/") && module != nil else { return nil }
    }

    /// The row as one of the unwinder's.
    var unwound: AndroidRow? {
        guard let module, module.path.hasPrefix("/") else { return nil }
        let id = module.id.flatMap { ImageID(buildID: $0.bytes) }
        return AndroidRow(index: index, pc: module.offset, mapping: module.path, id: id, printed: printed)
    }
}

/// A row of Java among native ones: `at android.os.Looper.loop(Looper.java:214)`,
/// `at java.lang.Thread.sleep(Native method)`. It has no address: name and location are kept.
struct AndroidJavaRow {
    var printed: PrintedSymbol

    init?(_ line: Span<UInt8>) {
        var text = line.trimmed()
        guard text.consume("at "), text.hasSuffix(")"), let open = text.lastIndex(of: UInt8(ascii: "(")), open > 0 else { return nil }
        let name = text.upTo(open)
        guard name.firstIndex(of: UInt8(ascii: ".")) != nil, name.firstIndex(of: UInt8(ascii: " ")) == nil else { return nil }
        printed = PrintedSymbol(name: name.text)
        printed.location = SourceLocationText.readLine(text.clamped(to: open + 1..<text.count - 1))
    }

    func frame(index: Int, at range: Range<Int>) -> Frame {
        Frame(index: index, kind: .exact, address: nil, range: range, printed: printed)
    }
}
