import Foundation
import TestSupport
import Testing

/// Symbol files from web servers: Python's own serves a folder.
struct SymbolServerTests {
    /// Build ID of `shapes`, as `eu-readelf -n` prints it.
    private let id = "ab8d96dcc9de627ace64ea0173e42adb457cb353"

    /// `main` of `shapes`, by nm; its row is in `shapes.expected.tsv`.
    private func address() throws -> (offset: String, row: [String: String]) {
        let rows = try table(TestPaths.fixture("binaries/Stripped/out/shapes.expected.tsv"))
        let row = try #require(rows.first { $0["function"] == "main" && $0["inline_depth"] == "0" })
        return (row["address"] ?? "", row)
    }

    private func log() throws -> String {
        let offset = try address().offset
        return "==1234==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x55d0c0de1130 bp 0x7ffe sp 0x7ffe\n"
            + "READ of size 4 at 0x602000000010 thread T0\n"
            + "    #0 0x55555000\(offset.dropFirst(2)) (/opt/app/shapes+\(offset)) (BuildId: \(id))\n\n"
    }

    /// A folder whose paths are those of the unified layout, and its server.
    private func withServer(_ body: (_ url: String, _ folder: String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let directory = "\(folder)/served/sub/\(id.prefix(2))/\(id.dropFirst(2))"
            _ = try run("mkdir", ["-p", directory])
            _ = try run("cp", [TestPaths.fixture("binaries/Stripped/out/shapes-linked.debug"), directory + "/debuginfo"])
            let server = try StartedProgram(
                ["python3", "-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", folder + "/served", "0"])
            // "Serving HTTP on 127.0.0.1 port 43210 (http://127.0.0.1:43210/) ..."
            let line = try #require(server.line(), "no server")
            let port = try #require(line.split(separator: " ").drop { $0 != "port" }.dropFirst().first)
            try body("http://127.0.0.1:\(port)", folder)
            withExtendedLifetime(server) {}
        }
    }

    private func environment(_ folder: String) -> [String: String?] {
        ["CAIRN_CACHE": folder + "/cache", "DEBUGINFOD_CACHE_PATH": folder + "/debuginfod", "DEBUGINFOD_URLS": nil as String?]
    }

    private func expectMain(_ function: String?, _ line: Int?) throws {
        let row = try address().row
        #expect(function == row["function"] && line.map { String($0) } == row["line"])
    }

    @Test(arguments: ["", "unified+"])
    func `a server as --symbols gives the lines of a log`(layout: String) throws {
        try withServer { url, folder in
            let result = try cairn(
                ["-", "--format", "json", "-s", "\(layout)\(url)/sub"], input: try log(), environment: environment(folder))
            #expect(result.status == 0 && result.errors == "", "\(result.errors)")
            let frame = try #require(try jsonLogs(result).first?.threads.first?.frames.first)
            try expectMain(frame.functions?.first?.name, frame.functions?.first?.line)
            // So does one in the variable, and the second time nobody is asked.
            _ = try run("rm", ["-rf", folder + "/served/sub"])
            var variables = environment(folder)
            variables["CAIRN_SYMBOLS"] = "/nowhere/at/all:\(layout)\(url)/sub"
            let again = try cairn(["-", "--format", "json"], input: try log(), environment: variables)
            #expect(again.errors == "cairn: error: /nowhere/at/all: no such file or directory\n", "\(again.errors)")
            let other = try #require(try jsonLogs(again).first?.threads.first?.frames.first)
            try expectMain(other.functions?.first?.name, other.functions?.first?.line)
        }
    }

    @Test func `explain says where it was requested, and what was replied`() throws {
        try withServer { url, folder in
            _ = try run("rm", ["-rf", folder + "/served/sub"])
            let result = try cairn(
                ["explain", "--verbose", "-", "-s", "unified+\(url)/sub"], input: try log(), environment: environment(folder))
            #expect(result.output.contains("symbol servers: \(url)/sub"), "\(result.output)")
            #expect(result.output.contains("\(url)/sub/\(id.prefix(2))/\(id.dropFirst(2))/debuginfo"))
            #expect(result.output.contains("no debug file: \(url)/sub does not have it"))
        }
    }

    @Test func `what is no server is told so`() throws {
        let result = try cairn(["-", "-s", "unifed+https://symbols.example"], input: "")
        #expect(result.status == 64)
        let expected = "no such layout: unifed. Layouts are unified, breakpad, symsrv, native, debuginfod"
        #expect(result.errors.contains(expected), "\(result.errors)")
    }

    // MARK: cairn serve

    private func request(_ sources: String) throws -> String {
        let offset = try address().offset
        let stack = #"{"frames":[{"instruction_addr":"\#(offset)","addr_mode":"rel:0"}]}"#
        let module = #"{"type":"elf","code_id":"\#(id)","code_file":"/opt/app/shapes"}"#
        return #"{"stacktraces":[\#(stack)],"modules":[\#(module)]\#(sources),"options":{"dif_candidates":true}}"#
    }

    private func symbolicate(_ server: RunningServer, _ sources: String = "") throws -> (reply: RunningServer.Reply, frame: JSONFrame) {
        let reply = try server.curl(
            "/symbolicate", ["--header", "Content-Type: application/json", "--data-binary", "@-"], input: Array(try request(sources).utf8))
        let response = try JSONDecoder().decode(JSONResponse.self, from: Data(reply.body))
        return (reply, try #require(response.stacktraces.first?.frames.first))
    }

    private struct JSONResponse: Decodable { var stacktraces: [JSONStack] }
    private struct JSONStack: Decodable { var frames: [JSONFrame] }
    private struct JSONFrame: Decodable {
        var status: String
        var function: String?
        var lineno: Int?
    }

    @Test func `a server has the files of other servers`() throws {
        try withServer { url, folder in
            let server = try RunningServer(["--symbols", "\(url)/sub"], environment: environment(folder))
            let frame = try symbolicate(server).frame
            #expect(frame.status == "symbolicated")
            try expectMain(frame.function, frame.lineno)
        }
    }

    @Test func `a request names its sources, as far as the operator allows them`() throws {
        try withServer { url, folder in
            let source = #","sources":[{"id":"ours","type":"http","url":"\#(url)/sub/","layout":{"type":"unified"}}]"#
            let open = try RunningServer(["--allow-source", url + "/sub"], environment: environment(folder))
            #expect(try symbolicate(open).frame.status == "missing")
            let frame = try symbolicate(open, source).frame
            #expect(frame.status == "symbolicated")
            try expectMain(frame.function, frame.lineno)
            // What a source has is for those requests alone that name it.
            #expect(try symbolicate(open).frame.status == "missing")

            for other in ["\(url)/su", "\(url)/sub/deeper", "http://127.0.0.1:1/sub", "https://127.0.0.1/sub", "s3://sub"] {
                let closed = try RunningServer(["--allow-source", other], environment: environment(folder))
                let (reply, frame) = try symbolicate(closed, source)
                #expect(frame.status == "missing")
                #expect(reply.text.contains("skipped: the operator of this server does not allow \(url)/sub"), "\(reply.text)")
            }
        }
    }
}
