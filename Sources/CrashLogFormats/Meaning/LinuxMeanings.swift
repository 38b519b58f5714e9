internal import CrashLogModel

/// Tables of Linux' reports about itself.
enum LinuxMeanings {
    /// By the words after `BUG: `, `INFO: ` and so on.
    static let bugs = MeaningTable([
        MeaningRule(
            "sleeping function called from invalid context", .start,
            "Code that must not sleep, such as an interrupt handler, called a function that may sleep.",
            source: "Linux, kernel/sched/core.c, __might_resched"),
        MeaningRule(
            "scheduling while atomic", .start, "A task was scheduled away where it must not sleep, such as with a spinlock held.",
            source: "Linux, kernel/sched/core.c, __schedule_bug"),
        MeaningRule(
            "spinlock lockup suspected", .start, "A processor waited for a spinlock for so long that it is probably deadlocked.",
            source: "Linux, kernel/locking/spinlock_debug.c"),
        MeaningRule(
            "spinlock bad magic", .start, "A spinlock was used that is not initialized or that was overwritten.",
            source: "Linux, kernel/locking/spinlock_debug.c"),
        MeaningRule("spinlock ", .start, "A spinlock was used wrongly.", source: "Linux, kernel/locking/spinlock_debug.c"),
        MeaningRule(
            "lock held when returning to user space", .start, "A system call returned to the program while it held a lock.",
            source: "Linux, kernel/locking/lockdep.c, lockdep_sys_exit"),
        MeaningRule(
            "Bad page map", .start, "An entry of a page table is not valid: memory was overwritten or is faulty.",
            source: "Linux, mm/memory.c, print_bad_pte"),
        MeaningRule(
            "Bad page state", .start, "The state of a freed page is not valid: it is still in use, or memory was overwritten.",
            source: "Linux, mm/page_alloc.c, bad_page"),
        MeaningRule(
            "Bad rss-counter", .start, "A process ended with a wrong count of its memory.", source: "Linux, kernel/fork.c, check_mm"),
        MeaningRule(
            "kernel tried to execute NX-protected page", .start,
            "The kernel jumped to memory that holds no code: a function pointer or a return address was overwritten.",
            source: "Linux, arch/x86/mm/fault.c, nx_warning"),
        MeaningRule(
            "Unable to handle kernel pointer dereference", .start, "The kernel accessed memory that is not mapped.",
            source: "Linux, arch/s390/mm/fault.c"),
        MeaningRule(
            "kernel stack frame pointer at", .start,
            "The frame pointers on the kernel's stack are not valid, so that its frames may be wrong.",
            source: "Linux, arch/x86/kernel/unwind_frame.c"),
        MeaningRule(
            "kernel stack regs at", .start, "The registers saved on the kernel's stack are not valid, so that its frames may be wrong.",
            source: "Linux, arch/x86/kernel/unwind_frame.c"),
        MeaningRule(
            "MAX_", .start, "A table of the lock validator is full; the validator is now off.", source: "Linux, kernel/locking/lockdep.c"),
    ])

    /// By the kind alone.
    static let types = MeaningTable([
        MeaningRule(
            "kernel BUG", .whole, "The kernel's code reached a BUG(): a condition that it checks and cannot go on from.",
            source: "Linux, include/asm-generic/bug.h"),
        MeaningRule(
            "WARNING", .whole,
            "The kernel's code reached a WARN(): a condition that should not occur. The kernel goes on, unless it is set to panic.",
            source: "Linux, include/asm-generic/bug.h"),
        MeaningRule(
            "soft lockup", .whole, "A processor ran kernel code for too long without letting other tasks run.",
            source: "Linux, kernel/watchdog.c"),
        MeaningRule(
            "hung task", .whole, "A task waited without interruption for too long, such as for a lock or a disk.",
            source: "Linux, kernel/hung_task.c"),
        MeaningRule(
            "RCU stall", .whole, "A processor or task delayed RCU for too long: it ran or was stopped where RCU waits for it.",
            source: "Linux, Documentation/RCU/stallwarn.rst"),
        MeaningRule("workqueue lockup", .whole, "A pool of workers made no progress for too long.", source: "Linux, kernel/workqueue.c"),
        MeaningRule(
            "memory leak", .whole, "The kernel allocated memory that nothing points to any more.",
            source: "Linux, Documentation/dev-tools/kmemleak.rst"),
        MeaningRule(
            "KCSAN", .whole, "Two tasks accessed the same memory at once, at least one of them to write, without synchronization.",
            source: "Linux, Documentation/dev-tools/kcsan.rst"),
        MeaningRule(
            "KMSAN", .whole, "The kernel used memory that had not been initialized.", source: "Linux, Documentation/dev-tools/kmsan.rst"),
        MeaningRule(
            "UBSAN", .whole, "The kernel's code did what the C language leaves undefined, such as an overflow or a wrong index.",
            source: "Linux, lib/ubsan.c"),
        MeaningRule(
            "general protection fault", .whole, "The kernel violated a protection, mostly by an address that no pointer can have.",
            source: "Linux, arch/x86/kernel/traps.c, exc_general_protection"),
        MeaningRule(
            "divide error", .whole, "The kernel divided by zero, or a quotient was too large.",
            source: "Linux, arch/x86/kernel/traps.c, exc_divide_error"),
        MeaningRule(
            "invalid opcode", .whole, "The kernel executed an invalid instruction, as BUG() puts in.",
            source: "Linux, arch/x86/kernel/traps.c, exc_invalid_op"),
        MeaningRule(
            "stack segment", .whole, "The kernel used an invalid address through the stack pointer.",
            source: "Linux, arch/x86/kernel/traps.c, exc_stack_segment"),
        MeaningRule(
            "double fault", .whole,
            "A fault occurred while the processor handled another one; on x86 mostly the kernel's stack overflowed.",
            source: "Linux, arch/x86/kernel/traps.c, exc_double_fault"),
        MeaningRule(
            "illegal operation", .whole, "The kernel executed an invalid instruction, as BUG() puts in.",
            source: "Linux, arch/s390/kernel/traps.c"),
    ])

