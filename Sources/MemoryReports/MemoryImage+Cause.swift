internal import BinaryPrimitives
internal import CrashLogModel
internal import MemoryImages
internal import Unwinding

extension MemoryImage {
    /// Index of the thread that ended the process; `nil` if none did, or it is not in the file.
    var reportedThread: Int? {
        guard cause != nil else { return nil }
        return [crashedThread, exceptions.isEmpty ? 0 : nil].compactMap { $0 }.first(where: threads.indices.contains)
    }

    /// Why the process ended.
    var cause: CrashCause? {
        var found = exceptions.first.flatMap { cause($0) } ?? threads.first?.signal.flatMap { cause($0) }
        guard let assertion, assertion.kind != .unknown || assertion.expression != nil || assertion.file != nil else { return found }
        found = found ?? CrashCause(kind: .runtimeError)
        let location = assertion.file.map { file in " (\(file)\(assertion.line.map { ":\($0)" } ?? ""))" } ?? ""
        let kind =
            switch assertion.kind {
            case .unknown: "assertion failed"
            case .invalidParameter: "invalid parameter"
            case .pureVirtualCall: "pure virtual call"
            }
        let details = [assertion.expression, assertion.function.map { "in \($0)" }].compactMap { $0 }.joined(separator: " ")
        found?.message = kind + (details.isEmpty ? "" : ": " + details) + location
        return found
    }

    // MARK: Signals

    func cause(_ signal: Signal) -> CrashCause? { cause(signal: signal.number, code: signal.code, address: signal.address) }

    private func cause(signal number: Int, code: Int?, address: UInt64?) -> CrashCause? {
        let isLinux = operatingSystem.kind == .linux || operatingSystem.kind == .android
        let name = SignalNumber.name(number, isLinux: isLinux, processor) ?? "signal \(number)"
        // A debugger had stopped it: `gcore`.
        guard !["SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGCONT"].contains(name) else { return nil }
        var cause = CrashCause(kind: .signal, signal: name)
        cause.signalCode = code.flatMap { SignalNumber.code($0, isLinux: isLinux, of: name) }
        cause.codes = cause.signalCode
        // A signal that a process has sent has that process's number in this field, and its user's.
        // Breakpad's older dumps have no code.
        if code.map({ $0 > 0 && $0 != SignalNumber.fromKernel }) ?? true,
            ["SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGTRAP"].contains(name)
        {
            cause.address = address.map { RuntimeAddress($0) }
        }
        return cause
    }

    /// The facts about a refused access that the processor has beside its address: the protection key, or the tags of the pointer
    /// and of the memory, which must be equal.
    var accessNotes: [String] {
        guard let signal = reportedThread.flatMap({ threads[$0].signal }) else { return [] }
        if let key = signal.protectionKey {
            return ["The memory has the protection key \(key), which the thread may not use for this access."]
        }
        // SEGV_MTESERR. The kernel clears the pointer's tag for handlers alone.
        guard processor == .arm64, signal.number == 11, signal.code == 9, let address = signal.address else { return [] }
        let plain = address & 0x00ff_ffff_ffff_ffff
        let tag = String(address >> 56 & 0xf, radix: 16)
        let found = tags.lazy.compactMap { $0.tag(at: plain) }.first.map { String($0, radix: 16) }
        return [
            "The pointer has the tag 0x\(tag)"
                + (found.map { ", the memory there 0x\($0)." } ?? "; the tags of the memory are not in the file.")
        ]
    }

    // MARK: Dumps

    private func cause(_ exception: Exception) -> CrashCause? {
        switch operatingSystem.kind {
        case .linux, .android: linuxCause(exception)
        case .macOS, .iOS: appleCause(exception)
        case .windows: windowsCause(exception)
        default: CrashCause(kind: .other, codes: "0x" + String(exception.code, radix: 16), address: RuntimeAddress(exception.address))
        }
    }

    /// Breakpad's codes are signals. A dump without a crash has none
    /// (`MD_EXCEPTION_CODE_LIN_DUMP_REQUESTED`).
    private func linuxCause(_ exception: Exception) -> CrashCause? {
        guard exception.code != 0xffff_ffff, exception.code != 0 else { return nil }
        // LLDB writes where the thread was, not what it accessed.
        let counter = crashedThread.flatMap { threads.indices.contains($0) ? threads[$0].registers.programCounter : nil }
        let isCode = files.contains { $0.parts.contains { $0.range.contains(exception.address) } }
        return cause(
            signal: Int(exception.code), code: exception.signalCode,
            address: counter == exception.address && isCode && exception.signalCode == nil ? nil : exception.address)
    }

    /// `mach/exception_types.h`.
    private static let machExceptions: [UInt32: String] = [
        1: "EXC_BAD_ACCESS", 2: "EXC_BAD_INSTRUCTION", 3: "EXC_ARITHMETIC", 4: "EXC_EMULATION", 5: "EXC_SOFTWARE", 6: "EXC_BREAKPOINT",
        7: "EXC_SYSCALL", 8: "EXC_MACH_SYSCALL", 9: "EXC_RPC_ALERT", 10: "EXC_CRASH", 11: "EXC_RESOURCE", 12: "EXC_GUARD",
        13: "EXC_CORPSE_NOTIFY",
    ]

    private func appleCause(_ exception: Exception) -> CrashCause? {
        // Crashpad's word for a dump without a crash (`kMachExceptionSimulated`, 'CPsx').
        guard exception.code != 0x4350_7378, exception.code != 0 else { return nil }
        // And for an exception of Objective-C that nothing caught (`kMachExceptionFromNSException`,
        // 'CPnx').
        if exception.code == 0x4350_6e78 { return CrashCause(kind: .languageException, type: "NSException") }
        var cause = CrashCause(kind: .machException, type: Self.machExceptions[exception.code] ?? "exception \(exception.code)")
        cause.codes = "0x\(String(exception.flags, radix: 16)), 0x\(String(exception.address, radix: 16))"
        if exception.code == 1 { cause.address = RuntimeAddress(exception.address) }
        return cause
    }

    private func windowsCause(_ exception: Exception) -> CrashCause? {
        // Crashpad's word for a dump without a crash (`kSimulatedExceptionCode`).
        guard exception.code != 0x0517_a7ed, exception.code != 0 else { return nil }
        var cause = CrashCause(kind: .other, type: WindowsException.names[exception.code])
        cause.codes = String(exception.code, radix: 16)
        guard exception.code == 0xc000_0005 || exception.code == 0xc000_0006, exception.parameters.count >= 2 else { return cause }
        cause.address = crashAddress.map { RuntimeAddress($0) }
        cause.message =
            switch exception.parameters[0] {
            case 0: "reading"
            case 1: "writing"
            case 8: "executing"
            default: nil
            }
        return cause
    }

    /// Returns the name of the library that was at an address before it was unloaded.
    func unloadedName(holding address: UInt64) -> String? {
        unloaded.first { $0.range.contains(address) }.map { Path.foreignName(of: $0.path) + " (unloaded)" }
    }
}
