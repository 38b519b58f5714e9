import BinaryPrimitives
import CrashLogModel
import CrashReports
import Reporting
import SymbolFiles
import Symbolication
import TestSupport
import Testing

@testable import TestReports

/// Logs of every format, as they are: nothing of them is looked up, and what they say themselves is
/// used.
struct RealLogTests {
    private static func unanswered(_ report: CrashReport) -> SymbolicatedReport {
        var result = SymbolicatedReport(report: report)
        func outcomes(_ trace: ThreadTrace) -> [FrameOutcome] {
            trace.frames.map { _ in FrameOutcome(.unresolved("nothing was looked up")) }
        }
        result.threads = report.threads.map(outcomes)
        result.exceptionBacktrace = report.exceptionBacktrace.map(outcomes) ?? []
        result.additionalBacktraces = report.additionalBacktraces.map(outcomes)
        return result
    }

    private func failures(_ path: String, _ collector: FailureCollector) throws -> [Failure] {
        var collector = collector
        let bytes = try readFile(path)
        let log = CrashLog.parse(bytes.span)
        for report in log.reports { collector.add(Self.unanswered(report)) }
        return collector.finish()
    }

    /// The rule and the place of logs whose sources are known: the lines are those that the logs
    /// name themselves.
    @Test func rulesAndPlaces() throws {
        let expected: [(log: String, rule: String, level: Failure.Level, location: String?)] = [
            ("rust-panic/RustCrash/short-itself.txt", "panic/rust", .error, "code/main.rs:15"),
            ("sanitizer-asan/Sanitizers-clang-address/symbolized.txt", "sanitizer/heap-use-after-free", .error, "code/store.cpp:17"),
            ("sanitizer-lsan/Sanitizers-clang-leak/symbolized.txt", "sanitizer/leak", .error, "code/store.cpp:71"),
            ("swift-backtrace/SwiftCrash-index/full.txt", "crash/SIGILL", .error, "code/Warehouse.swift:7"),
            ("go-panic/GoCrash/nil-single.txt", "panic/go", .error, "tank/main.go:20"),
            ("java-trace/Leak/trace.txt", "exception/java.lang.IllegalStateException", .warning, nil),
            ("nsexception-console/CrashExample/console.log", "exception/NSInvalidArgumentException", .error, nil),
            ("android-anr/libshop/anr-13.txt", "hang/ANR", .error, nil),
            ("android-tombstone/libshop-arm64/tombstone-13.txt", "crash/SIGSEGV", .error, nil),
            ("glibc-backtrace/ferry-pie/backtrace.txt", "stack/glibc-backtrace", .warning, nil),
            ("glibc-backtrace/ferry-pie-assert/assert.txt", "crash/assertion-failed", .error, nil),
            ("apple-spindump/CrashExample-hang/hang.txt", "hang/hang", .error, nil),
            ("apple-spindump/CrashExample-cpu/cpu_resource.ips", "resource/cpu-usage", .warning, nil),
            ("metrickit/CrashExample-hang/payload.json", "hang/MXHangDiagnostic", .error, nil),
            ("metrickit/CrashExample-bad-access/payload.json", "crash/SIGSEGV", .error, nil),
            ("swift-runtime-trace/SwiftCrash-inlined/trace.txt", "crash/Fatal-error", .error, nil),
        ]
        let files = [
            "code/main.rs": "", "code/store.cpp": "", "code/main.cpp": "", "code/Warehouse.swift": "", "code/main.swift": "",
            "tank/main.go": "",
        ]
        try Scene.with(files) { scene in
            let paths = scene.paths(map: PathMap([.init(old: "/src", new: "code")]))
            for (log, rule, level, location) in expected {
                let collector = FailureCollector(repository: paths, ownCode: OwnCodeRule(), excerpts: SourceExcerpts(root: nil))
                let failure = try #require(try failures(TestPaths.fixture("logs/" + log), collector).first, "\(log)")
                #expect(failure.rule == rule, "\(log)")
                #expect(failure.level == level, "\(log)")
                #expect(failure.location.map { "\($0.path):\($0.line)" } == location, "\(log)")
                #expect((failure.location == nil) == (failure.missingLocationReason != nil), "\(log)")
            }
            for log in ["address-list/nested/files.txt", "perf-script/ferry/dwarf.txt"] {
                let collector = FailureCollector(repository: paths, ownCode: OwnCodeRule(), excerpts: SourceExcerpts(root: nil))
                #expect(try failures(TestPaths.fixture("logs/" + log), collector).isEmpty)
                // For such a log that the user gives, the output says what it is, as a note and
                // without a place.
                let given = FailureCollector(
                    repository: paths, ownCode: OwnCodeRule(), excerpts: SourceExcerpts(root: nil), subject: .log)
                let reported = try failures(TestPaths.fixture("logs/" + log), given)
                #expect(reported.map(\.kind) == [.noFailure] && reported.map(\.level) == [.note] && reported.map(\.location) == [nil])
                #expect(reported[0].rule == "report/" + log.prefix { $0 != "/" } && !reported[0].stacks.isEmpty)
            }
        }
    }

    /// The branch of a call tree with the most samples is shown, from its end: of the main thread's
    /// 2449 samples 1840 are in `objc_msgSend`, and all in `start`.
    @Test func callTrees() throws {
        let collector = FailureCollector(
            repository: RepositoryPaths(root: TestPaths.root), ownCode: OwnCodeRule(), excerpts: SourceExcerpts(root: nil), subject: .log)
        let failure = try #require(try failures(TestPaths.fixture("logs/apple-sample/CrashExample/sample.txt"), collector).first)
        let main = try #require(failure.stacks.first)
        #expect(main.title.hasSuffix("the branch with the most samples"))
        #expect(main.frames.first?.function == "objc_msgSend" && main.frames.last?.function == "start")
    }

    /// In this repository, which the logs are not about. Wherever a place is given, some frame
    /// names that line and a file of that name; and every output can be written.
    @Test func everyFormat() throws {
        let repository = RepositoryPaths(root: TestPaths.root)
        var count = 0
        for path in TestPaths.files(under: TestPaths.fixture("logs")) + TestPaths.files(under: TestPaths.fixture("hostile")) {
            guard !path.contains("expected"), TestPaths.bytes(of: path).count < 4 << 20 else { continue }
            let collector = FailureCollector(repository: repository, ownCode: OwnCodeRule(), excerpts: SourceExcerpts(root: TestPaths.root))
            let found = try failures(path, collector)
            count += found.count
            for failure in found {
                if let location = failure.location {
                    #expect(TestPaths.isReadable(TestPaths.root + "/" + location.path))
                    #expect(
                        failure.stacks.flatMap(\.frames).contains {
                            $0.line == location.line && Path.name(of: $0.file ?? "") == Path.name(of: location.path)
                        }, "\(path)")
                }
                // Rust's `src/main.rs` is not that of the benchmarks.
                if failure.rule == "panic/rust" { #expect(failure.location == nil, "\(path)") }
            }
            let sarif = SARIFReport(version: "0").render(found)
            let document = try? JSONParser().parse(sarif.span)
            #expect(document?["version"]?.string == "2.1.0", "\(path)")
            let shown = [Failure.Level.error, .warning].map { level in found.count { $0.level == level } }
            let lines = GitHubAnnotations().render(found).count { $0 == 0x0A }
            #expect(lines == shown.reduce(0) { $0 + min(10, $1) } + (shown.contains { $0 > 10 } ? 1 : 0), "\(path)")
        }
        #expect(count > 100)
    }
}
