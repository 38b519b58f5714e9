import Foundation
import TestSupport
import Testing

/// A run of cairn that has not ended: the test writes to it, reads from it, looks at it and sends
/// it signals. Ended with the value.
final class RunningCairn {
    private let program: StartedProgram

    /// - Parameters:
    ///   - arguments: of cairn, in the fixtures' folder.
    ///   - shell: what the shell that becomes cairn does before: redirections.
    init(_ arguments: [String], environment: [String: String] = [:], shell: String = "") throws {
        // Threads that run tests hold signals back, and what they start would do so too; Python
        // ignores one.
        let unblocked =
            "import os, signal, sys; signal.pthread_sigmask(signal.SIG_SETMASK, []); signal.signal(signal.SIGPIPE, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"
        let script = "cd \"$1\" || exit; shift; \(shell)\nexec python3 -c '\(unblocked)' \"$@\""
        let absent: String? = nil
        var variables = ["CAIRN_SYMBOLS": absent, "NO_COLOR": absent, "XDG_CONFIG_HOME": "/nonexistent"]
        for (name, value) in environment { variables[name] = .some(value) }
        program = try StartedProgram(
            ["sh", "-c", script, "sh", TestPaths.fixture(""), TestPaths.cairn] + arguments, environment: variables)
    }

    var number: Int32 { program.process }

    func send(_ line: String) { program.send(line) }

    /// The next line of its output; `nil` where it ended instead.
    func line() -> String? { program.line() }

    /// Reads its output no more.
    func closeOutput() { program.closeOutput() }

    /// Closes its input and waits for its end; of the output what was not taken as lines. Neither
    /// stream may be longer than a pipe takes.
    func finish() -> RunResult { program.finish() }

    /// The child that it waits for, once that child has stopped itself (`T` in `/proc/PID/stat`,
    /// proc(5)).
    func stoppedChild() throws -> Int32 {
        var stopped: Int32?
        _ = eventually {
            let children = (try? String(contentsOfFile: "/proc/\(number)/task/\(number)/children", encoding: .utf8)) ?? ""
            stopped = children.split(separator: " ").compactMap { Int32($0) }.first { child in
                (try? String(contentsOfFile: "/proc/\(child)/status", encoding: .utf8))?.contains("State:\tT") ?? false
            }
            return stopped != nil
        }
        guard let stopped else { throw RunError(description: "no child of \(number) stopped") }
        return stopped
    }

    /// Waits until a signal has reached a process that is stopped, and waits there (`ShdPnd`,
    /// proc(5)).
    static func waitForSignal(_ signal: Int32, in process: Int32) {
        _ = eventually {
            let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("ShdPnd:\t") }
            if let mask = line.flatMap({ UInt64($0.dropFirst(8), radix: 16) }) { return mask >> (signal - 1) & 1 == 1 }
            return false
        }
    }

    /// Targets of the descriptors of a process.
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
