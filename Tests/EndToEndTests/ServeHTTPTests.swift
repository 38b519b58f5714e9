import TestSupport
import Testing

/// How `cairn serve` keeps to HTTP/1.1 (RFC 9110, RFC 9112), with clients that do so and clients that do not.
@Suite struct ServeHTTPTests {
    private static let folder = TestPaths.fixture("binaries/CXX/out")
    private static let program = "cxx-gcc-dwarf5-O2"

    /// `connect()` makes a connection; `talk(bytes)` sends bytes, and returns what comes until the end, or until `until` is in it.
    private static let client = """
        import os, socket, sys, time
        host, port = sys.argv[1].split("/")[2].split(":")
        def connect(): return socket.create_connection((host, int(port)), timeout=60)
        def receive(s, until=None):
            got = b""
            while until is None or until not in got:
                try: more = s.recv(65536)
                except ConnectionResetError: break
                if not more: break
                got += more
            return got
        def talk(sent, until=None):
            with connect() as s:
                s.sendall(sent)
                return receive(s, until)
        def lines(got): return [line.decode() for line in got.split(b"\\r\\n")]

        """

    private func python(_ server: RunningServer, _ script: String, _ arguments: [String] = []) throws -> [String] {
        try run("python3", ["-c", Self.client + script, server.url] + arguments).requireSuccess().lines
    }

    private func server(_ more: [String] = []) throws -> RunningServer { try RunningServer(["--symbols", Self.folder] + more) }

    /// Each is refused by RFC 9112, and its connection ends: the last line is a request that must not be read as one.
    @Test(arguments: [
        // Section 3: no request line.
        "nonsense\\r\\n\\r\\n",
        // Section 2.3: another version of HTTP.
        "GET /healthz HTTP/2.0\\r\\nHost: localhost\\r\\n\\r\\n",
        // Section 3.2: no host, and two.
        "GET /healthz HTTP/1.1\\r\\n\\r\\n", "GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\nHost: 127.0.0.1\\r\\n\\r\\n",
        // Section 5.1: blanks between a name and its colon.
        "GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length : 5\\r\\n\\r\\nhello",
        // Section 6.1: a length and chunks.
        "POST /symbolicate/v5 HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 6\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n",
        // Section 6.3: chunks that are not the last coding; two lengths; no number.
        "POST /symbolicate/v5 HTTP/1.1\\r\\nHost: localhost\\r\\nTransfer-Encoding: chunked, gzip\\r\\n\\r\\n0\\r\\n\\r\\n",
        "POST /symbolicate/v5 HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 5\\r\\nContent-Length: 6\\r\\n\\r\\nhello!",
        "POST /symbolicate/v5 HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: +5\\r\\n\\r\\nhello",
        // Section 7.1: a chunk's size.
        "POST /symbolicate/v5 HTTP/1.1\\r\\nHost: localhost\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n-1\\r\\nhello",
    ])
    func `what is no HTTP gets 400, and nothing after it is read`(_ request: String) throws {
        let script = """
            got = talk(b"\(request)" + b"GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
            print(lines(got)[0], got.count(b"HTTP/1.1 "))
            """
        #expect(try python(server(), script) == ["HTTP/1.1 400 Bad Request 1"])
    }

    /// A page whose domain means 127.0.0.1 has its visitor's browser send the domain's name.
    @Test(arguments: [
        ("/healthz", "attacker.example"), ("/healthz", "attacker.example:8080"), ("/metrics", "attacker.example"),
        ("/", "attacker.example"),
        ("http://attacker.example/healthz", "localhost"),
    ])
    func `a request for another server's name is refused`(target: String, host: String) throws {
        let script = """
            print(lines(talk(b"GET \(target) HTTP/1.1\\r\\nHost: \(host)\\r\\nConnection: close\\r\\n\\r\\n"))[0])
            """
        #expect(try python(server(), script) == ["HTTP/1.1 421 Misdirected Request"])
    }

