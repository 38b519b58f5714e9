internal import CrashLogModel
internal import Unwinding

/// The numbers of signals, as cores and dumps have them.
enum SignalNumber {
    /// Linux, `include/uapi/asm-generic/signal.h`.
    private static let names = [
        "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGUSR1", "SIGSEGV", "SIGUSR2",
        "SIGPIPE", "SIGALRM", "SIGTERM", "SIGSTKFLT", "SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG",
        "SIGXCPU", "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO", "SIGPWR", "SIGSYS",
    ]

    /// MIPS has numbers of its own (`arch/mips/include/uapi/asm/signal.h`).
    private static let namesOnMIPS = [
        "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGEMT", "SIGFPE", "SIGKILL", "SIGBUS", "SIGSEGV", "SIGSYS",
        "SIGPIPE", "SIGALRM", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGCHLD", "SIGPWR", "SIGWINCH", "SIGURG", "SIGIO", "SIGSTOP", "SIGTSTP",
        "SIGCONT", "SIGTTIN", "SIGTTOU", "SIGVTALRM", "SIGPROF", "SIGXCPU", "SIGXFSZ",
    ]

    /// SPARC has those of the BSDs, but for one (`arch/sparc/include/uapi/asm/signal.h`).
    private static let namesOnSPARC = namesOnBSD.map { $0 == "SIGINFO" ? "SIGPWR" : $0 }

    /// `sys/signal.h` of the BSDs.
    private static let namesOnBSD = [
        "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGEMT", "SIGFPE", "SIGKILL", "SIGBUS", "SIGSEGV", "SIGSYS",
        "SIGPIPE", "SIGALRM", "SIGTERM", "SIGURG", "SIGSTOP", "SIGTSTP", "SIGCONT", "SIGCHLD", "SIGTTIN", "SIGTTOU", "SIGIO", "SIGXCPU",
        "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGINFO", "SIGUSR1", "SIGUSR2",
    ]

    static func name(_ number: Int, isLinux: Bool, _ processor: Processor) -> String? {
        let names =
            switch processor {
            case _ where !isLinux: namesOnBSD
            case .mips, .mips64: namesOnMIPS
            case .sparc, .sparc64: namesOnSPARC
            default: names
            }
        return names.indices.contains(number - 1) ? names[number - 1] : nil
    }

    /// Linux, `include/uapi/asm-generic/siginfo.h`.
    private static let codes: [String: [String]] = [
        "SIGILL": ["ILL_ILLOPC", "ILL_ILLOPN", "ILL_ILLADR", "ILL_ILLTRP", "ILL_PRVOPC", "ILL_PRVREG", "ILL_COPROC", "ILL_BADSTK"],
        "SIGFPE": ["FPE_INTDIV", "FPE_INTOVF", "FPE_FLTDIV", "FPE_FLTOVF", "FPE_FLTUND", "FPE_FLTRES", "FPE_FLTINV", "FPE_FLTSUB"],
        "SIGSEGV": [
            "SEGV_MAPERR", "SEGV_ACCERR", "SEGV_BNDERR", "SEGV_PKUERR", "SEGV_ACCADI", "SEGV_ADIDERR", "SEGV_ADIPERR", "SEGV_MTEAERR",
            "SEGV_MTESERR", "SEGV_CPERR",
        ],
        "SIGBUS": ["BUS_ADRALN", "BUS_ADRERR", "BUS_OBJERR", "BUS_MCEERR_AR", "BUS_MCEERR_AO"],
        "SIGTRAP": ["TRAP_BRKPT", "TRAP_TRACE", "TRAP_BRANCH", "TRAP_HWBKPT"],
        "SIGSYS": ["SYS_SECCOMP"],
    ]

    /// Linux' SI_KERNEL: the cause is not known.
    static let fromKernel = 0x80

    /// The name of an `si_code`.
    static func code(_ code: Int, isLinux: Bool, of signal: String) -> String? {
        // Systems share a few.
        guard isLinux else { return code > 0 && code < 3 ? SignalName.code(UInt64(code), of: signal) : nil }
        return switch code {
        case 0: "SI_USER"
        case fromKernel: "SI_KERNEL"
        case -1: "SI_QUEUE"
        case -6: "SI_TKILL"
        default: codes[signal].flatMap { $0.indices.contains(code - 1) ? $0[code - 1] : nil }
        }
    }
}
