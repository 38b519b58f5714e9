internal import CrashLogModel

/// Meanings of the reports of watchers: of hangs, of resources, of diagnoses that are not crashes.
enum WatcherMeanings {
    static func meaning(_ facts: CauseFacts) -> Meaning? {
        switch facts.report.format {
        case "android-anr": anr.meaning(of: facts.cause.type)
        case "metrickit": metricKit.meaning(of: facts.cause.type)
        case "apple-spindump": spindump.meaning(of: facts.cause.type)
        case "apple-ips": ips.meaning(of: facts.cause.type)
        case "apple-crash" where facts.cause.type == "Jetsam": ips.meaning(of: facts.cause.type)
        case "apple-leaks": ips.meaning(of: facts.cause.type)
        case "kscrash-json": kscrash.meaning(of: facts.cause.type)
        default: windows(facts)
        }
    }

    static let anr: MeaningTable = """
        Android, ANRs
        ANR | The app did not respond in time: its main thread was blocked.
        """

    static let metricKit: MeaningTable = """
        Apple, MetricKit
        MXHangDiagnostic | The app's main thread was blocked for so long that the user noticed.
        MXCPUExceptionDiagnostic | The app used more CPU time than the system's limit.
        MXDiskWriteExceptionDiagnostic | The app wrote more to storage than the system's limit.
        MXAppLaunchDiagnostic | The app took too long to launch.
        """

    static let spindump: MeaningTable = """
        spindump(8)
        hang | The app did not respond to the user for some time.
        cpu usage | The process used more CPU time than its limit.
        wakeups | Threads of the process woke up more often than its limit.
        disk writes | The process wrote more to storage than its limit.
        shutdown stall | The system took too long to shut down.
        """

    static let ips: MeaningTable = """
        Jetsam | The system ended processes to regain memory. This is a list of all processes and their memory. | Apple, Identifying high-memory use with jetsam event reports
        Stackshot | This is a snapshot of all processes' stacks, and not a crash. | XNU, osfmk/kern/kern_stackshot.c
        leaks | Memory was allocated, and nothing in the process points to it any more. | leaks(1)
        """

    static let kscrash: MeaningTable = """
        KSCrash, KSCrashMonitor_MemoryTermination
        memory_termination | The system probably ended the app because it used too much memory.
        """

    // MARK: Windows

    static let codes: MeaningTable = """
        Microsoft, NTSTATUS values and GetExceptionCode
        c0000005 | The program accessed memory that is not mapped, or that it may not access.
        c0000094 | The program divided an integer by zero.
        c0000095 | An integer operation overflowed.
        c00000fd | The thread used up its stack. Endless recursion or very large local variables cause it.
        c000001d | The program executed an instruction that the processor does not have.
        c0000096 | The program executed an instruction that only the kernel may execute.
        c0000006 | The system could not read the contents of the accessed memory, such as a page of a mapped file.
        c0000374 | The heap's data was overwritten.
        c0000409 | A security check failed, such as that of a stack buffer, or the program ended itself.
        80000003 | The program executed a breakpoint instruction.
        e06d7363 | A C++ exception was thrown and nothing caught it.
        c0000420 | An assertion failed.
        c000008e | The program divided a floating-point number by zero.
        """

    /// `c0000094`, `0xc00000fd`
    private static func windows(_ facts: CauseFacts) -> Meaning? {
        guard facts.isWindows, let code = facts.cause.codes?.lowercased() else { return nil }
        return codes.meaning(of: code.hasPrefix("0x") ? String(code.dropFirst(2)) : code)
    }
}
