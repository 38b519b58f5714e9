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
    /// - Throws: `FileError` where the command cannot be started.
    package init(
        _ arguments: [String], environment: [String], terminal: PseudoTerminal?, endsOfPipes: Bool, hasInput: Bool = true
    ) throws(FileError) {
        let name = arguments.first ?? ""
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = unsafe posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe _ = posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe _ = posix_spawnattr_destroy(&attributes) }
        var outputs: [Output] = []
        var others: [Int32] = []
        func giveUp(_ number: Int32) -> FileError {
            for output in outputs { close(output.descriptor) }
            for other in others { close(other) }
            return FileError(path: name, errorNumber: number)
        }
        var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        let terminals = Self.terminals
        var behindTerminal: [Int32] = []
        if terminals.contains(1) || terminals.contains(2) {
            if let terminal {
                let (master, path) = (terminal.descriptor, terminal.otherSide)
                flags |= Self.ownSession
                // The first terminal that the leader of a session opens is the session's.
                for target in terminals { unsafe _ = posix_spawn_file_actions_addopen(&actions, target, path, O_RDWR, 0) }
                behindTerminal = terminals.filter { $0 != 0 }
                let copy = fcntl(master, F_DUPFD_CLOEXEC, 3)
                guard copy >= 0 else { throw giveUp(errno) }
                outputs.append(Output(descriptor: copy, target: behindTerminal.first ?? 1))
            }
        }
        if !hasInput { unsafe _ = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) }
        if flags & Self.ownSession == 0, !hasInput || !terminals.contains(0) {
            flags |= POSIX_SPAWN_SETPGROUP
            unsafe posix_spawnattr_setpgroup(&attributes, 0)
        }
        for target in [Int32(1), 2] where !behindTerminal.contains(target) {
            if target == 2, !behindTerminal.contains(1), Self.isSameFile(1, 2) {
                unsafe _ = posix_spawn_file_actions_adddup2(&actions, 1, 2)
                continue
            }
            guard let pipe = Pipe() else { throw giveUp(errno) }
            outputs.append(Output(descriptor: pipe.readEnd, target: target))
            others.append(pipe.writeEnd)
            unsafe _ = posix_spawn_file_actions_adddup2(&actions, pipe.writeEnd, target)
        }
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
        let failure = unsafe posix_spawnp(&child, name, &actions, &attributes, argumentPointers, variables)
        guard failure == 0 else { throw giveUp(failure) }
        for other in others { close(other) }
        process = child
        self.outputs = outputs
        hasOwnGroup = flags & (Self.ownSession | POSIX_SPAWN_SETPGROUP) != 0
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

    /// Whether two descriptors lead to the same file, pipe or device.
    private static func isSameFile(_ first: Int32, _ second: Int32) -> Bool {
        var (one, two) = (stat(), stat())
        guard unsafe fstat(first, &one) == 0, unsafe fstat(second, &two) == 0 else { return false }
        return one.st_dev == two.st_dev && one.st_ino == two.st_ino
    }

    /// `POSIX_SPAWN_SETSID`.
    private static var ownSession: Int32 {
        #if canImport(Darwin)
            0x0400
        #else
            0x80
        #endif
    }
}
