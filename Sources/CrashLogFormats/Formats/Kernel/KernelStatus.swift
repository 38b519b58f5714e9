internal import BinaryPrimitives
internal import CrashLogModel

/// The line about processor, process and kernel, as `dump_stack_print_info` of `lib/dump_stack.c`
/// writes it, and its forms of before:
///
///     CPU: 1 PID: 4070 Comm: syz-executor Not tainted 4.8.0-rc3+ #33
///     CPU: 0 UID: 0 PID: 4952 Comm: bash Kdump: loaded Tainted: G        W          6.12.0-1-amd64 #1  Debian 6.12.1-1
///     Pid: 598, comm: wpa_supplicant Tainted: P         C O 3.6.1-1.fc17.i686.PAE #1 Hewlett-Packard HP Mini 110-1100/308F
///     Process vsftpd (pid: 1857, task: 0000000077a22e10, ksp: 000000007cbe3a78)
///     comm "a.out", pid 24109, jiffies 4299060398 (age 27.984s)                             kmemleak's
struct KernelStatus {
    var processor: UInt64?
    var pid: Int?
    var command: String?
    /// `6.1.0-18-amd64`
    var release: String?
    /// vmlinux's, where the kernel prints it after the release (`CONFIG_STACKTRACE_BUILD_ID`).
    var buildID: ImageID?

    static let triggers = [" PID: ", ", comm: "]

    init?(_ line: Span<UInt8>) {
        var rest = line.trimmed()
        if rest.consume("CPU: ") {
            guard let number = rest.readDecimal(), rest.consume(" ") else { return nil }
            processor = number
            if rest.consume("UID: ") { guard rest.readDecimal() != nil, rest.consume(" ") else { return nil } }
            if rest.consume("PID: ") {
                pid = rest.readDecimal().flatMap { Int(exactly: $0) }
                rest.skipBlanks()
                guard rest.consume("Comm: ") else { return nil }
                command = KernelStatus.command(rest)
            } else if !rest.hasPrefix("Tainted: "), !rest.hasPrefix("Not tainted") {
                return nil
            }
        } else if rest.consume("Pid: ") {
            pid = rest.readDecimal().flatMap { Int(exactly: $0) }
            guard rest.consume(", comm: ") else { return nil }
            command = KernelStatus.command(rest)
        } else if rest.consume("comm \""), let close = rest.firstRange(of: "\", pid ") {
            command = rest.upTo(close.lowerBound).text
            rest = rest.from(close.upperBound)
            pid = rest.readDecimal().flatMap { Int(exactly: $0) }
            return
        } else if rest.consume("Process "), let open = rest.firstRange(of: " (pid: ") {
            command = rest.upTo(open.lowerBound).text
            rest = rest.from(open.upperBound)
            pid = rest.readDecimal().flatMap { Int(exactly: $0) }
            return
        } else {
            return nil
        }
        (release, buildID) = KernelStatus.release(rest)
    }

    /// Up to the taint: a name may hold blanks.
    private static func command(_ text: Span<UInt8>) -> String? {
        let marks = [" Kdump: ", " Not tainted", " Tainted: "]
        let end = marks.compactMap { text.firstRange(of: $0)?.lowerBound }.min() ?? text.count
        return end > 0 ? text.upTo(end).trimmed().text : nil
    }

    /// Lockdep's reports begin with `3.5.0-rc5 #2 Not tainted` on a line alone.
    static func bareRelease(_ line: Span<UInt8>) -> String? {
        let text = line.trimmed()
        guard let first = text.at(0), isDigit(first), let hash = text.firstRange(of: " #"), text.contains("ainted") else { return nil }
        guard text.from(hash.upperBound).leadingDecimal != nil, text.upTo(hash.lowerBound).firstIndex(of: UInt8(ascii: " ")) == nil else {
            return nil
        }
        return text.upTo(hash.lowerBound).text
    }

    /// The word before `#33`, the number of the build; the taint's letters are in columns before
    /// it.
    private static func release(_ text: Span<UInt8>) -> (String?, ImageID?) {
        guard let taint = text.firstRange(of: "ainted") else { return (nil, nil) }
        let rest = text.from(taint.upperBound)
        var start = 0
        while let hash = rest.firstRange(of: " #", from: start) {
            start = hash.upperBound
            guard rest.from(hash.upperBound).leadingDecimal != nil else { continue }
            let prefix = rest.upTo(hash.lowerBound).trimmed()
            let word = prefix.from((prefix.lastIndex(of: UInt8(ascii: " ")) ?? -1) + 1)
            guard word.count > 0 else { return (nil, nil) }
            let last = rest.trimmed().from((rest.trimmed().lastIndex(of: UInt8(ascii: " ")) ?? -1) + 1)
            return (word.text, last.count == 40 ? ImageID(text: last.text) : nil)
        }
        return (nil, nil)
    }

    /// The architecture that a distribution's release ends with: `6.1.0-18-amd64`,
    /// `3.10.0-33.el7.ppc64`.
    static func architecture(ofRelease release: String) -> Architecture? {
        for (mark, architecture) in [
            ("amd64", Architecture.x86_64), ("x86_64", .x86_64), ("i686", .i386), ("i386", .i386), ("ppc64le", .ppc64), ("ppc64", .ppc64),
            ("s390x", .s390x), ("arm64", .arm64), ("aarch64", .arm64), ("armv7hl", .arm), ("armmp", .arm), ("riscv64", .riscv64),
        ] where release.hasSuffix(mark) || release.contains("." + mark + ".") {
            return architecture
        }
        return nil
    }
}
