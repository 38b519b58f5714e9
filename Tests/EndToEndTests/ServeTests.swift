import TestSupport
import Testing

/// `cairn serve` as its clients meet it: over real connections.
@Suite struct ServeTests {
    private static let folder = TestPaths.fixture("binaries/CXX/out")
    private static let program = "cxx-gcc-dwarf5-O2"

    private func server(_ more: [String] = []) throws -> RunningServer { try RunningServer(["--symbols", Self.folder] + more) }

    /// Build ID of the fixture, by readelf.
    private func buildID() throws -> String {
        let lines = try run("readelf", ["--wide", "-n", Self.folder + "/" + Self.program]).lines
        return try #require(lines.first { $0.contains("Build ID:") }?.split(separator: " ").last.map(String.init))
    }

    @Test func `it says where it listens, and that it runs`() throws {
        let server = try server()
        #expect(server.url.hasPrefix("http://127.0.0.1:"))
        for path in ["/healthz", "/readyz", "/healthcheck"] { #expect(try server.curl(path).status == 200) }
        let missing = try server.curl("/nothing")
        #expect(missing.status == 404 && missing.text.contains("404"))
        let metrics = try server.curl("/metrics")
        #expect(metrics.headers["content-type"]?.hasPrefix("text/plain; version=0.0.4") == true)
        #expect(metrics.text.contains("cairn_requests_total{route=\"other\",status=\"404\"} 1"))
    }

    @Test func `a debug file comes whole, in part, and compressed`() throws {
        let server = try server()
        let path = "/buildid/\(try buildID())/debuginfo"
        let bytes = TestPaths.bytes(of: Self.folder + "/" + Self.program)
        let whole = try server.curl(path)
        #expect(whole.status == 200 && whole.body == bytes)
        #expect(whole.headers["x-debuginfod-size"] == "\(bytes.count)")
        #expect(whole.headers["content-length"] == "\(bytes.count)")
        let part = try server.curl(path, ["--range", "100-199"])
        #expect(part.status == 206 && part.body == Array(bytes[100...199]))
        #expect(part.headers["content-range"] == "bytes 100-199/\(bytes.count)")
        let head = try server.curl(path, ["--head"])
        #expect(head.status == 200 && head.body.isEmpty && head.headers["content-length"] == "\(bytes.count)")
        let packed = try server.curl(path, ["--header", "Accept-Encoding: gzip"])
        #expect(packed.headers["content-encoding"] == "gzip" && packed.headers["vary"] == "Accept-Encoding")
        #expect(packed.body.count < bytes.count)
        #expect(try run("gzip", ["-dc"], input: packed.body).standardOutput == bytes)
    }

    @Test func `the same connection takes one request after another`() throws {
        let server = try server()
        let paths = ["/healthz", "/nothing", "/readyz"].map { server.url + $0 }
        let result = try run(
            "curl",
            ["--silent", "--output", "/dev/null", "--write-out", "%{http_code} %{num_connects}\n"]
                + paths.flatMap { ["--next", "--silent", "--output", "/dev/null", "--write-out", "%{http_code} %{num_connects}\n", $0] }
                .dropFirst(6))
        #expect(result.lines == ["200 1", "404 0", "200 0"])
    }

    @Test func `an engine that was killed is replaced, and no response is lost`() throws {
        let server = try server()
        let path = "/buildid/\(try buildID())/debuginfo"
        #expect(try server.curl(path).status == 200)
        let engine = try #require(server.engines().first)
        _ = try run("kill", ["-KILL", engine])
        #expect(try server.curl(path).status == 200)
        #expect(try server.curl(path).status == 200)
        #expect(try server.engines() != [engine] && !server.engines().isEmpty)
    }

    @Test func `SIGHUP starts an engine with the settings of now`() throws {
        let server = try server()
        let path = "/buildid/\(try buildID())/debuginfo"
        #expect(try server.curl(path).status == 200)
        let before = try server.engines()
        try server.signal("HUP")
        let isReplaced = try eventually {
            #expect(try server.curl(path).status == 200)
            return try server.engines() != before
        }
        #expect(isReplaced)
    }

    @Test func `SIGTERM ends it and its engine`() throws {
        let server = try server()
        #expect(try server.curl("/buildid/\(try buildID())/debuginfo").status == 200)
        let engine = try #require(server.engines().first)
        try server.signal("TERM")
        let result = server.finish()
        #expect(result.status == 0)
        #expect(result.errors.contains("stopped"))
        #expect(try eventually { try run("kill", ["-0", engine]).status != 0 })
    }

    @Test func `bodies that are too large are refused before they are sent`() throws {
        let server = try server()
        // Symbolicator's cap is 55 MiB.
        let reply = try server.curl(
            "/symbolicate",
            ["--request", "POST", "--header", "Content-Type: application/json", "--header", "Content-Length: 99999999", "--data", "{}"])
        #expect(reply.status == 413)
        #expect(reply.headers["connection"] == "close")
    }

    @Test func `Symbolicator's clients may come back for a result`() throws {
        let server = try server()
        let json = ["--header", "Content-Type: application/json", "--data", "{\"stacktraces\":[],\"modules\":[]}"]
        let reply = try server.curl("/symbolicate?timeout=10", json)
        #expect(reply.status == 200 && reply.text.hasPrefix("{\"status\":\"completed\""))
        // Nobody waits: it is pending, and its result is there a moment later. Without frames it could be there at once.
        let frames = (0..<20_000).map { "{\"instruction_addr\":\"0x\(String($0, radix: 16))\"}" }.joined(separator: ",")
        let pending = try withTemporaryFolder { folder in
            try writeFile(folder + "/work.json", Array("{\"stacktraces\":[{\"frames\":[\(frames)]}],\"modules\":[]}".utf8))
            return try server.curl(
                "/symbolicate?timeout=0", ["--header", "Content-Type: application/json", "--data", "@\(folder)/work.json"])
        }
        #expect(pending.status == 200 && pending.text.hasPrefix("{\"status\":\"pending\",\"request_id\":\""))
        let start = try #require(pending.text.firstRange(of: "\"request_id\":\""))
        let id = pending.text[start.upperBound...].prefix(36)
        for _ in 0..<2 {
            let later = try server.curl("/requests/\(id)?timeout=10")
            #expect(later.status == 200 && later.text.hasPrefix("{\"status\":\"completed\""))
        }
        for id in ["8c5bb6b2-2d1b-4d3c-8a6e-f7f1a2f1a0a0", "no-uuid"] { #expect(try server.curl("/requests/\(id)").status == 404) }
    }

    @Test func `HTTPS with a certificate that may be renewed`() throws {
        try withTemporaryFolder { folder in
            let (chain, key) = (folder + "/chain.pem", folder + "/key.pem")
            func make(_ name: String) throws {
                try run(
                    "openssl",
                    ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=\(name)", "-keyout", key, "-out", chain]
                ).requireSuccess()
            }
            try make("first")
            let server = try server(["--certificate", chain, "--key", key])
            #expect(server.url.hasPrefix("https://"))
            let subject = ["--insecure", "--write-out", "%{certs}", "--output", "/dev/null"]
            #expect(try run("curl", ["--silent"] + subject + [server.url + "/healthz"]).output.contains("first"))
            try make("second")
            try server.signal("HUP")
            let isRenewed = try eventually {
                try run("curl", ["--silent"] + subject + [server.url + "/healthz"]).output.contains("second")
            }
            #expect(isRenewed)
        }
    }

    @Test func `what cannot be served is said before it starts`() throws {
        let missing = try cairn("serve", "--symbols", "/nonexistent/store")
        #expect(missing.status == 1 && missing.errors.contains("/nonexistent/store: no such file or directory"))
        let server = try server()
        let port = server.url.split(separator: ":").last.map(String.init) ?? ""
        for address in [["--listen", "127.0.0.1:\(port)"], ["--port", port]] {
            let taken = try cairn(["serve", "--symbols", Self.folder] + address)
            #expect(taken.status == 1 && taken.errors.contains("address already in use"), "\(address)")
        }
        #expect(try cairn("serve", "--listen", "8080").status == 64)
        let nothing = try cairn("serve")
        #expect(nothing.status == 64 && nothing.errors.contains("expected --symbols STORE"))
        #expect(try cairn("serve", "--symbols", Self.folder, "--certificate", "a.pem").status == 64)
    }

    /// Clients that hold connections and send nothing, or a byte now and then, hold nobody else.
    @Test func `slow clients hold nobody`() throws {
        let server = try server()
        let script = """
            import socket, sys, time, urllib.request
            host, port = sys.argv[1].split("/")[2].split(":")
            held = []
            for index in range(200):
                s = socket.create_connection((host, int(port)))
                s.sendall(b"POST /symbolicate/v5 HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 1000\\r\\n" + (b"\\r\\n{" if index % 2 else b""))
                held.append(s)
            begin = time.monotonic()
            for _ in range(20): assert urllib.request.urlopen(sys.argv[1] + "/healthz").status == 200
            body = b'{"memoryMap":[["a","ABCDEF0123456789ABCDEF01234567890"]],"stacks":[[[0,16]]]}'
            for _ in range(20): assert urllib.request.urlopen(sys.argv[1] + "/symbolicate/v5", data=body).status == 200
            print(time.monotonic() - begin < 10)
            """
        let result = try run("python3", ["-c", script, server.url])
        #expect(result.output == "True\n", "\(result.errors)")
    }

    @Test func `ten megabytes of headers are refused`() throws {
        let server = try server()
        let script = """
            import socket, sys
            host, port = sys.argv[1].split("/")[2].split(":")
            s = socket.create_connection((host, int(port)))
            try:
                s.sendall(b"GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\n")
                for index in range(10240): s.sendall(b"X-%d: " % index + b"a" * 1000 + b"\\r\\n")
                s.sendall(b"\\r\\n")
            except OSError: pass
            try: print(s.recv(100).split(b"\\r\\n")[0].decode())
            except OSError: print("closed")
            """
        let begin = ContinuousClock.now
        let output = try run("python3", ["-c", script, server.url]).output
        // The connection ends 5 seconds after the response, and the rest is not read.
        #expect(ContinuousClock.now - begin < .seconds(20))
        #expect(output.hasPrefix("HTTP/1.1 4") || output == "closed\n" || output == "\n", "\(output)")
        #expect(try server.curl("/healthz").status == 200)
    }

    @Test func `a client that leaves is counted, and leaves nothing`() throws {
        let server = try server()
        let script = """
            import socket, sys
            host, port = sys.argv[1].split("/")[2].split(":")
            s = socket.create_connection((host, int(port)))
            s.sendall(b"POST /v1/logs HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 1000000\\r\\n\\r\\n" + b"a" * 200000)
            s.close()
            """
        #expect(try run("python3", ["-c", script, server.url]).status == 0)
        // In progress is the request for the numbers.
        let expected: Set<Substring> = [
            "cairn_requests_total{route=\"/v1/logs\",status=\"499\"} 1", "cairn_requests_in_progress 1", "cairn_spooled_bytes 0",
        ]
        var missing = expected
        let isCounted = try eventually {
            missing = expected.subtracting(try server.curl("/metrics").text.split(separator: "\n"))
            return missing.isEmpty
        }
        #expect(isCounted, "\(missing)")
    }

    /// A file that the server does not have comes from the given debuginfod server. Servers that
    /// strangers may not reach are not reached through it.
    @Test func `files come from the given debuginfod servers, and from no others`() throws {
        try withTemporaryFolder { folder in
            _ = try run("mkdir", [folder + "/served", folder + "/empty", folder + "/cache"])
            let program = Self.folder + "/" + Self.program
            _ = try run("cp", [program, folder + "/served"])
            let id = try buildID()
            let upstream = try DebuginfodServer(serving: folder + "/served", until: id)
            let path = "/buildid/\(id)/debuginfo"
            let cache = DebuginfodServer.environment(nil, cache: folder + "/cache")
            let port = upstream.url.split(separator: ":").last ?? ""
            // A name that leads to this machine is not connected to, as an address it is.
            let named = try RunningServer(["--symbols", folder + "/empty", "--debuginfod", "http://localhost:\(port)"], environment: cache)
            #expect(try named.curl(path).status == 404)
            let without = try RunningServer(["--symbols", folder + "/empty"], environment: cache)
            #expect(try without.curl(path).status == 404)
            let given = try RunningServer(["--symbols", folder + "/empty", "--debuginfod", upstream.url], environment: cache)
            let reply = try given.curl(path)
            #expect(reply.status == 200 && reply.body == TestPaths.bytes(of: program))
        }
    }
}
