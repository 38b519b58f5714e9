internal import BinaryPrimitives
internal import CrashLogModel

/// The lines with `#` at the top of HotSpot's fatal error logs and on the console
/// (`VMError::report`):
///
///     # A fatal error has been detected by the Java Runtime Environment:
///     #
///     #  SIGSEGV (0xb) at pc=0x00007f3dd6aa9187, pid=161958, tid=0x00007f3d8b9fc700
///     #
///     # Java VM: OpenJDK 64-Bit Server VM (25.242-b08 mixed mode linux-amd64 )
///
/// Instead of the signal's line: `# Internal Error (sharedRuntime.cpp:833), pid=8768, tid=6780`
/// with the failed check below it, `# Out of Memory Error (os_linux.cpp:2749), pid=…`.
struct HotSpotHeader {
    var cause: CrashCause?
    var pid: Int?
    var architecture: Architecture?
    /// `linux-amd64`
    var machine: String?
    var version: String?
    /// The machine stopped by its own decision: no signal interrupted it, and its stack begins in
    /// the function that writes the log.
    var isOwnDecision = false
    private var wantsMessage = false

    static func begins(_ line: Span<UInt8>) -> Bool {
        line.hasPrefix("# A fatal error has been detected by ") || line.hasPrefix("# An unexpected error has been detected by ")
            || line.hasPrefix("# There is insufficient memory for the Java Runtime Environment to continue")
    }

    mutating func read(_ line: Span<UInt8>) {
        var rest = line.from(1)
        if rest.consume(" Native memory allocation ") || rest.consume(" Cannot create ") || rest.consume(" Out of swap space") {
            cause = cause ?? CrashCause(kind: .runtimeError)
            let known = cause?.message
            cause?.message = known ?? line.from(2).trimmed().text
        } else if rest.consume(" JRE version: ") {
            version = rest.trimmed().text
        } else if rest.consume(" Java VM: ") {
            readMachine(rest)
        } else if rest.consume("  ") {
            if rest.contains(", pid="), readError(rest) { return }
            guard wantsMessage, rest.count > 0, !isBlank(rest[0]) else { return }
            wantsMessage = false
            cause?.message = rest.trimmed().text
        } else if rest.trimmed().count == 0 {
            wantsMessage = false
        }
    }

    /// `SIGSEGV (0xb) at pc=0x…, pid=1, tid=2`, `Internal Error (codeCache.cpp:654), pid=1, tid=2`
    private mutating func readError(_ text: Span<UInt8>) -> Bool {
        guard let comma = text.firstRange(of: ", pid=") else { return false }
        pid = text.from(comma.upperBound).leadingDecimal.flatMap { Int(exactly: $0) }
        let description = text.upTo(comma.lowerBound)
        let message = cause?.message
        if let at = description.firstRange(of: " at pc=") {
            var found = CrashCause(kind: .signal)
            var name = description.upTo(at.lowerBound)
            if let open = name.lastIndex(of: UInt8(ascii: "(")) {
                found.codes = name.clamped(to: open + 1..<max(open + 1, name.count - 1)).text
                name = name.upTo(open).trimmed()
            }
            found.type = name.text
            found.signal = name.hasPrefix("SIG") ? name.text : nil
            var rest = description.from(at.upperBound)
            // An error that the machine raises itself is written as a signal without a number, at
            // no address.
            if rest.readAddress() == 0, !name.hasPrefix("SIG"), !name.hasPrefix("EXCEPTION") {
                isOwnDecision = true
                found.kind = .runtimeError
            }
            cause = found
        } else {
            var found = CrashCause(kind: .runtimeError)
            var name = description
            if let open = description.lastIndex(of: UInt8(ascii: "(")) {
                found.codes = description.clamped(to: open + 1..<max(open + 1, description.count - 1)).text
                name = description.upTo(open).trimmed()
            }
            found.type = name.text
            isOwnDecision = true
            cause = found
        }
        cause?.message = message
        wantsMessage = true
        return true
    }

    /// `OpenJDK 64-Bit Server VM (25.242-b08 mixed mode linux-amd64 compressed oops)`
    private mutating func readMachine(_ text: Span<UInt8>) {
        for system in ["linux-", "windows-", "bsd-", "aix-", "solaris-"] {
            guard let found = text.lastRange(of: system) else { continue }
            var name = text.from(found.lowerBound)
            let word = name.readToken()
            let end = word.firstIndex(of: UInt8(ascii: ")")) ?? word.count
            let plain = word.upTo(word.firstIndex(of: UInt8(ascii: ",")) ?? end)
            machine = plain.text
            architecture = Architecture(writtenName: plain.from(system.utf8.count).text)
            return
        }
    }
}
