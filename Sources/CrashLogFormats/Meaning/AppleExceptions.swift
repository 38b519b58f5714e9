internal import BinaryPrimitives
internal import CrashLogModel

/// Mach's exceptions beside EXC_BAD_ACCESS, and the parts of EXC_GUARD and EXC_RESOURCE.
enum AppleExceptions {
    static func meaning(_ facts: CauseFacts) -> Meaning? {
        switch facts.cause.type {
        case "EXC_GUARD": return guarded(facts)
        case "EXC_RESOURCE": return resource(facts)
        case "EXC_ARITHMETIC": return arithmetic(facts)
        // The signal is the reason why the process ended.
        case "EXC_CRASH", "EXC_SOFTWARE":
            // An error that the processor found would have an exception of its own. So this signal
            // was sent, as a handler does that ends the process.
            if ["SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGTRAP"].contains(facts.signal ?? "") { return raised }
            return SignalMeanings.signals.meaning(of: facts.signal) ?? types.meaning(of: facts.cause.type)
        default: return types.meaning(of: facts.cause.type)
        }
    }

    static let raised = Meaning(
        "The process ended by a signal that was sent to it, as the program's own signal handler does after an error.",
        source: "XNU, bsd/kern/kern_exit.c: EXC_CRASH at the end of a process, and bsd/uxkern/ux_exception.c")

    static let types: MeaningTable = """
        Apple, EXC_BREAKPOINT (SIGTRAP) and EXC_BAD_INSTRUCTION (SIGILL)
        EXC_BREAKPOINT | The program executed a trap instruction. Swift's runtime and other libraries use it to stop at an error that they detect.
        EXC_BAD_INSTRUCTION | The program executed an instruction that traps or is invalid. On Intel's processors Swift's runtime stops in this way at an error that it detects.
        XNU, osfmk/mach/exception_types.h
        EXC_CRASH | The process ended abnormally.
        EXC_EMULATION | The program executed an instruction that needs emulation.
        EXC_SOFTWARE | Software raised the exception.
        EXC_SYSCALL | The program made a system call that is not allowed.
        EXC_MACH_SYSCALL | The program made a Mach system call that is not allowed.
        EXC_CORPSE_NOTIFY | The process ended abnormally, and the system kept its memory for the report.
        """

    // MARK: EXC_ARITHMETIC

    static let arithmeticARM: MeaningCodes = """
        XNU, osfmk/mach/arm/exception.h
        1 | An invalid floating-point operation.
        2 | A floating-point division by zero.
        3 | A floating-point overflow.
        4 | A floating-point underflow.
        5 | An inexact floating-point result.
        6 | A denormal floating-point input.
        """
    static let arithmeticIntel: MeaningCodes = """
        XNU, osfmk/mach/i386/exception.h
        1 | An integer division by zero, or a quotient that is too large.
        2 | An arithmetic overflow.
        5 | A floating-point error.
        8 | A floating-point error of an SSE instruction.
        """

    private static func arithmetic(_ facts: CauseFacts) -> Meaning? {
        if facts.codesContain("EXC_I386_DIV") { return arithmeticIntel.meaning(of: 1) }
        let table = facts.isARM64 || facts.family == "arm" ? arithmeticARM : arithmeticIntel
        return table.meaning(of: facts.numbers.first)
            ?? Meaning("An arithmetic operation failed, such as a division by zero.", source: "XNU, osfmk/mach/exception_types.h")
    }

    // MARK: EXC_GUARD

    static let guardTypes: MeaningTable = """
        XNU, osfmk/kern/exc_guard.h
        GUARD_TYPE_MACH_PORT* | The program misused a Mach port that is guarded.
        GUARD_TYPE_FD* | The program misused a file descriptor that is guarded.
        GUARD_TYPE_USER* | A library ended the process because a condition that it guards was violated.
        GUARD_TYPE_VN* | The program changed a file that is guarded.
        GUARD_TYPE_VIRT_MEMORY* | The program made a call for virtual memory that is not allowed.
        GUARD_TYPE_REJECTED_SC* | The program made a system call that is not allowed to it.
        """

    static let guardNames = [
        "", "GUARD_TYPE_MACH_PORT", "GUARD_TYPE_FD", "GUARD_TYPE_USER", "GUARD_TYPE_VN", "GUARD_TYPE_VIRT_MEMORY", "GUARD_TYPE_REJECTED_SC",
        "",
    ]

