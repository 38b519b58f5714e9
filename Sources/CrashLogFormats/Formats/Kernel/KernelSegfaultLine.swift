internal import BinaryPrimitives
internal import CrashLogModel

/// The Linux kernel's message about a program to which it sends a deadly signal
/// (`debug.exception-trace`), in the wording of each architecture:
///
///     harbour[4242]: segfault at 10 ip 000055d0c0a1b2c3 sp 00007ffd1234abcd error 4 in harbour[55d0c0a1a000+2000]      x86: `show_signal_msg` of `arch/x86/mm/fault.c`
///     traps: harbour[4244] general protection fault ip:55d0c0a1b2c3 sp:7ffd1234abcd error:0 in harbour[…]              x86: `arch/x86/kernel/traps.c`
///     traps: harbour[4244] trap invalid opcode ip:55d0c0a1b2c3 sp:7ffd1234abcd error:0 in harbour[…]
///     harbour[4242]: unhandled signal 11 code 0x1 at 0x000000009b7e1c64 in libtide.so.1[95791000+27000]               riscv: `do_trap` of `arch/riscv/kernel/traps.c`
///     harbour[4242]: unhandled exception: DABT (lower EL), ESR 0x0000000092000006, level 2 translation fault in …      arm64: `arm64_show_signal` of `arch/arm64/kernel/traps.c`
///     harbour[4242]: unhandled level 2 translation fault (11) at 0x00000010, esr 0x92000006, in …                      arm64 before 4.18
///     harbour[4242]: segfault (11) at 10 nip 10000a1c lr 10000b00 code 1 in harbour[10000000+10000]                    powerpc: `show_signal_msg` of `arch/powerpc/kernel/traps.c`
///     do_page_fault(): sending SIGSEGV to harbour for invalid read access from 00000010                               mips, loongarch: `arch/mips/mm/fault.c`
struct KernelSegfaultLine {
    var processName: String?
    var pid: Int?
    var cause = CrashCause(kind: .signal)
    var architecture: Architecture?
    var pc: UInt64?
    /// The program counter is after the instruction that trapped: x86's breakpoint.
    var isBehind = false
    var mapping: KernelSegfaultMapping?
    /// Lines below it have more: registers, which hold the program counter.
    var hasRegisters = false

    static let triggers = [
        "segfault at ", " general protection", " trap ", "unhandled signal ", "unhandled exception: ", "fault (", " nip ",
        "sending SIGSEGV to ",
        " control protection",
    ]

    /// The line above mips' rows of registers, where it is missing: `__do_page_fault` of `arch/mips/mm/fault.c` prints them for this
    /// signal alone.
    init() {
        set(signal: "SIGSEGV")
        hasRegisters = true
    }

    init?(_ line: Span<UInt8>) {
        var rest = line
        rest.skipBlanks()
        let blanks = line.count - rest.count
        rest = rest.trimmed()
        let end = blanks + rest.count
        if rest.consume("do_page_fault(): sending SIGSEGV to ") || rest.consume("do_page_fault() #2: sending SIGSEGV to ") {
            guard readMIPSLine(rest) else { return nil }
            return
        }
        _ = rest.consume("traps: ")
        readProcess(&rest)
        guard readX86Line(&rest) || readOtherArchitectures(&rest) else { return nil }
        mapping = KernelSegfaultMapping(in: rest, at: end - rest.count)
    }

    /// `harbour[4242]: `, `Web Content[4242] `. A prefix may have been it.
    private mutating func readProcess(_ rest: inout Span<UInt8>) {
        guard let open = rest.upTo(80).firstIndex(of: UInt8(ascii: "[")), open > 0 else { return }
        var behind = rest.from(open + 1)
        guard let number = behind.readDecimal(), behind.consume("]"), behind.consume(": ") || behind.consume(" ") else { return }
        processName = rest.upTo(open).text
        pid = Int(exactly: number)
        rest = behind
    }

    // MARK: x86

