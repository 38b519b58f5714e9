package import BinaryPrimitives
internal import CCairn
internal import LibC
internal import ObjectFiles

/// Runs a program, watches it and all processes that it starts with ptrace(2), and captures each that a signal ends: its memory and
/// registers as they are at that moment, whether the system would write a core file or not.
///
/// Programs that are debuggers themselves, and programs with a sanitizer, whose leak check is one, run unwatched: a process can have one
/// tracer alone.
package struct TracedRun {
    /// How the program ended.
    package enum Ending: Sendable, Hashable {
        case exited(Int32)
        /// Ended by a signal.
        case killed(Int32)
    }

    /// A process that a signal is about to end.
    package struct Crash {
        package var process: Int32
        /// Its core file, which has no name in the file system, or why there is none.
        package var core: Result<MappedFile, FileError>

        package init(process: Int32, core: Result<MappedFile, FileError>) {
            self.process = process
            self.core = core
        }
    }

    /// Whether the program is watched; if the system does not let it be, it runs all the same, and may leave core files up to its hard limit.
    package let isWatched: Bool
    /// The number of the program's process.
    package let program: Int32
    /// Processes that were captured: a second thread of one may get a signal before the first has ended it.
    private var captured: Set<Int32> = []
    /// By the programs' files: whether each traces others.
    private var tracingPrograms: [ProgramFile: Bool] = [:]
    /// By the programs' files: whether each looks for a tracer of its own process.
    private var searchingPrograms: [ProgramFile: Bool] = [:]
    /// Programs that are remembered; further ones are read each time.
    private static let maxPrograms = 1024

    /// Starts a program.
    /// - Parameters:
    ///   - path: of the program's file.
    ///   - arguments: with the program's name.
    ///   - environment: each as `NAME=value`.
    ///   - watches: to be watched, if the system lets it.
    ///   - sharesSignals: signals for the program reach its whole group, so that this process ignores them; else it passes them on.
    /// - Throws: `FileError` where it cannot be started.
    package init(
        path: String, arguments: [String], environment: [String], watches: Bool = true, sharesSignals: Bool = false
    ) throws(FileError) {
        var isTraced: Int32 = watches ? 1 : 0
        var argumentPointers: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer {
            unsafe argumentPointers.forEach { unsafe free($0) }
            unsafe variables.forEach { unsafe free($0) }
        }
        program = unsafe cairn_trace_start(path, &argumentPointers, &variables, &isTraced)
        guard program > 0 else { throw FileError(path: path, errorNumber: errno) }
        isWatched = isTraced == 1
        cairn_trace_pass_signals_to(sharesSignals ? 0 : program)
    }

    /// Waits for the program's end. Processes that it leaves behind go on, unwatched.
    /// - Parameters:
    ///   - isEnding: gets the number of each process that a signal is about to end, before any other process can see that.
    ///   - body: gets each crash, after the process or the program has ended.
    package mutating func wait(isEnding: (Int32) -> Void = { _ in }, _ body: (Crash) -> Void) -> Ending {
        var crashes: [Int32: Crash] = [:]
        func report(_ process: Int32) { if let crash = crashes.removeValue(forKey: process) { body(crash) } }
        var ending: Ending?
        var lateEvents = 0
        events: while ending == nil || lateEvents < Self.maxLateEvents {
            // Events from before the program's end may arrive after it.
            let event = cairn_trace_next(ending == nil ? 1 : 0)
            if ending != nil { lateEvents += 1 }
            switch event.kind {
            case cairn_trace_signal:
                if event.value == SIGTRAP, isBreakpointForTracer(event.thread) {
                    cairn_trace_continue(event.thread, 0)
                    continue
                }
                var stopped: [Int32] = []
                if isFatal(event.value, to: event.thread), let crash = capture(event.thread, stopping: &stopped) {
                    crashes[crash.process] = crash
                    isEnding(crash.process)
                }
                cairn_trace_continue(event.thread, event.value)
                resume(stopped, whenEnded: event.thread)
            case cairn_trace_exec:
                if isTracing(event.thread) {
                    cairn_trace_detach(event.thread, 0)
                } else {
                    cairn_trace_continue(event.thread, 0)
                }
            case cairn_trace_release: release()
            case cairn_trace_exited, cairn_trace_killed:
                report(event.thread)
                // The system uses the number again.
                captured.remove(event.thread)
                if event.thread == program {
                    ending = event.kind == cairn_trace_exited ? .exited(event.value) : .killed(event.value)
                }
            default: break events
            }
        }
        // Their signals have ended them, or do so now.
        for process in crashes.keys.sorted() { report(process) }
        // Without one, no process is left, and the program's end was not seen.
        return ending ?? .exited(1)
    }

    /// Events that are read after the program's end, of processes that it leaves behind.
    private static let maxLateEvents = 1000

    /// Lets go of all processes, for a debugger. Their crashes are not seen from then on.
    private func release() {
        for process in ProcessTree(of: program).processes {
            for thread in ProcessStatus.threads(of: process) {
                let signal = cairn_trace_stop(thread)
                if signal >= 0 { cairn_trace_detach(thread, signal) }
            }
        }
    }

    /// Whether the program that a process has begun to run traces others. Runs of tests start one program many times.
    private mutating func isTracing(_ process: Int32) -> Bool {
        remembered(process, in: \.tracingPrograms, TracingProgram.runs(in:))
    }

    private mutating func remembered(
        _ process: Int32, in known: WritableKeyPath<TracedRun, [ProgramFile: Bool]>, _ find: (Int32) -> Bool
    ) -> Bool {
        guard let file = ProgramFile(process) else { return find(process) }
        if let found = self[keyPath: known][file] { return found }
        let found = find(process)
        if self[keyPath: known].count < Self.maxPrograms { self[keyPath: known][file] = found }
        return found
    }

    /// Whether a trap is a breakpoint that the program would not have met unwatched: doctest stops at each failure if its process has a
    /// tracer. On x86 alone: there the program goes on behind `int3`; `brk` of ARM would stop it again.
    private mutating func isBreakpointForTracer(_ thread: Int32) -> Bool {
        #if !arch(x86_64)
            return false
        #else
            guard let status = ProcessStatus(thread), !status.handles(SIGTRAP) else { return false }
            return remembered(status.process, in: \.searchingPrograms, TracingProgram.looksForTracer(in:))
        #endif
    }

    // MARK: - Capture

    /// Signals that end a process with a core file, unless it handles them (signal(7)).
    package static let coreSignals: Set<Int32> = [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGXCPU, SIGXFSZ]

    /// Whether a signal that a thread is about to get ends its process. The kernel has removed the handler of a fault that cannot be
    /// delivered.
    private func isFatal(_ signal: Int32, to thread: Int32) -> Bool {
        guard Self.coreSignals.contains(signal), let status = ProcessStatus(thread) else { return false }
        return !status.handles(signal)
    }

    /// - Parameter stopped: gets the process' other threads, which are stopped.
    /// - Returns: `nil` where the process is ending already.
    private mutating func capture(_ thread: Int32, stopping stopped: inout [Int32]) -> Crash? {
        guard let process = ProcessStatus(thread)?.process, captured.insert(process).inserted else { return nil }
        let others = ProcessStatus.threads(of: process).filter { $0 != thread }
        stopped = others.filter { cairn_trace_stop($0) >= 0 }
        guard let core = ProcessCore(process: process, thread: thread, others: stopped) else {
            return Crash(process: process, core: .failure(FileError(path: "/proc/\(process)/mem", errorNumber: EACCES)))
        }
        do throws(FileError) { return Crash(process: process, core: .success(try core.write(path: "process \(process)"))) } catch {
            return Crash(process: process, core: .failure(error))
        }
    }
}