    static let descriptorFlavors: MeaningTable = """
        Apple, EXC_GUARD; XNU, bsd/sys/guarded.h
        CLOSE* | The program closed a file descriptor that a library guards. Closing a descriptor twice does that.
        DUP* | The program duplicated a file descriptor that a library guards.
        NOCLOEXEC* | The program removed the flag FD_CLOEXEC from a file descriptor that a library guards.
        SOCKET_IPC* | The program sent a file descriptor that a library guards through a socket.
        FILEPORT* | The program made a Mach port of a file descriptor that a library guards.
        MISMATCH* | The program used a guarded file descriptor with the wrong guard.
        WRITE* | The program wrote to a file descriptor that a library guards against writing.
        """
    static let descriptorBits: [(UInt64, String)] = [
        (1, "CLOSE"), (2, "DUP"), (4, "NOCLOEXEC"), (8, "SOCKET_IPC"), (16, "FILEPORT"), (32, "MISMATCH"), (64, "WRITE"),
    ]

    static let portFlavors: MeaningTable = """
        XNU, doc/mach_ipc/guard_exceptions.md
        DESTROY* | The program destroyed the receive right of a guarded Mach port without its guard.
        OVER_DEALLOC* | The program released the last send right of a Mach port that must keep one.
        MOD_REFS* | The program released the last send right of a Mach port that must keep one.
        INVALID_OPTIONS* | The program sent a Mach message with options that are not allowed.
        SET_CONTEXT* | The program changed the context of a Mach port that is strictly guarded.
        UNGUARDED* | The program used a guard on a Mach port that is not guarded.
        INCORRECT_GUARD* | The program used a guarded Mach port with the wrong guard.
        ILLEGAL_MOVE* | The program moved a Mach port right that may not be moved.
        MSG_FILTERED* | The sandbox does not allow the program to send this Mach message.
        INVALID_RIGHT* | The program used a Mach port for which it does not hold the right that the call needs.
        INVALID_NAME* | The program used the name of a Mach port for which it holds no right, as after releasing it.
        INVALID_VALUE* | The program used a Mach port with an invalid count or argument.
        INVALID_ARGUMENT* | The program guarded a Mach port that is already guarded.
        KERN_FAILURE* | The program asked for a notification about a Mach port that is not allowed.
        SEND_INVALID_REPLY* | The program sent a Mach message whose reply port is not allowed.
        SEND_INVALID_RIGHT* | The program sent a Mach message with a right that it does not hold.
        SEND_INVALID_VOUCHER* | The program sent a Mach message whose voucher is not allowed.
        RCV_INVALID_NAME* | The program tried to receive on a Mach port for which it holds no receive right.
        """
    static let portBits: [(UInt64, String)] = [
        (1, "DESTROY"), (2, "MOD_REFS"), (4, "SET_CONTEXT"), (8, "UNGUARDED"), (0x10, "INCORRECT_GUARD"), (0x20, "ILLEGAL_MOVE"),
        (0x80, "MSG_FILTERED"), (0x100, "INVALID_RIGHT"), (0x200, "INVALID_NAME"), (0x400, "INVALID_VALUE"), (0x800, "INVALID_ARGUMENT"),
        (0x4000, "KERN_FAILURE"), (0x1_0000, "SEND_INVALID_REPLY"), (0x2_0000, "SEND_INVALID_RIGHT"), (0x4_0000, "SEND_INVALID_VOUCHER"),
        (0x8_0000, "RCV_INVALID_NAME"),
    ]

    static let fileFlavors: MeaningTable = """
        XNU, bsd/sys/guarded.h
        RENAME_TO* | The program renamed a file to one that a library guards.
        RENAME_FROM* | The program renamed a file that a library guards.
        UNLINK* | The program deleted a file that a library guards.
        WRITE_OTHER* | The program wrote to a file that a library guards.
        TRUNC_OTHER* | The program truncated a file that a library guards.
        LINK* | The program made a hard link to a file that a library guards.
        EXCHDATA* | The program exchanged the contents of a file that a library guards.
        """

    /// `Exception Subtype: GUARD_TYPE_FD`,
    /// `Exception Message: CLOSE on file descriptor 5 (guarded with 0x…)`; or both in the 64-bit
    /// code of `Termination Reason: GUARD 4611686022722355207` (`osfmk/kern/exc_guard.h`: the type
    /// in bits 63 to 61, the flavor in 60 to 32).
    private static func guarded(_ facts: CauseFacts) -> Meaning? {
        let cause = facts.cause
        var name = cause.subtype
        var text = cause.detail ?? cause.message
        let code = cause.termination?.namespace == "GUARD" ? cause.termination?.code : facts.numbers.first { $0 >> 61 != 0 }
        if let code, code >> 61 != 0, name == nil || !(name ?? "").hasPrefix("GUARD_TYPE_") || cause.detail == nil {
            name = guardNames[Int(code >> 61)]
            let flavor = code >> 32 & 0x1FFF_FFFF
            let bits = name == "GUARD_TYPE_FD" ? descriptorBits : name == "GUARD_TYPE_MACH_PORT" ? portBits : []
            text = bits.first { $0.0 == flavor }?.1 ?? text
        }
        let table =
            switch name {
            case "GUARD_TYPE_FD": descriptorFlavors
            case "GUARD_TYPE_MACH_PORT": portFlavors
            case "GUARD_TYPE_VN": fileFlavors
            default: "" as MeaningTable
            }
        return table.meaning(of: text) ?? guardTypes.meaning(of: name)
            ?? Meaning("The program misused a resource that is guarded, such as a file descriptor.", source: "Apple, EXC_GUARD")
    }

