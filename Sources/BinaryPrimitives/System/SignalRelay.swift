internal import LibC

/// Signals of this process as something that can be waited for with `poll(2)`: a handler writes
/// each into a pipe (D. J. Bernstein's self-pipe).
package struct SignalRelay: Sendable {
    /// A signal that came.
    package struct Arrival: Sendable, Hashable {
        package var number: Int32
        /// The kernel sent it, as the terminal does for Control-C: every process of the group has
        /// got it.
        package var isFromKernel: Bool
    }

    /// Readable when a signal came.
    package let descriptor: Int32

    /// Signals that are passed on to a command: those that people and machines use to end,
    /// interrupt or wake programs.
    package static var forwardedSignals: [Int32] { [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGCONT] }
    /// Makes a program print its stacks: Swift, Java and Go do so, and Python with its fault
    /// handler.
    package static var requestingStacks: Int32 { SIGQUIT }
    package static var killing: Int32 { SIGKILL }
    /// A child ended or stopped.
    package static var child: Int32 { SIGCHLD }
    /// Ends a program: of a service manager, of the terminal's Control-C, of a terminal that is
    /// gone. Services read their settings again at the last.
    package static var terminating: Int32 { SIGTERM }
    package static var interrupting: Int32 { SIGINT }
    package static var hangingUp: Int32 { SIGHUP }
    /// The terminal's size changed.
    package static var resized: Int32 { SIGWINCH }

    /// Catches signals from now on. A signal that this process was started to ignore (`nohup`)
    /// stays ignored.
    /// - Returns: `nil` where no pipe can be made.
    package init?(catching numbers: [Int32]) {
        guard let pipe = Pipe(isBlocking: false) else { return nil }
        descriptor = pipe.readEnd
        unsafe signalWriter = pipe.writeEnd
        for number in numbers { Self.catchSignal(number) }
        // Programs that were started by a thread which holds signals back do so themselves.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for number in numbers { unsafe sigaddset(&signals, number) }
        unsafe _ = pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// A reader that went away is an error of writing, and not this process's end.
    /// - Returns: whether programs that this one starts are to end of it, as they would have
    ///   without this one.
    package static func ignoreBrokenPipes() -> Bool {
        var before = sigaction()
        unsafe _ = sigaction(SIGPIPE, nil, &before)
        let wasIgnored = isIgnored(before)
        _ = signal(SIGPIPE, SIG_IGN)
        return !wasIgnored
    }

    /// The signals that came since the last call, in order.
    package func arrivals() -> [Arrival] {
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        return bytes.prefix(max(0, count)).map { Arrival(number: Int32($0 & 0x7f), isFromKernel: $0 & 0x80 != 0) }
    }

    /// Stops this process as a stopped child was, until it is continued.
    package static func stop() { _ = kill(getpid(), SIGSTOP) }

    /// Ends this process by a signal, as a child was ended, and without a core of its own.
    package static func end(by number: Int32) -> Never {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        #if canImport(Glibc)
            unsafe _ = setrlimit(__rlimit_resource_t(4), &none)
        #else
            unsafe _ = setrlimit(RLIMIT_CORE, &none)
        #endif
        _ = signal(number, SIG_DFL)
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, number)
        unsafe _ = sigprocmask(SIG_UNBLOCK, &signals, nil)
        _ = kill(getpid(), number)
        // One that cannot end a process any more: the shell's number for it.
        exit(128 + number)
    }

    private static func catchSignal(_ number: Int32) {
        var before = sigaction()
        unsafe _ = sigaction(number, nil, &before)
        // If the end of a child is ignored, its status is lost.
        if isIgnored(before), number != SIGCHLD { return }
        var action = sigaction()
        unsafe sigemptyset(&action.sa_mask)
        action.sa_flags = SA_SIGINFO | SA_RESTART
        #if canImport(Darwin)
            unsafe action.__sigaction_u.__sa_sigaction = signalArrived
        #else
            unsafe action.__sigaction_handler.sa_sigaction = signalArrived
        #endif
        unsafe _ = sigaction(number, &action, nil)
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        #if canImport(Darwin)
            unsafe unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
        #else
            unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
        #endif
    }
}

/// The pipe's other end. It is global, because a signal handler can only access global variables.
nonisolated(unsafe) private var signalWriter: Int32 = -1

/// Runs between any two instructions: it calls `write(2)` and nothing else.
private func signalArrived(_ number: Int32, _ information: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?) {
    let errorNumber = errno
    // Signals that processes send have a code of zero or below (`SI_USER`, `SI_QUEUE`, `SI_TKILL`).
    let isFromKernel = unsafe (information?.pointee.si_code ?? 0) > 0
    var byte = UInt8(truncatingIfNeeded: number) & 0x7f | (isFromKernel ? 0x80 : 0)
    unsafe _ = write(signalWriter, &byte, 1)
    errno = errorNumber
}