    static let oopses = MeaningTable([
        MeaningRule(
            "load access fault", .start, "The kernel read from an address that the hardware does not allow.",
            source: "Linux, arch/riscv/kernel/traps.c"),
        MeaningRule(
            "store (or AMO) access fault", .start, "The kernel wrote to an address that the hardware does not allow.",
            source: "Linux, arch/riscv/kernel/traps.c"),
        MeaningRule(
            "instruction access fault", .start, "The kernel jumped to an address that the hardware does not allow.",
            source: "Linux, arch/riscv/kernel/traps.c"),
        MeaningRule(
            "illegal instruction", .start, "The kernel executed an instruction that the processor does not have.",
            source: "Linux, arch/riscv/kernel/traps.c"),
        MeaningRule(
            "load address misaligned", .start, "The kernel read from an address that is not aligned.",
            source: "Linux, arch/riscv/kernel/traps.c"),
        MeaningRule(
            "undefined instruction", .start, "The kernel executed an instruction that the processor does not have.",
            source: "Linux, arch/arm/kernel/traps.c"),
        MeaningRule(
            "BUG", .start, "The kernel's code reached a BUG(): a condition that it checks and cannot go on from.",
            source: "Linux, arch/arm64/kernel/traps.c"),
    ])

    static let panics = MeaningTable([
        MeaningRule(
            "Attempted to kill init", .anywhere, "The first process, init, ended, and the system cannot run without it.",
            source: "Linux, kernel/exit.c"),
        MeaningRule(
            "Unable to mount root fs", .anywhere, "The kernel could not mount the root file system.", source: "Linux, init/do_mounts.c"),
        MeaningRule(
            "No working init found", .anywhere, "The kernel found no program to start as the first process.", source: "Linux, init/main.c"),
        MeaningRule("sysrq triggered crash", .anywhere, "A user caused the crash with SysRq-c.", source: "Linux, drivers/tty/sysrq.c"),
        MeaningRule(
            "Out of memory", .anywhere, "The system ran out of memory, and it is set to panic then.", source: "Linux, mm/oom_kill.c"),
        MeaningRule(
            "System is deadlocked on memory", .anywhere, "The system ran out of memory, and no process was left to end.",
            source: "Linux, mm/oom_kill.c"),
        MeaningRule(
            "hung_task: blocked tasks", .anywhere, "A task waited without interruption for too long, and the system is set to panic then.",
            source: "Linux, kernel/hung_task.c"),
        MeaningRule(
            "softlockup: hung tasks", .anywhere, "A processor ran kernel code for too long, and the system is set to panic then.",
            source: "Linux, kernel/watchdog.c"),
        MeaningRule(
            "Hard LOCKUP", .anywhere, "A processor ran kernel code for too long with interrupts off.", source: "Linux, kernel/watchdog.c"),
        MeaningRule(
            "stack-protector: Kernel stack is corrupted", .anywhere, "A function of the kernel wrote beyond its variables on the stack.",
            source: "Linux, kernel/panic.c, __stack_chk_fail"),
        MeaningRule(
            "panic_on_warn set", .anywhere, "The kernel met a warning, and it is set to panic then.", source: "Linux, kernel/panic.c"),
        MeaningRule(
            "Fatal exception in interrupt", .anywhere, "The kernel failed in an interrupt, from which it cannot go on.",
            source: "Linux, arch/x86/kernel/dumpstack.c, oops_end"),
    ])

