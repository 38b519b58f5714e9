internal import BinaryPrimitives
internal import CommandRunning
internal import Reporting

/// Runs a command and lets its output flow, each stack in it answered as it passes; its input, signals and end are the command's own.
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
    private let mode: TerminalMode?
    private let signals: SignalRelay
    private var streams: [Stream]
    /// Typed, and not yet taken by the command.
    private var typed: [UInt8] = []
    private var readsInput: Bool
    private var status = RunningCommand.Status.running
    private var deadline: Deadline?
    private(set) var hasTimedOut = false

    /// What is done to a command that is over its time, and when.
    private struct Deadline {
        /// The tests' own processes are asked where they stand, and ended (Swift's backtracer lets a process that was only asked go on); then the same with what runs them, which may have
        /// kept what they said until their end, as SwiftPM does.
        enum Step { case askTests, endTests, askAll, endAll }
        var step = Step.askTests
        var time: ContinuousClock.Instant
        /// When the next step comes although the command goes on talking.
        var latest: ContinuousClock.Instant?
        /// Processes that were asked.
        var asked: [Int32] = []
    }

    /// Bytes that are read at a time.
    private static let part = 1 << 18
    /// How long output of others that a command has left behind is waited for.
    private static let afterEnd = Duration.milliseconds(200)
    /// How long a command that is over its time may be silent before the next is done to it, and how long it may go on talking.
    private static let pause = Duration.seconds(5)
    private static let longestAnswer = Duration.seconds(30)

    /// Starts the command.
    /// - Parameters:
    ///   - timeout: after which it is asked where it stands by SIGQUIT, and ended by SIGKILL if that does not end it; `nil`: never.
    ///   - makeLog: called for each stream of output.
    init(
        _ arguments: [String], environment: [String], timeout: Duration?, makeLog: () -> LiveLog
    ) throws(FileError) {
        let terminals = RunningCommand.terminals
        let shown = terminals.first { $0 != 0 }
        guard let signals = SignalRelay(catching: SignalRelay.passedOn + [SignalRelay.child, SignalRelay.resized]) else {
            throw FileError(path: "pipe", errorNumber: 0)
        }
        self.signals = signals
        let endsOfPipes = SignalRelay.survivePipes()
        let terminal = shown.flatMap { try? PseudoTerminal(like: $0) }
        let command = try RunningCommand(arguments, environment: environment, terminal: terminal, endsOfPipes: endsOfPipes)
        let hasTerminal = terminal != nil
        self.terminal = terminal
        self.command = command
        // Only where the command has taken the terminal's place are its modes that one's.
        mode = hasTerminal ? TerminalMode(rawOn: terminals.contains(0) ? 0 : shown ?? 0) : nil
        readsInput = hasTerminal && terminals.contains(0) && mode != nil
        streams = command.outputs.map { Stream(output: $0, log: makeLog(), lastByte: .now) }
        deadline = timeout.map { Deadline(time: .now + $0) }
    }

    /// Lets everything flow until the command has ended.
    /// - Parameter take: gets what has passed, and of which stream (1 or 2).
    /// - Returns: how it ended.
    mutating func run(_ take: (LiveLog.Passage, Int32) -> Void) -> RunningCommand.Status {
        var ended: ContinuousClock.Instant?
        while streams.contains(where: \.isOpen) || status == .running {
            let now = ContinuousClock.now
            if let ended, streams.allSatisfy({ !$0.isOpen || now - max($0.lastByte, ended) >= Self.rest(of: $0) }) { break }
            watchTime(now)
            let open = streams.indices.filter { streams[$0].isOpen }
            var descriptors = open.map { streams[$0].output.descriptor } + [signals.descriptor]
            let takesInput = readsInput && typed.isEmpty
            if takesInput { descriptors.append(0) }
            let ready = FileDescriptor.wait(for: descriptors, atMost: patience(now, hasEnded: ended != nil))
            for (index, stream) in open.enumerated() { if ready[index] { read(stream, take) } else { tellSilence(stream, take) } }
            if ready[open.count] { takeSignals() }
            // With no output left, nothing but its end can come.
            if open.isEmpty { reap() }
            if takesInput, ready[open.count + 1] { readInput() }
            passTyped()
            if status != .running, ended == nil { ended = .now }
        }
        for index in streams.indices { close(index, take) }
        mode?.leave()
        return status
    }

    /// How long what a command has left behind may be silent: a program that tells its stack may need a while between two lines.
    private static func rest(of stream: Stream) -> Duration { stream.log.isHolding ? LiveLog.silence : afterEnd }

    /// How long to wait at most for something to happen.
    private func patience(_ now: ContinuousClock.Instant, hasEnded: Bool) -> Duration? {
        var least: Duration?
        func atMost(_ duration: Duration) { least = min(least ?? duration, max(.zero, duration)) }
        for stream in streams where stream.isOpen {
            if stream.log.isHolding { atMost(stream.lastByte + LiveLog.silence - now) }
            if stream.log.hasUnfinished { atMost(LiveLog.patience) }
        }
        if !typed.isEmpty { atMost(.milliseconds(10)) }
        if hasEnded { atMost(Self.afterEnd) }
        if !streams.contains(where: \.isOpen) { atMost(Self.afterEnd) }
        if let deadline, status == .running { atMost(deadline.time - now) }
        return least
    }

    private mutating func read(_ index: Int, _ take: (LiveLog.Passage, Int32) -> Void) {
        let target = streams[index].output.target
        // A terminal that nobody has open any more is an error of reading (EIO), and its end.
        let bytes = (try? FileDescriptor.readSome(from: streams[index].output.descriptor, limit: Self.part)) ?? []
        guard !bytes.isEmpty else { return close(index, take) }
        streams[index].lastByte = .now
        var output: [UInt8] = []
        streams[index].log.feed(bytes.span, to: &output) { take($0, target) }
        write(output, to: target)
    }

    private mutating func tellSilence(_ index: Int, _ take: (LiveLog.Passage, Int32) -> Void) {
        let target = streams[index].output.target
        var output: [UInt8] = []
        if streams[index].log.isHolding {
            guard ContinuousClock.now - streams[index].lastByte >= LiveLog.silence else { return }
            streams[index].log.settle(to: &output) { take($0, target) }
        } else {
            guard streams[index].log.hasUnfinished, ContinuousClock.now - streams[index].lastByte >= LiveLog.patience else { return }
            streams[index].log.showUnfinished(to: &output)
        }
        write(output, to: target)
    }

    private mutating func close(_ index: Int, _ take: (LiveLog.Passage, Int32) -> Void) {
        guard streams[index].isOpen else { return }
        streams[index].isOpen = false
        FileDescriptor.close(streams[index].output.descriptor)
        let target = streams[index].output.target
        var output: [UInt8] = []
        streams[index].log.finish(to: &output) { take($0, target) }
        write(output, to: target)
    }

    /// A reader of ours that has gone away is no reason to end the command.
    private func write(_ bytes: [UInt8], to target: Int32) {
        if !bytes.isEmpty { try? FileDescriptor.write(bytes, to: target) }
    }

    private mutating func takeSignals() {
        for arrival in signals.arrivals() {
            switch arrival.number {
            case SignalRelay.child: reap()
            case SignalRelay.resized: if let shown = RunningCommand.terminals.first(where: { $0 != 0 }) { terminal?.copySize(of: shown) }
            default:
                // What the terminal sends, the whole group has got, the command included, unless it has one of its own.
                if !arrival.isFromKernel || command.hasOwnGroup { command.send(arrival.number) }
            }
        }
    }

    private mutating func reap() {
        switch command.status() {
        case .running: break
        case .stopped:
            // As the shell expects it of a command that was stopped; who continues this process continues the command.
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

    private mutating func passTyped() {
        guard !typed.isEmpty, let terminal = terminal?.descriptor else { return }
        typed.removeFirst(FileDescriptor.writeWhatFits(typed, to: terminal))
    }

    /// A command over its time is asked where it stands, and ended if it does not end then.
    private mutating func watchTime(_ now: ContinuousClock.Instant) {
        guard var deadline, now >= deadline.time, status == .running else { return }
        hasTimedOut = true
        let tree = ProcessTree(of: command.process)
        // As long as somebody is telling, nobody is disturbed; but a command that hangs may well go on talking.
        let lastByte = streams.map(\.lastByte).max() ?? now
        let quiet = min(lastByte + Self.pause, deadline.latest ?? now)
        if quiet > now {
            deadline.time = quiet
            self.deadline = deadline
            return
        }
        deadline.latest = now + Self.longestAnswer
        switch deadline.step {
        case .askTests:
            deadline.asked = tree.leaves
            ProcessTree.send(SignalRelay.asking, to: tree.leaves)
            deadline.step = .endTests
            deadline.time = now + Self.pause
        case .endTests:
            ProcessTree.send(SignalRelay.killing, to: tree.processes.filter { deadline.asked.contains($0) && $0 != command.process })
            deadline.step = .askAll
            deadline.time = now + Self.pause
        case .askAll:
            ProcessTree.send(SignalRelay.asking, to: tree.processes.filter { !deadline.asked.contains($0) })
            deadline.step = .endAll
            deadline.time = now + Self.pause
        case .endAll:
            ProcessTree.send(SignalRelay.killing, to: tree.processes)
            self.deadline = nil
            return
        }
        self.deadline = deadline
    }
}