extension TracedRun {
    /// Lets the other threads of a captured process go on after its signal has ended it: one of them may be about to exit, with another status.
    /// If the signal ends nothing after all, because its handler came meanwhile, they go on a fifth of a second later.
    private func resume(_ threads: [Int32], whenEnded thread: Int32) {
        guard !threads.isEmpty else { return }
        for _ in 0..<200 where ProcessStatus(thread).map({ !$0.hasEnded }) ?? false { usleep(1000) }
        for other in threads { cairn_trace_continue(other, 0) }
    }
}

/// The identity of a program's file: its device, its number, and the time of its last change, so that a file that was replaced or written differs.
private struct ProgramFile: Hashable {
    private let (device, inode, changed): (UInt64, UInt64, UInt64)

    /// - Returns: `nil` where the process has ended.
    init?(_ process: Int32) {
        var identity: [UInt64] = [0, 0, 0]
        guard unsafe cairn_trace_program(process, &identity) == 1 else { return nil }
        (device, inode, changed) = (identity[0], identity[1], identity[2])
    }
}

/// State of a thread (`/proc/PID/status`, proc_pid_status(5)).
struct ProcessStatus {
    /// The number of its process.
    let process: Int32
    /// A zombie, or dead.
    let hasEnded: Bool
    /// A bit for each signal, the first is that of signal 1.
    private let ignored: UInt64
    private let caught: UInt64

