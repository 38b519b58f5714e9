import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

struct ApportReportTests {
    private func fixture(_ name: String) -> SampleLog { SampleLog(fixture: "apport/ferry/" + name) }

    @Test func `a report with stacks`() throws {
        let report = try fixture("retraced.crash").report()
        #expect(report.format == "apport")
        #expect(report.process.path == "/srv/cairn-fixtures/ferry-pie" && report.process.pid == 14352)
        #expect(report.cause?.signal == "SIGSEGV")
        #expect(report.architecture == .x86_64 && report.platform == "Ubuntu 22.04")
        #expect(report.threads.map(\.index) == [2, 1])
        #expect(report.threads.map(\.crashed) == [false, true])
        #expect(report.additionalBacktraces.map(\.name) == ["Stacktrace"])
        #expect(report.additionalBacktraces[0].frames.map(\.address) == report.threads[1].frames.map(\.address))
        #expect(report.images.first { $0.name == "ferry-pie" }?.base == RuntimeAddress(0x5555_5555_4000))
        #expect(report.threads[1].registers?.values.first { $0.name == "rip" }?.value == 0x5555_5555_5540)
        #expect(report.threads[1].frames.map(\.kind).prefix(2) == [.programCounter, .returnAddress])
    }

    /// `ferry-pie+540` counts from the mapping of code, which begins at 0x555555555000;
    /// `libharbour.so.1+12b` from 0x7ffff7fbc000.
    @Test func `a report with a signature alone`() throws {
        let log = fixture("signature.crash")
        let report = try log.report()
        let frames = report.threads[0].frames
        #expect(frames.prefix(2).map(\.hex) == ["0x555555555540", "0x7ffff7fbc12b"])
        #expect(log.text(of: frames[1]) == "/srv/cairn-fixtures/libharbour.so.1+12b")
        #expect(log.symbolicated { _ in .function("f", offset: 1, "/a.c", 1) }.bytes == log.bytes)
    }

    @Test func `reports without stacks, and of other problems`() {
        #expect(SampleLog("ProblemType: Crash\nSignal: 11\nCoreDump: base64\n H4sI\n").parsed().reports.isEmpty)
        #expect(SampleLog("ProblemType: Bug\nStacktrace:\n #0  0x10 in f ()\n").parsed().reports.allSatisfy { $0.format != "apport" })
    }

    @Test func `the core is not read`() throws {
        let log = SampleLog(
            "ProblemType: Crash\nStacktrace:\n #0  0x0010 in f ()\n #1  0x0020 in ?? ()\nCoreDump: base64\n H4sI\n #0  0x0030 in g ()\n")
        #expect(log.parsed().reports[0].threads[0].frames.count == 2)
    }
}