    @Test func `a server has the names that it is given`() throws {
        let server = try server(["--host-name", "symbols.example.com"])
        #expect(try server.curl("/healthz", ["--header", "Host: symbols.example.com:443"]).status == 200)
        #expect(try server.curl("/healthz", ["--header", "Host: other.example.com"]).status == 421)
        let log = ["--form", "log=<-", "--header", "Origin: https://attacker.example"]
        #expect(try server.curl("/", log, input: Array("#0 main\n".utf8)).status == 403)
    }

    @Test func `requests that follow each other have responses in order`() throws {
        let script = """
            body = b'{"memoryMap":[["a","ABCDEF0123456789ABCDEF01234567890"]],"stacks":[[[0,16]]]}'
            chunks = b"".join(b"%x;name=value\\r\\n%s\\r\\n" % (len(part), part) for part in [body[:5], body[5:]])
            got = talk(b"GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n" + b"HEAD /nothing HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n"
                + b"POST /symbolicate/v5 HTTP/1.1\\r\\nHost: localhost\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n" + chunks + b"0\\r\\nX-Trailer: y\\r\\n\\r\\n"
                + b"GET http://localhost/readyz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n")
            import re
            print(re.findall(rb"HTTP/1.1 (\\d+)", got), got.count(b'"found_modules"'), got.count(b'{"status":"ok"}'))
            """
        let output = try python(server(), script)
        #expect(output == ["[b'200', b'404', b'200', b'200'] 1 2"])
    }

