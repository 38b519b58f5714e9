package import BinaryPrimitives
internal import LibC

/// A command that runs, with its output coming here instead of to this process's own standard
/// output and standard error.
package struct RunningCommand: Sendable {
    /// How a command's output arrives.
    package struct Output: Sendable {
        /// Descriptor to read from; its reader closes it at the end.
        package var descriptor: Int32
        /// Descriptor of this process that it belongs to: 1 or 2.
        package var target: Int32
    }

    /// How a command ended, or that it did not.
    package enum Status: Sendable, Hashable {
        case running
        case stopped
        case exited(Int32)
        /// Ended by a signal.
        case killed(Int32)
    }

    /// Its number; of its group, too, where it has one.
    package let process: Int32
    package let outputs: [Output]
    /// It and what it starts are a group of processes of their own.
    package let hasOwnGroup: Bool

    /// Starts a command (`posix_spawnp(3)`: a name without a slash is looked for in `PATH`).
    ///
    /// Standard output and standard error each come through a pipe, or both through one where they
    /// are the same file, so that their order holds. Where one is a terminal, and a pseudo-terminal
    /// is given, the command has that in its place, in a session of its own. Where no terminal is,
    /// it has a group of its own, so that signals reach all that it starts.
    /// - Parameters:
    ///   - arguments: the command and its arguments.
    ///   - environment: each as `NAME=value`.
    ///   - terminal: replaces those standard streams that are terminals.
    ///   - endsOfPipes: whether SIGPIPE ends the command, as it does by default.
    ///   - hasInput: whether it reads this process's standard input; else there is nothing to read.
    ///   - inherited: a descriptor that the command gets under the same number.
    /// - Throws: `FileError` where the command cannot be started.
    package init(
        _ arguments: [String], environment: [String], terminal: PseudoTerminal?, endsOfPipes: Bool, hasInput: Bool = true,
        inherited: Int32? = nil
    ) throws(FileError) {
        var plan = SpawnPlan(name: arguments.first ?? "", inherited: inherited)
        do throws(FileError) {
            if let terminal { try plan.connectTerminal(terminal) }
            plan.chooseInputAndGroup(hasInput: hasInput)
            try plan.connectPipes()
            process = try plan.spawn(arguments, environment, endsOfPipes: endsOfPipes)
        } catch {
            for output in plan.outputs { close(output.descriptor) }
            plan.closeWriteEnds()
            throw error
        }
        plan.closeWriteEnds()
        outputs = plan.outputs
        hasOwnGroup = plan.hasOwnGroup
    }

    /// The command's state, without waiting. After the command has ended, this must not be called
    /// again.
    package func status() -> Status {
        var word: Int32 = 0
        let found = unsafe waitpid(process, &word, WNOHANG | WUNTRACED)
        guard found == process else { return .running }
        // The macros of `wait(2)`.
        if word & 0xff == 0x7f { return .stopped }
        return word & 0x7f == 0 ? .exited(word >> 8 & 0xff) : .killed(word & 0x7f)
    }

    /// Sends it a signal, and where it has a group of its own to everything in that.
    package func send(_ signal: Int32) {
        if hasOwnGroup, kill(-process, signal) == 0 { return }
        _ = kill(process, signal)
    }

    /// Wakes it and its group after a stop.
    package func resume() { send(SIGCONT) }

    /// Which of the three standard streams of this process are terminals.
    package static var terminals: [Int32] { [0, 1, 2].filter { FileDescriptor.isTerminal($0) } }
}

/// Streams, group and signals of a command that is not started yet.
private struct SpawnPlan {
    /// Change to a descriptor of the command before its program runs.
    private enum FileAction {
        case open(Int32, path: String, flags: Int32)
        case duplicate(Int32, to: Int32)
    }

    /// The command's first word, by which it is looked for.
    let name: String
    private(set) var outputs: [RunningCommand.Output] = []
    private var actions: [FileAction] = []
    private var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    /// The command's ends of the pipes.
    private var writeEnds: [Int32] = []
    /// Standard output and standard error, where the pseudo-terminal replaces them.
    private var behindTerminal: [Int32] = []

    private let terminals = RunningCommand.terminals

