internal import BinaryPrimitives
internal import CrashLogModel

/// The line before a stack in which glibc prints why it ends the process.
struct GlibcHeading {
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