    private mutating func readX86Line(_ text: inout Span<UInt8>) -> Bool {
        var rest = text
        if rest.consume("segfault at ") {
            guard let address = KernelSegfaultLine.readPointer(&rest) else { return false }
            cause.address = RuntimeAddress(address)
            set(signal: "SIGSEGV")
        } else if rest.consume("general protection fault ") || rest.consume("general protection ") {
            set(signal: "SIGSEGV", message: "general protection fault")
        } else if rest.consume("control protection ") {
            set(signal: "SIGSEGV", message: "control protection")
        } else if rest.consume("trap "), let mark = rest.firstRange(of: " ip:") {
            let trap = rest.upTo(mark.lowerBound)
            guard let signal = KernelSegfaultLine.signals.first(where: { trap.equals($0.trap) })?.signal else { return false }
            isBehind = signal == "SIGTRAP"
            set(signal: signal, message: trap.text)
            rest = rest.from(mark.lowerBound + 1)
        } else {
            return false
        }
        guard let counter = KernelSegfaultLine.readRegister(["ip ", "ip:", "rip ", "rip:", "eip ", "eip:"], &rest) else { return false }
        pc = counter
        let isSPARC = rest.consume("(rpc ")
        if isSPARC { rest = rest.from((rest.firstIndex(of: UInt8(ascii: ")")) ?? rest.count - 1) + 1).trimmed() }
        guard let stack = KernelSegfaultLine.readRegister(["sp ", "sp:", "rsp ", "rsp:", "esp ", "esp:"], &rest) else { return false }
        guard rest.consume("error ") || rest.consume("error:"), let error = rest.readHexadecimal() else { return false }
        cause.codes = "error \(String(error, radix: 16))"
        if !isSPARC { note(error: error, stack: stack) }
        text = rest
        return true
    }

    /// `DO_ERROR` and `do_int3` of `arch/x86/kernel/traps.c`.
    private static let signals: [(trap: String, signal: String)] = [
        ("invalid opcode", "SIGILL"), ("divide error", "SIGFPE"), ("int3", "SIGTRAP"), ("overflow", "SIGSEGV"), ("bounds", "SIGSEGV"),
        ("coprocessor segment overrun", "SIGFPE"), ("invalid TSS", "SIGSEGV"), ("segment not present", "SIGBUS"),
        ("stack segment", "SIGBUS"),
        ("alignment check", "SIGBUS"),
    ]

    /// Sets the message from a page fault's error code (`enum x86_pf_error_code` of
    /// `arch/x86/include/asm/trap_pf.h`), and the architecture from addresses that only 64-bit
    /// processes have.
    private mutating func note(error: UInt64, stack: UInt64) {
        if ((pc ?? 0) | stack) >> 32 != 0 { architecture = .x86_64 }
        guard cause.message == nil else { return }
        let access = error & 16 != 0 ? "an instruction fetch from" : error & 2 != 0 ? "a write to" : "a read from"
        let page = error & 1 != 0 ? "a page that does not allow it" : "an address that is not mapped"
        cause.message = "\(access) \(page)" + (error & 4 == 0 ? ", in the kernel" : "")
    }

    private static func readRegister(_ names: [String], _ rest: inout Span<UInt8>) -> UInt64? {
        names.contains { rest.consume($0) } ? readPointer(&rest) : nil
    }

    /// A hexadecimal number and the blank after it; ` (null)`, as older kernels print zero.
    private static func readPointer(_ rest: inout Span<UInt8>) -> UInt64? {
        rest.skipBlanks()
        _ = rest.consume("0x")
        if rest.consume("(null)") {
            rest.skipBlanks()
            return 0
        }
        guard let value = rest.readHexadecimal(), rest.at(0).map({ isBlank($0) || $0 == UInt8(ascii: ",") }) ?? true else { return nil }
        rest.skipBlanks()
        return value
    }

    // MARK: Others

