internal import BinaryPrimitives
internal import CrashLogModel

/// A report's cause as the tables of meanings read it: the spellings of different formats are
/// unified.
struct CauseFacts {
    let report: CrashReport
    let cause: CrashCause
    /// `SIGSEGV`, whether the log gives the name, the number or gdb's words.
    let signal: String?
    /// `SEGV_MAPERR`.
    let signalCode: String?
    /// `KERN_INVALID_ADDRESS`, `EXC_I386_GPFLT`: the code of Apple's EXC_BAD_ACCESS by name.
    let accessCode: String?
    /// The numbers of `codes`: Mach's code and subcode.
    let numbers: [UInt64]
    /// Address that was accessed, if the cause is a bad access.
    let address: UInt64?

    init?(_ report: CrashReport) {
        guard let cause = report.cause else { return nil }
        self.report = report
        self.cause = cause
        numbers = CauseFacts.numbers(cause.codes)
        let isApple = CauseFacts.isApple(report)
        signal = CauseFacts.signal(cause, isApple: isApple)
        signalCode = cause.signalCode ?? CauseFacts.signalCode(cause)
        accessCode = cause.type == "EXC_BAD_ACCESS" ? CauseFacts.accessCode(cause, numbers, report.architecture) : nil
        address = cause.address?.value ?? CauseFacts.address(cause, numbers, accessCode)
    }

    // MARK: The machine

    var isApple: Bool { CauseFacts.isApple(report) }
    var isSanitizer: Bool { report.format.hasPrefix("sanitizer-") }
    /// Linux's own report.
    var isLinuxKernel: Bool { report.format == "kernel-oops" || cause.type == "kerneloops" }
    var isWindows: Bool {
        report.format == "windows-cdb" || cause.type == "access-violation" || cause.type?.hasPrefix("EXCEPTION_") ?? false
            || report.platform?.hasPrefix("Windows") ?? false
    }
    /// The report is a kernel's, whose addresses are not a program's.
    var isKernel: Bool {
        isLinuxKernel || ["apple-panic", "bsd-panic", "fuchsia-crash"].contains(report.format) || cause.type == "panic" && isApple
    }

    private static func isApple(_ report: CrashReport) -> Bool {
        let format = report.format
        return format.hasPrefix("apple-") || ["nsexception-console", "kscrash-json", "plcrashreporter", "metrickit"].contains(format)
            || report.cause?.type?.hasPrefix("EXC_") ?? false
    }

    var family: String? { report.architecture?.family }
    var isARM64: Bool { family == "arm64" }
    var is64Bit: Bool { ["x86_64", "arm64", "ppc64", "riscv64", "s390x", "mips64", "loongarch64", "sparcv9"].contains(family ?? "") }
    var isBigEndian: Bool { ["ppc", "ppc64", "s390x", "sparc", "sparcv9", "mips", "mips64"].contains(family ?? "") }

    var crashedThread: ThreadTrace? { report.threads.first { $0.crashed } }

    /// A register of the crashed thread by one of its names.
    func register(_ names: [String]) -> UInt64? {
        crashedThread?.registers?.values.first { names.contains($0.name) }?.value
    }

    /// r13 and r15 are the stack pointer and the program counter of 32-bit ARM alone.
    var stackPointer: UInt64? {
        crashedThread?.interruptedStackPointer
            ?? register(["sp", "rsp", "esp", "SP", "RSP", "ESP"] + (family == "arm" ? ["r13"] : []))
    }

    /// Address that was executing when it happened: the register's value, or the crashed thread's
    /// first frame if that is exact.
    var programCounter: UInt64? {
        if let value = register(["pc", "rip", "eip", "PC", "RIP", "EIP"] + (family == "arm" ? ["r15"] : [])) { return value }
        guard let frame = crashedThread?.frames.first, frame.kind == .programCounter else { return nil }
        return frame.address?.value
    }

    // MARK: The cause

    /// A bad access to memory, as the program's own: by Mach's exception or by the signal.
    var isBadAccess: Bool {
        if let type = cause.type, type.hasPrefix("EXC_") { return type == "EXC_BAD_ACCESS" }
        return signal == "SIGSEGV" || signal == "SIGBUS" || cause.type == "Bad pointer dereference" || isAccessViolation
    }

    /// Windows' word for it.
    var isAccessViolation: Bool {
        ["Access violation", "access-violation", "EXCEPTION_ACCESS_VIOLATION"].contains(cause.type ?? "") || cause.codes == "c0000005"
    }

    /// The first frame is a system call of glibc's: these return EFAULT for a bad address, so that
    /// a process sent the signal while the thread waited.
    var isInSystemCall: Bool {
        guard !isApple, let name = crashedThread?.frames.first?.printed?.name else { return false }
        return CauseFacts.systemCalls.contains(name)
    }

