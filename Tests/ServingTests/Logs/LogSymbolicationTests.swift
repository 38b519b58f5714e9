import BinaryPrimitives
import CrashLogModel
import Serving
import TestSupport
import Testing

/// `POST /v1/logs`. Functions and lines are those of the fixtures' `expected.tsv`, of the
/// sanitizer's own symbolizer, of llvm-symbolizer's filter, and of gdb.
struct LogSymbolicationTests {
    private static let crash = "logs/apple-crash/CrashExample-bad-access/bad-access.crash"
    private static let binary = "binaries/CrashExample/out/CrashExample"

    private func post(
        _ fixture: String, to service: Service, _ query: String = "", headers: [(name: String, value: String)] = []
    ) -> Response {
        service.respond(to: Request("POST", "/v1/logs" + query, headers: headers, body: bytes(fixture)))
    }

    /// The rows of a thread that `expected.tsv` has an answer for: `main … main.m:9`.
    private func expectedLines(_ fixture: String) -> [(function: String, location: String)] {
        expectedResults(fixture).flatMap(\.functions).compactMap { row in
            guard let function = row["function"], !function.isEmpty, let file = row["file"], let line = row["line"] else { return nil }
            return (function, "\(Path.name(of: file)):\(line)")
        }
    }

    @Test func `a log comes back as text`() throws {
        let response = post(Self.crash, to: .over(fixture: Self.binary))
        #expect(response.status == 200)
        #expect(response.header("Content-Type") == "text/plain; charset=utf-8")
        #expect(response.header("Cache-Control") == "no-store")
        let expected = expectedLines("logs/apple-crash/CrashExample-bad-access/expected.tsv")
        #expect(expected.count == 4)
        for (function, location) in expected {
            #expect(
                response.text.split(separator: "\n").contains { $0.contains(function) && $0.contains(location) }, "\(function) \(location)")
        }
        #expect(response.header("Content-Length") == "\(response.bytes.count)")
    }

    @Test(arguments: ["application/json", "application/x-ndjson", "text/html, application/json;q=0.5, text/plain;q=0.1"])
    func `and as JSON`(accept: String) throws {
        let response = post(Self.crash, to: .over(fixture: Self.binary), headers: [("Accept", accept)])
        #expect(response.header("Content-Type") == (accept.hasPrefix("application/x") ? accept : "application/json"))
        #expect(response.header("Vary") == "Accept")
        let frames = try #require(response.json?["threads"]?.elements.first?["frames"]?.elements)
        let named = frames.compactMap { $0["functions"]?.elements.first }
        let expected = expectedLines("logs/apple-crash/CrashExample-bad-access/expected.tsv")
        #expect(named.compactMap { $0["name"]?.string } == expected.map(\.function))
        #expect(
            named.map { "\(Path.name(of: $0["file"]?.string ?? "")):\($0["line"]?.int ?? 0)" } == expected.map(\.location))
    }

    /// A document for each report, a line each.
    @Test func `two logs in one are two lines of JSON`() throws {
        let log = bytes("logs/sanitizer-asan/Sanitizers-gcc-address/log.txt")
        let service = Service.over(fixture: "binaries/Sanitizers/out/gcc-address")
        let response = service.respond(to: Request("POST", "/v1/logs?format=json", body: log + log))
        let lines = response.text.split(separator: "\n")
        #expect(lines.count == 2)
        for line in lines { #expect((try? JSONParser().parse(Array(line.utf8).span))?["format"]?.string == "sanitizer-asan") }
        #expect(response.header("Content-Type") == "application/x-ndjson")
    }

    /// `expected-filter.txt` is llvm-symbolizer's: `#3  0x… main /src/markup.c:73:12`.
    @Test(arguments: ["?format=same", ""])
    func `the same log with its frames resolved`(query: String) throws {
        let response = post(
            "logs/symbolizer-markup/Markup/stdout.log", to: .over(fixture: "binaries/Markup/out"), query,
            headers: query.isEmpty ? [("Accept", "application/octet-stream")] : [])
        #expect(response.header("Content-Type") == "application/octet-stream")
        let expected = String(decoding: bytes("logs/symbolizer-markup/Markup/expected-filter.txt"), as: UTF8.self)
        for row in ["print_stack /src/markup.c:53:17", "shared_apply /src/shared.c:4:15", "main /src/markup.c:73:12"] {
            #expect(expected.contains(row) && response.text.contains(row))
        }
        // Lines of the log between and after the frames.
        for line in ["a program that prints its stack", "value 4", "result 11", "sum 11"] {
            #expect(response.text.split(separator: "\n").contains { $0 == line })
        }
    }

    /// Nothing but the frames changes: without symbols every byte is as it was.
    @Test(arguments: [
        // Without build IDs of a system's libraries, which may be installed here.
        "logs/sanitizer-asan/Sanitizers-gcc-address/log.txt", "logs/apple-ips/CrashExample-bad-access/bad-access.ips",
    ])
    func `without symbols the same log is the same`(log: String) throws {
        #expect(post(log, to: .over([]), "?format=same").bytes == bytes(log))
    }

    @Test func `a log in UTF-16 comes back in UTF-16`() throws {
        let log = bytes("logs/sanitizer-asan/Sanitizers-gcc-address/log.txt")
        // Little-endian, with its mark, and half a unit at the end.
        let wide: [UInt8] = [0xFF, 0xFE] + log.flatMap { [$0, 0] as [UInt8] } + [0x41]
        let response = Service.over([]).respond(to: Request("POST", "/v1/logs?format=same", body: wide))
        #expect(response.bytes == wide)
        let service = Service.over(fixture: "binaries/Sanitizers/out/gcc-address")
        let resolved = service.respond(to: Request("POST", "/v1/logs?format=same", body: wide)).bytes
        // `sanitizer-asan/…/symbolized.txt`: store.cpp:40 in store::use.
        let text = String(decoding: stride(from: 0, to: resolved.count, by: 2).map { resolved[$0] }, as: UTF8.self)
        #expect(text.contains("store::use(store::Shelf*, int) /src/store.cpp:40"))
        #expect(resolved.starts(with: [0xFF, 0xFE]))
    }

    @Test(arguments: ["gzip", "xz", "zstd", "bzip2"])
    func `a compressed log is decompressed`(program: String) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/a.log"
            try writeFile(path, bytes(Self.crash))
            guard try run(program, ["-k", path]).status == 0 else { return }
            let name = try #require(try Directory.names(in: folder).first { $0 != "a.log" })
            let service = Service.over(fixture: Self.binary)
            let response = service.respond(to: Request("POST", "/v1/logs", body: try readFile(folder + "/" + name)))
            #expect(response.bytes == service.respond(to: Request("POST", "/v1/logs", body: bytes(Self.crash))).bytes)
        }
    }

    /// `Fixtures/memory/README.md`: gdb's functions and lines.
    @Test func `a core file is unwound`() throws {
        let response = post("memory/counter.core.xz", to: .over(fixture: "memory/counter"), "?format=json")
        let frames = try #require(response.json?["threads"]?.elements.first?["frames"]?.elements)
        let functions = frames.compactMap { $0["functions"]?.elements.last }
        #expect(functions.compactMap { $0["name"]?.string } == ["price", "total", "sell", "_start"])
        #expect(functions.compactMap { $0["line"]?.int } == [6, 11, 18, 22])
        let same = post("memory/counter.core.xz", to: .over(fixture: "memory/counter"), "?format=same")
        #expect(same.status == 422 && same.text.contains("core is binary"))
    }

    @Test func `a file as a body is read as bytes are`() throws {
        let file = try MappedFile(path: TestPaths.fixture(Self.crash))
        let service = Service.over(fixture: Self.binary)
        let response = service.respond(to: Request("POST", "/v1/logs", headers: [], body: .file(file)))
        #expect(response.bytes == post(Self.crash, to: service).bytes)
        // Neither the path of the body nor where it is on this machine.
        #expect(!response.text.contains("bad-access.crash"))
    }

    /// Console's layout: `0   CrashExample   0x… -[…] + 40 (CrashExampleAppDelegate.m:88)`.
    @Test func `an ips becomes Apple's text`() throws {
        let response = post("logs/apple-ips/CrashExample-bad-access/bad-access.ips", to: .over(fixture: Self.binary), "?format=apple-crash")
        #expect(response.text.contains("Thread 0 Crashed"))
        for (function, location) in expectedLines("logs/apple-ips/CrashExample-bad-access/expected.tsv") {
            #expect(response.text.split(separator: "\n").contains { $0.contains(function) && $0.hasSuffix("(\(location))") })
        }
    }

    @Test(arguments: [
        ("hello\n", 422, "no crash report found"), ("", 422, "the log is empty"), ("\u{0}\u{1}\u{2}\u{3}", 422, "not text"),
        ("!<arch>\n", 422, ""),
    ])
    func `what is no crash is refused in a sentence`(log: String, status: Int, message: String) {
        let response = Service.over([]).post("/v1/logs", log)
        #expect(response.status == status)
        #expect(response.header("Content-Type") == "text/plain; charset=utf-8")
        #expect(response.text.contains(message) && !response.text.contains("\n"), "\(response.text)")
    }

    @Test func `formats and types that are not there are refused with those that are`() {
        let format = Service.over([]).post("/v1/logs?format=pdf", "x")
        #expect(format.status == 400 && format.text == "format: expected one of text, json, same, apple-crash")
        let accept = Service.over([]).post("/v1/logs", "x", headers: [("Accept", "image/png, text/plain;q=0")])
        #expect(accept.status == 406 && accept.text.contains("text/plain, application/x-ndjson, application/json"))
        #expect(Service.over([]).get("/v1/logs").status == 405)
    }

    /// Images are looked for in the operator's places alone.
    @Test func `no file of this machine is used because a log names its path`() throws {
        let path = TestPaths.fixture("binaries/C/out/c-clang-dwarf4-O0")
        let log = "==1==ERROR: AddressSanitizer: SEGV on unknown address 0x0 (pc 0x0 bp 0x0 sp 0x0 T0)\n    #0 0x840  (\(path)+0x840)\n"
        let response = Service.over([]).post("/v1/logs?format=json", log)
        #expect(response.status == 200)
        #expect(response.json?["threads"]?.elements.first?["frames"]?.elements.first?["status"]?.string == "unresolved")
        #expect(response.json?["images"]?.elements.first?["symbols"]?["status"]?.string == "missing")
    }

    @Test func `paths of this machine are named only if the operator gives reasons`() throws {
        let folder = TestPaths.fixture("binaries")
        for format in ["text", "json"] {
            let open = post(Self.crash, to: .over([folder + "/CrashExample/out"]), "?format=" + format)
            #expect(open.text.contains(folder))
            let closed = post(Self.crash, to: .over([folder + "/CrashExample/out"]) { $0.includesReasons = false }, "?format=" + format)
            #expect(closed.status == 200 && closed.text.contains("performTransition") && !closed.text.contains(folder))
            // Another build of that name.
            let other = post("logs/sanitizer-asan/Sanitizers-gcc-address/log.txt", to: .over([folder]) { $0.includesReasons = false })
            #expect(other.status == 200 && !other.text.contains(TestPaths.root))
        }
    }
}