    private mutating func readOtherArchitectures(_ text: inout Span<UInt8>) -> Bool {
        var rest = text
        if rest.consume("unhandled exception: ") {
            let message = rest.upTo(rest.firstRange(of: " in ")?.lowerBound ?? rest.count)
            set(signal: KernelSegfaultLine.signal(ofARM: message), message: message.text)
            (architecture, hasRegisters) = (.arm64, true)
            rest = rest.from(message.count)
        } else if rest.consume("unhandled signal "), let number = rest.readDecimal() {
            set(signal: KernelSegfaultLine.name(number))
            if rest.consume(" code ") {
                cause.codes = "code " + rest.readToken().text
                (architecture, hasRegisters) = (nil, true)
            }
            guard rest.consume(" at "), let address = KernelSegfaultLine.readPointer(&rest) else { return false }
            cause.address = RuntimeAddress(address)
            readPowerPCLine(&rest)
        } else if let open = rest.upTo(64).firstRange(of: " ("), readNumberedFault(rest, open.lowerBound) {
            rest = rest.from(open.lowerBound)
            guard let at = rest.firstRange(of: ") at ") else { return false }
            rest = rest.from(at.upperBound)
            guard let address = KernelSegfaultLine.readPointer(&rest) else { return false }
            cause.address = RuntimeAddress(address)
            if rest.consume(", esr ") {
                cause.codes = "esr " + rest.readToken().text.filter { $0 != "," }
                (architecture, hasRegisters) = (.arm64, true)
            } else {
                guard rest.hasPrefix("nip ") else { return false }
                readPowerPCLine(&rest)
            }
        } else {
            return false
        }
        text = rest
        return true
    }

    /// `segfault (11)`, `unhandled level 2 translation fault (11)`
    private mutating func readNumberedFault(_ text: Span<UInt8>, _ open: Int) -> Bool {
        var digits = text.from(open + 2)
        guard let number = digits.readDecimal(), digits.hasPrefix(") at ") else { return false }
        var message = text.upTo(open)
        _ = message.consume("unhandled ")
        set(signal: KernelSegfaultLine.name(number), message: message.text)
        return true
    }

    /// `nip 10000a1c lr 10000b00 code 1`
    private mutating func readPowerPCLine(_ rest: inout Span<UInt8>) {
        guard rest.consume("nip "), let address = KernelSegfaultLine.readPointer(&rest), rest.consume("lr "),
            KernelSegfaultLine.readPointer(&rest) != nil, rest.consume("code ")
        else { return }
        pc = address
        hasRegisters = false
        architecture = address >> 32 != 0 ? .ppc64 : nil
        cause.codes = "code " + rest.readToken().text
    }

    /// `harbour for invalid read access from 00000010`
    private mutating func readMIPSLine(_ text: Span<UInt8>) -> Bool {
        guard let mark = text.firstRange(of: " for invalid "), mark.lowerBound > 0 else { return false }
        processName = text.upTo(mark.lowerBound).text
        var rest = text.from(mark.upperBound)
        let message = rest
        guard rest.consume("read access from ") || rest.consume("write access to "), let address = rest.readHexadecimal() else {
            return false
        }
        set(signal: "SIGSEGV", message: "invalid " + message.text)
        cause.address = RuntimeAddress(address)
        hasRegisters = true
        return true
    }

    private mutating func set(signal: String?, message: String? = nil) {
        (cause.signal, cause.type, cause.message) = (signal, signal ?? message, message)
    }

    /// Linux' numbers of the signals that faults raise, on all architectures that print numbers
    /// here.
    private static func name(_ number: UInt64) -> String { number == 7 ? "SIGBUS" : SignalName.posix(number) ?? "\(number)" }

    /// By `fault_info` of `arch/arm64/mm/fault.c` and the callers of `arm64_force_sig_fault`.
    private static func signal(ofARM message: Span<UInt8>) -> String? {
        if message.contains("translation fault") || message.contains("permission fault") || message.contains("access flag fault") {
            return "SIGSEGV"
        }
        if message.contains("alignment fault") || message.contains("external abort") { return "SIGBUS" }
        if message.contains("undefined instruction") { return "SIGILL" }
        return message.contains("breakpoint") || message.contains("BRK") ? "SIGTRAP" : nil
    }
}
