import BinaryPrimitives
import Testing

/// Conversations with the shell and the usual tools.
struct ChildProcessTests {
    private var soon: ContinuousClock.Instant { .now + .seconds(20) }

    @Test func `lines go both ways`() throws {
        var child = try ChildProcess(path: "/bin/sh", arguments: ["-c", "while read line; do echo \"<$line>\"; done"])
        let isSent = child.send("one\ntwo\n", before: soon)
        let first = [child.reply(before: soon), child.reply(before: soon)]
        let isSentAgain = child.send("three\n", before: soon)
        let last = child.reply(before: soon)
        child.kill()
        #expect(isSent == .sent && isSentAgain == .sent)
        #expect(first == [.line("<one>"), .line("<two>")] && last == .line("<three>"))
    }

    @Test func `a silent program is not waited for`() throws {
        var child = try ChildProcess(path: "/bin/sleep", arguments: ["60"])
        let start = ContinuousClock.now
        let reply = child.reply(before: start + .milliseconds(200))
        child.kill()
        #expect(reply == .late)
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    /// A pipe holds 64 KB on Linux (pipe(7)); nobody takes them out.
    @Test func `a program that reads nothing is not waited for`() throws {
        let child = try ChildProcess(path: "/bin/sleep", arguments: ["60"])
        let start = ContinuousClock.now
        let isSent = child.send(String(repeating: "x", count: 1 << 20), before: start + .milliseconds(200))
        child.kill()
        #expect(isSent == .late)
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    /// Without care the signal SIGPIPE would end this process.
    @Test func `a program that has ended is noticed`() throws {
        var child = try ChildProcess(path: "/bin/sh", arguments: ["-c", "exec <&-; echo last"])
        let replies = [child.reply(before: soon), child.reply(before: soon)]
        let areSent = [child.send(String(repeating: "x", count: 1 << 20), before: soon), child.send("again\n", before: soon)]
        #expect(replies == [.line("last"), .ended])
        #expect(areSent == [.ended, .ended])
    }

    @Test func `the input's end tells a program to end`() throws {
        var child = try ChildProcess(path: "/bin/sh", arguments: ["-c", "echo $$; cat >/dev/null"])
        guard case .line(let process) = child.reply(before: soon) else { return #expect(Bool(false)) }
        _ = consume child
        #expect(try endsSoon(process))
    }

    @Test func `what cannot be run is told`() {
        #expect(throws: FileError.self) { _ = try ChildProcess(path: "/no/such/program", arguments: []) }
    }

    /// Whether the process is gone, or waits as a zombie for its status to be read (`Z` in the
    /// third field of proc(5)'s `stat`).
    private func endsSoon(_ process: String) throws -> Bool {
        let end = soon
        while ContinuousClock.now < end {
            guard let status = try? FileDescriptor.readAll(atPath: "/proc/\(process)/stat") else { return true }
            if String(decoding: status, as: UTF8.self).contains(") Z ") { return true }
        }
        return false
    }
}
