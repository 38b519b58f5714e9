internal import ArgumentParser
internal import BinaryPrimitives
internal import CCairn
internal import Console
internal import LibC
internal import ObjectFiles

/// The process in which libdwarf reads hostile bytes, and its parent, which waits for it and prints
/// what it died of: a process that was killed cannot do so itself.
///
/// What the worker takes from itself:
/// - Descriptors above standard error, which whoever started this may have left open, are closed
///   before anything is read.
/// - It writes no core, has a number of descriptors that its files explain, and processor time and
///   memory somewhat beyond the limits that the watchdog looks at. Memory is limited twice because
///   the watchdog sees what is really used (a mapped file is none of it), but looks every 20 ms;
///   `RLIMIT_DATA` counts what could be written to, touched or not, which is more, and holds at
///   once. Not limited: addresses (`RLIMIT_AS`), of which a mapped file takes as many as it is
///   large; what is written (`RLIMIT_FSIZE`), because a dump is as long as it is; processes
///   (`RLIMIT_NPROC`), because the system counts all of the user's, threads too, and the filter
///   allows none at all.
/// - When all files are open, and before libdwarf sees a byte of them, it is sealed
///   (`cairn_contain_seal`): it can read and write what it has open, and no more (beside files with
///   split units, which it may open). Where the system has no such filter, it goes on without.
enum Worker {
    /// Seconds beyond the time limit after which the parent ends a worker whose watchdog did not.
    private static let grace = 5
    /// Bytes of memory that may be written to, beyond the limit of what is used: stacks of threads,
    /// what the allocator keeps.
    private static let spareMemory = 4 << 30
    /// Descriptors beside those of the files on the command line: companions, members of bundles.
    private static let spareFiles = 1024

    /// Works in a worker; the process that called this waits for it, and ends as it ended.
    /// - Parameters:
    ///   - name: of the first input.
    ///   - files: how many files are named.
    ///   - allowance: what it may take.
    ///   - outcome: what a worker's death means, at the end of the line that reports it.
    ///   - body: the work; `false` is the status of what could not be done.
    static func run(_ name: String, files: Int, _ allowance: Allowance, outcome: String, _ body: @escaping () throws -> Bool) -> Never {
        let work = Work {
            begin(name, files: files)
            do {
                CairnDwarfdump.exit(withError: try body() ? nil : ExitCode.failure)
            } catch { CairnDwarfdump.end(with: error) }
        }
        // Processor time is the worker's own, and the system looks at it.
        let timeLimit = allowance.timeLimit ?? 0
        let ending = unsafe cairn_contain_in_worker(
            timeLimit > 0 ? UInt32(clamping: timeLimit + grace) : 0,
            { if let work = unsafe $0 { unsafe Unmanaged<Work>.fromOpaque(work).takeUnretainedValue().body() } },
            Unmanaged.passUnretained(work).toOpaque())
        withExtendedLifetime(work) { end(as: ending, timeLimit: timeLimit, outcome) }
    }

    /// What the worker's thread gets.
    private final class Work {
        let body: () -> Never
        init(_ body: @escaping () -> Never) { self.body = body }
    }

    /// What a worker does first.
    private static func begin(_ name: String, files: Int) {
        self.name(name)
        // After the handlers of whatever the parent was have gone.
        FileChanges.survive()
        unsafe FileChanges.notify(cairn_contain_file_changed())
        if let text = environmentVariable(stopVariable), let phase = InspectionPhase.allCases.first(where: { "\($0)" == text }) {
            cairn_contain_stop_at(phase.rawValue)
        }
        cairn_contain_errors()
        cairn_contain_limits(UInt64(2 * files + spareFiles), 0, 0)
    }

    /// From now on, and whatever the watchdog does, the system keeps this process to the bounds,
    /// and what is spared beside them. Once: limits can be lowered, and not raised again.
    static func limit(_ bounds: Allowance.Bounds) {
        let memory = bounds.megabytes > 0 ? UInt64(bounds.megabytes) << 20 + UInt64(spareMemory) : 0
        cairn_contain_limits(0, memory, UInt64(bounds.processorTime(grace: grace)))
    }

    /// A worker stops itself (`SIGSTOP`) at the beginning of the phase that this variable names, so
    /// that tests can look at it there, and kill it.
    private static let stopVariable = "CAIRN_DWARFDUMP_STOP_AT"

    /// Says which input is worked on.
    static func name(_ name: String) { unsafe cairn_contain_name_input(name) }

    /// The files are open: from now on the worker can read and write what it has open.
    /// - Parameter opensFiles: it may open others to read them: files with split units are opened
    ///   one by one, when their units' turn comes.
    static func seal(opensFiles: Bool) {
        ObjectFiles.openLibraries()
        _ = cairn_contain_seal(opensFiles ? 1 : 0)
    }

    /// Ends as the worker did: by its status, or, where a signal ended it, by one line and status
    /// 1.
    private static func end(as ending: cairn_ending, timeLimit: Int, _ outcome: String) -> Never {
        guard ending.signal != 0 else { endProcessAtOnce(ending.status) }
        // Whoever ends a command by these wants it ended, and shells know what it means.
        if ending.is_passed_on != 0 || [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE].contains(ending.signal) {
            signal(ending.signal, SIG_DFL)
            raise(ending.signal)
            endProcessAtOnce(128 + ending.signal)
        }
        let phase = InspectionPhase.last.map { " while \($0.words)" } ?? ""
        complain("\(unsafe String(cString: cairn_contain_name())): \(cause(of: ending, timeLimit: timeLimit, phase)): \(outcome)")
        endProcessAtOnce(1)
    }

    private static func cause(of ending: cairn_ending, timeLimit: Int, _ phase: String) -> String {
        if ending.is_late != 0 || ending.signal == SIGXCPU {
            // Where no limit was given, the file's size sets it, and the process that read it
            // cannot report it any more.
            let taken = timeLimit > 0 ? "\(timeLimit) seconds" : "more processor time than a file of its size may"
            return "the reader took \(taken)\(phase), expected less, or a higher --time-limit"
        }
        // libdwarf trusts bytes that it has read once to be there, and to be the same, when it
        // reads them again.
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
