internal import BinaryPrimitives
internal import CrashCapture
internal import Reporting

/// Runs a command and lets its output flow, with each stack in it symbolicated live; its input,
/// signals and end are the command's own.
struct CommandRelay {
    /// One stream of output on its way.
    private struct Stream {
        var output: RunningCommand.Output
        var log: LiveLog
        var lastByte: ContinuousClock.Instant
        var isOpen = true
    }

    private let command: RunningCommand
    private let terminal: PseudoTerminal?
    /// Reason why the command has no pseudo-terminal, if this process has a terminal.
    private(set) var terminalProblem: FileError?
    private let mode: TerminalMode?
    private let signals: SignalRelay
    private var streams: [Stream]
    /// Typed, and not yet taken by the command.
    private var typed: [UInt8] = []
    private var readsInput: Bool
    private var status = RunningCommand.Status.running
    private var deadline: Deadline?
    private(set) var hasTimedOut = false
    /// Streams (1, 2) whose last written byte is not a line ending.
    private var unfinished: Set<Int32> = []
    /// Whether the command's output ends without a line ending, for example because it was killed.
    var hasUnfinishedLine: Bool { !unfinished.isEmpty }
    /// Crashes of the command's processes; `nil` where nothing watches them.
    private let watch: CrashWatch?
    /// Messages that wait for the output that their processes wrote before: it may have the stack as well.
    private var messages: [CrashWatch.Message] = []
    /// When the first of them came.
    private var firstMessage = ContinuousClock.now
    /// Starts a debugger to get the stacks of a process; `nil` where it cannot be started.
    private let ask: (Int32) -> DebuggerRun?
    /// A debugger may be started.
    private let mayAsk: Bool
    private var debuggerRuns: [DebuggerRun] = []

    /// Time limit of a command, and the steps that end it after the limit.
    private struct Deadline {
        /// A debugger reads the stacks of the tests' own processes. Then they get SIGQUIT, and are
        /// ended (Swift's backtracer lets a process continue after that); then the same with what
        /// runs them, which may have kept what they said until their end, as SwiftPM does.
        enum Step { case askDebugger, askTests, endTests, askAll, endAll }
        var step = Step.askDebugger
        var time: ContinuousClock.Instant
        /// When the next step comes although the command goes on talking.
        var latest: ContinuousClock.Instant?
        /// Processes that got SIGQUIT.
        var requested: [Int32] = []
    }

    /// Bytes that are read at a time.
    private static let part = 1 << 18
    /// Parts that are read before a process ends; a pipe holds less, and other processes may go on writing.
    private static let maxPrinted = 16
    /// How long to wait for output of other processes that a command has left running.
    private static let afterEnd = Duration.milliseconds(200)
    /// How long to wait at most, although they go on writing.
    private static let longestAfterEnd = Duration.seconds(10)
    /// How long a command that is over its time may be silent before the next step against it, and
    /// how long it may go on writing.
    private static let pause = Duration.seconds(5)
    private static let maxDebuggerTime = Duration.seconds(30)
    /// Maximum number of processes that a debugger inspects.
    private static let maxDebuggerRuns = 8

    /// Starts the command.
    /// - Parameters:
    ///   - timeout: after which its stacks are requested, through a debugger and by SIGQUIT, and it
    ///     is ended by SIGKILL if that does not end it; `nil`: never.
    ///   - watch: gets the crashes of the processes.
    ///   - mayAsk: whether a debugger may be started for a process that is over its time.
    ///   - ask: starts it.
    ///   - makeLog: called for each stream of output.
    init(
        _ arguments: [String], environment: [String], timeout: Duration?, watch: CrashWatch?, mayAsk: Bool,
        ask: @escaping (Int32) -> DebuggerRun?, makeLog: () -> LiveLog
    ) throws(FileError) {
        let terminals = RunningCommand.terminals
        let shown = terminals.first { $0 != 0 }
        guard let signals = SignalRelay(catching: SignalRelay.forwardedSignals + [SignalRelay.child, SignalRelay.resized]) else {
            throw FileError(path: "pipe", errorNumber: 0)
        }
        self.signals = signals
        let endsOfPipes = SignalRelay.ignoreBrokenPipes()
        var terminal: PseudoTerminal?
        if let shown { do throws(FileError) { terminal = try PseudoTerminal(like: shown) } catch { terminalProblem = error } }
        // Behind a group of its own, signals reach the watching process and the command.
        let hasGroup = terminal != nil || !terminals.contains(0)
        let command = try RunningCommand(
            watch.map { WatchedCommand.arguments(arguments, $0, sharesSignals: hasGroup) } ?? arguments,
            environment: watch == nil ? environment : CrashWatch.hiding(environment),
            terminal: terminal, endsOfPipes: endsOfPipes, inherited: watch?.inherited)
        let hasTerminal = terminal != nil
        self.ask = ask
        self.mayAsk = mayAsk
        self.watch = watch
        self.terminal = terminal
        self.command = command
        // The terminal becomes raw only if the command has a pseudo-terminal, whose modes then
        // apply.
        mode = hasTerminal ? TerminalMode(rawOn: terminals.contains(0) ? 0 : shown ?? 0) : nil
        readsInput = hasTerminal && terminals.contains(0) && mode != nil
        streams = command.outputs.map { Stream(output: $0, log: makeLog(), lastByte: .now) }
        deadline = timeout.map { Deadline(time: .now + $0) }
    }

