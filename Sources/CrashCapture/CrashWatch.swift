package import BinaryPrimitives
internal import LibC

/// Crashes of a command's processes, from a process between the command and the one that wants them.
///
/// ptrace's calls come from the thread that watches, which waits for nothing else. So a process of its own runs the command, and sends each
/// crash through a socket; it ends as the command ended.
package struct CrashWatch: Sendable {
    /// A process that a signal has ended.
    package struct Crash: Sendable {
        package var process: Int32
        /// Its core file, which has no name in the file system.
        package var core: MappedFile
    }

    /// Message of the watching process.
    package enum Message: Sendable {
        case crash(Crash)
        /// A signal is about to end this process. It waits until `confirm` is called, so that what is printed after its end can be told
        /// from what was printed before.
        case ending(Int32)
        /// The system does not let processes be watched. They may leave core files, as large as their hard limit lets them be.
        case refused
        /// The memory of this process could not be read when a signal ended it.
        case unreadable(Int32)
        /// So many more processes were ended by a signal, and not captured.
        case leftOut(Int)

        /// The second number of a message; the first is a process, or a count.
        fileprivate enum Kind: Int32 { case crash, refused, unreadable, leftOut, ending }
    }

    private let socket: LocalSocket
    /// The watching process' end, which it inherits. It stays open here: what is read is known to be there (`hasCrash`).
    private let other: LocalSocket

    /// The most crashes that are kept of one run; each has some megabytes until it is read.
    private static let maxCrashes = 64
    /// Two numbers of four bytes.
    private static let messageBytes = 8

    package init() throws(FileError) { (socket, other) = try LocalSocket.pair() }

    /// Descriptor that the watching process inherits, under the same number.
    package var inherited: Int32 { other.withDescriptor { $0 } }

    /// Readable when a crash has come, or the watching process has ended.
    package var descriptor: Int32 { socket.withDescriptor { $0 } }

    /// The next message that has come; `nil` if none has.
    package func next() -> Message? {
        var file: Int32 = -1
        guard FileDescriptor.wait(for: [descriptor], atMost: .zero) == [true],
            let bytes = try? socket.receive(Self.messageBytes, &file, before: .now + .seconds(5))
        else { return nil }
        let numbers = [0, 4].map { start in (0..<4).reduce(Int32(0)) { $0 | Int32(bytes[start + $1]) << Int32(8 * $1) } }
        switch Message.Kind(rawValue: numbers[1]) {
        case .refused: return .refused
        case .leftOut: return .leftOut(Int(numbers[0]))
        case .ending: return .ending(numbers[0])
        case .crash, .unreadable, nil:
            guard file >= 0, let core = try? MappedFile(descriptor: file, path: "process \(numbers[0])") else {
                return .unreadable(numbers[0])
            }
            return .crash(Crash(process: numbers[0], core: core))
        }
    }

    /// Lets a process end whose end was reported.
    package func confirm(_ process: Int32) { try? socket.send(Self.bytes(process), before: .now + .seconds(1)) }

    private static func bytes(_ number: Int32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> Int32(8 * $0)) } }

    /// How long a process waits for that.
    private static let maxWait = Duration.seconds(1)

    /// The environment in which the watching process starts. The variable is for the command's runtime alone: this one's would read it, too.
    /// - Parameter environment: the command's, each as `NAME=value`.
    package static func hiding(_ environment: [String]) -> [String] {
        environment.map { $0.hasPrefix(runtimeVariable) ? hiddenPrefix + $0 : $0 }
    }

    private static let runtimeVariable = "SWIFT_BACKTRACE="
    private static let hiddenPrefix = "CAIRN_WATCHED_"

    /// Makes the watching process let go of the command's processes, so that a debugger can trace them.
    /// - Parameters:
    ///   - process: the watching process.
    ///   - traced: processes that it traces.
    package func release(_ process: Int32, _ traced: [Int32]) {
        for _ in 0..<100 where traced.contains(where: { ProcessStatus.isTraced($0) }) {
            ProcessTree.send(SIGURG, to: [process])
            usleep(10_000)
        }
    }

    /// The command's environment, as it was before `hiding`.
    private static var commandEnvironment: [String] {
        environmentVariables().map { $0.hasPrefix(hiddenPrefix + runtimeVariable) ? String($0.dropFirst(hiddenPrefix.count)) : $0 }
    }

    /// Runs a command, and ends this process as the command ended.
    /// - Parameters:
    ///   - arguments: the command with its arguments.
    ///   - descriptor: the inherited end of the socket.
    ///   - sharesSignals: signals for the command reach its whole group, so that none is passed on.
    package static func run(_ arguments: [String], reportingTo descriptor: Int32, sharesSignals: Bool) -> Never {
        let socket = LocalSocket(descriptor: descriptor)
        socket.closeOnExec()
        let name = arguments.first ?? ""
        guard let path = Program.path(of: name) else { exitProcess(127) }
        do throws(FileError) {
            var run = try TracedRun(path: path, arguments: arguments, environment: commandEnvironment, sharesSignals: sharesSignals)
            func send(_ number: Int32, _ kind: Message.Kind, _ core: MappedFile? = nil) {
                try? socket.send(bytes(number) + bytes(kind.rawValue), core?.openPart, before: .now + .seconds(5))
            }
            if !run.isWatched { send(0, .refused) }
            var count = 0
            let ending = run.wait { process in
                guard count < maxCrashes else { return }
                send(process, .ending)
                var none: Int32 = -1
                let deadline = ContinuousClock.now + maxWait
                // One that came too late is for an earlier process.
                while let answer = try? socket.receive(4, &none, before: deadline), answer != bytes(process) {}
            } _: { crash in
                count += 1
                guard count <= maxCrashes else { return }
                let core = try? crash.core.get()
                send(crash.process, core == nil ? .unreadable : .crash, core)
            }
            if count > maxCrashes { send(Int32(clamping: count - maxCrashes), .leftOut) }
            switch ending {
            case .exited(let status): exitProcess(status)
            case .killed(let signal): SignalRelay.end(by: signal)
            }
        } catch {
            try? FileDescriptor.write(Array("cairn: error: ci: \(error.description)\n".utf8), to: 2)
            exitProcess(error.isMissing ? 127 : 126)
        }
    }
}
