internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// The text that Firebase Crashlytics' console gives for download, of Apple's platforms:
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
    /// The second column is how far the address is in the image, and was the address until about
    /// 2021 (the console's own change; the client records addresses:
    /// `Crashlytics/Crashlytics/Unwind/FIRCLSUnwind.c`). No image is longer than 256 MB, and no
    /// address of a 64-bit program is lower. `+ 7` before a place is the line once more.
    /// `(Missing UUID …)` names the image whose symbols were never uploaded.
    ///
    /// A thread's first row was executing, as in the client's record; an exception's rows are all
    /// where calls return to. (`_pthread_start + 136` in public logs is what Apple's reports of the
    /// same system have.)
    static let crashlytics = StackCard(
        name: "crashlytics",
        summary: "Firebase Crashlytics: the console’s text of Apple’s platforms",
        openings: [.anywhere("# Crashlytics - Stack trace"), .anywhere("#0. Crashed: "), .start("Fatal Exception: NS")],
        rule: .returnAddresses,
        offsets: .imageStart,
        maxUnrecognizedLines: 16,
        read: { CrashlyticsText.heading($0.trimmed()) },
        readRow: { CrashlyticsText.row($0) })
}

enum CrashlyticsText {
    /// `#0. Crashed: com.apple.main-thread`,
    /// `#1. com.google.firebase.crashlytics.MachExceptionServer`, `Crashed: com.apple.main-thread`,
    /// `Fatal Exception: NSRangeException`
    static func heading(_ text: Span<UInt8>) -> StackLine? {
        var rest = text
        if rest.take("Fatal Exception: ") {
            return .cause(CrashCause(kind: .languageException, type: rest.text))
        }
        if text.hasPrefix("# ") || text.count == 0 { return .skipped }
        var number: Int?
        if rest.take("#"), let value = rest.takeDecimal() {
            guard rest.take(". ") else { return nil }
            number = Int(exactly: value)
        }
        let isCrashed = rest.take("Crashed: ")
        guard number != nil || isCrashed else { return nil }
        return .thread(number: number, name: rest.text, isCrashed: isCrashed, rule: .firstExact)
    }

    /// The longest image, and the lowest address of a 64-bit program's.
    private static let longest: UInt64 = 0x1000_0000

    static func row(_ line: Span<UInt8>) -> StackRow? {
        guard var row = StackRow(line, isLenient: true), row.style == .bare, let module = row.module, let address = row.address else {
            return nil
        }
        // `main + 7 (demo.c:7)`
        if row.file != nil, row.symbol.offset == UInt64(exactly: row.line) { row.symbol.offset = nil }
        guard row.moduleOffset == nil, module.upperBound <= row.addressRange?.lowerBound ?? 0 else { return row }
        if address < longest || row.id != nil {
            row.moduleOffset = address
            row.address = nil
            row.addressRange = nil
            // Of the function it is the line, and with an offset in the image it is not needed.
            row.symbol.offset = nil
        }
        return row
    }
}
