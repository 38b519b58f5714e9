import BinaryPrimitives
import TestSupport
import Testing

/// Conversations with the shell and the usual tools.
struct ChildProcessTests {
    private var soon: ContinuousClock.Instant { .now + .seconds(20) }

    @Test func `lines go both ways`() throws {
        let child = try ChildProcess(path: "/bin/sh", arguments: ["-c", "while read line; do echo \"<$line>\"; done"])
        let isSent = child.send("one\ntwo\n", before: soon)
        let first = [child.reply(before: soon), child.reply(before: soon)]
        let isSentAgain = child.send("three\n", before: soon)
        let last = child.reply(before: soon)
        child.kill()
        #expect(isSent == .sent && isSentAgain == .sent)
        #expect(first == [.line("<one>"), .line("<two>")] && last == .line("<three>"))
    }

    @Test(.timeLimit(.minutes(1))) func `a silent program is not waited for`() throws {
        let child = try ChildProcess(path: "/bin/sleep", arguments: ["1000"])
        let reply = child.reply(before: .now + .milliseconds(20))
        child.kill()
        #expect(reply == .late)
    }

    /// A pipe holds 64 KB on Linux (pipe(7)); this program does not read them.
    @Test(.timeLimit(.minutes(1))) func `a program that reads nothing is not waited for`() throws {
        let child = try ChildProcess(path: "/bin/sleep", arguments: ["1000"])
        let isSent = child.send(String(repeating: "x", count: 1 << 20), before: .now + .milliseconds(20))
        child.kill()
        #expect(isSent == .late)
    }

    /// Without care the signal SIGPIPE would end this process.
    @Test func `a program that has ended is noticed`() throws {
        let child = try ChildProcess(path: "/bin/sh", arguments: ["-c", "exec <&-; echo last"])
        let replies = [child.reply(before: soon), child.reply(before: soon)]
        let areSent = [child.send(String(repeating: "x", count: 1 << 20), before: soon), child.send("again\n", before: soon)]
        #expect(replies == [.line("last"), .ended])
        #expect(areSent == [.ended, .ended])
    }

    @Test func `the input's end tells a program to end`() throws {
        let child = try ChildProcess(path: "/bin/sh", arguments: ["-c", "echo $$; cat >/dev/null"])
        guard case .line(let process) = child.reply(before: soon) else { return #expect(Bool(false)) }
        _ = consume child
        #expect(eventually { hasEnded(process) })
    }

    @Test func `what cannot be run is told`() {
        #expect(throws: FileError.self) { _ = try ChildProcess(path: "/no/such/program", arguments: []) }
    }

    /// Whether the process has ended, or waits as a zombie for its status to be read (`Z` in the
    /// third field of proc(5)'s `stat`).
    private func hasEnded(_ process: String) -> Bool {
        guard let status = try? FileDescriptor.readAll(atPath: "/proc/\(process)/stat") else { return true }
        return String(decoding: status, as: UTF8.self).contains(") Z ")
    }
}
