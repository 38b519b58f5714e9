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

/// The line before a stack in which glibc prints why it ends the process.
private struct GlibcHeading {
    var cause: CrashCause
    var processName: String?

    init?(_ line: Span<UInt8>) {
        cause = CrashCause(kind: .runtimeError)
        guard readDetected(line) || readError(line) || readAssertion(line) else { return nil }
    }

    /// Reads `*** glibc detected *** ./a.out: double free or corruption (fasttop): 0x0804b008 ***` (malloc/malloc.c
    /// before 2.17), `*** buffer overflow detected ***: ar terminated`,
    /// `*** stack smashing detected ***: <unknown> terminated` (debug/fortify_fail.c).
    private mutating func readDetected(_ line: Span<UInt8>) -> Bool {
        guard line.hasPrefix("*** "), let end = line.firstRange(of: " detected ***") else { return false }
        let errorName = line.clamped(to: 4..<end.lowerBound)
        var rest = line.from(end.upperBound).trimmed()
        if errorName.equals("glibc") {
            guard let colon = rest.firstRange(of: ": ") else { return false }
            processName = rest.upTo(colon.lowerBound).text
            return readMessage(rest.from(colon.upperBound))
        }
        guard rest.consume(":") else { return false }
        rest = rest.trimmed()
        if rest.consumeSuffix(" terminated") {
            if !rest.equals("<unknown>") { processName = rest.text }
        }
        cause.type = errorName.text + " detected"
        return true
    }

    /// Reads ``*** Error in `./a.out': free(): invalid pointer: 0x00007ffd5e0 ***`` (sysdeps/posix/libc_fatal.c since
    /// 2.17).
    private mutating func readError(_ line: Span<UInt8>) -> Bool {
        var rest = line
        guard rest.consume("*** Error in `"), let end = rest.firstRange(of: "': ") else { return false }
        processName = rest.upTo(end.lowerBound).text
        return readMessage(rest.from(end.upperBound))
    }

    private mutating func readMessage(_ text: Span<UInt8>) -> Bool {
        let message = text.hasSuffix(" ***") ? text.upTo(text.count - 4) : text
        cause.type = message.upTo(message.lastRange(of: ": 0x")?.lowerBound ?? message.count).text
        cause.message = message.text
        return true
    }

    /// Reads ``ferry: ferry.c:75: count_crate: Assertion `ship->crates < crate' failed.`` (assert/assert.c; some
    /// compilers omit the function).
    private mutating func readAssertion(_ line: Span<UInt8>) -> Bool {
        guard line.hasSuffix("' failed."), let mark = line.firstRange(of: ": Assertion `"), let colon = line.firstRange(of: ": "),
            colon.upperBound <= mark.lowerBound
        else { return false }
        // FILE:LINE follows the program's name.
        let location = line.from(colon.upperBound).upTo(mark.upperBound - colon.upperBound)
        guard let digits = location.firstIndex(of: UInt8(ascii: ":")), location.at(digits + 1).map(isDigit) == true else { return false }
        processName = line.upTo(colon.lowerBound).text
        cause.type = "assertion failed"
        cause.message = line.from(colon.upperBound).text
        return true
    }
}
