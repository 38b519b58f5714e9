/// The frame through which a signal handler was entered: the next one was interrupted, not called,
/// so that its address is the instruction itself.
package enum SignalFrame {
    /// The trampolines' names: glibc, and glibc on arm (`sysdeps/unix/sysv/linux/arm/sigrestorer.S`); Linux' vDSO (arm64 and s390x, RISC-V
    /// and LoongArch, PowerPC: arch/*/kernel/vdso); Darwin; Solaris.
    private static let names: Set = [
        "__restore_rt", "__restore", "__default_sa_restorer", "__default_rt_sa_restorer", "__kernel_rt_sigreturn", "__kernel_sigreturn",
        "__vdso_rt_sigreturn", "__kernel_sigtramp_rt64",
        "__kernel_sigtramp32",
        "__kernel_sigtramp_rt32", "_sigtramp", "sigacthandler",
    ]

    /// On x86-64 glibc does not export `__restore_rt`. Unwinders that look for the nearest exported
    /// function find the one before it, which has ended by then: `__sigaction+0x40` (2.34 and
    /// later; measured with libunwind 1.6.2 and glibc 2.36, where the function is 44 bytes long),
    /// before that `killpg+0x40` in libc and `funlockfile+0x60` in libpthread. The trampoline
    /// begins at a multiple of 16.
    private static let neighbours: Set = ["__sigaction", "sigaction", "killpg", "funlockfile"]

    package static func isHandler(_ printed: PrintedSymbol?) -> Bool {
        guard let name = printed?.name else { return false }
        if names.contains(name) { return true }
        guard let offset = printed?.offset, neighbours.contains(name) else { return false }
        return (0x30..<0x100).contains(offset) && offset & 0xF == 0
    }

    /// Recognises the trampoline's row by name in logs without offsets: the first row of a stack
    /// that a signal handler printed.
    package static func isNeighbour(_ name: String?) -> Bool { name.map { neighbours.contains($0) } ?? false }

    /// Functions of Go's runtime that a signal's handler makes the interrupted instruction call (`injectedCall` in
    /// src/runtime/traceback.go): the frame below one was interrupted, too, although the function itself has been called.
    private static let injectedCalls: Set = [
        "runtime.sigpanic", "runtime.sigpanic0", "runtime.asyncPreempt", "runtime.debugCallV1", "runtime.debugCallV2",
    ]

    /// Whether a function is one that a signal's handler makes other code call.
    /// - Parameter name: functions of assembly may end in the name of their calling convention, `.abi0`.
    package static func isInjectedCall(_ name: String?) -> Bool {
        name.map { injectedCalls.contains($0.hasSuffix(".abi0") ? String($0.dropLast(5)) : $0) } ?? false
    }

    package static func isHandler(name: String?) -> Bool {
        guard let name else { return false }
        return names.contains(name)
    }
}