    /// Lets everything flow until the command has ended.
    /// - Parameters:
    ///   - handler: gets each passage of output, and its stream (1 or 2).
    ///   - show: gets the debugger's output, and gives what is shown of it.
    ///   - crashed: gets each message about the command's processes, and gives what is shown of it.
    /// - Returns: how it ended.
    mutating func run(
        _ handler: (LiveLog.Passage, Int32) -> Void, finished show: (DebuggerRun) -> [UInt8], crashed: (CrashWatch.Message) -> [UInt8]
    ) -> RunningCommand.Status {
        var ended: ContinuousClock.Instant?
        while streams.contains(where: \.isOpen) || status == .running {
            let now = ContinuousClock.now
            if let ended,
                streams.allSatisfy({ !$0.isOpen || now - max($0.lastByte, ended) >= Self.rest(of: $0) })
                    || now - ended >= Self.longestAfterEnd
            {
                break
            }
            enforceTimeout(now)
            let open = streams.indices.filter { streams[$0].isOpen }
            var descriptors = open.map { streams[$0].output.descriptor } + [signals.descriptor]
            let acceptsInput = readsInput && typed.isEmpty
            if acceptsInput { descriptors.append(0) }
            let firstDebuggerRun = descriptors.count
            descriptors += debuggerRuns.flatMap(\.descriptors)
            let watchIndex = descriptors.count
            if let watch { descriptors.append(watch.descriptor) }
            let ready = FileDescriptor.wait(for: descriptors, atMost: longestWait(now, hasEnded: ended != nil))
            for (index, stream) in open.enumerated() { if ready[index] { read(stream, handler) } else { notifySilence(stream, handler) } }
            if ready[open.count] { handleSignals() }
            // With no output left, nothing but its end can come.
            if open.isEmpty { reap() }
            if acceptsInput, ready[open.count + 1] { readInput() }
            for index in firstDebuggerRun..<watchIndex where ready[index] { readDebuggerOutput(descriptors[index]) }
            if watch != nil, ready[watchIndex] { receiveMessages(handler, crashed) }
            let isDrained = !open.indices.contains { ready[$0] } && !streams.contains { $0.isOpen && $0.log.hasOpenTrace }
            // If other processes go on writing, the crashes wait no longer than an open trace does.
            if isDrained || now - firstMessage >= LiveLog.longestSilence { showCrashes(crashed) }
            showDebuggerOutput(show)
            forwardTyped()
            if status != .running, ended == nil { ended = .now }
        }
        for index in streams.indices {
            // On a busy machine the time after the end may pass before the last output is read.
            if streams[index].isOpen, FileDescriptor.wait(for: [streams[index].output.descriptor], atMost: .zero) == [true] {
                read(index, handler)
            }
            close(index, handler)
        }
        receiveMessages(handler, crashed)
        showCrashes(crashed)
        for index in debuggerRuns.indices { debuggerRuns[index].stop() }
        showDebuggerOutput(show)
        mode?.leave()
        return status
    }

    private mutating func showCrashes(_ crashed: (CrashWatch.Message) -> [UInt8]) {
        for message in messages { writeLines(crashed(message)) }
        messages.removeAll()
    }

