internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Crashes on iOS, as Umeng, an analytics service, shows them: rows of `backtrace_symbols(3)`, and below them the
    /// app's UUID and load address.
    ///
    ///     Application received signal SIGTRAP
    ///     (null)
    ///     ((
    ///       2  Demo                           0x104a383f8 Demo + 1016
    ///     )
    ///
    ///     dSYM UUID: 4C4C44F6-5555-3144-A1C7-8F23AF66DDA8
    ///     CPU Type: arm64
    ///     Slide Address: 0x0000000100000000
    ///     Binary Image: Demo
    ///     Base Address: 0x0000000104a38000
    ///
    /// Its client is not public; the rows are those of `-[NSException callStackSymbols]` and `backtrace_symbols(3)`:
    /// return addresses. `Slide Address` is the address that the program is linked at.
    static let umeng = StackCard(
        name: "umeng",
        summary: "Umeng: crashes on iOS, with the app’s UUID below the rows",
        openings: [.start("Application received signal SIG")],
        rule: .returnAddresses,
        offsets: .imageStart,
        maxUnrecognizedLines: 4,
        maxUnrecognizedLinesInside: 4,
        read: { line in
            var rest = line.trimmed()
            if rest.consume("Application received signal ") {
                var cause = CrashCause(kind: .signal, signal: rest.readToken().text)
                cause.type = cause.signal
                return .cause(cause)
            }
            if rest.consume("dSYM UUID: ") { return ImageID(text: rest.trimmed()).map { .program($0) } }
            if rest.consume("CPU Type: ") { return .architecture(Architecture(rest.trimmed().text)) }
            if rest.consume("Binary Image: ") { return .process(name: rest.trimmed().text, pid: nil) }
            if rest.consume("Base Address: ") { return rest.readAddress().map { .program(nil, base: RuntimeAddress($0)) } }
            if rest.hasPrefix("Slide Address: ") || rest.equals("(null)") || rest.equals("((") || rest.equals(")") { return .skipped }
            return rest.count == 0 ? .skipped : nil
        })
}
