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
    // Nor do the settings of the user who runs the tests count.
    let clean: [String: String?] = [
        "CAIRN_SYMBOLS": nil as String?, "NO_COLOR": nil as String?, "XDG_CONFIG_HOME": "/nonexistent",
        // An index that a fourth run makes is not for others.
        "XDG_CACHE_HOME": NSTemporaryDirectory() + "/cairn-tests-cache",
    ]
    return try run(
        TestPaths.cairn, arguments, name: name, input: Array(input.utf8), environment: clean.merging(environment) { $1 },
        directory: TestPaths.fixture(""))
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
    let clean: [String: String?] = ["CAIRN_SYMBOLS": nil as String?, "NO_COLOR": nil as String?, "XDG_CONFIG_HOME": "/nonexistent"]
    return try run("python3", ["-c", script, TestPaths.cairn] + arguments, environment: clean.merging(environment) { $1 })
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
