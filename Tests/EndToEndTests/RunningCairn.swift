import Foundation
import TestSupport
import Testing

/// A run of cairn that has not ended: the test writes to it, reads from it, looks at it and sends it signals. Ended with the value.
final class RunningCairn {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let errors = Pipe()
    private var received: [UInt8] = []
    private var isOutputClosed = false

    /// - Parameters:
    ///   - arguments: of cairn, in the fixtures' folder.
    ///   - shell: what the shell that becomes cairn does before: redirections.
    init(_ arguments: [String], environment: [String: String] = [:], shell: String = "") throws {
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // Threads that run tests hold signals back, and what they start would do so too; Python ignores one.
        let unblocked =
            "import os, signal, sys; signal.pthread_sigmask(signal.SIG_SETMASK, []); signal.signal(signal.SIGPIPE, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"
        process.arguments = ["-c", "\(shell)\nexec python3 -c '\(unblocked)' \"$@\"", "sh", TestPaths.cairn] + arguments
        process.currentDirectoryURL = URL(fileURLWithPath: TestPaths.fixture(""))
        var variables = ProcessInfo.processInfo.environment
        for name in ["CAIRN_SYMBOLS", "NO_COLOR"] { variables[name] = nil }
        variables["XDG_CONFIG_HOME"] = "/nonexistent"
        process.environment = variables.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        try process.run()
    }

    deinit {
        if process.isRunning {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    var number: Int32 { process.processIdentifier }

    func send(_ line: String) { input.fileHandleForWriting.write(Data((line + "\n").utf8)) }

    /// The next line of its output; `nil` where it ended instead.
    func line() -> String? {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                defer { received.removeSubrange(...end) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            received += more
        }
    }

    /// Reads its output no more.
    func closeOutput() {
        try? output.fileHandleForReading.close()
        isOutputClosed = true
    }

    /// Closes its input and waits for its end; of the output what was not taken as lines. Neither stream may be longer than a pipe takes.
    func finish() -> RunResult {
        try? input.fileHandleForWriting.close()
        let rest = isOutputClosed ? Data() : output.fileHandleForReading.readDataToEndOfFile()
        let words = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let status = process.terminationStatus + (process.terminationReason == .uncaughtSignal ? 128 : 0)
        return RunResult(status: status, standardOutput: received + rest, standardError: Array(words))
    }

    /// The child that it waits for, once that child has stopped itself (`T` in `/proc/PID/stat`, proc(5)).
    func stoppedChild() throws -> Int32 {
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            let children = (try? String(contentsOfFile: "/proc/\(number)/task/\(number)/children", encoding: .utf8)) ?? ""
            for word in children.split(separator: " ") {
                guard let child = Int32(word), let status = try? String(contentsOfFile: "/proc/\(child)/status", encoding: .utf8) else {
                    continue
                }
                if status.contains("State:\tT") { return child }
            }
            usleep(10_000)
        }
        throw RunError(description: "no child of \(number) stopped")
    }

    /// Waits until a signal has reached a process that is stopped, and waits there (`ShdPnd`, proc(5)).
    static func waitForSignal(_ signal: Int32, in process: Int32) {
        let deadline = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < deadline {
            let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("ShdPnd:\t") }
            if let mask = line.flatMap({ UInt64($0.dropFirst(8), radix: 16) }), mask >> (signal - 1) & 1 == 1 { return }
            usleep(10_000)
        }
    }

    /// Where the descriptors of a process lead.
    static func descriptors(of process: Int32) -> [Int: String] {
        let folder = "/proc/\(process)/fd"
        var all: [Int: String] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            guard let number = Int(name) else { continue }
            all[number] = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + name)
        }
        return all
    }
}
