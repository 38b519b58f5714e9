import LibC

/// A program that runs beside the test, which writes to it, reads from it and waits for its end. It
/// is killed when the value goes before that.
///
/// Plain system calls, each descriptor closed in one range: a descriptor that is closed twice is
/// another thread's the second time, and its test then reads another file.
package final class StartedProgram {
    /// Its number.
    package let process: Int32
    // Ends of pipes; negative when they are closed.
    private var input: Int32
    private var output: Int32
    private var errors: Int32
    private var received: [UInt8] = []
    private var hasEnded = false

    /// - Parameters:
    ///   - arguments: the program, to be found in `PATH` where it has no slash, and its arguments.
    ///   - changes: variables set beside the current ones; `nil` as a value removes one.
    /// - Throws: `RunError` if the program cannot be started.
    package init(_ arguments: [String], environment changes: [String: String?] = [:]) throws {
        var ends: [Int32] = []
        func closeAll() { for end in ends { close(end) } }
        for _ in 0..<3 {
            var pair: [Int32] = [-1, -1]
            guard unsafe Self.openPipe(&pair) == 0 else {
                closeAll()
                throw RunError(description: "no pipe")
            }
            ends += pair
        }
        // Reading end, writing end, of standard input, standard output and standard error.
        let theirs = [ends[0], ends[3], ends[5]]
        let ours = [ends[1], ends[2], ends[4]]
        do { process = try spawn(arguments.first ?? "", arguments, streams: theirs, environment: changes) } catch {
            closeAll()
            throw error
        }
        for end in theirs { close(end) }
        (input, output, errors) = (ours[0], ours[1], ours[2])
    }

    deinit {
        for end in [input, output, errors] where end >= 0 { close(end) }
        if !hasEnded {
            kill(process, SIGKILL)
            _ = wait()
        }
    }

    /// Writes a line to its standard input.
    package func send(_ line: String) {
        var rest = Array((line + "\n").utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(input, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// The next line of its standard output; `nil` where it ended instead.
    package func line() -> String? {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                defer { received.removeSubrange(...end) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            let more = Self.readSome(output)
            if more.isEmpty { return nil }
            received += more
        }
    }

    /// Reads its standard output no more.
    package func closeOutput() { Self.closeOnce(&output) }

    /// Ends its standard input and waits for its end; of the output what was not taken as lines.
    /// Neither stream may be longer than a pipe takes.
    package func finish() -> RunResult {
        Self.closeOnce(&input)
        let rest = Self.readToEnd(output)
        let errorBytes = Self.readToEnd(errors)
        return RunResult(status: wait(), standardOutput: received + rest, standardError: errorBytes)
    }

    private func wait() -> Int32 {
        hasEnded = true
        return endStatus(of: process)
    }

    private static func closeOnce(_ descriptor: inout Int32) {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    private static func readToEnd(_ descriptor: Int32) -> [UInt8] {
        var all: [UInt8] = []
        while descriptor >= 0 {
            let more = readSome(descriptor)
            if more.isEmpty { break }
            all += more
        }
        return all
    }

    /// Reads the bytes that come next; none at the end.
    private static func readSome(_ descriptor: Int32) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            return Array(buffer.prefix(max(0, count)))
        }
    }

    /// Both ends are closed on exec: a program that another thread starts would keep the other side
    /// waiting.
    private static func openPipe(_ ends: UnsafeMutablePointer<Int32>) -> Int32 {
        guard unsafe pipe(ends) == 0 else { return -1 }
        for index in 0..<2 { unsafe _ = fcntl(ends[index], F_SETFD, FD_CLOEXEC) }
        return 0
    }
}
