import TestSupport
import Testing

/// `cairn serve` on a loopback port that the system chose, until the value goes.
final class RunningServer {
    /// Without the slash at its end.
    let url: String
    private let program: StartedProgram

    init(_ arguments: [String], environment: [String: String?] = [:]) throws {
        let clean: [String: String?] = [
            "CAIRN_SYMBOLS": nil as String?, "XDG_CONFIG_HOME": "/nonexistent", "CAIRN_CACHE": "/dev/null/cache",
            "DEBUGINFOD_URLS": nil as String?,
        ]
        program = try StartedProgram(
            [TestPaths.cairn, "serve", "--listen", "127.0.0.1:0"] + arguments, environment: clean.merging(environment) { $1 })
        url = String(try #require(program.line(), "no server").dropLast())
    }

    var process: Int32 { program.process }

    /// The processes that it has started.
    func engines() throws -> [String] { try run("pgrep", ["-P", "\(process)"]).lines }

    func signal(_ name: String) throws { _ = try run("kill", ["-\(name)", "\(process)"]) }

    /// Waits for its end.
    func finish() -> RunResult { program.finish() }

    struct Reply {
        var status: Int
        var headers: [String: String]
        var body: [UInt8]
        var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// A request by curl, which is no code of ours.
    func curl(_ path: String, _ options: [String] = [], input: [UInt8] = []) throws -> Reply {
        let result = try run("curl", ["--silent", "--show-error", "--include", "--max-time", "60"] + options + [url + path], input: input)
        guard result.status == 0 else { throw RunError(description: "curl: \(result.status): \(result.errors)") }
        var rest = result.standardOutput[...]
        var head = ""
        // After a “100 Continue” the real head follows.
        repeat {
            let end = try #require(rest.indices.first { rest[$0...].starts(with: Array("\r\n\r\n".utf8)) })
            head = String(decoding: rest[..<end], as: UTF8.self)
            rest = rest[(end + 4)...]
        } while head.split(separator: " ").dropFirst().first == "100"
        var headers: [String: String] = [:]
        for line in head.split(separator: "\r\n").dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
            headers[parts[0].lowercased()] = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
        }
        return Reply(
            status: try #require(head.split(separator: " ").dropFirst().first.flatMap { Int($0) }), headers: headers, body: Array(rest))
    }
}
