internal import BinaryPrimitives

/// One frame as Apple's programs print it: ReportCrash's reports, `backtrace_symbols(3)` and so every `First throw call stack`,
/// PLCrashReporter and KSCrash:
///
///     3   CBL Bug Demo                        0x000000010158513c ___forwarding___ + 988
///     0   CrashingTest                  	       0x10e311e45 0x10e30e000 + 15941
///     #0   0x8fe01280 in halt                                         (Mac OS X 10.1)
///
/// Columns are padded with spaces and tabs, and an image's name may hold spaces itself: the address is what separates them.
struct AppleRow {
    var index: Int
    /// `nil` in the oldest reports, which do not tell it.
    var imageName: String?
    var address: UInt64
    /// Just behind the address, in bytes from the row's start.
    var addressEnd: Int
    var symbol: AppleSymbolText

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
        let isOldest = rest.take("#")
        guard let number = rest.takeDecimal(), let index = Int(exactly: number), let blank = rest.at(0), isBlank(blank) else { return nil }
        self.index = index
        rest.skipBlanks()
        let name = rest
        guard let found = AppleRow.address(in: rest) else { return nil }
        address = found.value
        addressEnd = row.count - rest.count + found.end
        let image = name.upTo(found.start).trimmed()
        // A program without an identifier has an empty column (10.13): blanks as wide as a name, and the tab behind it.
        guard isOldest || image.count > 0 || found.start == 0 && AppleRow.isColumn(row.upTo(row.count - rest.count)) else { return nil }
        imageName = image.count > 0 ? image.text : nil
        var text = rest.from(found.end).trimmed()
        if isOldest, text.take("in ") { text = text.trimmed() }
        symbol = AppleSymbolText(text, imageName: imageName, address: address)
    }

    /// `22` and a column of blanks with a tab at its end.
    private static func isColumn(_ text: Span<UInt8>) -> Bool {
        guard let tab = text.lastIndex(of: UInt8(ascii: "\t")) else { return false }
        return text.upTo(tab).count - text.upTo(tab).trimmed().count >= 16
    }

    /// The first token that is an address. Technical Note TN2123 shows one without `0x` in the row of an unknown image: `0 ??? 0000000000 0 + 0`.
    private static func address(in text: Span<UInt8>) -> (start: Int, end: Int, value: UInt64)? {
        var start = 0
        while start < text.count {
            var rest = text.from(start)
            let isUnknownImage = start > 0 && text.upTo(start).trimmed().equals("???")
            if let value = rest.takeAddress() ?? (isUnknownImage ? rest.takeHexadecimal() : nil),
                rest.at(0).map(isBlank) ?? true
            {
                return (start, text.count - rest.count, value)
            }
            guard let next = nextToken(in: text, after: start) else { return nil }
            start = next
        }
        return nil
    }

    private static func nextToken(in text: Span<UInt8>, after start: Int) -> Int? {
        var index = start
        while let byte = text.at(index), !isBlank(byte) { index += 1 }
        while let byte = text.at(index), isBlank(byte) { index += 1 }
        return index < text.count ? index : nil
    }

    /// The row as a frame; its kind is decided where the whole stack is known.
    func frame(at place: Range<Int>) -> Frame {
        var frame = Frame(index: index, kind: .returnAddress, address: RuntimeAddress(address), place: place)
        frame.imageName = imageName
        frame.imageOffset = symbol.imageOffset.map { ImageOffset($0) }
        frame.imageID = symbol.imageID
        frame.printed = symbol.printed
        frame.isInlined = symbol.isInlined
        return frame
    }
}

/// What stands behind a frame's address, in all the ways in which Apple's programs and their followers write it:
///
///     start + 462                                    name and offset
///     main + 20 (main.m:14)                          with file and line: symbolicated reports
///     main + 24 (App.swift:4) [inlined]              an inlined call: reports since macOS 12
///     0x10e30e000 + 15941                            image base and offset: nothing is known
///     CrashExample + 2709                            the same by `backtrace_symbols`: the image's name instead of its base
///     4C4C44F6-5555-3144-A1C7-8F23AF66DDA8 + 1016     the same: the image's UUID
///     _mh_execute_header + 5384                      the same, where dladdr finds the Mach header's symbol
///     0x1a000 + 20342 (-[Crasher crash] + 6)         base and offset, and the symbol behind: KSCrash
///     -[MyClass crash] (in App) (main.m:21)          atos, as MacSymbolicator pastes it
///     <redacted> + 88                                iOS: the name was withheld
struct AppleSymbolText {
    var printed: PrintedSymbol?
    /// Where the row says how far the address is from its image's first byte.
    var imageOffset: UInt64?
    /// The image's UUID, where that stands for its name.
    var imageID: ImageID?
    var isInlined = false

