import BinaryPrimitives
import Testing

@testable import CrashLogFormats
@testable import CrashLogModel

/// A real wording of each group, and the statement in the source of its rule.
struct MeaningTests {
    struct Example: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var log: String
        var meaning: String?

        init(_ name: String, _ log: String, _ meaning: String?) {
            testDescription = name
            self.log = log
            self.meaning = meaning
        }
    }

    /// A text report of Apple's with these header lines.
    static func apple(_ name: String, _ header: String, codeType: String = "ARM-64", tail: String = "", _ meaning: String?) -> Example {
        let log = """
            Process:             Demo [42]
            Path:                /Applications/Demo.app/Demo
            Code Type:           \(codeType)
            \(header)
            Triggered by Thread:  0

            Thread 0 Crashed:
            0   Demo                          	0x0000000104a383d4 0x104a38000 + 980
            1   Demo                          	0x0000000104a383f8 0x104a38000 + 1016
            \(tail)
            """
        return Example(name, log, meaning)
    }

    static func killed(_ reason: String, _ meaning: String?) -> Example {
        apple(reason, "Exception Type:  EXC_CRASH (SIGKILL)\nTermination Reason: \(reason)", meaning)
    }

    static let terminations: [Example] = [
        killed(
            "Namespace SPRINGBOARD, Code 0x8badf00d",
            "The watchdog ended the app because it did not launch, respond or exit in time. Its main thread was blocked for too long."),
        killed(
            "FRONTBOARD 2343432205 <RBSTerminateContext| domain:10 code:0x8BADF00D explanation:scene-create watchdog transgression: application<com.example.demo>:42 exhausted real (wall clock) time allowance of 19.97 seconds",
            "The watchdog ended the app because it took too long to launch: its main thread did not show the first frame in time."),
        killed(
            "Namespace RUNNINGBOARD, Code 0xdead10cc",
            "The system ended the app because it held a file lock or a SQLite lock while it was suspended."),
        killed(
            "Namespace <0xF>, Code 0xdead10cc",
            "The system ended the app because it held a file lock or a SQLite lock while it was suspended."),
        killed("Namespace SPRINGBOARD, Code 0xbad22222", "The system ended the VoIP app because it resumed too often."),
        killed("Namespace SPRINGBOARD, Code 0xc00010ff", "The system ended the app because the device was too hot."),
        killed("Namespace SPRINGBOARD, Code 0xdeadfa11", "The user forced the app to quit."),
        killed(
            "Namespace SPRINGBOARD, Code 0xbaaaaaad", "This is a stackshot of the whole system, which a user asked for, and not a crash."),
        killed("Namespace SPRINGBOARD, Code 0xbaddd15c", "The system ended the app to delete its caches, because storage was short."),
        killed("Namespace SPRINGBOARD, Code 0xc51bad01", "watchOS ended the app because a background task used too much CPU time."),
        killed(
            "Namespace CODESIGNING, Code 0x2", "The system ended the process because a page of its code does not match the code signature."),
        killed("Namespace JETSAM, Code 7", "The system ended the process because it used more memory than its limit."),
        killed("LIBXPC 4", "The library libxpc, for messages between processes, ended the process."),
        killed("DYLD, [0x4] Symbol missing", "A library does not have a symbol that the program needs."),
        killed("Namespace DYLD, Code 1 Library missing", "The dynamic linker did not find a library that the program needs."),
        // An unknown namespace: the signal's meaning.
        killed("Namespace HARBOUR, Code 0x12", "The process was killed with SIGKILL, which no program can catch."),
    ]

    static let exceptions: [Example] = [
        apple(
            "signal's namespace", "Exception Type:  EXC_CRASH (SIGABRT)\nTermination Reason: SIGNAL 6 Abort trap: 6",
            "The process received SIGABRT, which abort() raises: the program or a library gave up after an error."),
        apple(
            "breakpoint", "Exception Type:  EXC_BREAKPOINT (SIGTRAP)\nException Codes: 0x0000000000000001, 0x0000000104a383d4",
            "The program executed a trap instruction. Swift's runtime and other libraries use it to stop at an error that they detect."),
        apple(
            "guarded descriptor",
            "Exception Type:  EXC_GUARD\nException Subtype: GUARD_TYPE_FD\nException Message: CLOSE on file descriptor 5 (guarded with 0x08fd4dbfade2dead)",
            "The program closed a file descriptor that a library guards. Closing a descriptor twice does that."),
        // doc/mach_ipc/guard_exceptions.md of XNU has this one: 2305845208236959491 is
        // 0x2000020000002703, type 1, flavor 0x200.
        apple(
            "guarded port, by its code",
            "Exception Type:  EXC_GUARD (SIGKILL)\nException Codes: 0x0000000000002703, 0x0000000000000000\nTermination Reason: GUARD 2305845208236959491",
            "The program used the name of a Mach port for which it holds no right, as after releasing it."),
        apple(
            "resource",
            "Exception Type:  EXC_RESOURCE\nException Subtype: CPU_FATAL\nException Message: (Limit 80%) Observed 89% over 60 seconds",
            "The system ended the process because a thread used too much CPU time."),
        apple(
            "wakeups",
            "Exception Type:  EXC_RESOURCE\nException Subtype: WAKEUPS\nException Message: (Limit 150/sec) Observed 277/sec over 162 secs",
            "Threads of the process woke up too many times a second, which drains the battery."),
        apple(
            "exception", "Exception Type:  EXC_CRASH (SIGABRT)\nTermination Reason: SIGNAL 6 Abort trap: 6",
            tail:
                "\nApplication Specific Information:\n*** Terminating app due to uncaught exception 'NSRangeException', reason: '*** -[__NSArray0 objectAtIndex:]: index 2 beyond bounds for empty array'",
            "The program used an index that the array or string does not have."),
        apple(
            "unaligned", "Exception Type:  EXC_BAD_ACCESS (SIGBUS)\nException Codes: EXC_ARM_DA_ALIGN at 0x000000013fd4582e",
            "The program used an address that is not aligned as the instruction requires."),
        apple(
            "protection", "Exception Type:  EXC_BAD_ACCESS (SIGBUS)\nException Codes: KERN_PROTECTION_FAILURE at 0x0000000104a383d0",
            "The program accessed mapped memory in a way that its protection forbids, such as a write to read-only memory."),
        apple(
            "general protection fault", "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)\nException Codes: EXC_I386_GPFLT", codeType: "X86-64",
            "A general protection fault: mostly an access to an address that no x86-64 pointer can have. The processor does not report the address."
        ),
    ]

    static let addresses: [Example] = [
        apple(
            "null", "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at 0x0000000000000000",
            "The program accessed address 0: a null pointer."),
        // The first page of Apple's arm64 is 16 KB.
        apple(
            "field of null", "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at 0x00000000000013b0",
            "The program accessed address 0x13b0, just above null, where the fields and elements of a null pointer are."),
        apple(
            "behind the first page",
            "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at 0x00000000000013b0", codeType: "X86-64",
            "The program accessed memory that is not mapped."),
        apple(
            "scribbled", "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at 0x5555555555555575",
            codeType: "X86-64",
            "The program accessed memory that is not mapped. The address consists of the byte 0x55, with which MallocScribble overwrites freed memory."
        ),
        // "un l" in the memory of a little-endian processor: 0x75 0x6e 0x20 0x6c.
        apple(
            "text", "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at 0x6c206e75", codeType: "ARM",
            "The program accessed memory that is not mapped. The address read as text is \"un l\": text was used as a pointer."),
        apple(
            "authentication",
            "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)\nException Subtype: KERN_INVALID_ADDRESS at 0x002000010257ce18 -> 0x000000010257ce18 (possible pointer authentication failure)\nException Codes: 0x0000000000000001, 0x002000010257ce18",
            "The program accessed memory that is not mapped. The address has bits of a pointer's signature: its authentication failed, or it was used without."
        ),
        apple(
            "not canonical", "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at 0x00fe2d1c0000a000",
            "The program accessed memory that is not mapped. No arm64 pointer has such an address: it was overwritten, or read from memory that holds no pointer."
        ),
        apple(
            "stack", "Exception Type:  EXC_BAD_ACCESS (SIGBUS)\nException Subtype: KERN_PROTECTION_FAILURE at 0x000000016bcd3fe0",
            tail:
                "\nThread 0 crashed with ARM Thread State (64-bit):\n    x0: 0x0000000000000001   x1: 0x0000000000000002\n    sp: 0x000000016bcd3fc0   pc: 0x0000000104a383d4 cpsr: 0x20000000\n",
            "The access was next to the stack pointer, outside of the stack: a stack overflow. Endless recursion or very large local variables cause it."
        ),
        apple(
            "unaligned on the stack", "Exception Type:  EXC_BAD_ACCESS (SIGBUS)\nException Subtype: EXC_ARM_DA_ALIGN at 0x000000016bcd3fe1",
            tail:
                "\nThread 0 crashed with ARM Thread State (64-bit):\n    x0: 0x0000000000000001   x1: 0x0000000000000002\n    sp: 0x000000016bcd3fc0   pc: 0x0000000104a383d4 cpsr: 0x20000000\n",
            "The program used an address that is not aligned as the instruction requires."),
        apple(
            "jump", "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at 0x0000000000000010",
            tail:
                "\nThread 0 crashed with ARM Thread State (64-bit):\n    x0: 0x0000000000000001   x1: 0x0000000000000002\n    sp: 0x000000016bcd3fc0   pc: 0x0000000000000010 cpsr: 0x20000000\n",
            "The program jumped to address 0x10: it called a function through a null pointer, or a return address on the stack was overwritten."
        ),
    ]

    @Test("Apple's terminations, exceptions and bad accesses", arguments: Self.terminations + Self.exceptions + Self.addresses)
    func reports(_ example: Example) throws {
        #expect(try SampleLog(example.log).report().meaning == example.meaning)
    }

    // MARK: Causes as the readers give them

    struct Given: Sendable, CustomTestStringConvertible {
        var format: String
        var kind = CrashCause.Kind.signal
        var type: String?
        var signal: String?
        var codes: String?
        var message: String?
        var address: UInt64?
        var architecture: Architecture?
        var meaning: String?
        var testDescription: String { [format, type ?? "", signal ?? "", codes ?? "", message ?? ""].joined(separator: " ") }

        var report: CrashReport {
            var report = CrashReport(format: format)
            var cause = CrashCause(kind: kind)
            (cause.type, cause.signal, cause.codes, cause.message) = (type, signal, codes, message)
            cause.address = address.map { RuntimeAddress($0) }
            report.cause = cause
            report.architecture = architecture
            return report
        }
    }

    static let signals: [Given] = [
        Given(
            format: "android-tombstone", signal: "SIGSEGV", codes: "code 1 (SEGV_MAPERR)", address: 0x7A_1234_5000, architecture: .arm64,
            meaning: "The program accessed memory that is not mapped."),
        Given(
            format: "android-tombstone", signal: "SIGSEGV", codes: "code 9 (SEGV_MTESERR)", address: 0x7A_1234_5000, architecture: .arm64,
            meaning: "The tag of a pointer did not match the memory's: a use after free, or an access out of bounds."),
        Given(
            format: "jvm-hserr", type: "SIGFPE", signal: "SIGFPE", codes: "FPE_INTDIV", meaning: "The program divided an integer by zero."),
        Given(
            format: "chromium-misc", type: "SIGILL", signal: "4", codes: "ILL_ILLOPN",
            meaning: "The program executed an instruction with an illegal operand. Compilers put such an instruction in as a trap."),
        Given(
            format: "jvm-hserr", type: "SIGSEGV", signal: "SIGSEGV", codes: "SI_KERNEL", address: 0, architecture: .x86_64,
            meaning: "The kernel gives no address: on x86-64, mostly an access to an address that no pointer can have."),
        Given(
            format: "jvm-hserr", type: "SIGBUS", signal: "SIGBUS", codes: "BUS_ADRERR", address: 0x7F52_6F89_A000,
            meaning: "The memory has no page: usually a mapped file is shorter than the part that was accessed."),
        Given(
            format: "android-tombstone", signal: "SIGFPE", codes: "code -6 (SI_TKILL)",
            meaning: "A process sent the signal with tkill() or tgkill(), as raise() and abort() do."),
        // The address of a signal that was sent is the sender's number.
        Given(
            format: "android-tombstone", signal: "SIGSEGV", codes: "code 0 (SI_USER)", address: 0x3E8,
            meaning: "A process sent the signal with kill()."),
        Given(
            format: "gdb-bt", type: "Segmentation fault", signal: "11",
            meaning: "The process received SIGSEGV, the signal for an access to memory that is not mapped or not allowed."),
        // Without si_code, Linux' 0 may mean an address that the processor did not report.
        Given(
            format: "microdump", type: "SIGSEGV", signal: "SIGSEGV", address: 0, architecture: .x86_64,
            meaning:
                "The program accessed address 0, a null pointer. x86-64 processors report 0 for addresses that no pointer can have, too."),
        Given(
            format: "microdump", type: "SIGSEGV", signal: "SIGSEGV", address: 0, architecture: .arm64,
            meaning: "The program accessed address 0: a null pointer."),
        Given(
            format: "android-tombstone", signal: "SIGSEGV", codes: "code 1 (SEGV_MAPERR)", address: 0x5A5A_5A6A, architecture: .arm,
            meaning:
                "The program accessed memory that is not mapped. The address consists of the byte 0x5a, with which jemalloc overwrites freed memory when junk filling is on."
        ),
        Given(
            format: "windows-cdb", kind: .other, type: "Access violation", codes: "c0000005", address: 0xFEEE_0000,
            meaning: "The program accessed memory that is not mapped, or that it may not access."),
        Given(
            format: "windows-cdb", kind: .other, type: "Access violation", codes: "c0000005", address: 0xDDDD_DDE1,
            meaning:
                "The program accessed memory that is not mapped, or that it may not access. The address consists of the byte 0xdd, with which the debug heap of Microsoft's C library overwrites freed memory."
        ),
        Given(
            format: "jvm-hserr", type: "EXCEPTION_STACK_OVERFLOW", codes: "0xc00000fd",
            meaning: "The thread used up its stack. Endless recursion or very large local variables cause it."),
        Given(
            format: "windows-cdb", kind: .other, type: "Integer divide-by-zero", codes: "c0000094",
            meaning: "The program divided an integer by zero."),
    ]

    static let kernels: [Given] = [
        Given(
            format: "kernel-oops", kind: .other, type: "BUG", codes: "0002 [#1] PREEMPT SMP",
            message: "kernel NULL pointer dereference, address: 0000000000000008", address: 8,
            meaning: "The kernel wrote to a null pointer, or a field at a small offset from one."),
        Given(
            format: "kernel-oops", kind: .other, type: "BUG", codes: "0010 [#1] SMP",
            message: "kernel NULL pointer dereference, address: 0000000000000000", address: 0,
            meaning: "The kernel called a function through a null pointer."),
        // ESR 0x96000044: class 0x25 (a data abort of the kernel), bit 6 (a write), kind 4
        // (translation).
        Given(
            format: "kernel-oops", kind: .other, type: "BUG", codes: "Internal error: Oops: 96000044 [#1] PREEMPT SMP",
            message: "Unable to handle kernel paging request at virtual address dead000000000108", address: 0xDEAD_0000_0000_0108,
            meaning:
                "The kernel wrote to memory that is not mapped. The address is that of LIST_POISON: the kernel used an entry that had been removed from its list."
        ),
        Given(
            format: "kernel-oops", kind: .other, type: "BUG", codes: "0000 [#1] SMP",
            message: "unable to handle page fault for address: 6b6b6b6b6b6b6b73",
            address: 0x6B6B_6B6B_6B6B_6B73,
            meaning:
                "The kernel read from memory that is not mapped. The address consists of the byte 0x6b, with which the slab allocator overwrites freed objects."
        ),
        Given(
            format: "kernel-oops", kind: .other, type: "soft lockup", message: "CPU#1 stuck for 23s! [harbour:42]",
            meaning: "A processor ran kernel code for too long without letting other tasks run."),
        Given(
            format: "kernel-oops", kind: .other, type: "kernel BUG", codes: "0000 [#1] SMP", message: "at fs/buffer.c:1917!",
            meaning: "The kernel's code reached a BUG(): a condition that it checks and cannot go on from."),
        Given(
            format: "kernel-oops", kind: .other, type: "KASAN", message: "use-after-free in aead_recvmsg+0x1758/0x1bc0",
            address: 0xFFFF_8801_C1AF_DB5C,
            meaning: "The kernel used memory after it had been freed."),
        Given(
            format: "apple-panic", kind: .other, type: "panic",
            message: "Kernel trap at 0xffffff8008e1ca5e, type 14=page fault, registers:",
            meaning: "The kernel accessed memory that is not mapped or that it may not access."),
        Given(
            format: "bsd-panic", kind: .other, type: "panic", message: "Fatal trap 12: page fault while in kernel mode", address: 8,
            meaning: "The kernel accessed memory that is not mapped or that it may not access."),
    ]

    static let sanitizers: [Given] = [
        Given(
            format: "sanitizer-asan", kind: .runtimeError, type: "heap-use-after-free",
            meaning: "The program used heap memory after it had been freed."),
        Given(
            format: "sanitizer-asan", kind: .runtimeError, type: "stack-buffer-overflow",
            meaning: "The program accessed memory past the end of a variable on the stack, such as an array."),
        Given(
            format: "sanitizer-asan", type: "SEGV", signal: "SIGSEGV",
            message: "SEGV on unknown address 0x000000000010 (pc 0x7ffff7f23c08 bp 0x7fffffffbc70 sp 0x7fffffff5a98 T0)", address: 0x10,
            meaning: "The program accessed address 0x10, just above null, where the fields and elements of a null pointer are."),
        Given(
            format: "sanitizer-msan", kind: .runtimeError, type: "use-of-uninitialized-value",
            meaning: "The program's behavior depended on a value that had not been initialized."),
        Given(
            format: "sanitizer-tsan", kind: .runtimeError, type: "data race",
            meaning: "Two threads accessed the same memory at once, at least one of them to write, and nothing orders the accesses."),
        Given(
            format: "sanitizer-lsan", kind: .runtimeError, type: "detected memory leaks",
            meaning: "Memory was allocated and never freed, and nothing in the program points to it at its end."),
        Given(
            format: "sanitizer-ubsan", kind: .runtimeError, type: "undefined-behavior",
            message: "store.cpp:55:25: signed integer overflow: 1 + 2147483647 cannot be represented in type 'int'",
            meaning: "A signed integer operation gave a result that its type cannot hold."),
        Given(
            format: "sanitizer-hwasan", kind: .runtimeError, type: "tag-mismatch",
            meaning: "The tag of a pointer did not match the memory's: a use after free, or an access out of bounds."),
        Given(
            format: "sanitizer-gwp-asan", kind: .runtimeError, type: "Use after free",
            meaning: "The program used heap memory after it had been freed."),
        Given(
            format: "sanitizer-libfuzzer", kind: .runtimeError, type: "timeout after 5 seconds",
            meaning: "The program under test took longer than the fuzzer's time limit for one input."),
    ]

    /// Causes of the runtimes of languages and of checkers, with the text that these print.
    static let runtimes: [Given] = [
        Given(
            format: "go-panic", kind: .languageException, type: "panic", message: "assignment to entry in nil map",
            meaning: "The program wrote to a map that is nil: it was declared and never made."),
        Given(
            format: "go-panic", kind: .runtimeError, type: "fatal error", message: "all goroutines are asleep - deadlock!",
            meaning: "All goroutines wait for each other or for something that never comes: a deadlock."),
        Given(
            format: "rust-panic", kind: .languageException, type: "panic", message: "called `Option::unwrap()` on a `None` value",
            meaning: "The program called unwrap() on an Option that is None."),
        Given(
            format: "swift-runtime-trace", kind: .runtimeError, type: "Fatal error",
            message: "Unexpectedly found nil while unwrapping an Optional value",
            meaning: "The program force-unwrapped an Optional that was nil."),
        Given(
            format: "swift-runtime-trace", kind: .runtimeError, type: "Fatal error", message: "Index out of range",
            meaning: "The program used an index that the collection does not have."),
        Given(
            format: "java-trace", kind: .languageException, type: "java.lang.NullPointerException",
            meaning: "The program used a reference that is null."),
        Given(
            format: "java-trace", kind: .languageException, type: "kotlin.UninitializedPropertyAccessException",
            meaning: "A lateinit property was used before it was set."),
        Given(
            format: "python-trace", kind: .languageException, type: "AttributeError",
            message: "'NoneType' object has no attribute 'rsplit'",
            meaning: "The program used an attribute of None: a variable has no value there."),
        Given(
            format: "nsexception-console", kind: .languageException, type: "NSInvalidArgumentException",
            message: "-[Boat moor]: unrecognized selector sent to instance 0x600000c0c010",
            meaning: "The program sent a message to an Objective-C object that does not have the method."),
        Given(
            format: "glibc-backtrace", kind: .runtimeError, type: "double free or corruption (fasttop)",
            meaning: "The program freed memory twice, or overwrote the allocator's data."),
        Given(
            format: "node-native", kind: .runtimeError, type: "FATAL ERROR",
            message: "Reached heap limit Allocation failed - JavaScript heap out of memory",
            meaning: "The heap of JavaScript reached its limit."),
        Given(format: "android-anr", kind: .other, type: "ANR", meaning: "The app did not respond in time: its main thread was blocked."),
        Given(
            format: "metrickit", kind: .other, type: "MXHangDiagnostic",
            meaning: "The app's main thread was blocked for so long that the user noticed."),
        // No rule, no sentence.
        Given(format: "go-panic", kind: .languageException, type: "panic", message: "bad hex char"),
        Given(format: "python-trace", kind: .languageException, type: "HarbourError", message: "the tank is empty"),
        Given(format: "apple-panic", kind: .other, type: "panic", message: "\"bad transition\" @Demo.m:94"),
        Given(format: "symbolizer-markup", kind: .other, type: "backtrace"),
    ]

    /// The types that the readers of these logs take from the examples of the programs' manuals.
    static let tools: [Given] = [
        Given(
            format: "valgrind", kind: .runtimeError, type: "Invalid read of size 4",
            meaning: "The program read memory that is not allocated, or was freed."),
        Given(
            format: "valgrind", kind: .runtimeError, type: "Invalid free() / delete / delete[] / realloc()",
            meaning: "The program freed memory twice, or an address that no allocation returned."),
        Given(
            format: "valgrind", kind: .runtimeError, type: "40 bytes in 1 blocks are definitely lost in loss record 1 of 2",
            meaning: "Memory was not freed, and no pointer to it is left."),
        Given(
            format: "druntime", kind: .languageException, type: "core.exception.ArrayIndexError",
            message: "index [6] is out of bounds for array of length 3", meaning: "The program used an index that the array does not have."),
        Given(
            format: "esp-idf", kind: .runtimeError, type: "LoadProhibited",
            meaning: "The program read from an address that is not valid. The register EXCVADDR has the address."),
        Given(
            format: "gfortran", kind: .runtimeError, type: "Fortran runtime error",
            message: "Index '11' of dimension 1 of array 'berths' above upper bound of 10",
            meaning: "The program used an index that is outside of the array's bounds."),
        Given(
            format: "kotlin-native", kind: .languageException, type: "kotlin.IllegalStateException", message: "boom",
            meaning: "A method was called at a time when the object's state does not allow it."),
        Given(
            format: "lldb", kind: .machException, type: "EXC_BAD_ACCESS", codes: "code=1, address=0x8", address: 8, architecture: .arm64,
            meaning: "The program accessed address 0x8, just above null, where the fields and elements of a null pointer are."),
        Given(
            format: "lldb", kind: .machException, type: "EXC_BAD_ACCESS", codes: "code=EXC_I386_GPFLT", architecture: .x86_64,
            meaning:
                "A general protection fault: mostly an access to an address that no x86-64 pointer can have. The processor does not report the address."
        ),
        Given(
            format: "lldb", kind: .machException, type: "EXC_ARITHMETIC", codes: "code=EXC_I386_DIV, subcode=0x0", architecture: .x86_64,
            meaning: "An integer division by zero, or a quotient that is too large."),
        Given(format: "gfortran", kind: .runtimeError, type: "Fortran runtime error", message: "the harbour is full"),
    ]

    @Test(
        "signals, kernels, sanitizers and runtimes", arguments: Self.signals + Self.kernels + Self.sanitizers + Self.runtimes + Self.tools)
    func causes(_ given: Given) { #expect(given.report.meaning == given.meaning) }

    @Test("a report without a cause has no meaning") func noCause() { #expect(CrashReport(format: "gdb-bt").meaning == nil) }

    @Test("a signal in a system call was sent")
    func sent() {
        var report = Given(format: "swift-backtrace", type: "Bad pointer dereference", address: 0xFDD, architecture: .x86_64).report
        var frame = Frame(index: 0, kind: .programCounter, address: RuntimeAddress(0x7FFF_F633_D2AD), range: 0..<0)
        frame.printed = PrintedSymbol(name: "__read")
        report.threads = [ThreadTrace(index: 0, crashed: true, frames: [frame])]
        #expect(
            report.meaning
                == "A process sent the signal: the thread was in a system call, which fails with EFAULT for a bad address and raises no signal."
        )
    }

    @Test("the code of Go's signal line is read")
    func goSignal() throws {
        let report = try SampleLog(
            """
            panic: runtime error: invalid memory address or nil pointer dereference
            [signal SIGSEGV: segmentation violation code=0x1 addr=0x18 pc=0x48a1b2]

            goroutine 1 [running]:
            main.moor(...)
            	/src/harbour.go:12
            main.main()
            	/src/harbour.go:20 +0x1d
            """
        ).report()
        #expect(report.cause?.signalCode == "SEGV_MAPERR")
        #expect(report.meaning == "The program used a nil pointer.")
    }
}
