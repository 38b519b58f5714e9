import BinaryPrimitives
import CrashLogFormats
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Traces of every format of lines behind the prefixes of every known writer: found as without the
/// prefix, and symbolicated so that nothing but the prefix differs.
struct PrefixedTracesTests {
    /// Prefix that one writer puts before a line, by the line's number, and the document that
    /// describes it.
    struct Writer: Sendable, CustomTestStringConvertible {
        var name: String
        var source: String
        var prefix: @Sendable (Int) -> String
        var testDescription: String { name }

        init(_ name: String, _ source: String, _ prefix: @escaping @Sendable (Int) -> String) {
            self.name = name
            self.source = source
            self.prefix = prefix
        }
    }

    /// Times differ from line to line, in their fractions.
    private static func fraction(_ line: Int, _ digits: Int) -> String {
        let text = String(100_000 + line * 37)
        return String((text + "0000").prefix(digits))
    }

    static let writers: [Writer] = [
        // Builders and test runners
        Writer("GitHub Actions", "runner: `2006-01-02T15:04:05.0000000Z `") { "2026-11-21T10:00:00.\(fraction($0, 7))Z " },
        Writer("gh run view --log", "cli: job, step, line between tabs") { "build\tRun tests\t2026-11-21T10:00:00.\(fraction($0, 7))Z " },
        Writer("GitLab", "runner: FF_TIMESTAMPS") { "2026-11-21T10:00:00.\(fraction($0, 6))Z 01O " },
        Writer("Azure Pipelines", "agent: raw logs") { "2026-11-21T10:00:00.\(fraction($0, 7))Z " },
        Writer("Jenkins, timestamps()", "timestamper-plugin: pipeline steps") { "[2026-11-21T10:00:00.\(fraction($0, 3))Z] " },
        Writer("Jenkins, console", "timestamper-plugin: HH:mm:ss") { _ in "10:00:00 " },
        Writer("Jenkins, parallel", "workflow: `[branch] `") { _ in "[linux-x86] " },
        Writer("Buildkite", "agent: ansi-timestamps") { "\u{1B}_bk;t=1763719200\(fraction($0, 3))\u{07}" },
        Writer("TeamCity", "build log, downloaded") { _ in "[10:00:00]W:\t " },
        Writer("TeamCity, plain", "build log, downloaded") { _ in "[10:00:00] :\t " },
        Writer("fastlane", "fastlane_core: Shell") { _ in "[10:00:00]: " },
        Writer("ctest -V", "CMake: cmCTestRunTest") { _ in "12: " },
        Writer("pytest", "FormattedExcinfo.fail_marker") { _ in "E   " },
        Writer("flutter run -v", "flutter_tools: `[  +12 ms] `") { "[  +\(12 + $0 % 7) ms] " },
        // Containers and process managers
        Writer("docker compose", "compose: formatter") { _ in "web-1  | " },
        Writer("docker compose, in colour", "compose: formatter") { _ in "\u{1B}[36mweb-1  |\u{1B}[0m " },
        Writer("docker compose --timestamps", "compose: formatter") { "web-1  | 2026-11-21T10:00:00.\(fraction($0, 9))Z " },
        Writer("docker service logs", "cli: service.name.task@node") { _ in "web.1.k5eapsbs2g3h@node-1    | " },
        Writer("docker logs --timestamps", "moby: RFC 3339") { "2026-11-21T10:00:00.\(fraction($0, 9))Z " },
        Writer("containerd, CRI-O", "Kubernetes: CRI log format") { "2026-11-21T10:00:00.\(fraction($0, 9))Z stderr F " },
        Writer("kubectl logs --prefix", "kubectl: `[pod/name/container] `") { _ in "[pod/web-5d8f7/main] " },
        Writer("kubectl logs --prefix --timestamps", "kubectl") { "[pod/web-5d8f7/main] 2026-11-21T10:00:00.\(fraction($0, 9))Z " },
        Writer("foreman", "foreman: engine/cli") { _ in "10:00:00 web.1   | " },
        Writer("PM2", "pm2: `id|name  | `") { _ in "0|app      | " },
        // Journals and log services
        Writer("journalctl", "systemd: short") { _ in "Nov 21 10:00:00 host server[812]: " },
        Writer("journalctl -o short-precise", "systemd") { "Nov 21 10:00:00.\(fraction($0, 6)) host server[812]: " },
        Writer("journalctl -o short-iso", "systemd") { _ in "2026-11-21T10:00:00+0100 host server[812]: " },
        Writer("journalctl -o short-iso-precise", "systemd") { "2026-11-21T10:00:00.\(fraction($0, 6))+0100 host server[812]: " },
        Writer("journalctl -o short-monotonic", "systemd") { "[ 1234.\(fraction($0, 6))] host server[812]: " },
        Writer("journalctl -o short-unix", "systemd") { "1763719200.\(fraction($0, 6)) host server[812]: " },
        Writer("journalctl -o short-full", "systemd") { _ in "Sat 2026-11-21 10:00:00 CET host server[812]: " },
        Writer("systemd-cat", "systemd: identifier without a number") { _ in "Nov 21 10:00:00 host server: " },
        Writer("rsyslog file", "RSYSLOG_FileFormat") { "2026-11-21T10:00:00.\(fraction($0, 6))+01:00 host server[812]: " },
        Writer("syslog, RFC 5424", "RFC 5424, section 6") {
            "<134>1 2026-11-21T10:00:00.\(fraction($0, 3))Z host server 812 ID47 [x@32473 iut=\"3\\]\"] "
        },
        Writer("syslog, RFC 5424, without data", "RFC 5424, section 6.2.3") {
            "<11>1 2026-11-21T10:00:00.\(fraction($0, 3))Z host server 812 - - "
        },
        Writer("Heroku", "Logplex: `source[dyno]: `") { "2026-11-21T10:00:00.\(fraction($0, 6))+00:00 app[web.1]: " },
        Writer("Cloud Foundry", "cf logs") { "2026-11-21T10:00:00.\(fraction($0, 2))+0000 [APP/PROC/WEB/0] ERR " },
        // Devices
        Writer("logcat -v threadtime", "liblog: logprint") { "11-21 10:00:00.\(fraction($0, 3))  1234  1240 F DEBUG   : " },
        Writer("logcat -v time", "liblog: logprint") { "11-21 10:00:00.\(fraction($0, 3)) F/DEBUG   ( 1234): " },
        Writer("logcat -v tag", "liblog: logprint") { _ in "F/DEBUG   : " },
        Writer("logcat -v thread", "liblog: logprint") { _ in "F( 1234: 1240) " },
        Writer("logcat -v year", "liblog: logprint") { "2026-11-21 10:00:00.\(fraction($0, 3))  1234  1240 F DEBUG   : " },
        Writer("Android Studio", "Logcat, since Electric Eel") {
            "2026-11-21 10:00:00.\(fraction($0, 3))  1234-1240  DEBUG                   com.example.shop                     A  "
        },
        Writer("logcat -v brief", "liblog: logprint") { _ in "F/DEBUG   ( 1234): " },
        Writer("Xcode's console", "NSLog") { "2026-11-21 10:00:00.\(fraction($0, 6))+0100 Demo App[459:70707] " },
        Writer("idevicesyslog", "libimobiledevice: syslog relay") { _ in "Nov 21 10:00:00 iPhone server(libsystem)[812] <Error>: " },
        // Kernels and serial lines
        Writer("dmesg", "printk") { "[   12.\(fraction($0, 6))] " },
        Writer("dmesg, with the caller", "printk: PRINTK_CALLER") { "[   12.\(fraction($0, 6))][ T1234] " },
        Writer("dmesg -r", "util-linux: raw") { "<4>[   12.\(fraction($0, 6))] " },
        Writer("dmesg -T", "util-linux: ctime") { _ in "[Sat Nov 21 10:00:00 2026] " },
        Writer("dmesg -x", "util-linux: decode") { "kern  :err   : [   12.\(fraction($0, 6))] " },
        Writer("dmesg -e, first line of a minute and others", "util-linux: reltime") {
            $0 % 20 == 0 ? "[Nov21 10:00] " : "[  +0.000\(fraction($0, 3))] "
        },
        Writer("/dev/kmsg", "Documentation/ABI/testing/dev-kmsg") { "4,\(1200 + $0),12345678,-;" },
        // Tools and people
        Writer("valgrind", "vg_print") { _ in "==123== " },
        Writer("a mail", "RFC 3676") { _ in "> " },
        Writer("a mail of a mail", "RFC 3676") { _ in ">> " },
        Writer("one behind another", "GitHub, compose, journald") {
            "2026-11-21T10:00:00.\(fraction($0, 7))Z web-1  | Nov 21 10:00:00 host server[812]: "
        },
    ]

