/// The frame through which a signal handler was entered: the next one was interrupted, not called, so that its address is the instruction itself.
package enum SignalFrame {
    /// The trampolines' names: glibc, Linux' vDSO (arm64, s390x, riscv), Darwin, Solaris.
    private static let names: Set = [
        "__restore_rt", "__restore", "__kernel_rt_sigreturn", "__kernel_sigreturn", "_sigtramp", "sigacthandler",
    ]

    package static func isHandler(_ printed: PrintedSymbol?) -> Bool {
        guard let name = printed?.name else { return false }
        return names.contains(name)
    }
}
