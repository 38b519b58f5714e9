internal import CrashLogModel

/// The codes of Apple's EXC_BAD_ACCESS.
enum AppleAccessMeanings {
    /// `kern_return_t` of `osfmk/mach/kern_return.h` and the codes of `osfmk/mach/arm/exception.h`;
    /// those of Intel's processors are `EXC_I386_…`.
    static let names: [UInt64: String] = [
        1: "KERN_INVALID_ADDRESS", 2: "KERN_PROTECTION_FAILURE", 8: "KERN_NO_ACCESS", 9: "KERN_MEMORY_FAILURE", 10: "KERN_MEMORY_ERROR",
        50: "KERN_CODESIGN_ERROR", 0x101: "EXC_ARM_DA_ALIGN", 0x102: "EXC_ARM_DA_DEBUG", 0x103: "EXC_ARM_SP_ALIGN", 0x104: "EXC_ARM_SWP",
        0x105: "EXC_ARM_PAC_FAIL",
    ]

    static let codes =
        MeaningTable(
            source: "XNU, osfmk/mach/kern_return.h",
            [
                ("KERN_INVALID_ADDRESS", "The program accessed memory that is not mapped."),
                (
                    "KERN_PROTECTION_FAILURE",
                    "The program accessed mapped memory in a way that its protection forbids, such as a write to read-only memory."
                ),
                ("KERN_NO_ACCESS", "The program accessed memory that it may not access."),
                ("KERN_MEMORY_FAILURE", "The program accessed memory whose backing object was destroyed."),
                ("KERN_MEMORY_ERROR", "The system could not provide the contents of the accessed memory, such as a page of a mapped file."),
                ("KERN_CODESIGN_ERROR", "The accessed page does not match its code signature."),
            ])
        + MeaningTable(
            source: "XNU, osfmk/mach/arm/exception.h",
            [
                ("EXC_ARM_DA_ALIGN", "The program used an address that is not aligned as the instruction requires."),
                ("EXC_ARM_DA_DEBUG", "A hardware watchpoint or breakpoint was hit."),
                ("EXC_ARM_SP_ALIGN", "The stack pointer was not aligned."),
                ("EXC_ARM_SWP", "The program executed the instruction SWP, which the processor does not support."),
                ("EXC_ARM_PAC_FAIL", "A pointer failed its authentication: it was overwritten, or signed in another way."),
            ])
        + MeaningTable(
            source: "XNU, osfmk/mach/i386/exception.h; Intel SDM volume 3, interrupt 13",
            [
                (
                    "EXC_I386_GPFLT",
                    "A general protection fault: mostly an access to an address that no x86-64 pointer can have. The processor does not report the address."
                )
            ])
}