    private mutating func receiveMessages(
        _ handler: (LiveLog.Passage, Int32) -> Void, _ crashed: (CrashWatch.Message) -> [UInt8]
    ) {
        while let message = watch?.next() {
            if case .ending(let process) = message {
                readPrinted(handler)
                _ = crashed(message)
                watch?.confirm(process)
                continue
            }
            if messages.isEmpty { firstMessage = .now }
            messages.append(message)
        }
    }

    /// Reads all that has been printed: what comes later is from after this moment.
    private mutating func readPrinted(_ handler: (LiveLog.Passage, Int32) -> Void) {
        for _ in 0..<Self.maxPrinted {
            let open = streams.indices.filter { streams[$0].isOpen }
            let ready = FileDescriptor.wait(for: open.map { streams[$0].output.descriptor }, atMost: .zero)
            guard ready.contains(true) else { break }
            for (index, stream) in open.enumerated() where ready[index] { read(stream, handler) }
        }
        // A line that waits for others was printed before, too.
        for index in streams.indices where streams[index].isOpen && streams[index].log.hasOpenTrace {
            let target = streams[index].output.target
            var output: [UInt8] = []
            streams[index].log.flushLines(to: &output) { handler($0, target) }
            write(output, to: target)
        }
    }

    /// Writes lines of cairn's own to standard error.
    private mutating func writeLines(_ text: [UInt8]) {
        guard !text.isEmpty else { return }
        // A raw terminal does not go back to the line's beginning by itself.
        let ending: [UInt8] = mode == nil ? [0x0A] : [0x0D, 0x0A]
        let start = hasUnfinishedLine ? ending : []
        write(start + Array(text.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) + ending }.joined()), to: 2)
    }

    /// How long the processes that a command has left running may be silent: a program that prints
    /// its stack may need a while between two lines.
    private static func rest(of stream: Stream) -> Duration { stream.log.hasOpenTrace ? LiveLog.longestSilence : afterEnd }

    /// How long to wait at most for something to happen.
    private func longestWait(_ now: ContinuousClock.Instant, hasEnded: Bool) -> Duration? {
        var least: Duration?
        func atMost(_ duration: Duration) { least = min(least ?? duration, max(.zero, duration)) }
        for stream in streams where stream.isOpen {
            if stream.log.hasOpenTrace { atMost(stream.lastByte + stream.log.silence - now) }
            if stream.log.hasUnfinished { atMost(LiveLog.longestWait) }
        }
        if !typed.isEmpty || !messages.isEmpty { atMost(.milliseconds(10)) }
        if hasEnded { atMost(Self.afterEnd) }
        if !streams.contains(where: \.isOpen) { atMost(Self.afterEnd) }
        if let deadline, status == .running { atMost(deadline.time - now) }
        return least
    }

    private mutating func readDebuggerOutput(_ descriptor: Int32) {
        for index in debuggerRuns.indices where debuggerRuns[index].descriptors.contains(descriptor) {
            debuggerRuns[index].read(descriptor)
        }
    }

    /// Shows the debugger output that is complete. With the last of it the time of waiting ends.
    private mutating func showDebuggerOutput(_ show: (DebuggerRun) -> [UInt8]) {
        let finished = debuggerRuns.filter(\.isResolved)
        guard !finished.isEmpty else { return }
        debuggerRuns.removeAll(where: \.isResolved)
        for debuggerRun in finished {
            writeLines(show(debuggerRun))
        }
        if debuggerRuns.isEmpty, deadline?.step == .askTests { deadline?.time = .now }
    }

    private mutating func read(_ index: Int, _ handler: (LiveLog.Passage, Int32) -> Void) {
        let target = streams[index].output.target
        // A terminal that nobody has open any more is an error of reading (EIO), and its end.
        let bytes = (try? FileDescriptor.readSome(from: streams[index].output.descriptor, limit: Self.part)) ?? []
        guard !bytes.isEmpty else { return close(index, handler) }
        streams[index].lastByte = .now
        var output: [UInt8] = []
        streams[index].log.feed(bytes.span, to: &output) { handler($0, target) }
        write(output, to: target)
    }

    private mutating func notifySilence(_ index: Int, _ handler: (LiveLog.Passage, Int32) -> Void) {
        let target = streams[index].output.target
        var output: [UInt8] = []
        if streams[index].log.hasOpenTrace {
            let silence = ContinuousClock.now - streams[index].lastByte
            guard silence >= streams[index].log.silence else { return }
            streams[index].log.notifySilence(of: silence, to: &output) { handler($0, target) }
        } else {
            guard streams[index].log.hasUnfinished, ContinuousClock.now - streams[index].lastByte >= LiveLog.longestWait else { return }
            streams[index].log.showUnfinished(to: &output)
        }
        write(output, to: target)
    }

    private mutating func close(_ index: Int, _ handler: (LiveLog.Passage, Int32) -> Void) {
        guard streams[index].isOpen else { return }
        streams[index].isOpen = false
        FileDescriptor.close(streams[index].output.descriptor)
        let target = streams[index].output.target
        var output: [UInt8] = []
        streams[index].log.finish(to: &output) { handler($0, target) }
        write(output, to: target)
    }

    /// Writes output. A reader of ours that has gone away is no reason to end the command.
    private mutating func write(_ bytes: [UInt8], to target: Int32) {
        guard let last = bytes.last else { return }
        if last == UInt8(ascii: "\n") { unfinished.remove(target) } else { unfinished.insert(target) }
        try? FileDescriptor.write(bytes, to: target)
    }

    private mutating func handleSignals() {
        for arrival in signals.arrivals() {
            switch arrival.number {
            case SignalRelay.child: reap()
            case SignalRelay.resized: if let shown = RunningCommand.terminals.first(where: { $0 != 0 }) { terminal?.copySize(of: shown) }
            default:
                // A signal from the terminal has reached the whole group, the command included,
                // unless it has a group of its own.
                if !arrival.isFromKernel || command.hasOwnGroup { command.send(arrival.number) }
            }
        }
    }

    private mutating func reap() {
        switch command.status() {
        case .running: break
        case .stopped:
            // As the shell expects it of a command that was stopped; continuing this process
            // continues the command.
            mode?.leave()
            SignalRelay.stop()
            mode?.enter()
            command.resume()
        case let ended: status = ended
        }
    }

    private mutating func readInput() {
        let bytes = (try? FileDescriptor.readSome(from: 0, limit: 4096)) ?? []
        if bytes.isEmpty { readsInput = false }
        typed += bytes
    }

    private mutating func forwardTyped() {
        guard !typed.isEmpty, let terminal = terminal?.descriptor else { return }
        typed.removeFirst(FileDescriptor.writeAvailable(typed, to: terminal))
    }

    /// Requests the stacks of a command over its time, and ends it if it does not end then.
    private mutating func enforceTimeout(_ now: ContinuousClock.Instant) {
        guard var deadline, now >= deadline.time, status == .running else { return }
        hasTimedOut = true
        let tree = ProcessTree(of: command.process)
        // As long as there is output, nothing is done to a process; but a command that hangs may
        // well go on printing.
        let lastByte = streams.map(\.lastByte).max() ?? now
        let quiet = min(lastByte + Self.pause, deadline.latest ?? now)
        if quiet > now {
            deadline.time = quiet
            self.deadline = deadline
            return
        }
        deadline.latest = now + Self.maxDebuggerTime
        /// If there is no process to signal, there is no reason to wait.
        func signal(_ number: Int32, _ processes: [Int32]) {
            ProcessTree.send(number, to: processes)
            deadline.time = processes.isEmpty ? now : now + Self.pause
            if processes.isEmpty { deadline.latest = now }
        }
        switch deadline.step {
        case .askDebugger:
            let processes = Array(tree.leaves.prefix(Self.maxDebuggerRuns))
            if mayAsk { watch?.release(command.process, processes) }
            debuggerRuns = mayAsk ? processes.compactMap(ask) : []
            deadline.step = .askTests
            deadline.latest = nil
            deadline.time = debuggerRuns.isEmpty ? now : now + Self.maxDebuggerTime
        case .askTests:
            for index in debuggerRuns.indices { debuggerRuns[index].stop() }
            deadline.requested = tree.leaves
            deadline.step = .endTests
            signal(SignalRelay.requestingStacks, tree.leaves)
        case .endTests:
            deadline.step = .askAll
            signal(SignalRelay.killing, tree.processes.filter { deadline.requested.contains($0) && $0 != command.process })
        case .askAll:
            deadline.step = .endAll
            signal(SignalRelay.requestingStacks, tree.processes.filter { !deadline.requested.contains($0) })
        case .endAll:
            ProcessTree.send(SignalRelay.killing, to: tree.processes)
            self.deadline = nil
            return
        }
        self.deadline = deadline
    }
}