    struct Sample: Sendable, CustomTestStringConvertible {
        var format: String
        var log: SampleLog
        var report: CrashReport
        /// The lines of the log with every frame resolved.
        var symbolicated: [String]
        var testDescription: String { format }
    }

    /// The formats of lines, each family of those that have a card by itself.
    static let names = FormatRegistry.standard.lineFormats.flatMap { $0.families.map(\.name) }

    /// One of our own logs of each format of lines: the shortest that has an address.
    static let samples: [Sample] = names.compactMap { name in
        let logs =
            CorpusTests.fixtures.filter { $0.folder == name }.map(\.log) + CardSample.all.filter { $0.name == name }.map(\.log)
            + MobileSamples.all.filter { $0.name == name }.map(\.log)
        let usable = logs.filter { log in
            let reports = log.parsed().reports
            return reports.count == 1 && reports[0].format == name && !reports[0].allFrames.isEmpty && !log.bytes.contains(0x0D)
        }
        guard let log = usable.min(by: { $0.bytes.count < $1.bytes.count }), !skipped.keys.contains(name) else { return nil }
        guard let report = log.parsed().reports.first else { return nil }
        return Sample(format: name, log: log, report: report, symbolicated: lines(symbolicated(log, report)))
    }

    /// Formats whose logs no writer passes on line by line.
    static let skipped = [
        "stack-rows": "rows behind any prefix are what it is tested with by itself",
        "crashlytics": "a console's download, no writer's lines",
        "cortex-m-registers": "a serial line's, by whatever prints it; the rows are registers",
        "op-tee": "a serial line's, by whatever prints it; the rows are bare addresses",
        "minidump-stackwalk": "a tool's output, which nobody logs",
        "u-boot": "before any writer runs; the rows are registers",
        "umeng": "a console's page, no writer's lines",
        "xctrace": "a document of XML, no writer's lines",
        "address-list": "a log is a bare list only if every line of it is a row, from its first on",
        "sanitizer-ubsan": "each of our logs holds several reports, one for each mistake",
        "apple-ips-legacy": "a file: its first line is an object of JSON, which would not begin a line",
    ]

