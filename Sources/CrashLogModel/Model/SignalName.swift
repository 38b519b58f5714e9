/// Names of signals whose numbers are the same on Linux and every BSD, macOS included; for other
/// signals the number alone does not give the name.
package enum SignalName {
    package static func posix(_ number: UInt64) -> String? {
        [
            2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 8: "SIGFPE", 9: "SIGKILL", 11: "SIGSEGV", 13: "SIGPIPE",
            14: "SIGALRM", 15: "SIGTERM",
        ][number]
    }

    /// `string/siglist.h` of glibc, `gdbsupport/signals.def` of gdb, `sys_siglist` of Darwin, and
    /// Swift's backtracer (`Error` of its `main.swift`).
    package static let namesByDescription = [
        "Segmentation fault": "SIGSEGV", "Bus error": "SIGBUS", "Aborted": "SIGABRT", "Abort trap": "SIGABRT",
        "Illegal instruction": "SIGILL", "Floating point exception": "SIGFPE", "Floating-point exception": "SIGFPE",
        "Arithmetic exception": "SIGFPE", "Trace/breakpoint trap": "SIGTRAP", "Trace/BPT trap": "SIGTRAP", "System trap": "SIGTRAP",
        "Bad system call": "SIGSYS", "Killed": "SIGKILL", "Terminated": "SIGTERM", "Quit": "SIGQUIT",
    ]

    /// The name of an `si_code`; only those that all systems share, and Linux' SI_KERNEL
    /// (`include/uapi/asm-generic/siginfo.h`, `bsd/sys/signal.h`).
    package static func code(_ code: UInt64?, of signal: String?) -> String? {
        switch (signal, code) {
        case ("SIGSEGV", 1): "SEGV_MAPERR"
        case ("SIGSEGV", 2): "SEGV_ACCERR"
        case ("SIGSEGV", 0x80): "SI_KERNEL"
        case ("SIGBUS", 1): "BUS_ADRALN"
        case ("SIGBUS", 2): "BUS_ADRERR"
        default: nil
        }
    }
}
