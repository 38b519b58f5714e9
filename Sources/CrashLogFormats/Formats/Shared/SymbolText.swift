internal import BinaryPrimitives
internal import CrashLogModel

/// The text after a frame's address, in all the forms in which Apple's programs and their followers
/// write it:
///
///     start + 462                                    name and offset
///     main + 20 (main.m:14)                          with file and line: symbolicated reports
///     main + 24 (App.swift:4) [inlined]              an inlined call: reports since macOS 12
///     0x10e30e000 + 15941                            image base and offset: nothing is known
///     0x10e30e000 + 0x3e45	// start + 0x12          the same of CrashReporter on jailbroken iOS, with the symbol
///     CrashExample + 2709                            the same by `backtrace_symbols`: the image's name instead of its base
///     4C4C44F6-5555-3144-A1C7-8F23AF66DDA8 + 1016     the same: the image's UUID
///     _mh_execute_header + 5384                      the same, where dladdr finds the Mach header's symbol
///     0x1a000 + 20342 (-[Crasher crash] + 6)         base and offset, followed by the symbol: KSCrash
///     -[MyClass crash] (in App) (main.m:21)          atos, as MacSymbolicator pastes it
///     <redacted> + 88                                iOS: the name was withheld
struct SymbolText {
    var printed: PrintedSymbol?
    /// Distance of the address from its image's first byte, if the row gives it.
    var imageOffset: UInt64?
    /// The image's UUID, if that replaces its name.
    var imageID: ImageID?
    var isInlined = false

    init(_ text: Span<UInt8>, imageName: String?, address: UInt64) {
        var rest = text.trimmed()
        // Sentry has it before the name.
        isInlined = rest.consumeSuffix("[inlined]") || rest.consume("[inlined] ")
        rest = rest.trimmed()
        if let base = readImageBase(&rest, address: address) {
            // A base of zero means “no image”: the offset is then the address itself.
            imageOffset = base == 0 ? nil : address - base
            rest = rest.trimmed()
            if rest.consume("//") { rest = rest.trimmed() }
            // KSCrash's form has the symbol in parentheses after it.
            if rest.hasPrefix("("), rest.hasSuffix(")"), SymbolText.location(rest.from(1).upTo(rest.count - 2)) == nil {
                rest = rest.from(1).upTo(rest.count - 2)
            }
        }
        guard rest.count > 0 else { return }
        var symbol = PrintedSymbol()
        if rest.hasSuffix(")") {
            let open = rest.lastRange(of: " (")?.lowerBound ?? (rest.hasPrefix("(") ? -1 : nil)
            if let open, let location = SymbolText.location(rest.from(open + 2).upTo(rest.count - open - 3)) {
                // `(:-1)` is neither file nor line.
                symbol.location = location.file.isEmpty ? nil : location
                rest = rest.upTo(max(0, open)).trimmed()
            }
        }
        if rest.hasSuffix(")"), let open = rest.lastRange(of: " (in ") { rest = rest.upTo(open.lowerBound).trimmed() }
        if let plus = rest.lastRange(of: " + ") {
            var digits = rest.from(plus.upperBound)
            // 10.2 and 10.3 write hexadecimal offsets: `_pthread_body + 0x28`.
            if let offset = digits.readAddress() ?? digits.readDecimal(), digits.count == 0 {
                symbol.offset = offset
                rest = rest.upTo(plus.lowerBound).trimmed()
            }
        }
        if let offset = symbol.offset, offset <= address, rest.count == 36, rest.beginsWithUUID {
            imageOffset = offset
            imageID = ImageID(text: rest)
            return
        }
        let name = rest.text
        if let offset = symbol.offset, offset <= address, SymbolText.isMachHeader(name, imageName, at: address - offset) {
            imageOffset = offset
            return
        }
        symbol.name = SymbolText.unknown.contains(name) ? nil : name
        if symbol != PrintedSymbol() { printed = symbol }
    }

    /// Names that are written if a name is not known, was withheld (iOS), or would be one of
    /// several that share their code (Xcode).
    private static let unknown: Set = ["", "<redacted>", "???", "<unknown>", "<deduplicated_symbol>"]

