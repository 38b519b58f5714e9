internal import ArgumentParser
internal import BinaryPrimitives
internal import CCairn
internal import Console
internal import LibC
internal import ObjectFiles

/// The process in which libdwarf reads hostile bytes, and its parent, which waits for it and reports its
/// cause of death: a process that was killed cannot do so itself.
///
/// The worker gives up the following rights:
/// - Descriptors above standard error, which the program that started this one may have left open, are closed
///   before anything is read.
/// - It writes no core; the number of its descriptors is limited by the number of its files, and processor
///   time and memory are limited somewhat beyond the limits that the watchdog checks. Memory is limited twice
///   because the watchdog sees the memory that is really used (mapped files do not count), but checks only
///   every 20 ms; `RLIMIT_DATA` counts memory that could be written to, touched or not, which is more, and
///   applies at once. Not limited: addresses (`RLIMIT_AS`), of which a mapped file takes as many as its size;
///   output (`RLIMIT_FSIZE`), because a dump may have any length; processes (`RLIMIT_NPROC`), because the
///   system counts all of the user's, including threads, and the filter allows none at all.
/// - When all files are open, and before libdwarf sees a byte of them, it is sealed (`cairn_contain_seal`):
///   it can read and write its open files, and no others (except files with split units, which it may open).
///   If the system has no such filter, it continues without.
enum Worker {
    /// Seconds beyond the time limit after which the parent ends a worker whose watchdog did not.
    private static let grace = 5
    /// Bytes of writable memory beyond the limit of used memory: stacks of threads, and memory that the
    /// allocator keeps.
    private static let spareMemory = 4 << 30
    /// Descriptors beside those of the files on the command line: companions, members of bundles.
    private static let spareFiles = 1024

    /// Runs the work in a worker; the calling process waits for it, and ends with the same status.
    /// - Parameters:
    ///   - name: name of the first input.
    ///   - files: number of files that are named.
    ///   - allowance: limits of time and memory.
    ///   - outcome: consequence of the worker's death, for the end of the line that reports it.
    ///   - body: the work; `false` becomes the failure status.
    static func run(_ name: String, files: Int, _ allowance: Allowance, outcome: String, _ body: @escaping () throws -> Bool) -> Never {
        let work = Work {
            begin(name, files: files)
            do {
                CairnDwarfdump.exit(withError: try body() ? nil : ExitCode.failure)
            } catch { CairnDwarfdump.end(with: error) }
        }
        // Processor time is the worker's own, and the system checks it.
        let timeLimit = allowance.timeLimit ?? 0
        let ending = unsafe cairn_contain_in_worker(
            timeLimit > 0 ? UInt32(clamping: timeLimit + grace) : 0,
            { if let work = unsafe $0 { unsafe Unmanaged<Work>.fromOpaque(work).takeUnretainedValue().body() } },
            Unmanaged.passUnretained(work).toOpaque())
        withExtendedLifetime(work) { end(as: ending, timeLimit: timeLimit, outcome) }
    }

    /// Closure for the worker's thread.
    private final class Work {
        let body: () -> Never
        init(_ body: @escaping () -> Never) { self.body = body }
    }

    /// Prepares the worker.
    private static func begin(_ name: String, files: Int) {
        self.name(name)
        // After the parent's handlers were removed.
        FileChanges.survive()
        unsafe FileChanges.notify(cairn_contain_file_changed())
        if let text = environmentVariable(stopVariable), let phase = InspectionPhase.allCases.first(where: { "\($0)" == text }) {
            cairn_contain_stop_at(phase.rawValue)
        }
        cairn_contain_errors()
        cairn_contain_limits(UInt64(2 * files + spareFiles), 0, 0)
    }

    /// Makes the system limit this process to the bounds plus the spare amounts, independently of the
    /// watchdog. Called once: limits can be lowered, and not raised again.
    static func limit(_ bounds: Allowance.Bounds) {
        let memory = bounds.megabytes > 0 ? UInt64(bounds.megabytes) << 20 + UInt64(spareMemory) : 0
        cairn_contain_limits(0, memory, UInt64(bounds.processorTime(grace: grace)))
    }

    /// Environment variable with a phase: a worker stops itself (`SIGSTOP`) at the beginning of this phase,
    /// so that tests can inspect it there, and kill it.
    private static let stopVariable = "CAIRN_DWARFDUMP_STOP_AT"

    /// Sets the name of the current input.
    static func name(_ name: String) { unsafe cairn_contain_name_input(name) }

    /// Seals the worker once its files are open: from now on it can only read and write these.
    /// - Parameter opensFiles: it may open other files to read them: files with split units are opened one by
    ///   one, when they are needed.
    static func seal(opensFiles: Bool) {
        ObjectFiles.openLibraries()
        _ = cairn_contain_seal(opensFiles ? 1 : 0)
    }

    /// Ends as the worker did: with its status, or, if a signal ended it, with one line and status 1.
    private static func end(as ending: cairn_ending, timeLimit: Int, _ outcome: String) -> Never {
        guard ending.signal != 0 else { endProcessImmediately(ending.status) }
        // These signals end a command on purpose, and shells report them.
        if ending.is_passed_on != 0 || [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE].contains(ending.signal) {
            signal(ending.signal, SIG_DFL)
            raise(ending.signal)
            endProcessImmediately(128 + ending.signal)
        }
        let phase = InspectionPhase.last.map { " while \($0.label)" } ?? ""
        printDiagnostic("\(unsafe String(cString: cairn_contain_name())): \(cause(of: ending, timeLimit: timeLimit, phase)): \(outcome)")
        endProcessImmediately(1)
    }

    private static func cause(of ending: cairn_ending, timeLimit: Int, _ phase: String) -> String {
        if ending.is_late != 0 || ending.signal == SIGXCPU {
            // If no limit was given, the file's size sets it, and the process that read it cannot report it
            // any more.
            let taken = timeLimit > 0 ? "\(timeLimit) seconds" : "more processor time than a file of its size may"
            return "the reader took \(taken)\(phase), expected less, or a higher --time-limit"
        }
        // libdwarf expects bytes that it has read once to be unchanged when it reads them again.
        if unsafe cairn_contain_file_changed().pointee != 0, ending.signal != SIGKILL { return "it changed while it was read" }
        switch ending.signal {
        case SIGSEGV: return "the reader crashed\(phase) (SIGSEGV)"
        case SIGBUS: return "the reader crashed\(phase) (SIGBUS)"
        case SIGFPE: return "the reader crashed\(phase) (SIGFPE)"
        case SIGABRT: return "the reader crashed\(phase) (SIGABRT)"
        case SIGILL, SIGTRAP: return "the reader crashed\(phase) (a check of its own failed)"
        case SIGKILL: return "the reader was killed\(phase) (SIGKILL, which the system sends when memory runs out)"
        case SIGSYS:
            let call = cairn_contain_forbidden_call()
            return "the reader was stopped\(phase) (it called the system as it may not\(call >= 0 ? ", call \(call)" : ""))"
        default: return "the reader was ended\(phase) (signal \(ending.signal))"
        }
    }
}

/// Reports an error on the original standard error, because libdwarf's own messages are discarded
/// (`cairn_contain_errors`).
func printDiagnostic(_ message: String, as severity: Severity = .error) {
    printDiagnostic(message, as: severity, to: cairn_contain_error_descriptor())
}
