internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Stack traces of Apple's platforms, as downloaded from the console of Firebase Crashlytics:
    ///
    ///     # Crashlytics - Stack trace
    ///     # Application: com.example.demo
    ///     Fatal Exception: NSRangeException
    ///     0  CoreFoundation                 0x83f20 __exceptionPreprocess
    ///     1  Demo                           0x3f8 (Missing UUID 4c4c44f655553144a1c78f23af66dda8)
    ///     2  Demo                           0x408 main + 7 (demo.c:7)
    ///
    ///     #0. Crashed: com.apple.main-thread
    ///     0  Demo                           0x104a383d4 boom + 12
    ///
    /// The second column is the offset of the address in the image, and was the address until about 2021 (the console's
    /// own change; the client records addresses: `Crashlytics/Crashlytics/Unwind/FIRCLSUnwind.c`). No image is longer
    /// than 256 MB, and no address of a 64-bit program is lower. `+ 7` before a source location repeats the line.
    /// `(Missing UUID …)` gives the UUID of the image whose symbols were never uploaded.
    ///
    /// A thread's first row was executing, as in the client's record; all rows of an exception are return addresses.
    /// (`_pthread_start + 136` in public logs is also in Apple's reports of the same system.)
    static let crashlytics = StackCard(
        name: "crashlytics",
        summary: "Firebase Crashlytics: the console’s text of Apple’s platforms",
        openings: [
            .anywhere("# Crashlytics - Stack trace"), .anywhere("#0. Crashed: "), .start("Crashed: "), .start("Fatal Exception: NS"),
        ],
        rule: .returnAddresses,
        offsets: .imageStart,
        allowsRowWithoutHeading: false,
        maxUnrecognizedLines: 16,
        hasOwnRows: true,
        claims: { DarwinText.isRow($0) && CrashlyticsText.hasOffset($0) },
        read: { CrashlyticsText.heading($0.trimmed()) },
        readRow: { CrashlyticsText.row($0) })
}

enum CrashlyticsText {
    /// Reads a heading: `#0. Crashed: com.apple.main-thread`,
    /// `#1. com.google.firebase.crashlytics.MachExceptionServer`, `Crashed: com.apple.main-thread`,
    /// `Fatal Exception: NSRangeException`, `EXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x0000000000000010`.
    static func heading(_ text: Span<UInt8>) -> StackLine? {
        var rest = text
        if rest.consume("Fatal Exception: ") {
            return .cause(CrashCause(kind: .languageException, type: rest.text))
        }
        if rest.consume("EXC_") {
            rest = text
            var cause = CrashCause(kind: .machException, type: rest.readToken().text)
            let codes = rest.trimmed()
            if codes.count > 0 { cause.codes = codes.text }
            cause.address = codes.lastRange(of: " 0x").flatMap { codes.from($0.lowerBound + 1).leadingAddress }.map { RuntimeAddress($0) }
            return .note(cause)
        }
        if text.hasPrefix("# ") || text.count == 0 { return .skipped }
        var number: Int?
        if rest.consume("#"), let value = rest.readDecimal() {
            guard rest.consume(". ") else { return nil }
            number = Int(exactly: value)
        }
        let isCrashed = rest.consume("Crashed: ")
        guard number != nil || isCrashed else { return nil }
        return .thread(number: number, name: rest.text, isCrashed: isCrashed, rule: .firstIsProgramCounter)
    }

    /// Whether the address column has an offset in the image: `backtrace_symbols(3)` pads addresses, and Apple's
    /// reports have the image's base after them.
    static func hasOffset(_ row: StackRow) -> Bool {
        guard let address = row.address, address < SymbolText.longestImage, row.base == nil, let range = row.addressRange else {
            return false
        }
        return range.count == 2 + max(1, (64 - address.leadingZeroBitCount + 3) / 4)
    }

    static func row(_ line: Span<UInt8>) -> StackRow? {
        guard var row = StackRow(line, isLenient: true), row.style == .bare, let address = row.address else { return nil }
        // `4  (Missing)   0x1985a3f28 (Missing)`
        guard let module = row.module else { return row.hasUnknownName ? row : nil }
        // `main + 7 (demo.c:7)`
        if row.file != nil, row.symbol.offset == UInt64(exactly: row.line) { row.symbol.offset = nil }
        guard row.base == nil, module.upperBound <= row.addressRange?.lowerBound ?? 0 else { return row }
        if address < SymbolText.longestImage || row.id != nil {
            row.moduleOffset = address
            row.address = nil
            row.addressRange = nil
            // The offset in the function repeats the line, and is not needed beside an offset in the image.
            row.symbol.offset = nil
        }
        return row
    }
}