    // MARK: EXC_RESOURCE

    static let resources: MeaningTable = """
        Apple, EXC_RESOURCE
        CPU_FATAL* | The system ended the process because a thread used too much CPU time.
        CPU* | A thread used more CPU time than its limit over a short time. The system reports that and lets the process run.
        MEMORY* | The process crossed a memory limit of the system, which may end it for that.
        IO* | The process wrote too much to storage in a short time.
        WAKEUPS* | Threads of the process woke up too many times a second, which drains the battery.
        THREADS* | The process has more threads than its limit.
        PORTS* | The process used up its Mach ports: it leaks them.
        """
    static let resourceTypes = ["", "CPU", "WAKEUPS", "MEMORY", "IO", "THREADS", "PORTS", ""]

    /// `Exception Subtype: CPU_FATAL`; or bits 63 to 61 of the code (`osfmk/kern/exc_resource.h`),
    /// and bits 60 to 58, 2 for a fatal limit of CPU time.
    private static func resource(_ facts: CauseFacts) -> Meaning? {
        if let found = resources.meaning(of: facts.cause.subtype) { return found }
        if let code = facts.numbers.first, code >> 61 != 0 {
            let type = resourceTypes[Int(code >> 61)]
            let found = resources.meaning(of: type == "CPU" && code >> 58 & 7 == 2 ? "CPU_FATAL" : type)
            if let found { return found }
        }
        return resources.meaning(of: facts.cause.message)
            ?? Meaning("The process exceeded a limit on a resource, like CPU time or memory.", source: "Apple, EXC_RESOURCE")
    }
}

extension CauseFacts {
    func codesContain(_ word: String) -> Bool {
        let bytes = Array((cause.codes ?? "").utf8)
        return bytes.span.contains(word)
    }
}

/// The codes of Apple's EXC_BAD_ACCESS.
enum AppleAccessMeanings {
    /// `kern_return_t` of `osfmk/mach/kern_return.h` and the codes of `osfmk/mach/arm/exception.h`;
    /// those of Intel's processors are `EXC_I386_…`.
    static let names: [UInt64: String] = [
        1: "KERN_INVALID_ADDRESS", 2: "KERN_PROTECTION_FAILURE", 8: "KERN_NO_ACCESS", 9: "KERN_MEMORY_FAILURE", 10: "KERN_MEMORY_ERROR",
        50: "KERN_CODESIGN_ERROR", 0x101: "EXC_ARM_DA_ALIGN", 0x102: "EXC_ARM_DA_DEBUG", 0x103: "EXC_ARM_SP_ALIGN", 0x104: "EXC_ARM_SWP",
        0x105: "EXC_ARM_PAC_FAIL",
    ]

    static let codes: MeaningTable = """
        XNU, osfmk/mach/kern_return.h
        KERN_INVALID_ADDRESS | The program accessed memory that is not mapped.
        KERN_PROTECTION_FAILURE | The program accessed mapped memory in a way that its protection forbids, such as a write to read-only memory.
        KERN_NO_ACCESS | The program accessed memory that it may not access.
        KERN_MEMORY_FAILURE | The program accessed memory whose backing object was destroyed.
        KERN_MEMORY_ERROR | The system could not provide the contents of the accessed memory, such as a page of a mapped file.
        KERN_CODESIGN_ERROR | The accessed page does not match its code signature.
        XNU, osfmk/mach/arm/exception.h
        EXC_ARM_DA_ALIGN | The program used an address that is not aligned as the instruction requires.
        EXC_ARM_DA_DEBUG | A hardware watchpoint or breakpoint was hit.
        EXC_ARM_SP_ALIGN | The stack pointer was not aligned.
        EXC_ARM_SWP | The program executed the instruction SWP, which the processor does not support.
        EXC_ARM_PAC_FAIL | A pointer failed its authentication: it was overwritten, or signed in another way.
        XNU, osfmk/mach/i386/exception.h; Intel SDM volume 3, interrupt 13
        EXC_I386_GPFLT | A general protection fault: mostly an access to an address that no x86-64 pointer can have. The processor does not report the address.
        """
}
