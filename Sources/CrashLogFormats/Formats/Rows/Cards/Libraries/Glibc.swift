internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Stacks that programs print with `backtrace_symbols(3)` of glibc, and the reports of glibc itself before 2.26,
    /// with the process's memory map:
    ///
    ///     *** glibc detected *** ./a.out: double free or corruption (fasttop): 0x0804b008 ***
    ///     ======= Backtrace: =========
    ///     /lib/libc.so.6(cfree+0x96)[0xb7e9a1b6]
    ///     ./a.out[0x804847d]
    ///     ======= Memory map: ========
    ///     08048000-08049000 r-xp 00000000 08:01 1311768    /tmp/a.out
    ///
    /// Stacks that an abort handler prints below a failed assertion are read as well. `backtrace_symbols` has a blank
    /// before the bracket, `backtrace_symbols_fd` and the reports of glibc itself have none (`debug/backtracesyms.c`,
    /// `backtracesymsfd.c`). `(+0x1390)` counts from the load bias (`l_addr`).
    ///
    /// Every frame is a return address: `backtrace(3)` unwinds from inside itself, so that the first entry is its own
    /// return address.
    static let glibc = StackCard(
        name: "glibc-backtrace",
        summary: "backtrace_symbols(3) of glibc: its rows, “*** glibc detected ***” with a memory map, failed assertions",
        openings: [
            .start("*** glibc detected ***"), .start("*** Error in `"), .anywhere(" detected ***: "), .start("======= Backtrace: "),
            .anywhere("Assertion `"),
        ],
        rule: .returnAddresses,
        claims: { row in
            row.addressBracket == UInt8(ascii: "[")
                && (row.nameBracket == UInt8(ascii: "(")
                    || row.symbol.name == nil && row.file == nil && !row.hasUnknownName && row.style == .none)
        },
        read: { line in
            let text = line.trimmed()
            if text.hasPrefix("======= Memory map: ") { return .mapFollows }
            if text.hasPrefix("======= Backtrace: ") { return .skipped }
            return GlibcHeading(text).map { .cause($0.cause, process: $0.processName) }
        })
}