    /// Whether a trace cannot be distinguished from a prefix, or the prefix from a row.
    static func isAmbiguous(_ format: String, _ writer: String) -> Bool {
        switch writer {
        // `12: 0x…` and `12: /usr/lib/xorg/Xorg (…)` are rows themselves: those of Node and Xorg,
        // and lists of images.
        case "ctest -V":
            [
                "apple-crash", "swift-server-backtrace", "xorg-backtrace", "node-backtrace", "chromium-misc", "unreal", "gdb-bt",
                "glibc-backtrace", "druntime", "jvm-mixed-stacks", "greenplum", "libunwind", "moz-stack-walk", "strace",
            ].contains(format)
        // `forrtl: `, `call trace(18):`, `error@file.d(3): ` and `Exception (28):` are tags
        // themselves.
        case "logcat -v tag": ["intel-fortran", "haproxy", "druntime", "esp8266"].contains(format)
        default: false
        }
    }

    @Test func `every format of lines has a sample`() {
        let missing = Self.names.filter { name in !Self.samples.contains { $0.format == name } }
        #expect(Set(missing).isSubset(of: Self.skipped.keys))
    }

    @Test(arguments: samples, writers) func `a trace behind a prefix is the same trace, and its answers keep the prefix`(
        sample: Sample, writer: Writer
    ) throws {
        guard !Self.isAmbiguous(sample.format, writer.name) else { return }
        let prefixed = Self.prefixed(sample.log, writer)
        let reports = prefixed.parsed().reports
        let report = try #require(reports.first, "nothing was found")
        let plain = sample.report
        #expect(report.format == plain.format && reports.count == 1)
        #expect(report.allFrames.map(\.address) == plain.allFrames.map(\.address))
        #expect(report.allFrames.map(\.kind) == plain.allFrames.map(\.kind))
        #expect(report.allFrames.map(\.printed) == plain.allFrames.map(\.printed))
        #expect(report.allFrames.map(\.imageLocation) == plain.allFrames.map(\.imageLocation))
        #expect(report.images == plain.images)
        #expect(report.threads.map(\.name) == plain.threads.map(\.name))
        #expect(report.cause == plain.cause)

        // Every line, those of inlined calls too, has a prefix of this writer; without it, the log
        // is the symbolicated one.
        let known = Set((0...Self.lines(sample.log).count).map(writer.prefix))
        let bare = Self.lines(Self.symbolicated(prefixed, report)).map { line in
            known.first { line.hasPrefix($0) && !($0.isEmpty) }.map { String(line.dropFirst($0.count)) } ?? "no prefix: \(line)"
        }
        #expect(bare == sample.symbolicated)
    }

    private static func lines(_ log: SampleLog) -> [String] {
        log.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
            .dropLast()
    }

    private static func prefixed(_ log: SampleLog, _ writer: Writer) -> SampleLog {
        SampleLog(lines(log).enumerated().map { writer.prefix($0) + $1 + "\n" }.joined())
    }

    private static func symbolicated(_ log: SampleLog, _ report: CrashReport) -> SampleLog {
        let results = report.allFrames.compactMap { frame in result(frame).map { (frame, $0) } }
        return SampleLog(
            bytes: TextEdit.apply(FormatRegistry.standard.edits(of: report, results: results, in: log.bytes.span), to: log.bytes.span))
    }

    private static func result(_ frame: Frame) -> FrameResult? {
        guard let address = frame.address, address.value > 64 else { return nil }
        let outer = FrameResult.function("function", offset: 40, "/src/file.swift", 12, column: 3, image: frame.imageName ?? "App")
        return frame.index % 2 == 0 ? outer.inlining("inlined()", "/src/b.swift", 7) : outer
    }
}
