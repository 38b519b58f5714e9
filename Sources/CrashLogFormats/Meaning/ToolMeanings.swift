internal import CrashLogModel

/// Meanings of the messages of checkers and of the runtimes of other languages and machines, by the
/// cause's type, independent of the format.
enum ToolMeanings {
    static func meaning(_ cause: CrashCause) -> Meaning? {
        guard cause.kind != .signal, cause.kind != .machException else { return nil }
        if let found = (valgrind + leaks + druntime + microcontrollers + checks).meaning(of: cause.type) { return found }
        if cause.type == "Fortran runtime error" || cause.type == "forrtl" { return fortran.meaning(of: cause.message) }
        if cause.type == "Thread Performance Checker" { return performance.meaning(of: cause.message) }
        // Kotlin/Native writes the package, and has no report of its own.
        if let type = cause.type, type.hasPrefix("kotlin."), let name = type.split(separator: ".").last {
            return ScriptMeanings.java.meaning(of: String(name))
        }
        return nil
    }

    /// The line that begins an error.
    static let valgrind: MeaningTable = """
        Valgrind, memcheck/mc_errors.c; Memcheck's manual, Explanation of error messages
        Invalid read of size * | The program read memory that is not allocated, or was freed.
        Invalid write of size * | The program wrote memory that is not allocated, or was freed.
        Invalid free() / delete* | The program freed memory twice, or an address that no allocation returned.
        Mismatched free() / delete* | Memory was freed with a function that does not fit the one that allocated it.
        Conditional jump or move depends on uninitialised value* | A decision of the program depended on a value that was never set.
        Use of uninitialised value of size * | The program used a value that was never set.
        Jump to the invalid address stated* | The program jumped to an address where no code can be.
        Source and destination overlap in * | The source and the destination of a copy overlap, which the function does not allow.
        Valgrind, helgrind/hg_errors.c and drd/drd_error.c; the manuals of Helgrind and DRD
        Possible data race during * | Two threads accessed the same memory, at least one of them to write, and the tool found nothing that orders the accesses.
        Conflicting load by thread * | Two threads accessed the same memory, at least one of them to write, and the tool found nothing that orders the accesses.
        Conflicting store by thread * | Two threads accessed the same memory, at least one of them to write, and the tool found nothing that orders the accesses.
        """

    /// `40 bytes in 1 blocks are definitely lost in loss record 1 of 1`
    static let leaks: MeaningTable = """
        Valgrind, memcheck/mc_leakcheck.c; Memcheck's manual, Memory leak detection
        * definitely lost in loss record * | Memory was not freed, and no pointer to it is left.
        * indirectly lost in loss record * | Memory was not freed, and pointers to it are only in blocks that are lost themselves.
        * possibly lost in loss record * | Memory was not freed, and only pointers to its inside are left.
        * still reachable in loss record * | Memory was not freed when the program ended, but pointers to it are left.
        """

    static let druntime: MeaningTable = """
        D, core/exception.d
        core.exception.ArrayIndexError | The program used an index that the array does not have.
        core.exception.ArraySliceError | The program took a slice that is not inside of the array.
        core.exception.RangeError | The program used an index or a key that the array does not have.
        core.exception.AssertError | An assertion did not hold.
        core.exception.FinalizeError | A destructor that the garbage collector called threw an exception.
        core.exception.OutOfMemoryError | The program ran out of memory.
        core.exception.SwitchError | No case of a final switch fits the value.
        core.exception.UnicodeException | Text is not valid Unicode.
        """

    /// Xtensa's exceptions first, then RISC-V's.
    static let microcontrollers: MeaningTable = """
        ESP-IDF, Fatal Errors, and panic.c (panic_arch.c)
        IllegalInstruction | The processor met an instruction that is not valid.
        InstrFetchProhibited | The program jumped to an address that is not code, as through a function pointer that is not valid.
        LoadProhibited | The program read from an address that is not valid. The register EXCVADDR has the address.
        StoreProhibited | The program wrote to an address that is not valid. The register EXCVADDR has the address.
        IntegerDivideByZero | The program divided an integer by zero.
        LoadStoreAlignment | The program used an address that is not aligned as the instruction requires.
        LoadStoreError | The memory does not support the access, as one of 8 or 16 bits where only 32 bits are possible.
        Interrupt wdt timeout on CPU0 | Interrupts were blocked, or an interrupt's handler ran, for longer than the watchdog allows.
        Interrupt wdt timeout on CPU1 | Interrupts were blocked, or an interrupt's handler ran, for longer than the watchdog allows.
        Cache disabled but cached memory region accessed | The program used external memory or flash while the cache was off.
        Illegal instruction | The processor met an instruction that is not valid.
        Instruction access fault | The program jumped to an address that is not code.
        Load access fault | The program read from an address that is not valid. The register MTVAL has the address.
        Store access fault | The program wrote to an address that is not valid. The register MTVAL has the address.
        Load address misaligned | The program used an address that is not aligned as the instruction requires.
        Store address misaligned | The program used an address that is not aligned as the instruction requires.
        """

    static let checks: MeaningTable = """
        check failed | A CHECK() of the program did not hold. | glog, src/glog/logging.h
        reactor stalled | One task kept the reactor's thread busy for longer than the limit. It is not a crash. | Seastar, src/core/reactor.cc, cpu_stall_detector
        exceptional future ignored | A future ended with an exception that nobody looked at. | Seastar, include/seastar/core/future.hh, report_failed_future
        Main Thread Checker | A method that only the main thread may call was called on another thread. It is not a crash. | Apple, Main Thread Checker
        """

    static let performance: MeaningTable = """
        Apple, Diagnosing performance issues early
        *waiting on a lower QoS thread* | A thread of a high quality of service waits for one of a lower, so that it is delayed. It is not a crash.
        """

    static let fortran: MeaningTable = """
        GCC, gcc/fortran/trans-array.cc
        *above upper bound of * | The program used an index that is outside of the array's bounds.
        *below lower bound of * | The program used an index that is outside of the array's bounds.
        Intel Fortran, List of Runtime Error Messages, 408
        *which is greater than the upper bound of * | The program used an index that is outside of the array's bounds.
        *which is less than the lower bound of * | The program used an index that is outside of the array's bounds.
        """
}
