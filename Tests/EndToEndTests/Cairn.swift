import Console
import Foundation
import Personalities
import TestSupport
import Testing

/// Runs the built program in the fixtures' folder, so that paths in what it prints are the same
/// everywhere.
func cairn(_ arguments: String..., input: String = "", name: String? = nil, environment: [String: String?] = [:]) throws -> RunResult {
    try cairn(arguments, input: input, name: name, environment: environment)
}

func cairn(_ arguments: [String], input: String = "", name: String? = nil, environment: [String: String?] = [:]) throws -> RunResult {
    // An index that a fourth run makes is not for others.
    let cache: [String: String?] = ["XDG_CACHE_HOME": NSTemporaryDirectory() + "/cairn-tests-cache"]
    return try run(
        TestPaths.cairn, arguments, name: name, input: Array(input.utf8),
        environment: withoutSettings.merging(cache) { $1 }.merging(environment) { $1 }, directory: TestPaths.fixture(""))
}

/// The settings of the user who runs the tests do not count.
private let withoutSettings: [String: String?] = [
    "CAIRN_SYMBOLS": nil as String?, "NO_COLOR": nil as String?, "XDG_CONFIG_HOME": "/nonexistent",
]

/// Runs the built program in a folder.
func cairn(_ arguments: [String], in folder: String, input: [UInt8] = [], environment: [String: String?] = [:]) throws -> RunResult {
    try run(
        TestPaths.cairn, arguments, input: input, environment: withoutSettings.merging(environment) { $1 }, directory: folder)
}

/// The first report that cairn, run in a folder, has for its arguments.
func report(_ arguments: String..., in folder: String) throws -> JSONLog {
    let result = try cairn(["--format", "json", "-q"] + arguments, in: folder)
    return try #require(try jsonLogs(result).first, "\(result.errors)")
}

/// The start of a command line that runs a program as a user whom mode bits stop; `nil` where the built binary lies where
/// only the superuser may go.
func unprivilegedCommand() throws -> [String]? {
    let isRoot = try run("id", ["-u"]).lines == ["0"]
    let command = isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : ["env"]
    return try run(command[0], command.dropFirst() + ["test", "-x", TestPaths.cairn]).status == 0 ? command : nil
}

/// Runs cairn on a pseudo-terminal; what it shows, both streams together, with line feeds alone.
func onTerminal(_ arguments: [String], environment: [String: String?] = [:]) throws -> RunResult {
    let script = """
        import os, pty, sys
        shown = b""
        def read(descriptor):
            global shown
            part = os.read(descriptor, 65536)
            shown += part
            return b"" if not part else part
        child, terminal = pty.fork()
        if child == 0: os.execv(sys.argv[1], sys.argv[1:])
        try:
            while read(terminal): pass
        except OSError: pass
        sys.stdout.buffer.write(shown.replace(b"\\r\\n", b"\\n"))
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
    return try run("python3", ["-c", script, TestPaths.cairn] + arguments, environment: withoutSettings.merging(environment) { $1 })
}

/// The parts of the JSON output that the tests look at, by the names of the schema.
struct JSONLog: Decodable {
    struct Function: Decodable {
        var name: String
        var mangledName: String?
        var offset: UInt64?
        var inlined: Bool?
        var file: String?
        var line: Int?
        var column: Int?
    }
    struct Frame: Decodable {
        var index: Int
        var kind: String
        var address: String?
        var lookupAddress: String?
        var trust: String?
        var image: Int?
        var imageOffset: String?
        var status: String?
        var reason: String?
        var inlined: Bool?
        var functions: [Function]?
        var note: String?
    }
    struct Thread: Decodable {
        var index: Int
        var crashed: Bool?
        var frames: [Frame]
    }
    struct Backtrace: Decodable { var frames: [Frame] }
    struct Image: Decodable {
        struct Symbols: Decodable {
            var status: String
            var path: String?
            var origin: String?
            var reason: String?
        }
        var name: String
        var id: String?
        var symbols: Symbols
    }
    var schema: Int
    var log: String
    var format: String
    var threads: [Thread]
    var exceptionBacktrace: Backtrace?
    var additionalBacktraces: [Thread]?
    var images: [Image]
    var notes: [String]?

    /// The frames of a thread by the name that `expected.tsv` gives it: its number, `exception`, or
    /// `additional` for the first additional backtrace.
    func frames(ofThread name: String) -> [Frame]? {
        switch name {
        case "exception": exceptionBacktrace?.frames
        case "additional": additionalBacktraces?.first?.frames
        default: threads.first { String($0.index) == name }?.frames
        }
    }
}

/// The logs of one `--format json` run.
func jsonLogs(_ result: RunResult) throws -> [JSONLog] {
    try result.output.split(separator: "\n").map { try JSONDecoder().decode(JSONLog.self, from: Data($0.utf8)) }
}

/// A table of the fixtures: the first line names the columns.
func table(_ path: String) throws -> [[String: String]] {
    let lines = String(decoding: try readFile(path), as: UTF8.self).split(separator: "\n").map {
        $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
    guard let header = lines.first else { return [] }
    return lines.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(header, $0)) }
}

/// The logs of the fixtures.
let fixtureLogs = TestPaths.files(under: TestPaths.fixture("logs")).filter {
    !$0.contains("/expected") && !$0.hasSuffix(".tsv") && !$0.hasSuffix("README.md")
}

/// The lines of a fixture.
func fixtureLines(_ path: String) throws -> [String] {
    String(decoding: try readFile(TestPaths.fixture(path)), as: UTF8.self).split(separator: "\n").map(String.init)
}

/// Runs a tool whose place cairn takes within this process, as `cairn NAME ARGUMENTS` would.
/// - Parameter variables: its whole environment.
func runTool(_ name: String, _ arguments: [String], input: String = "", variables: [String: String] = [:]) throws -> RunResult {
    guard case .here(let tool)? = Personality(named: name)?.work else { throw RunError(description: "\(name): not a tool of cairn") }
    return try withStandardStreams(input: Array(input.utf8)) { streams in
        tool(arguments, ToolContext(input: streams[0], output: streams[1], errors: streams[2], variables: variables)).rawValue
    }
}