    /// - Returns: `nil` where the thread has ended.
    init?(_ thread: Int32) {
        guard let text = try? FileDescriptor.readAll(atPath: "/proc/\(thread)/status", limit: 1 << 16) else { return nil }
        var fields: [String: Substring] = [:]
        for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[String(line[..<colon])] = line[line.index(after: colon)...].drop { $0 == "\t" || $0 == " " }
        }
        guard let process = fields["Tgid"].flatMap({ Int32($0) }), let ignored = fields["SigIgn"].flatMap({ UInt64($0, radix: 16) }),
            let caught = fields["SigCgt"].flatMap({ UInt64($0, radix: 16) })
        else { return nil }
        (self.process, self.ignored, self.caught) = (process, ignored, caught)
        hasEnded = fields["State"].map { $0.hasPrefix("Z") || $0.hasPrefix("X") } ?? false
    }

    /// Whether a process is traced (`TracerPid`).
    static func isTraced(_ process: Int32) -> Bool {
        let text = (try? FileDescriptor.readAll(atPath: "/proc/\(process)/status", limit: 1 << 16)) ?? []
        return String(decoding: text, as: UTF8.self).split(separator: "\n").contains { $0.hasPrefix("TracerPid:") && !$0.hasSuffix("\t0") }
    }

    func handles(_ signal: Int32) -> Bool { (ignored | caught) >> UInt64(signal - 1) & 1 == 1 }

    static func threads(of process: Int32) -> [Int32] {
        ((try? Directory.names(in: "/proc/\(process)/task")) ?? []).compactMap { Int32($0) }.sorted()
    }
}

/// Programs that trace other processes, or themselves.
enum TracingProgram {
    private static let names: Set<String> = [
        "gdb", "gdbserver", "lldb", "lldb-server", "strace", "ltrace", "rr", "perf", "valgrind", "uftrace", "bpftrace", "dlv", "ptrace",
    ]
    /// Names in the program's dynamic strings: the leak check of AddressSanitizer stops all threads of its process with ptrace; debuggers
    /// import the function.
    private static let ownNames = ["__lsan_init", "__asan_init", "liblsan.so", "libasan.so", "\0ptrace\0"]

    /// Whether the program that a process runs looks for its tracer (`TracerPid` in `/proc/self/status`).
    static func looksForTracer(in process: Int32) -> Bool {
        guard let object = try? ObjectFiles.open(path: "/proc/\(process)/exe") else { return false }
        return object.file.withBytes { $0.text.contains("TracerPid") }
    }

    /// Whether the program that a process has begun to run is one.
    static func runs(in process: Int32) -> Bool {
        let path = "/proc/\(process)/exe"
        if case .link(let target) = SymbolicLink.entryKind(at: path), names.contains(Path.name(of: target)) { return true }
        guard let object = try? ObjectFiles.open(path: path), let strings = object.section(named: ".dynstr")?.fileRange else {
            return false
        }
        return object.file.withBytes { bytes in
            guard let names = try? bytes.slice(at: UInt64(strings.lowerBound), count: UInt64(strings.count)) else { return false }
            return ownNames.contains { names.text.contains($0) }
        }
    }
}

/// Values of variables that make runtimes print whole stacks.
package enum RuntimeVariables {
    /// `RUST_BACKTRACE`: with 1, Rust leaves out frames that it cannot name.
    package static let rustBacktrace = "full"
}
