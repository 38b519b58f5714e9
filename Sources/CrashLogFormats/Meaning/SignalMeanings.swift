internal import CrashLogModel

/// Meanings of signals, and of the kernel's `si_code` for them.
enum SignalMeanings {
    /// Purpose of each signal. Without a code it is not known whether the event occurred or a
    /// process sent the signal.
    static let signals: MeaningTable = """
        signal(7)
        SIGSEGV | The process received SIGSEGV, the signal for an access to memory that is not mapped or not allowed.
        SIGBUS | The process received SIGBUS, the signal for an access to memory without a page, or to an unaligned address.
        SIGABRT | The process received SIGABRT, which abort() raises: the program or a library gave up after an error.
        SIGILL | The process received SIGILL, the signal for an instruction that the processor does not have or that traps on purpose.
        SIGTRAP | The process received SIGTRAP, the signal of a trap instruction, which compilers and libraries use for errors that they detect.
        SIGFPE | The process received SIGFPE, the signal for a failed arithmetic operation, such as an integer division by zero.
        SIGSYS | The process received SIGSYS, the signal for a system call that does not exist or is not allowed.
        SIGKILL | The process was killed with SIGKILL, which no program can catch.
        SIGTERM | The process was asked to end with SIGTERM.
        SIGQUIT | The process was ended with SIGQUIT, which also asks for a core dump.
        SIGINT | The process was interrupted from the keyboard.
        SIGPIPE | The program wrote to a pipe or a socket that nobody reads.
        SIGALRM | A timer of the program ran out, and it had no handler for that.
        SIGXCPU | The process exceeded its limit of CPU time.
        SIGXFSZ | The program wrote a file that is larger than its limit.
        """

    /// Why the kernel sent the signal.
    static let codes: MeaningTable = """
        Linux, include/uapi/asm-generic/siginfo.h
        SEGV_MAPERR | The program accessed memory that is not mapped.
        SEGV_ACCERR | The program accessed mapped memory in a way that its protection forbids, such as a write to read-only memory.
        SEGV_BNDERR | The program accessed memory outside of a pointer's bounds.
        SEGV_PKUERR | The program accessed memory that a protection key forbids.
        SEGV_ACCADI | The program used a tagged address for memory without tags.
        SEGV_ADIDERR | The tag of a pointer did not match the memory's, found after the access.
        SEGV_ADIPERR | The tag of a pointer did not match the memory's.
        BUS_ADRALN | The program used an address that is not aligned as the instruction requires.
        BUS_OBJERR | The hardware reported an error of the accessed memory.
        BUS_MCEERR_AR | The program used memory with a hardware error.
        BUS_MCEERR_AO | The hardware found an error in the program's memory.
        FPE_INTDIV | The program divided an integer by zero.
        FPE_INTOVF | An integer operation overflowed.
        FPE_FLTDIV | The program divided a floating-point number by zero.
        FPE_FLTOVF | A floating-point operation overflowed.
        FPE_FLTUND | A floating-point operation underflowed.
        FPE_FLTRES | A floating-point result was inexact.
        FPE_FLTINV | A floating-point operation was invalid.
        FPE_FLTSUB | An array index was out of range.
        ILL_ILLOPC | The program executed an instruction that the processor does not have.
        ILL_ILLOPN | The program executed an instruction with an illegal operand. Compilers put such an instruction in as a trap.
        ILL_ILLADR | The program executed an instruction with an illegal addressing mode.
        ILL_ILLTRP | The program executed an illegal trap.
        ILL_PRVOPC | The program executed an instruction that only the kernel may execute.
        ILL_PRVREG | The program used a register that only the kernel may use.
        ILL_COPROC | A coprocessor reported an error.
        ILL_BADSTK | The processor found an error of its stack.
        TRAP_BRKPT | The program executed a breakpoint instruction, which compilers and libraries also use as a trap.
        TRAP_TRACE | The program executed a single step for a debugger.
        TRAP_HWBKPT | A hardware breakpoint or watchpoint was hit.
        SYS_SECCOMP | A seccomp filter forbids the system call that the program made.
        Linux, arch/arm64/mm/fault.c and Documentation/arch/arm64/memory-tagging-extension.rst
        SEGV_MTESERR | The tag of a pointer did not match the memory's: a use after free, or an access out of bounds.
        SEGV_MTEAERR | The tag of a pointer did not match the memory's, found some time after the access.
        """

    /// Linux' meaning of BUS_ADRERR (`do_sigbus` of `arch/x86/mm/fault.c`); Darwin gives the code
    /// for other bad accesses, a null pointer's for one.
    static let linuxBus = Meaning(
        "The memory has no page: usually a mapped file is shorter than the part that was accessed.",
        source: "mmap(2), ERRORS: SIGBUS")

    /// A process sent the signal.
    static let senders: MeaningTable = """
        Linux, include/uapi/asm-generic/siginfo.h
        SI_USER | A process sent the signal with kill().
        SI_QUEUE | A process sent the signal with sigqueue().
        SI_TKILL | A process sent the signal with tkill() or tgkill(), as raise() and abort() do.
        SI_TIMER | A timer sent the signal.
        """

    /// Meanings of the X server's text.
    static let senderMessages: MeaningTable = """
        X server, os/osinit.c, OsSigHandler
        * sent by process * | A process sent the signal.
        """

    static let sentInSystemCall = Meaning(
        "A process sent the signal: the thread was in a system call, which fails with EFAULT for a bad address and raises no signal.",
        source: "read(2), poll(2), ERRORS: EFAULT")

    /// The processor gave no address, because the address was not a valid pointer.
    static let generalProtection = Meaning(
        "The kernel gives no address: on x86-64, mostly an access to an address that no pointer can have.",
        source: "Linux, arch/x86/kernel/traps.c, exc_general_protection")
}
