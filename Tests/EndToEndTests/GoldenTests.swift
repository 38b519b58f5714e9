import TestSupport
import Testing

/// The layout of each output, as plain files in `Goldens`: what the program printed before.
/// `CAIRN_UPDATE_GOLDENS=1` rewrites them, and the difference is read before it is committed.
/// Whether the results in them are right is tested by `ExpectedAnswersTests`, what options change
/// by `OptionEffectsTests`.
struct GoldenTests {
    static let swift = "logs/swift-backtrace/SwiftCrash-O-inlined/off.txt"
    /// The fixtures as a repository, which the sources of a program lie in that was built without
    /// their paths.
    private static func repositoryOptions(_ program: String) -> [String] {
        ["--repository", ".", "--path-map", "/src=binaries/" + program]
    }
    static let cases: [(name: String, arguments: [String])] = [
        ("help", ["--help"]),
        ("ips-text-color", ["logs/apple-ips/CrashExample-bad-access/bad-access.ips", "--format", "text", "--color", "always"]),
        ("crash-same", ["logs/apple-crash/CrashExample-exception/exception.crash"]),
        ("sample-text", ["logs/apple-sample/CrashExample/sample.txt", "--format", "text"]),
        ("swift-text", [swift, "--format", "text"]),
        ("swift-json", [swift, "--format", "json"]),
        ("swift-markdown", [swift] + repositoryOptions("SwiftCrash") + ["--format", "markdown"]),
        ("swift-sarif", [swift] + repositoryOptions("SwiftCrash") + ["--format", "sarif"]),
        ("swift-github", [swift] + repositoryOptions("SwiftCrash") + ["--format", "github"]),
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
