internal import CrashLogModel

/// Tables of Linux' reports about itself.
enum LinuxMeanings {
    /// By the words after `BUG: `, `INFO: ` and so on.
    static let bugs: MeaningTable = """
        sleeping function called from invalid context* | Code that must not sleep, such as an interrupt handler, called a function that may sleep. | Linux, kernel/sched/core.c, __might_resched
        scheduling while atomic* | A task was scheduled away where it must not sleep, such as with a spinlock held. | Linux, kernel/sched/core.c, __schedule_bug
        spinlock lockup suspected* | A processor waited for a spinlock for so long that it is probably deadlocked. | Linux, kernel/locking/spinlock_debug.c
        spinlock bad magic* | A spinlock was used that is not initialized or that was overwritten. | Linux, kernel/locking/spinlock_debug.c
        spinlock * | A spinlock was used wrongly. | Linux, kernel/locking/spinlock_debug.c
        lock held when returning to user space* | A system call returned to the program while it held a lock. | Linux, kernel/locking/lockdep.c, lockdep_sys_exit
        Bad page map* | An entry of a page table is not valid: memory was overwritten or is faulty. | Linux, mm/memory.c, print_bad_pte
        Bad page state* | The state of a freed page is not valid: it is still in use, or memory was overwritten. | Linux, mm/page_alloc.c, bad_page
        Bad rss-counter* | A process ended with a wrong count of its memory. | Linux, kernel/fork.c, check_mm
        kernel tried to execute NX-protected page* | The kernel jumped to memory that holds no code: a function pointer or a return address was overwritten. | Linux, arch/x86/mm/fault.c, nx_warning
        Unable to handle kernel pointer dereference* | The kernel accessed memory that is not mapped. | Linux, arch/s390/mm/fault.c
        kernel stack frame pointer at* | The frame pointers on the kernel's stack are not valid, so that its frames may be wrong. | Linux, arch/x86/kernel/unwind_frame.c
        kernel stack regs at* | The registers saved on the kernel's stack are not valid, so that its frames may be wrong. | Linux, arch/x86/kernel/unwind_frame.c
        MAX_* | A table of the lock validator is full; the validator is now off. | Linux, kernel/locking/lockdep.c
        """

    /// By the kind alone.
    static let types: MeaningTable = """
        kernel BUG | The kernel's code reached a BUG(): a condition that it checks and cannot go on from. | Linux, include/asm-generic/bug.h
        WARNING | The kernel's code reached a WARN(): a condition that should not occur. The kernel goes on, unless it is set to panic. | Linux, include/asm-generic/bug.h
        soft lockup | A processor ran kernel code for too long without letting other tasks run. | Linux, kernel/watchdog.c
        hung task | A task waited without interruption for too long, such as for a lock or a disk. | Linux, kernel/hung_task.c
        RCU stall | A processor or task delayed RCU for too long: it ran or was stopped where RCU waits for it. | Linux, Documentation/RCU/stallwarn.rst
        workqueue lockup | A pool of workers made no progress for too long. | Linux, kernel/workqueue.c
        memory leak | The kernel allocated memory that nothing points to any more. | Linux, Documentation/dev-tools/kmemleak.rst
        KCSAN | Two tasks accessed the same memory at once, at least one of them to write, without synchronization. | Linux, Documentation/dev-tools/kcsan.rst
        KMSAN | The kernel used memory that had not been initialized. | Linux, Documentation/dev-tools/kmsan.rst
        UBSAN | The kernel's code did what the C language leaves undefined, such as an overflow or a wrong index. | Linux, lib/ubsan.c
        general protection fault | The kernel violated a protection, mostly by an address that no pointer can have. | Linux, arch/x86/kernel/traps.c, exc_general_protection
        divide error | The kernel divided by zero, or a quotient was too large. | Linux, arch/x86/kernel/traps.c, exc_divide_error
        invalid opcode | The kernel executed an invalid instruction, as BUG() puts in. | Linux, arch/x86/kernel/traps.c, exc_invalid_op
        stack segment | The kernel used an invalid address through the stack pointer. | Linux, arch/x86/kernel/traps.c, exc_stack_segment
        double fault | A fault occurred while the processor handled another one; on x86 mostly the kernel's stack overflowed. | Linux, arch/x86/kernel/traps.c, exc_double_fault
        illegal operation | The kernel executed an invalid instruction, as BUG() puts in. | Linux, arch/s390/kernel/traps.c
        """

    static let oopses: MeaningTable = """
        load access fault* | The kernel read from an address that the hardware does not allow. | Linux, arch/riscv/kernel/traps.c
        store (or AMO) access fault* | The kernel wrote to an address that the hardware does not allow. | Linux, arch/riscv/kernel/traps.c
        instruction access fault* | The kernel jumped to an address that the hardware does not allow. | Linux, arch/riscv/kernel/traps.c
        illegal instruction* | The kernel executed an instruction that the processor does not have. | Linux, arch/riscv/kernel/traps.c
        load address misaligned* | The kernel read from an address that is not aligned. | Linux, arch/riscv/kernel/traps.c
        undefined instruction* | The kernel executed an instruction that the processor does not have. | Linux, arch/arm/kernel/traps.c
        BUG* | The kernel's code reached a BUG(): a condition that it checks and cannot go on from. | Linux, arch/arm64/kernel/traps.c
        """