    static let addressSanitizer = MeaningTable(
        source: "Linux, mm/kasan/report_generic.c",
        [
            ("slab-use-after-free", "The kernel used memory of the slab allocator after it had been freed."),
            ("use-after-free", "The kernel used memory after it had been freed."),
            ("slab-out-of-bounds", "The kernel accessed memory before or after an object of the slab allocator."),
            ("global-out-of-bounds", "The kernel accessed memory before or after a global variable."),
            ("stack-out-of-bounds", "The kernel accessed memory before or after a variable on the stack."),
            ("alloca-out-of-bounds", "The kernel accessed memory outside of an array of variable length on the stack."),
            ("vmalloc-out-of-bounds", "The kernel accessed memory before or after a block of vmalloc()."),
            ("out-of-bounds", "The kernel accessed memory outside of an object."),
            ("out of bounds", "The kernel accessed memory outside of an object."),
            ("null-ptr-deref", "The kernel used a null pointer."),
            ("user-memory-access", "The kernel accessed an address of user space directly."),
            ("wild-memory-access", "The kernel accessed an address that no pointer of the kernel can have."),
            ("double-free", "The kernel freed memory that had been freed before, or that was never allocated."),
            ("invalid-free", "The kernel freed an address that no allocation returned."),
            ("invalid-access", "The tag of a pointer did not match the memory's: a use after free, or an access out of bounds."),
        ], place: .start)

    static let fence = MeaningTable(
        source: "Linux, mm/kfence/report.c",
        [
            ("out-of-bounds", "The kernel accessed memory before or after an allocated object."),
            ("use-after-free", "The kernel used memory after it had been freed."),
            ("memory corruption", "The kernel wrote past the end of an object; that was found when the object was freed."),
            ("invalid free", "The kernel freed memory that is not allocated, or freed it twice."),
            ("invalid", "The kernel accessed memory of the guard that belongs to no object."),
        ], place: .start)

    static let locks = MeaningTable([
        MeaningRule(
            "possible recursive locking", .start, "A task locks a lock, or one of its class, that it already holds, which can deadlock.",
            source: "Linux, kernel/locking/lockdep.c"),
        MeaningRule(
            "possible circular locking", .start, "Locks are taken in different orders, which can deadlock.",
            source: "Linux, kernel/locking/lockdep.c"),
        MeaningRule(
            "possible irq lock inversion", .start,
            "A lock that an interrupt takes is held with interrupts on elsewhere, which can deadlock.",
            source: "Linux, kernel/locking/lockdep.c"),
        MeaningRule(
            "inconsistent lock state", .start, "A lock is taken in an interrupt and also with interrupts on, which can deadlock.",
            source: "Linux, kernel/locking/lockdep.c"),
        MeaningRule(
            "SOFTIRQ-safe -> SOFTIRQ-unsafe", .start,
            "A lock that an interrupt takes depends on one that is held with interrupts on, which can deadlock.",
            source: "Linux, kernel/locking/lockdep.c"),
        MeaningRule(
            "HARDIRQ-safe -> HARDIRQ-unsafe", .start,
            "A lock that an interrupt takes depends on one that is held with interrupts on, which can deadlock.",
            source: "Linux, kernel/locking/lockdep.c"),
        MeaningRule(
            "bad unlock balance", .start, "A task released a lock that it does not hold.", source: "Linux, kernel/locking/lockdep.c"),
        MeaningRule(
            "trying to register non-static key", .start, "A lock was used that was not initialized.",
            source: "Linux, kernel/locking/lockdep.c, register_lock_class"),
        MeaningRule(
            "held lock freed", .start, "Memory was freed with a lock in it that is held.", source: "Linux, kernel/locking/lockdep.c"),
        MeaningRule(
            "suspicious RCU usage", .start, "Data that RCU protects was accessed without the lock that this needs.",
            source: "Linux, Documentation/RCU/lockdep.rst"),
    ])

    static let slab = MeaningTable(
        source: "Linux, mm/slub.c",
        [
            ("Poison overwritten", "Memory was written to after it had been freed."),
            ("Redzone overwritten", "The kernel wrote before or after an object of the slab allocator."),
            ("edzone overwritten", "The kernel wrote before or after an object of the slab allocator."),
            ("Object already free", "The kernel freed an object that had been freed before."),
            ("Freepointer corrupt", "The allocator's list of free objects was overwritten."),
            ("Objects remaining", "A cache of objects was destroyed while some of them were in use."),
        ], place: .anywhere)
}
