import TestSupport
import Testing

/// What the program prints for each combination of options, as plain files in `Goldens`.
/// `CAIRN_UPDATE_GOLDENS=1` rewrites them, and the difference is read before it is committed.
/// Whether the results in them are right is the business of `ExpectedAnswersTests`.
struct GoldenTests {
    static let swift = "logs/swift-backtrace/SwiftCrash-O-inlined/off.txt"
    /// The fixtures as a repository, which the sources of a program lie in that was built without
    /// their paths.
    private static func places(_ program: String) -> [String] { ["--repository", ".", "--path-map", "/src=binaries/" + program] }
    static let cases: [(name: String, arguments: [String])] = [
        ("help", ["--help"]),
        ("help-symbolicate", ["symbolicate", "--help"]),
        ("formats", ["formats"]),
        ("console-same", ["logs/nsexception-console/CrashExample/console.log"]),
        ("console-text", ["logs/nsexception-console/CrashExample/console.log", "--format", "text"]),
        ("console-json", ["logs/nsexception-console/CrashExample/console.log", "--format", "json"]),
        ("ips-same", ["logs/apple-ips/CrashExample-exception/exception.ips"]),
        ("ips-text", ["logs/apple-ips/CrashExample-exception/exception.ips", "--format", "text"]),
        ("ips-text-crashed", ["logs/apple-ips/CrashExample-exception/exception.ips", "--format", "text", "--threads", "crashed"]),
        ("ips-text-color", ["logs/apple-ips/CrashExample-bad-access/bad-access.ips", "--format", "text", "--color", "always"]),
        ("ips-json", ["logs/apple-ips/CrashExample-exception/exception.ips", "--format", "json"]),
        ("crash-same", ["logs/apple-crash/CrashExample-exception/exception.crash"]),
        ("crash-text", ["logs/apple-crash/CrashExample-bad-access/bad-access.crash", "--format", "text"]),
        ("sample-same", ["logs/apple-sample/CrashExample/sample.txt"]),
        ("sample-text", ["logs/apple-sample/CrashExample/sample.txt", "--format", "text"]),
        ("sample-json", ["logs/apple-sample/CrashExample/sample.txt", "--format", "json"]),
        ("leaks-same", ["logs/apple-leaks/CrashExample/leaks.txt"]),
        ("leaks-one-line-same", ["logs/apple-leaks/CrashExample/leaks-one-line.txt"]),
        ("malloc-history-text", ["logs/apple-leaks/CrashExample/malloc-history.txt", "--format", "text"]),
        ("panic-same", ["logs/apple-panic/CrashExample-kext/kernel.panic"]),
        ("panic-text", ["logs/apple-panic/bridgeos/panic.txt", "--format", "text"]),
        ("spindump-same", ["logs/apple-spindump/CrashExample-hang/hang.txt"]),
        ("spindump-text", ["logs/apple-spindump/CrashExample-cpu/cpu_resource.ips", "--format", "text"]),
        ("swift-same", [swift]),
        ("swift-same-no-inlines", [swift, "--no-inlines"]),
        ("swift-same-no-demangle", [swift, "--no-demangle"]),
        ("swift-same-demangle-full", [swift, "--demangle", "full"]),
        ("swift-same-adjust-always", [swift, "--adjust", "always"]),
        ("swift-same-adjust-never", [swift, "--adjust", "never"]),
        ("swift-text", [swift, "--format", "text"]),
        ("swift-json", [swift, "--format", "json"]),
        ("swift-markdown", [swift] + places("SwiftCrash") + ["--format", "markdown"]),
        ("swift-sarif", [swift] + places("SwiftCrash") + ["--format", "sarif"]),
        ("swift-github", [swift] + places("SwiftCrash") + ["--format", "github"]),
        ("sample-markdown", ["logs/apple-sample/CrashExample/sample.txt"] + places("CrashExample") + ["--format", "markdown"]),
        ("spindump-markdown", ["logs/apple-spindump/CrashExample-hang/hang.txt"] + places("CrashExample") + ["--format", "markdown"]),
        ("inspect-macho", ["inspect", "binaries/CrashExample/out/CrashExample.dSYM"]),
        ("inspect-elf", ["inspect", "binaries/Stripped/out/shapes-zlib", "binaries/Stripped/out/shapes-linked"]),
    ]

    @Test(arguments: cases.map(\.name))
    func `the output is the recorded one`(name: String) throws {
        let arguments = try #require(Self.cases.first { $0.name == name }).arguments
        let isLog = arguments.contains { $0.hasPrefix("logs/") }
        // Only what the fixtures hold may give results: an explicit file for each, and nothing of
        // this machine's debug packages.
        let binary = arguments.contains(Self.swift) ? "binaries/SwiftCrash/out/SwiftCrash-O" : "binaries/CrashExample/out/CrashExample"
        let result = try cairn(arguments + (isLog ? ["--symbols", binary, "--quiet"] : []), environment: ["COLUMNS": "80"])
        #expect(result.status == 0, "\(result.errors)")
        let path = String(#filePath.dropLast("GoldenTests.swift".count)) + "Goldens/" + name + ".txt"
        if TestPaths.environment("CAIRN_UPDATE_GOLDENS") == "1" { try writeFile(path, result.standardOutput) }
        #expect(result.output == String(decoding: try readFile(path), as: UTF8.self))
    }
}
