import BinaryPrimitives
import CrashLogModel
import Testing

@testable import Symbolication

@Suite struct OtherMachineTests {
    private func reason(
        _ change: (inout CrashReport) -> Void, format: String = "glibc-backtrace",
        from origin: LogOrigin = LogOrigin(writtenAt: 0, folders: ["/usr/bin"])
    ) -> String? {
        var report = CrashReport(format: format)
        change(&report)
        return OtherMachine.reason(report, from: origin)
    }

    @Test func `nothing says so`() {
        #expect(reason { _ in } == nil)
        #expect(reason { $0.process.host = Program.hostName } == nil)
    }

    @Test func `another host, a container, another system, another processor`() {
        #expect(reason { $0.process.host = "elsewhere.example" } == "the log is of the host elsewhere.example")
        #expect(reason { $0.process.container = "web_1" } == "the log is of the container web_1")
        #expect(reason { $0.architecture = .s390x } == "the log is of s390x")
        #if os(Linux)
            #expect(reason { $0.platform = "macOS 13.1 (22C65)" } == "the log is of macOS")
            #expect(reason({ _ in }, format: "android-tombstone") == "the log is of Android")
        #endif
    }

    @Test func `a program that is not where the log has it`() {
        func reason(of path: String, from origin: LogOrigin = LogOrigin(writtenAt: 0, folders: ["/nowhere", "/usr/bin"])) -> String? {
            self.reason({ $0.images = [BinaryImage(file: path)] }, from: origin)
        }
        #expect(reason(of: "/usr/bin/env") == nil)
        #expect(reason(of: "/opt/harbour/bin/berth") == "the log has /opt/harbour/bin/berth, which is not there")
        #expect(reason(of: "./env") == nil)
        #expect(reason(of: "./berth") == "the log has ./berth, which is not there")
        #expect(reason(of: "bin/berth") == "the log has bin/berth, which is not there")
        #expect(reason(of: "berth") == nil)
        // Whatever prints it now runs here, in a folder of its own.
        #expect(reason(of: "./berth", from: .running(since: 0)) == nil)
    }

    @Test func `a log's prefix gives the host and the container`() {
        func prefix(_ line: String) -> LinePrefix { LinePrefix(of: Array(line.utf8).span) }
        #expect(prefix("Oct 26 13:25:43 tide harbour[812]: text").hostName == "tide")
        #expect(prefix("web_1  | text").containerName == "web_1")
        #expect(prefix("text").hostName == nil)
    }
}