    init(_ text: Span<UInt8>, imageName: String?, address: UInt64) {
        var rest = text.trimmed()
        if rest.hasSuffix("[inlined]") {
            isInlined = true
            rest = rest.upTo(rest.count - "[inlined]".utf8.count).trimmed()
        }
        if let base = takeBase(&rest, address: address) {
            // A base of zero stands for “no image”: the offset is then the address itself.
            imageOffset = base == 0 ? nil : address - base
            rest = rest.trimmed()
            // KSCrash's form has the symbol in parentheses behind it.
            if rest.hasPrefix("("), rest.hasSuffix(")"), AppleSymbolText.location(rest.from(1).upTo(rest.count - 2)) == nil {
                rest = rest.from(1).upTo(rest.count - 2)
            }
        }
        guard rest.count > 0 else { return }
        var symbol = PrintedSymbol()
        if rest.hasSuffix(")") {
            let open = rest.lastRange(of: " (")?.lowerBound ?? (rest.hasPrefix("(") ? -1 : nil)
            if let open, let location = AppleSymbolText.location(rest.from(open + 2).upTo(rest.count - open - 3)) {
                // `(:-1)` is neither file nor line.
                symbol.location = location.file.isEmpty ? nil : location
                rest = rest.upTo(max(0, open)).trimmed()
            }
        }
        if rest.hasSuffix(")"), let open = rest.lastRange(of: " (in ") { rest = rest.upTo(open.lowerBound).trimmed() }
        if let plus = rest.lastRange(of: " + ") {
            var digits = rest.from(plus.upperBound)
            // 10.2 and 10.3 write hexadecimal offsets: `_pthread_body + 0x28`.
            if let offset = digits.takeAddress() ?? digits.takeDecimal(), digits.count == 0 {
                symbol.offset = offset
                rest = rest.upTo(plus.lowerBound).trimmed()
            }
        }
        if let offset = symbol.offset, offset <= address, AppleSymbolText.isUUID(rest) {
            imageOffset = offset
            imageID = ImageID(text: rest)
            return
        }
        let name = rest.text
        if let offset = symbol.offset, offset <= address, AppleSymbolText.isMachHeader(name, imageName, at: address - offset) {
            imageOffset = offset
            return
        }
        symbol.name = AppleSymbolText.unknown.contains(name) ? nil : name
        if symbol != PrintedSymbol() { printed = symbol }
    }

    /// `4C4C44F6-5555-3144-A1C7-8F23AF66DDA8`
    private static func isUUID(_ text: Span<UInt8>) -> Bool {
        text.count == 36
            && (0..<36).allSatisfy { [8, 13, 18, 23].contains($0) ? text[$0] == UInt8(ascii: "-") : hexadecimalValue(text[$0]) != nil }
    }

    /// What stands where a name is not known, was withheld (iOS), or would be one of several that share their code (Xcode).
    private static let unknown: Set = ["", "<redacted>", "???", "<unknown>", "<deduplicated_symbol>"]

    /// Whether the row says all that rows say: how far the address is from something, or where it is in the source.
    var isComplete: Bool { imageOffset != nil || printed?.offset != nil || printed?.location != nil || isInlined }

    /// Whether `name` stands for the image's first byte and not for a function. The name of the image itself is the name of a function, too,
    /// now and then (`main`); an image begins at a page.
    private static func isMachHeader(_ name: String, _ imageName: String?, at start: UInt64) -> Bool {
        guard start & 0xFFF == 0 else { return false }
        return name == imageName || ["_mh_execute_header", "__mh_execute_header", "_mh_dylib_header", "__mh_dylib_header"].contains(name)
    }

    /// `File.m:94`, `<compiler-generated>:0`, `:-1` (no file and no line: that is no location).
    private static func location(_ text: Span<UInt8>) -> SourceLocation? {
        guard let colon = text.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        var digits = text.from(colon + 1)
        let isNegative = digits.take("-")
        guard let number = digits.takeDecimal(), digits.count == 0, let line = Int(exactly: number) else { return nil }
        return SourceLocation(file: text.upTo(colon).text, line: isNegative ? 0 : line)
    }
}

/// Takes `0x10e30e000 + 15941`.
/// - Returns: the base, if base and offset are the frame's address; zero otherwise. Old reports print a symbol's start or nonsense there; only a sum that fits is believed.
private func takeBase(_ text: inout Span<UInt8>, address: UInt64) -> UInt64? {
    var rest = text
    // TN2123's `0 + 0` has no `0x`.
    let bareZero: UInt64? = rest.hasPrefix("0 + ") && rest.take("0") ? 0 : nil
    guard let base = bareZero ?? rest.takeAddress(), rest.take(" + "), let offset = rest.takeDecimal(), rest.at(0).map(isBlank) ?? true
    else { return nil }
    text = rest
    let (sum, overflow) = base.addingReportingOverflow(offset)
    return overflow || sum != address ? 0 : base
}
