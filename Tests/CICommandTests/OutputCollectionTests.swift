import BinaryPrimitives
import CrashLogModel
import Reporting
import SymbolFiles
import Symbolication
import TestReports
import TestSupport
import Testing

@testable import CICommand

/// What is collected does not depend on whether a second thread reads it.
struct OutputCollectionTests {
    private func collection() -> OutputCollection {
        OutputCollection(
            FailureCollector(
                repository: RepositoryPaths(root: "/repo", workingDirectory: "/repo", map: PathMap()), ownCode: OwnCodeRule(),
                excerpts: SourceExcerpts(root: nil)))
    }

    /// A process that SIGSEGV ended, as a debugger reports it.
    private var crash: SymbolicatedReport {
        var report = CrashReport(format: "gdb-backtrace")
        report.cause = CrashCause(kind: .signal, signal: "SIGSEGV")
        return SymbolicatedReport(report: report)
    }

    /// The output of Swift Testing: 40,000 tests, of which each thousandth fails; a process crashes while one of them runs.
    private func failures(partsOf size: Int) -> [Failure] {
        var output = collection()
        var text: [UInt8] = []
        func addText() {
            for start in stride(from: 0, to: text.count, by: size) {
                output.add(.text(Array(text[start..<min(start + size, text.count)])), of: 0)
                // Lines of the other stream are not mixed with these, although both come in parts.
                output.add(.text(Array("a warn".utf8)), of: 1)
                output.add(.text(Array("ing\n".utf8)), of: 1)
            }
            text = []
        }
        for number in 0..<40_000 {
            text += Array("\u{25C7} Test berth\(number)() started.\n".utf8)
            if number % 1000 == 0 {
                text += Array("\u{2718} Test berth\(number)() recorded an issue at Berths.swift:7:9: Expectation failed: no ship\n".utf8)
                text += Array("\u{2718} Test berth\(number)() failed after 0.001 seconds with 1 issue.\n".utf8)
            } else if number == 23_456 {
                addText()
                output.add(.traces([crash]), of: 0)
            } else {
                text += Array("\u{2714} Test berth\(number)() passed after 0.001 seconds.\n".utf8)
            }
        }
        addText()
        output.endLines()
        return output.withFailures { $0.finish() }
    }

    @Test(arguments: [700, 100_000, 4 << 20])
    func `tests that fail and a crash are those of the text, in parts of any size`(size: Int) throws {
        let failures = failures(partsOf: size)
        let failed = failures.filter { $0.rule == "test-failure" }
        #expect(Set(failed.flatMap(\.tests)) == Set((0..<40).map { "berth\($0 * 1000)()" }))
        let crash = try #require(failures.first { $0.kind == .crash })
        #expect(crash.tests == ["berth23456()"])
        #expect(failures.count == 41)
    }

    /// The collector is asked at once, as when a process is about to end: all that was printed before has been read.
    @Test(arguments: [700, 100_000])
    func `the tests that run are those of all text that was added`(size: Int) {
        var output = collection()
        for number in 0..<200 {
            var text = Array("\u{25C7} Test berth\(number)() started.\n".utf8)
            text += Array(repeating: UInt8(ascii: "."), count: size) + Array("\n".utf8)
            output.add(.text(text), of: 0)
            #expect(output.withFailures { $0.runningTests } == ["berth\(number)()"])
            output.add(.text(Array("\u{2714} Test berth\(number)() passed after 0.001 seconds.\n".utf8)), of: 0)
        }
    }
}