/// Caps, each with its number in the words.
struct LogLimitsTests {
    private static let log = TestPaths.bytes(of: TestPaths.fixture("logs/sanitizer-asan/Sanitizers-gcc-address/log.txt"))

    private func post(_ log: [UInt8], _ query: String = "", _ change: (inout Limits) -> Void) -> Response {
        var limits = Limits()
        change(&limits)
        return Service.over([], limits: limits).respond(to: Request("POST", "/v1/logs" + query, body: log))
    }

    @Test func `a log has so many bytes`() {
        #expect(post(Self.log) { limits in limits.sentLog = Self.log.count }.status == 200)
        let response = post(Self.log) { limits in limits.sentLog = Self.log.count - 1 }
        #expect(response.status == 413 && response.text.contains("<= \(Self.log.count - 1) bytes"))
        #expect(Service.over([]).plan(for: Request("POST", "/v1/logs")).maxBodyBytes == Limits.standard.sentLog)
    }

    @Test func `a log has so many reports`() {
        let three = Self.log + Self.log + Self.log
        #expect(post(three) { limits in limits.sentReports = 3 }.status == 200)
        let response = post(three) { limits in limits.sentReports = 2 }
        #expect(response.status == 413 && response.text.contains("more than 2 crash reports"))
    }

    /// The log has four stacks, of 4, 4, 4 and 3 frames.
    @Test func `a log has so many frames`() {
        #expect(post(Self.log) { limits in limits.sentFrames = 15 }.status == 200)
        let response = post(Self.log) { limits in limits.sentFrames = 14 }
        #expect(response.status == 413 && response.text.contains("more than 14 frames"))
    }

    /// Without symbols the same log has as many bytes as it had.
    @Test func `a response has so many bytes`() {
        #expect(post(Self.log, "?format=same") { limits in limits.sentOutput = Self.log.count }.status == 200)
        let response = post(Self.log, "?format=same") { limits in limits.sentOutput = Self.log.count - 1 }
        #expect(response.status == 413 && response.text.contains("larger than \(Self.log.count - 1) bytes"))
    }

    @Test func `a bomb is not decompressed to its end`() throws {
        // 100 MB of blanks in 100 KB.
        let bomb = try run("sh", ["-c", "head -c 100000000 /dev/zero | tr '\\0' ' ' | gzip -9"])
        let response = post(bomb.standardOutput) { limits in (limits.expandedLog, limits.logExpansion) = (1 << 20, 2) }
        #expect(response.status == 422)
    }
}