    /// Whether the row has all that rows have: an offset from a symbol or an image, or a source
    /// location.
    var isComplete: Bool { imageOffset != nil || printed?.offset != nil || printed?.location != nil || isInlined }

    /// Whether `name` means the image's first byte and not a function. The name of the image itself
    /// is the name of a function, too, now and then (`main`); an image begins at a page.
    private static func isMachHeader(_ name: String, _ imageName: String?, at start: UInt64) -> Bool {
        guard start & 0xFFF == 0 else { return false }
        return name == imageName || machHeaders.contains(name)
    }

    /// The linker's names for the first byte of an image (ld(1); `__dso_handle` of the C++ ABI): in a stripped program the nearest symbol
    /// before nearly every address.
    static let machHeaders: Set = [
        "_mh_execute_header", "__mh_execute_header", "_mh_dylib_header", "__mh_dylib_header", "_mh_bundle_header", "__mh_bundle_header",
        "__dso_handle", "___dso_handle",
    ]

    /// Reads `File.m:94`, `<compiler-generated>:0`, `:-1` (no file and no line: not a location).
    private static func location(_ text: Span<UInt8>) -> SourceLocation? {
        guard let colon = text.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        var digits = text.from(colon + 1)
        let isNegative = digits.consume("-")
        guard let number = digits.readDecimal(), digits.count == 0, let line = Int(exactly: number) else { return nil }
        return SourceLocation(file: text.upTo(colon).text, line: isNegative ? 0 : line)
    }

    /// Whether a row's base is where its image is loaded, although its offset counts from something else: from the function, which
    /// begins behind the image, or from zero, where the function is not known.
    static func isLoadAddress(_ base: UInt64, of address: UInt64, offsetInFunction offset: UInt64) -> Bool {
        guard base > 0, base & 0xFFF == 0, base <= address, address - base < longestImage else { return false }
        return offset <= address - base || offset == address
    }

    /// Maximum length of an image: 256 MB.
    static let longestImage: UInt64 = 0x1000_0000

    /// `-[Crasher crash] + 88 (Crasher.m:94)`; the offset counts to the raw address, as Apple's
    /// reports and atos do, the file is without its folders.
    static func text(for function: FrameResult.Function) -> String {
        var text = PlainText.line(function.name)
        if let offset = function.offset { text += " + \(offset)" }
        if let location = function.location { text += " (\(PlainText.line(Path.foreignName(of: location.file))):\(location.line))" }
        return function.isInlined ? text + " [inlined]" : text
    }
}

/// Takes `0x10e30e000 + 15941`.
/// - Returns: the base, if base and offset are the frame's address; zero otherwise. Old reports
///   print a symbol's start or nonsense there. Sentry prints the offset in the function behind the image's base
///   (`_convert_frame_to_apple_string` of its `applecrashreport.py`): what begins at a page is the image.
private func readImageBase(_ text: inout Span<UInt8>, address: UInt64) -> UInt64? {
    var rest = text
    // TN2123's `0 + 0` has no `0x`.
    let bareZero: UInt64? = rest.hasPrefix("0 + ") && rest.consume("0") ? 0 : nil
    guard let base = bareZero ?? rest.readAddress(), rest.consume(" + "), let offset = rest.readAddress() ?? rest.readDecimal(),
        rest.at(0).map(isBlank) ?? true
    else { return nil }
    text = rest
    return base &+ offset == address || SymbolText.isLoadAddress(base, of: address, offsetInFunction: offset) ? base : 0
}

extension Span where Element == UInt8 {
    /// Whether a UUID of 36 characters is at the beginning: `4C4C44F6-5555-3144-A1C7-8F23AF66DDA8`.
    var beginsWithUUID: Bool {
        guard at(8) == UInt8(ascii: "-"), at(13) == UInt8(ascii: "-"), count >= 36 else { return false }
        for index in 0..<36 {
            let isDash = index == 8 || index == 13 || index == 18 || index == 23
            guard isDash ? self[index] == UInt8(ascii: "-") : hexadecimalValue(self[index]) != nil else { return false }
        }
        return true
    }
}