    @Test func `HTTP 1.0 has no chunks, and keeps a connection if it is asked to`() throws {
        let script = """
            path = sys.argv[2].encode()
            got = talk(b"GET " + path + b" HTTP/1.0\\r\\nAccept-Encoding: gzip\\r\\n\\r\\n")
            head, _, body = got.partition(b"\\r\\n\\r\\n")
            import gzip
            print(lines(head)[0], b"chunked" in head.lower(), b"connection: close" in head.lower(), len(gzip.decompress(body)))
            with connect() as s:
                for _ in range(2):
                    s.sendall(b"GET /healthz HTTP/1.0\\r\\nConnection: keep-alive\\r\\n\\r\\n")
                    got = receive(s, b"}")
                    print(lines(got)[0], b"connection: keep-alive" in got.lower())
            """
        let id = try #require(
            try run("readelf", ["--wide", "-n", Self.folder + "/" + Self.program]).lines.first { $0.contains("Build ID:") }?.split(
                separator: " "
            ).last)
        let size = TestPaths.bytes(of: Self.folder + "/" + Self.program).count
        #expect(
            try python(server(), script, ["/buildid/\(id)/debuginfo"])
                == ["HTTP/1.0 200 OK False True \(size)", "HTTP/1.0 200 OK True", "HTTP/1.0 200 OK True"])
    }

    /// RFC 9110, sections 7.8 and 10.1.1, and RFC 9112, section 9.6.
    @Test func `a client may wait with its body, end its half, and wish for another protocol`() throws {
        let script = """
            body = b'{"memoryMap":[["a","ABCDEF0123456789ABCDEF01234567890"]],"stacks":[[[0,16]]]}'
            with connect() as s:
                s.sendall(b"POST /symbolicate/v5 HTTP/1.1\\r\\nHost: localhost\\r\\nExpect: 100-continue\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body))
                print(lines(receive(s, b"\\r\\n\\r\\n")))
                s.sendall(body)
                s.shutdown(socket.SHUT_WR)
                print(lines(receive(s))[0])
            got = talk(b"GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: Upgrade\\r\\nUpgrade: h2c\\r\\n\\r\\n")
            print(lines(got)[0], b"connection: close" in got.lower())
            """
        #expect(
            try python(server(), script) == ["['HTTP/1.1 100 Continue', '', '']", "HTTP/1.1 200 OK", "HTTP/1.1 200 OK True"])
    }

    /// A line's end in a file's name could add a header (RFC 9110, section 5.5: a value has none).
    @Test func `a file's name cannot add a header`() throws {
        try withTemporaryFolder { folder in
            let name = folder + "/a\r\nX-Added: yes"
            _ = try run("cp", [Self.folder + "/" + Self.program, name])
            let id = try #require(
                try run("readelf", ["--wide", "-n", name]).lines.first { $0.contains("Build ID:") }?.split(separator: " ").last)
            let reply = try RunningServer(["--symbols", folder]).curl("/buildid/\(id)/debuginfo")
            #expect(reply.status == 200 && reply.headers["x-added"] == nil)
            // As everywhere in texts of one line.
            #expect(reply.headers["x-debuginfod-file"] == #"a\nX-Added: yes"#)
        }
    }

    @Test func `more connections than the maximum wait for one to end`() throws {
        // The system's queue holds them; which are accepted at once is a matter of how many come together.
        let script = """
            held = [connect()]
            held[0].sendall(b"GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
            print(lines(receive(held[0], b"}"))[0])
            other = connect()
            other.sendall(b"GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
            other.settimeout(1)
            try: print(other.recv(100))
            except TimeoutError: print("waits")
            other.settimeout(60)
            held[0].close()
            print(lines(receive(other, b"}"))[0])
            """
        #expect(try python(server(["--connections", "1"]), script) == ["HTTP/1.1 200 OK", "waits", "HTTP/1.1 200 OK"])
    }

    @Test func `without descriptors for more connections it goes on with those that it has`() throws {
        let server = try server()
        _ = try server.curl("/healthz")
        #expect(try run("prlimit", ["--pid", "\(server.process)", "--nofile=100"]).status == 0)
        let script = """
            held = [connect() for _ in range(200)]
            # The server has as many as it may have; it looks for the next one after a second of rest.
            end = time.monotonic() + 60
            while len(os.listdir("/proc/%s/fd" % sys.argv[2])) < 100 and time.monotonic() < end: time.sleep(0.05)
            time.sleep(1)
            for s in held: s.close()
            print(lines(talk(b"GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n"))[0])
            """
        #expect(try python(server, script, ["\(server.process)"]) == ["HTTP/1.1 200 OK"])
        try server.signal("TERM")
        let result = server.finish()
        #expect(result.status == 0 && result.errors.contains("a connection cannot be accepted"))
    }

    @Test func `SIGTERM lets an upload end, and idle connections at once`() throws {
        let server = try server()
        let script = """
            import signal
            body = b'{"memoryMap":[["a","ABCDEF0123456789ABCDEF01234567890"]],"stacks":[[[0,16]]]}'
            idle, upload = connect(), connect()
            # On SIGTERM the server refuses connections that it has not accepted yet. The 100 shows that it accepted this one.
            upload.sendall(b"POST /symbolicate/v5 HTTP/1.1\\r\\nHost: localhost\\r\\nExpect: 100-continue\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body))
            print(lines(receive(upload, b"\\r\\n\\r\\n"))[0])
            upload.sendall(body[:5])
            idle.sendall(b"GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
            print(lines(receive(idle, b"}"))[0])
            os.kill(int(sys.argv[2]), signal.SIGTERM)
            begin = time.monotonic()
            print(receive(idle), time.monotonic() - begin < 30)
            try: print("connected", talk(b"GET /healthz HTTP/1.1\\r\\n\\r\\n"))
            except OSError: print("refused")
            upload.sendall(body[5:])
            got = receive(upload)
            print(lines(got)[0], b"connection: close" in got.lower())
            """
        #expect(
            try python(server, script, ["\(server.process)"])
                == ["HTTP/1.1 100 Continue", "HTTP/1.1 200 OK", "b'' True", "refused", "HTTP/1.1 200 OK True"])
        #expect(server.finish().status == 0)
    }
}