    init(name: String, inherited: Int32?) {
        self.name = name
        // The same number twice: the descriptor stays open in the program (posix_spawn_file_actions_adddup2(3)).
        if let inherited { actions.append(.duplicate(inherited, to: inherited)) }
    }

    var hasOwnGroup: Bool { flags & (Self.ownSession | POSIX_SPAWN_SETPGROUP) != 0 }

    /// `POSIX_SPAWN_SETSID`.
    private static var ownSession: Int32 {
        #if canImport(Darwin)
            0x0400
        #else
            0x80
        #endif
    }

    /// Replaces the standard streams that are terminals, unless only standard input is one.
    mutating func connectTerminal(_ terminal: PseudoTerminal) throws(FileError) {
        behindTerminal = terminals.filter { $0 != 0 }
        guard let target = behindTerminal.first else { return }
        flags |= Self.ownSession
        // The first terminal that the leader of a session opens is the session's.
        for target in terminals { actions.append(.open(target, path: terminal.otherSide, flags: O_RDWR)) }
        let copy = fcntl(terminal.descriptor, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw FileError(path: name, errorNumber: errno) }
        outputs.append(RunningCommand.Output(descriptor: copy, target: target))
    }

    mutating func chooseInputAndGroup(hasInput: Bool) {
        if !hasInput { actions.append(.open(0, path: "/dev/null", flags: O_RDONLY)) }
        if flags & Self.ownSession == 0, !hasInput || !terminals.contains(0) { flags |= POSIX_SPAWN_SETPGROUP }
    }

    /// Connects standard output and standard error, where no terminal is in their place.
    mutating func connectPipes() throws(FileError) {
        for target in [Int32(1), 2] where !behindTerminal.contains(target) {
            if target == 2, !behindTerminal.contains(1), Self.isSameFile(1, 2) {
                actions.append(.duplicate(1, to: 2))
                continue
            }
            guard let pipe = Pipe() else { throw FileError(path: name, errorNumber: errno) }
            outputs.append(RunningCommand.Output(descriptor: pipe.readEnd, target: target))
            writeEnds.append(pipe.writeEnd)
            actions.append(.duplicate(pipe.writeEnd, to: target))
        }
    }

    /// - Returns: the number of the process.
    func spawn(_ arguments: [String], _ environment: [String], endsOfPipes: Bool) throws(FileError) -> Int32 {
        #if canImport(Darwin)
            var fileActions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var fileActions = unsafe posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        unsafe posix_spawn_file_actions_init(&fileActions)
        defer { unsafe _ = posix_spawn_file_actions_destroy(&fileActions) }
        for action in actions {
            switch action {
            case .open(let target, let path, let flags):
                unsafe _ = posix_spawn_file_actions_addopen(&fileActions, target, path, flags, 0)
            case .duplicate(let descriptor, let target):
                unsafe _ = posix_spawn_file_actions_adddup2(&fileActions, descriptor, target)
            }
        }
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe _ = posix_spawnattr_destroy(&attributes) }
        if flags & POSIX_SPAWN_SETPGROUP != 0 { unsafe posix_spawnattr_setpgroup(&attributes, 0) }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        if endsOfPipes { unsafe sigaddset(&signals, SIGPIPE) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        var argumentPointers: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) }
        unsafe argumentPointers.append(nil)
        var variables: [UnsafeMutablePointer<CChar>?] = unsafe environment.map { unsafe strdup($0) }
        unsafe variables.append(nil)
        defer {
            unsafe argumentPointers.forEach { unsafe free($0) }
            unsafe variables.forEach { unsafe free($0) }
        }
        var child: pid_t = 0
        let failure = unsafe posix_spawnp(&child, name, &fileActions, &attributes, argumentPointers, variables)
        guard failure == 0 else { throw FileError(path: name, errorNumber: failure) }
        return child
    }

    func closeWriteEnds() { for end in writeEnds { close(end) } }

    /// Whether two descriptors lead to the same file, pipe or device.
    private static func isSameFile(_ first: Int32, _ second: Int32) -> Bool {
        var (one, two) = (stat(), stat())
        guard unsafe fstat(first, &one) == 0, unsafe fstat(second, &two) == 0 else { return false }
        return one.st_dev == two.st_dev && one.st_ino == two.st_ino
    }
}
