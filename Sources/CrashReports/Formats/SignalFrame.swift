/// The frame through which a signal handler was entered: the next one was interrupted, not called, so that its address is the instruction itself.
package enum SignalFrame {
    /// The trampolines' names: glibc; Linux' vDSO (arm64 and s390x, RISC-V and LoongArch, PowerPC: arch/*/kernel/vdso); Darwin; Solaris.
    private static let names: Set = [
        "__restore_rt", "__restore", "__kernel_rt_sigreturn", "__kernel_sigreturn", "__vdso_rt_sigreturn", "__kernel_sigtramp_rt64",
        "__kernel_sigtramp32",
        "__kernel_sigtramp_rt32", "_sigtramp", "sigacthandler",
    ]

    package static func isHandler(_ printed: PrintedSymbol?) -> Bool {
        isHandler(name: printed?.name)
    }

    package static func isHandler(name: String?) -> Bool {
        guard let name else { return false }
        return names.contains(name)
    }
}