    static let panics: MeaningTable = """
        *Attempted to kill init* | The first process, init, ended, and the system cannot run without it. | Linux, kernel/exit.c
        *Unable to mount root fs* | The kernel could not mount the root file system. | Linux, init/do_mounts.c
        *No working init found* | The kernel found no program to start as the first process. | Linux, init/main.c
        *sysrq triggered crash* | A user caused the crash with SysRq-c. | Linux, drivers/tty/sysrq.c
        *Out of memory* | The system ran out of memory, and it is set to panic then. | Linux, mm/oom_kill.c
        *System is deadlocked on memory* | The system ran out of memory, and no process was left to end. | Linux, mm/oom_kill.c
        *hung_task: blocked tasks* | A task waited without interruption for too long, and the system is set to panic then. | Linux, kernel/hung_task.c
        *softlockup: hung tasks* | A processor ran kernel code for too long, and the system is set to panic then. | Linux, kernel/watchdog.c
        *Hard LOCKUP* | A processor ran kernel code for too long with interrupts off. | Linux, kernel/watchdog.c
        *stack-protector: Kernel stack is corrupted* | A function of the kernel wrote beyond its variables on the stack. | Linux, kernel/panic.c, __stack_chk_fail
        *panic_on_warn set* | The kernel met a warning, and it is set to panic then. | Linux, kernel/panic.c
        *Fatal exception in interrupt* | The kernel failed in an interrupt, from which it cannot go on. | Linux, arch/x86/kernel/dumpstack.c, oops_end
        """

    static let addressSanitizer: MeaningTable = """
        Linux, mm/kasan/report_generic.c
        slab-use-after-free* | The kernel used memory of the slab allocator after it had been freed.
        use-after-free* | The kernel used memory after it had been freed.
        slab-out-of-bounds* | The kernel accessed memory before or after an object of the slab allocator.
        global-out-of-bounds* | The kernel accessed memory before or after a global variable.
        stack-out-of-bounds* | The kernel accessed memory before or after a variable on the stack.
        alloca-out-of-bounds* | The kernel accessed memory outside of an array of variable length on the stack.
        vmalloc-out-of-bounds* | The kernel accessed memory before or after a block of vmalloc().
        out-of-bounds* | The kernel accessed memory outside of an object.
        out of bounds* | The kernel accessed memory outside of an object.
        null-ptr-deref* | The kernel used a null pointer.
        user-memory-access* | The kernel accessed an address of user space directly.
        wild-memory-access* | The kernel accessed an address that no pointer of the kernel can have.
        double-free* | The kernel freed memory that had been freed before, or that was never allocated.
        invalid-free* | The kernel freed an address that no allocation returned.
        invalid-access* | The tag of a pointer did not match the memory's: a use after free, or an access out of bounds.
        """

    static let fence: MeaningTable = """
        Linux, mm/kfence/report.c
        out-of-bounds* | The kernel accessed memory before or after an allocated object.
        use-after-free* | The kernel used memory after it had been freed.
        memory corruption* | The kernel wrote past the end of an object; that was found when the object was freed.
        invalid free* | The kernel freed memory that is not allocated, or freed it twice.
        invalid* | The kernel accessed memory of the guard that belongs to no object.
        """

    static let locks: MeaningTable = """
        possible recursive locking* | A task locks a lock, or one of its class, that it already holds, which can deadlock. | Linux, kernel/locking/lockdep.c
        possible circular locking* | Locks are taken in different orders, which can deadlock. | Linux, kernel/locking/lockdep.c
        possible irq lock inversion* | A lock that an interrupt takes is held with interrupts on elsewhere, which can deadlock. | Linux, kernel/locking/lockdep.c
        inconsistent lock state* | A lock is taken in an interrupt and also with interrupts on, which can deadlock. | Linux, kernel/locking/lockdep.c
        SOFTIRQ-safe -> SOFTIRQ-unsafe* | A lock that an interrupt takes depends on one that is held with interrupts on, which can deadlock. | Linux, kernel/locking/lockdep.c
        HARDIRQ-safe -> HARDIRQ-unsafe* | A lock that an interrupt takes depends on one that is held with interrupts on, which can deadlock. | Linux, kernel/locking/lockdep.c
        bad unlock balance* | A task released a lock that it does not hold. | Linux, kernel/locking/lockdep.c
        trying to register non-static key* | A lock was used that was not initialized. | Linux, kernel/locking/lockdep.c, register_lock_class
        held lock freed* | Memory was freed with a lock in it that is held. | Linux, kernel/locking/lockdep.c
        suspicious RCU usage* | Data that RCU protects was accessed without the lock that this needs. | Linux, Documentation/RCU/lockdep.rst
        """

    static let slab: MeaningTable = """
        Linux, mm/slub.c
        *Poison overwritten* | Memory was written to after it had been freed.
        *Redzone overwritten* | The kernel wrote before or after an object of the slab allocator.
        *edzone overwritten* | The kernel wrote before or after an object of the slab allocator.
        *Object already free* | The kernel freed an object that had been freed before.
        *Freepointer corrupt* | The allocator's list of free objects was overwritten.
        *Objects remaining* | A cache of objects was destroyed while some of them were in use.
        """
}
