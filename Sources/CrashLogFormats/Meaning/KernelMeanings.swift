internal import BinaryPrimitives
internal import CrashLogModel

/// Meanings of kernels' reports: of Linux by the kind and the text of the first line, of the others
/// by their own messages.
enum KernelMeanings {
    static func meaning(_ facts: CauseFacts) -> Meaning? {
        switch facts.report.format {
        case "kernel-oops": linux(facts)
        case "apple-panic", "apple-ips": facts.cause.type == "panic" ? apple(facts) : nil
        case "bsd-panic": bsd.meaning(of: facts.cause.message)
        case "fuchsia-crash": fuchsia.meaning(of: facts.cause.message)
        case "abrt-json":
            facts.cause.type == "kerneloops"
                ? Meaning("The kernel reported an error in its own code.", source: "ABRT, kerneloops plugin") : nil
        default: nil
        }
    }

    private static func linux(_ facts: CauseFacts) -> Meaning? {
        let message = facts.cause.message ?? ""
        let bytes = Array(message.utf8)
        let isNull = bytes.span.contains("NULL pointer dereference")
        if isNull || bytes.span.contains("paging request") || bytes.span.contains("page fault for address") {
            return fault(facts, FaultAccess(facts.cause.codes, facts.family), isNull: isNull)
        }
        // The processor's word alone, without the line above.
        let access = FaultAccess(message, facts.family)
        if facts.cause.type == "Oops", access.isFetch || access.isWrite != nil { return fault(facts, access, isNull: false) }
        switch facts.cause.type {
        case "KASAN": return LinuxMeanings.addressSanitizer.meaning(of: message)
        case "KFENCE": return LinuxMeanings.fence.meaning(of: message)
        case "lockdep", "RCU": return LinuxMeanings.locks.meaning(of: message)
        case "slab": return LinuxMeanings.slab.meaning(of: message)
        case "Kernel panic": return LinuxMeanings.panics.meaning(of: message)
        case "Oops": return LinuxMeanings.oopses.meaning(of: message)
        default: return LinuxMeanings.bugs.meaning(of: message) ?? LinuxMeanings.types.meaning(of: facts.cause.type)
        }
    }

    /// Meaning of a page fault that the kernel could not handle: the kind of access, by the error
    /// code of the processor, then the address.
    private static func fault(_ facts: CauseFacts, _ access: FaultAccess, isNull: Bool) -> Meaning {
        let source = "Linux, arch/x86/mm/fault.c, show_fault_oops, and arch/arm64/mm/fault.c, die_kernel_fault"
        if isNull {
            let meaning = Meaning("The kernel \(access.verb) a null pointer, or a field at a small offset from one.", source: source)
            return access.isFetch ? Meaning("The kernel called a function through a null pointer.", source: source) : meaning
        }
        let memory = access.isProtected ? "memory whose protection forbids it" : "memory that is not mapped"
        return Meaning("The kernel \(access.verb) \(memory).", source: source).adding(AddressMeanings(facts)?.value)
    }

    static let applePanics: MeaningTable = """
        *initproc exited* | launchd, the first process, ended, and the system cannot run without it. | XNU, bsd/kern/kern_exit.c
        *type 14=page fault* | The kernel accessed memory that is not mapped or that it may not access. | XNU, osfmk/i386/trap.c
        *type 13=general protection* | The kernel violated a protection, mostly by an address that no pointer can have. | XNU, osfmk/i386/trap.c
        *no successful checkins from* | A service that watchdogd monitors did not check in for too long. | the panic's own words
        *no checkins from watchdogd* | watchdogd did not check in with the kernel for too long. | the panic's own words
        *CPU CATERR detected* | The processor signaled a catastrophic hardware error. | Intel, Catastrophic Error (CATERR#)
        *assertion failed* | A condition that the kernel's code checks did not hold. | XNU, osfmk/kern/debug.c, Assert
        *zone_map_exhausted* | The kernel's zone memory was exhausted. | XNU, osfmk/kern/zalloc.c
        """

    private static func apple(_ facts: CauseFacts) -> Meaning? {
        guard let found = applePanics.meaning(of: facts.cause.message) else { return nil }
        return found
    }

    static let bsd: MeaningTable = """
        *page fault while in kernel mode* | The kernel accessed memory that is not mapped or that it may not access. | FreeBSD, sys/amd64/amd64/trap.c
        *general protection fault while in kernel mode* | The kernel violated a protection, mostly by an address that no pointer can have. | FreeBSD, sys/amd64/amd64/trap.c
        *of destroyed mutex* | The kernel locked a mutex that had been destroyed. | FreeBSD, sys/kern/kern_mutex.c
        *double pool_put* | The kernel returned an object to its pool that it had returned before. | OpenBSD, sys/kern/subr_pool.c
        uvm_fault(* | The kernel accessed memory that is not mapped or that it may not access. | OpenBSD, sys/arch/amd64/amd64/trap.c
        kernel diagnostic assertion* | A condition that the kernel's code checks did not hold. | NetBSD, sys/lib/libkern/kern_assert.c
        lock error* | The kernel used a lock wrongly. | NetBSD, sys/kern/subr_lockdebug.c
        *within misaligned address* | The kernel used an object through a pointer that is not aligned for its type. | NetBSD, common/lib/libc/misc/ubsan.c
        """

    static let fuchsia: MeaningTable = """
        *fatal page fault* | The program accessed memory that is not mapped or that it may not access. | Fuchsia, Zircon exceptions: ZX_EXCP_FATAL_PAGE_FAULT
        *undefined instruction* | The program executed an instruction that the processor does not have. | Fuchsia, Zircon exceptions: ZX_EXCP_UNDEFINED_INSTRUCTION
        DEBUG ASSERT FAILED* | A condition that the kernel's code checks did not hold. | Fuchsia, zircon/kernel/include/debug.h
        recursion in interrupt handler* | An interrupt handler of the kernel was interrupted by itself. | Fuchsia, the kernel's own words
        """
}

/// Kind of access to a page that failed, by the error code of Linux' oops.
///
///     Oops: 0002 [#1] SMP          x86: bit 0 protection, 1 write, 4 instruction fetch (`arch/x86/include/asm/trap_pf.h`)
///     Oops: 96000044 [#1]          arm64: bits 31 to 26 are the class (0x24, 0x25 data; 0x20, 0x21 instruction), 6 write, 5 to 0 the kind (`arch/arm64/include/asm/esr.h`)
private struct FaultAccess {
    var isWrite: Bool?
    var isFetch = false
    var isProtected = false

    init(_ codes: String?, _ family: String?) {
        let bytes = Array((codes ?? "").utf8)
        var text = bytes.span
        for prefix in ["Internal error: ", "Oops: ", "Oops - "] { _ = text.consume(prefix) }
        let digits = text
        guard let code = text.readHexadecimal(), text.at(0) == UInt8(ascii: " ") else { return }
        switch digits.count - text.count {
        case 4 where family == nil || family == "x86_64" || family == "i386":
            (isWrite, isFetch, isProtected) = (code & 2 != 0, code & 16 != 0, code & 1 != 0)
        case 8, 16:
            let kind = code >> 26 & 0x3F
            isFetch = kind == 0x20 || kind == 0x21
            guard kind == 0x24 || kind == 0x25 else { return }
            isWrite = code & 0x40 != 0
            // A permission fault of level 0 to 3.
            isProtected = code & 0x3C == 0x0C
        default: break
        }
    }

    var verb: String { isFetch ? "jumped to" : isWrite.map { $0 ? "wrote to" : "read from" } ?? "accessed" }
}
