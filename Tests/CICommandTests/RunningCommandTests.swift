import BinaryPrimitives
import CICommand
import CrashCapture
import LibC
import TestSupport
import Testing

/// A command that runs: its output, how it ended, signals, and the processes that it started.
@Suite struct RunningCommandTests {
    private func start(_ script: String) throws -> RunningCommand {
        try RunningCommand(["sh", "-c", script], environment: ["PATH=/usr/bin:/bin"], terminal: nil, endsOfPipes: true, hasInput: false)
    }

    /// Output of the command, by the stream that it belongs to.
    private func output(of command: RunningCommand) throws -> [Int32: String] {
        var texts: [Int32: String] = [:]
        for output in command.outputs {
            texts[output.target] = String(decoding: try FileDescriptor.readAll(from: output.descriptor, limit: 1 << 20), as: UTF8.self)
            close(output.descriptor)
        }
        return texts
    }

    private func end(of command: RunningCommand) -> RunningCommand.Status {
        var status = command.status()
        _ = eventually {
            if status == .running { status = command.status() }
            return status != .running
        }
        return status
    }

    @Test func `both streams arrive, and the status`() throws {
        let command = try start("printf out; printf err >&2; exit 7")
        let texts = try output(of: command)
        // One pipe holds both where this process's own streams are the same file.
        #expect(texts == [1: "out", 2: "err"] || texts == [1: "outerr"])
        #expect(end(of: command) == .exited(7))
    }

    @Test func `a signal reaches what the command has started`() throws {
        // The shell waits for its child, which alone would go on.
        let command = try start("sleep 60 & wait; echo unreached")
        #expect(command.hasOwnGroup)
        command.send(SIGTERM)
        #expect(try output(of: command).values.allSatisfy { !$0.contains("unreached") })
        #expect(end(of: command) == .killed(SIGTERM))
    }

    @Test func `a stop is no end`() throws {
        let command = try start("kill -STOP $$; exit 3")
        #expect(end(of: command) == .stopped)
        command.resume()
        #expect(end(of: command) == .exited(3))
        _ = try output(of: command)
    }

    @Test func `a command that is not there is an error with its name`() {
        let error = #expect(throws: FileError.self) {
            try RunningCommand(["/nonexistent/moor"], environment: [], terminal: nil, endsOfPipes: true, hasInput: false)
        }
        #expect(error?.path == "/nonexistent/moor")
    }

    @Test func `the processes of a command are it and all below it`() throws {
        let command = try start("sh -c 'sleep 60; true' & echo ready; wait")
        // The line says that the inner shell has been started; its `sleep` may take a moment more.
        var tree = ProcessTree(of: command.process)
        _ = eventually {
            tree = ProcessTree(of: command.process)
            return tree.processes.count >= 3
        }
        #expect(tree.processes.first == command.process && tree.processes.count == 3)
        #expect(tree.leaves.count == 1 && tree.leaves != [command.process])
        ProcessTree.send(SIGKILL, to: tree.processes)
        _ = try output(of: command)
        #expect(end(of: command) == .killed(SIGKILL))
    }
}
