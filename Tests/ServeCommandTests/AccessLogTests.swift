import TestSupport
import Testing

@testable import ServeCommand

/// The file that programs count requests with.
@Suite struct AccessLogTests {
    private static let entry = AccessLog.Entry(
        client: "10.0.0.7", token: "ci", method: "PUT", route: "/v1/symbols", path: "/v1/symbols", status: 201, seconds: 0.0125,
        received: 80123,
        sent: 96, agent: "curl/8.5")

    /// `date -u -d @1796000523` is Mon Nov 30 01:02:03 2026.
    @Test func `a request is a line of JSON`() {
        #expect(
            String(decoding: Self.entry.line(at: 1_796_000_523_456_789_000), as: UTF8.self)
                == #"{"time":"2026-11-30T01:02:03.456Z","client":"10.0.0.7","token":"ci","method":"PUT","route":"/v1/symbols","path":"/v1/symbols","status":201,"ms":12,"received":80123,"sent":96,"agent":"curl/8.5"}"#
                + "\n")
    }

    @Test func `what a client writes stays in its line`() {
        var entry = Self.entry
        (entry.path, entry.agent, entry.token) = ("/a\n{\"status\":200}", "x\r\ny", nil)
        let line = String(decoding: entry.line(at: 0), as: UTF8.self)
        #expect(line.filter(\.isNewline).count == 1 && line.hasPrefix(#"{"time":"1970-01-01T00:00:00Z","client":"10.0.0.7","method""#))
    }

    @Test func `a renamed file is left behind when it is opened again`() throws {
        try withTemporaryFolder { folder in
            let log = try AccessLog(path: folder + "/access.log")
            log.append(Self.entry)
            try run("mv", [folder + "/access.log", folder + "/access.log.1"]).requireSuccess()
            log.append(Self.entry)
            try log.reopen()
            log.append(Self.entry)
            func lines(_ name: String) throws -> Int { try readFile(folder + "/" + name).filter { $0 == 10 }.count }
            #expect(try lines("access.log.1") == 2 && lines("access.log") == 1)
        }
    }
}