    private static let systemCalls: Set = [
        "__read", "read", "__GI___libc_read", "__libc_read", "__write", "write", "__poll", "poll", "__select", "select", "epoll_wait",
        "__epoll_wait", "__nanosleep", "clock_nanosleep", "__clock_nanosleep", "kill", "__kill", "pause", "__wait4", "wait4", "__accept",
        "accept",
        "__futex_abstimed_wait_cancelable64", "__futex_abstimed_wait_common64", "__pthread_kill_implementation",
    ]

    /// Swift's backtracer gives `si_addr` without `si_code`: for a signal that a process sent, it
    /// is the number of that process. An instruction that may be a system call without a name is in
    /// libc.
    var isAddressUnsure: Bool {
        guard report.format == "swift-backtrace", let frame = crashedThread?.frames.first, frame.printed?.name == nil else { return false }
        let name = frame.imageName ?? frame.image.map { report.images[$0].name }
        return name?.hasPrefix("libc.so") ?? true
    }

    private static func numbers(_ codes: String?) -> [UInt64] {
        guard let codes else { return [] }
        var numbers: [UInt64] = []
        for part in codes.split(separator: ",") {
            let bytes = Array(part.utf8)
            var text = bytes.span.trimmed()
            // LLDB writes `code=1, address=0x0`, and `code=EXC_I386_BPT, subcode=0x0`, where the
            // second number is not the code.
            if let sign = text.firstIndex(of: UInt8(ascii: "=")) { text = text.from(sign + 1) }
            guard let value = text.hasPrefix("0x") ? text.readAddress() : text.readDecimal(), text.count == 0 else { break }
            numbers.append(value)
        }
        return numbers
    }

    private static func signal(_ cause: CrashCause, isApple: Bool) -> String? {
        for candidate in [cause.signal, cause.type] {
            guard let candidate else { continue }
            if candidate.hasPrefix("SIG") { return candidate }
            let bytes = Array(candidate.utf8)
            var text = bytes.span
            _ = text.consume("signal ")
            if let number = text.readDecimal(), text.count == 0 {
                // Two numbers differ: `bits/signum-arch.h` of glibc, `sys/signal.h` of XNU.
                if number == 10, isApple { return "SIGBUS" }
                if number == 7, !isApple { return "SIGBUS" }
                if let name = SignalName.posix(number) { return name }
            }
            if let name = SignalName.namesByDescription[candidate] { return name }
        }
        return nil
    }

    /// `code 1 (SEGV_MAPERR)`, `SEGV_MAPERR at 0x8`, `SEGV_MAPERR`
    private static func signalCode(_ cause: CrashCause) -> String? {
        guard let codes = cause.codes else { return nil }
        let bytes = Array(codes.utf8)
        for prefix in ["SEGV_", "BUS_", "FPE_", "ILL_", "TRAP_", "SI_", "SYS_"] {
            guard let found = bytes.span.firstRange(of: prefix) else { continue }
            var rest = bytes.span.from(found.lowerBound)
            var length = 0
            while let byte = rest.at(length), isCodeLetter(byte) { length += 1 }
            rest = rest.upTo(length)
            return rest.text
        }
        return nil
    }

    private static func isCodeLetter(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || (byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z"))
    }

    private static func accessCode(_ cause: CrashCause, _ numbers: [UInt64], _ architecture: Architecture?) -> String? {
        for text in [cause.codes, cause.subtype, cause.message] {
            guard let text else { continue }
            let bytes = Array(text.utf8)
            var span = bytes.span
            _ = span.consume("code=")
            for prefix in ["KERN_", "EXC_I386_", "EXC_ARM_"] where span.hasPrefix(prefix) {
                let end = (0..<span.count).first { !isCodeLetter(span[$0]) && !isDigit(span[$0]) } ?? span.count
                return span.upTo(end).text
            }
        }
        guard let number = numbers.first else { return nil }
        let isIntel = architecture?.family == "x86_64" || architecture?.family == "i386"
        if number == 13 { return isIntel ? "EXC_I386_GPFLT" : nil }
        return AppleAccessMeanings.names[number]
    }

    /// The address that Mach's subcode gives, or the text `KERN_INVALID_ADDRESS at 0x13b0`.
    private static func address(_ cause: CrashCause, _ numbers: [UInt64], _ accessCode: String?) -> UInt64? {
        guard cause.type == "EXC_BAD_ACCESS", let accessCode, accessCode != "EXC_I386_GPFLT" else { return nil }
        for text in [cause.subtype, cause.message] where text?.hasPrefix(accessCode) ?? false {
            let bytes = Array((text ?? "").utf8)
            if let found = AppleStack.faultAddress(bytes.span) { return found.value }
        }
        // Sentry's events and old KSCrash's have no subcode there.
        return numbers.count == 2 && cause.codes?.hasPrefix("0x") ?? false ? numbers[1] : nil
    }
}
