import BinaryPrimitives
import Dispatch
import SymbolFiles
import Symbolication
import Synchronization
import TestSupport
import Testing

@testable import Downloading

/// The client against servers that say what no real one should.
struct ClientTests {
    /// `eu-readelf -n` says these build IDs.
    static let id = ImageID(text: "ab8d96dcc9de627ace64ea0173e42adb457cb353")
    static let path = TestPaths.fixture("binaries/Stripped/out/shapes-linked.debug")
    static let otherID = "3e8f02bfa93378736510dea59908247e3815c477"
    static let otherPath = TestPaths.fixture("binaries/SplitUnits/out/dwz-before")

    private let question: RequestedFile
    private let id: String
    private let file: [UInt8]

    init() throws {
        question = RequestedFile(.debuginfo, try #require(Self.id))
        id = try #require(Self.id).hexadecimal
        file = try readFile(Self.path)
    }

    private func fetch(
        _ urls: [String], _ root: String, settings: FetchSettings = FetchSettings(), budget: Duration = .seconds(120),
        environment: [String: String] = [:], questions: [RequestedFile]? = nil
    ) async throws -> [DownloadResult] {
        let servers = try urls.map { url throws(SymbolServerError) in try SymbolServer(url, standard: [.debuginfod]) }
        return try await fetch(servers, root, settings: settings, budget: budget, environment: environment, questions: questions)
    }

    private func fetch(
        _ servers: [SymbolServer], _ root: String, settings: FetchSettings = FetchSettings(), budget: Duration = .seconds(120),
        environment: [String: String] = [:], questions: [RequestedFile]? = nil, limit: Int = 1 << 30
    ) async throws -> [DownloadResult] {
        let cache = DownloadCache(root: root)
        let client = DownloadClient(
            servers, cache: cache, space: DownloadSpace(folders: [cache.others], limit: limit), settings: settings,
            open: SymbolFileReader.openAll, environment: { environment[$0] })
        let results = Results()
        let questions = questions ?? [question]
        await client.fetch(questions, before: .now + budget) { results.add(DownloadResult(questions[$0], $1)) }
        await client.shutDown()
        return results.all
    }

    /// One server, one question.
    private func outcome(
        settings: FetchSettings = FetchSettings(), budget: Duration = .seconds(120),
        of reply: @escaping @Sendable (Int, String) -> ScriptedServer.Reply
    ) async throws -> (outcome: DownloadResult.Outcome, requests: Int, left: [String], time: Duration) {
        try await withFolder { root in
            let server = try ScriptedServer(reply)
            let start = ContinuousClock.now
            let results = try await fetch([server.url], root, settings: settings, budget: budget)
            let time = ContinuousClock.now - start
            server.stop()
            try #require(results.count == 1)
            return (results[0].outcome, server.requests.count, TestPaths.files(under: root), time)
        }
    }

    @Test func `a file arrives whole, and the next time nobody is asked`() async throws {
        try await withFolder { root in
            let server = try ScriptedServer { [file] _, _ in .file(file) }
            let path = "\(root)/cache/\(id)/debuginfo"
            let first = try await fetch([server.url + "/"], root + "/cache")
            #expect(first.map(\.outcome) == [.found(path: path, source: server.url)])
            #expect(try readFile(path) == file)
            #expect(server.requests.count == 1)
            #expect(server.requests.first?.hasPrefix("GET /buildid/\(id)/debuginfo HTTP/1.1\r\n") == true)
            // As debuginfod-find 0.188 leaves them.
            #expect(try run("stat", ["-c", "%a", path, Path.directory(of: path)]).lines == ["400", "700"])
            server.stop()
            let second = try await fetch([server.url], root + "/cache")
            #expect(second.map(\.outcome) == [.found(path: path, source: "cache")])
            #expect(TestPaths.files(under: root) == [path])
        }
    }

    @Test func `a file of another build ID is thrown away`() async throws {
        let other = try readFile(Self.otherPath)
        let result = try await outcome { _, _ in .file(other) }
        guard case .failed(let message) = result.outcome else { return #expect(Bool(false), "\(result.outcome)") }
        #expect(message.hasSuffix("it sent another file: its build ID is \(Self.otherID)"))
        #expect(result.left == [])
    }

    @Test func `what is no object file is thrown away`() async throws {
        let result = try await outcome { _, _ in .file(Array("<html>Please log in</html>".utf8)) }
        guard case .failed(let message) = result.outcome else { return #expect(Bool(false), "\(result.outcome)") }
        #expect(message.hasSuffix("it sent another file: not an object file"))
        #expect(result.left == [])
    }

    @Test func `a body without end stops at the size limit`() async throws {
        var settings = FetchSettings()
        settings.sizeLimit = 1 << 20
        let piece = [UInt8](repeating: 0x7f, count: 1 << 14)
        let result = try await outcome(settings: settings) { _, _ in
            .endless(head: Array("HTTP/1.1 200 OK\r\n\r\n".utf8), piece: piece)
        }
        guard case .failed(let message) = result.outcome else { return #expect(Bool(false), "\(result.outcome)") }
        #expect(message.hasSuffix("the file is larger than 1048576 bytes"))
        #expect(result.left == [])
    }

    @Test func `a length above the limit is not even begun`() async throws {
        var settings = FetchSettings()
        settings.sizeLimit = file.count - 1
        let result = try await outcome(settings: settings) { [file] _, _ in .file(file) }
        guard case .failed(let message) = result.outcome else { return #expect(Bool(false), "\(result.outcome)") }
        #expect(message.hasSuffix("the file is larger than \(file.count - 1) bytes"))
    }

    @Test func `packed bytes stop at the size limit too`() async throws {
        // 64 MB of zeros pack to some 64 KB.
        let packed = try run("sh", ["-c", "head -c 67108864 /dev/zero | gzip -9"]).standardOutput
        #expect(packed.count < 1 << 17)
        var settings = FetchSettings()
        settings.sizeLimit = 1 << 20
        let result = try await outcome(settings: settings) { _, _ in .file(packed, headers: "Content-Encoding: gzip\r\n") }
        guard case .failed(let message) = result.outcome else { return #expect(Bool(false), "\(result.outcome)") }
        #expect(message.contains("too large") || message.contains("larger than"), "\(message)")
        #expect(result.left == [])
    }

    @Test func `a file that is packed on its way is unpacked`() async throws {
        let packed = try run("gzip", ["-c", Self.path]).standardOutput
        #expect(packed.count < file.count)
        try await withFolder { root in
            let server = try ScriptedServer { _, _ in .file(packed, headers: "Content-Encoding: gzip\r\n") }
            let results = try await fetch([server.url], root)
            guard case .found(let path, _) = try #require(results.first).outcome else { return #expect(Bool(false), "\(results)") }
            #expect(try readFile(path) == file)
            #expect(server.requests.first?.contains("Accept-Encoding: gzip\r\n") == true)
            server.stop()
        }
    }

    @Test func `a server that sends nothing for too long is left`() async throws {
        var settings = FetchSettings()
        settings.timeout = .milliseconds(300)
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nabc".utf8)
        let result = try await outcome(settings: settings) { _, _ in .stall(head) }
        guard case .failed(let message) = result.outcome else { return #expect(Bool(false), "\(result.outcome)") }
        #expect(message.hasSuffix("it sent no more than 3 bytes in 0.3 s"))
        let silent = try await outcome(settings: settings) { _, _ in .stall([]) }
        guard case .failed(let message) = silent.outcome else { return #expect(Bool(false), "\(silent.outcome)") }
        #expect(message.hasSuffix("no reply within 0.3 s"))
        // The budget is two minutes; beside tests that wait for programs, timers may fire late.
        #expect(result.time < .seconds(60) && silent.time < .seconds(60))
        #expect(result.left == [])
    }

    @Test func `nothing goes on when the time is over`() async throws {
        let silent = try await outcome(budget: .milliseconds(400)) { _, _ in .stall([]) }
        let slow = try await outcome(budget: .milliseconds(400)) { _, _ in .stall(Array("HTTP/1.1 200 OK\r\n\r\nabc".utf8)) }
        // A server is given 90 seconds otherwise; beside tests that wait for programs, timers may
        // fire late.
        #expect(silent.time < .seconds(60) && slow.time < .seconds(60))
        for (result, end) in [(silent, "no reply in time"), (slow, "it timed out after 3 bytes")] {
            guard case .failed(let message) = result.outcome else { return #expect(Bool(false), "\(result.outcome)") }
            #expect(message.hasSuffix(end), "\(message)")
            #expect(result.left == [])
        }
    }

    @Test(arguments: ["500 Internal Server Error", "403 Forbidden", "400 Bad Request"])
    func `an error is no answer, and is asked once`(status: String) async throws {
        let result = try await outcome { _, _ in .status(status) }
        guard case .failed(let message) = result.outcome else { return #expect(Bool(false), "\(result.outcome)") }
        #expect(message.hasSuffix("HTTP \(status.prefix(3))"))
        #expect(result.requests == 1)
        #expect(result.left == [])
    }

    @Test func `a busy server is asked again, and then left`() async throws {
        let answered = try await outcome { [file] number, _ in number < 2 ? .status("503 Service Unavailable") : .file(file) }
        guard case .found = answered.outcome else { return #expect(Bool(false), "\(answered.outcome)") }
        #expect(answered.requests == 3)
        let busy = try await outcome { _, _ in .status("429 Too Many Requests") }
        guard case .failed(let message) = busy.outcome else { return #expect(Bool(false), "\(busy.outcome)") }
        #expect(message.hasSuffix("HTTP 429"))
        #expect(busy.requests == 3)
    }

    @Test func `a body that breaks off is asked for again`() async throws {
        let half = Array("HTTP/1.1 200 OK\r\nContent-Length: \(file.count)\r\n\r\n".utf8) + file.prefix(file.count / 2)
        let answered = try await outcome { [file] number, _ in number == 0 ? .bytes(half) : .file(file) }
        guard case .found = answered.outcome else { return #expect(Bool(false), "\(answered.outcome)") }
        #expect(answered.requests == 2)
        let broken = try await outcome { _, _ in .bytes(half) }
        guard case .failed = broken.outcome else { return #expect(Bool(false), "\(broken.outcome)") }
        #expect(broken.requests == 3)
        #expect(broken.left == [])
    }

    /// Without a length, the end of the connection is the end of the file; debuginfod's own header
    /// gives its length.
    @Test func `the header of debuginfod tells that a body broke off`() async throws {
        var settings = FetchSettings()
        settings.retries = 0
        let half = Array("HTTP/1.1 200 OK\r\nX-DEBUGINFOD-SIZE: \(file.count)\r\n\r\n".utf8) + file.prefix(1000)
        let result = try await outcome(settings: settings) { _, _ in .bytes(half) }
        guard case .failed(let message) = result.outcome else { return #expect(Bool(false), "\(result.outcome)") }
        #expect(message.hasSuffix("it broke off after 1000 of \(file.count) bytes"))
        #expect(result.left == [])
    }

    @Test func `redirects are followed, but not for ever`() async throws {
        let followed = try await outcome { [file] number, _ in
            number == 0 ? .redirect("/elsewhere") : .file(file)
        }
        guard case .found = followed.outcome else { return #expect(Bool(false), "\(followed.outcome)") }
        #expect(followed.requests == 2)
        let endless = try await outcome { number, _ in .redirect("/place\(number)") }
        guard case .failed(let message) = endless.outcome else { return #expect(Bool(false), "\(endless.outcome)") }
        #expect(message.hasSuffix("too many redirects"))
        #expect(endless.requests == 6)
    }

    @Test func `a redirect leads to no file of this machine`() async throws {
        let result = try await outcome { _, _ in .redirect("file://\(Self.path)") }
        guard case .failed(let message) = result.outcome else { return #expect(Bool(false), "\(result.outcome)") }
        #expect(message.hasSuffix("HTTP 302"))
    }

    /// The server itself may be at a private address, because the operator named it.
    @Test func `for strangers redirects are followed on the same host, and not for ever`() async throws {
        var settings = FetchSettings()
        settings.isGivenHostsOnly = true
        let followed = try await outcome(settings: settings) { [file] number, _ in number == 0 ? .redirect("/elsewhere") : .file(file) }
        guard case .found = followed.outcome else { return #expect(Bool(false), "\(followed.outcome)") }
        #expect(followed.requests == 2)
        let endless = try await outcome(settings: settings) { number, _ in .redirect("/place\(number)") }
        guard case .failed(let message) = endless.outcome else { return #expect(Bool(false), "\(endless.outcome)") }
        #expect(message.hasSuffix("too many redirects"))
        #expect(endless.requests == 6)
    }

    /// RFC 6890 lists the ranges.
    @Test(arguments: [
        "127.0.0.1:1", "localhost:1", "169.254.169.254", "10.0.0.1", "[::1]:1", "[::ffff:127.0.0.1]", "[fe80::1]", "0.0.0.0",
    ])
    func `for strangers no redirect leads to a private address`(host: String) async throws {
        var settings = FetchSettings()
        settings.isGivenHostsOnly = true
        let result = try await outcome(settings: settings) { _, _ in .redirect("http://\(host)/secret") }
        guard case .failed(let message) = result.outcome else { return #expect(Bool(false), "\(result.outcome)") }
        #expect(
            message.contains("it leads to another place, which is not followed: ") && message.contains("a private address"), "\(message)")
        #expect(result.requests == 1)
    }

    @Test func `what is no HTTP is told so`() async throws {
        let result = try await outcome { _, _ in .text("220 mail.example.org ESMTP\r\n\r\n") }
        guard case .failed(let message) = result.outcome else { return #expect(Bool(false), "\(result.outcome)") }
        #expect(message.hasSuffix("its reply is not HTTP"))
    }

    @Test func `a port where nobody listens`() async throws {
        try await withFolder { root in
            let server = try ScriptedServer { _, _ in .notFound }
            server.stop()
            let results = try await fetch([server.url], root)
            #expect(results.map(\.outcome) == [.failed("\(server.url): connection refused")])
            #expect(TestPaths.files(under: root) == [])
        }
    }

    @Test func `a miss is remembered as long as the cache's own file says`() async throws {
        try await withFolder { root in
            let server = try ScriptedServer { _, _ in .notFound }
            let marker = "\(root)/\(id)/debuginfo"
            #expect(try await fetch([server.url], root).map(\.outcome) == [.missing("\(server.url) does not have it")])
            #expect(try readFile(marker) == [])
            #expect(try run("stat", ["-c", "%a", marker]).lines == ["644"])
            let again = try await fetch([server.url], root)
            guard case .missing(let message) = try #require(again.first).outcome else { return #expect(Bool(false), "\(again)") }
            #expect(message.hasPrefix("no server had it ") && message.hasSuffix(" s ago"))
            #expect(server.requests.count == 1)
            // Ten minutes without the file; debuginfod-client-config(7).
            _ = try run("touch", ["-d", "11 minutes ago", marker])
            _ = try await fetch([server.url], root)
            #expect(server.requests.count == 2)
            _ = try run("touch", ["-d", "11 minutes ago", marker])
            try writeFile(root + "/cache_miss_s", Array("3600\n".utf8))
            _ = try await fetch([server.url], root)
            #expect(server.requests.count == 2)
            try writeFile(root + "/cache_miss_s", Array("0\n".utf8))
            _ = try await fetch([server.url], root)
            #expect(server.requests.count == 3)
            server.stop()
        }
    }

    @Test func `a silent server costs the others nothing`() async throws {
        try await withFolder { root in
            let silent = try ScriptedServer { _, _ in .stall([]) }
            let server = try ScriptedServer { [file] _, _ in .file(file) }
            // Whoever waited for the first would have no time left for the second.
            let results = try await fetch([silent.url, server.url], root, budget: .seconds(60))
            guard case .found(_, let source) = try #require(results.first).outcome else { return #expect(Bool(false), "\(results)") }
            #expect(source == server.url)
            silent.stop()
            server.stop()
        }
    }

    @Test func `the next server's turn comes when one sends the wrong file`() async throws {
        let other = try readFile(Self.otherPath)
        try await withFolder { root in
            let wrong = try ScriptedServer { _, _ in .file(other) }
            let right = try ScriptedServer { [file] _, _ in .file(file) }
            let results = try await fetch([wrong.url, right.url], root)
            guard case .found(_, let source) = try #require(results.first).outcome else { return #expect(Bool(false), "\(results)") }
            #expect(source == right.url)
            wrong.stop()
            right.stop()
        }
    }

    /// One has it not, the other may have it: the file is not missing, and nothing is remembered.
    @Test func `a miss needs every server's word`() async throws {
        try await withFolder { root in
            let gone = try ScriptedServer { _, _ in .notFound }
            gone.stop()
            let server = try ScriptedServer { _, _ in .notFound }
            let results = try await fetch([server.url, gone.url], root)
            #expect(results.map(\.outcome) == [.failed("\(server.url) does not have it; \(gone.url): connection refused")])
            #expect(TestPaths.files(under: root) == [])
            server.stop()
        }
    }

    @Test func `a wrong file in the cache is replaced`() async throws {
        try await withFolder { root in
            _ = try run("mkdir", ["-p", "\(root)/\(id)"])
            let path = "\(root)/\(id)/debuginfo"
            try writeFile(path, Array("half of a file".utf8))
            let server = try ScriptedServer { [file] _, _ in .file(file) }
            #expect(try await fetch([server.url], root).map(\.outcome) == [.found(path: path, source: server.url)])
            #expect(try readFile(path) == file)
            server.stop()
        }
    }

    /// `readelf -p .gnu_debugaltlink` shows that `dwz-one` names a file whose build ID
    /// `eu-readelf -n` gives for `dwz-common`.
    @Test func `what dwz moved out comes with a debug file, once for all that share it`() async throws {
        let common = "85ba417839e4122fddf1a9095b3bb534796e36d2"
        let one = try readFile(TestPaths.fixture("binaries/SplitUnits/out/dwz-one"))
        let supplementary = try readFile(TestPaths.fixture("binaries/SplitUnits/out/dwz-common"))
        let id = try #require(ImageID(text: Self.otherID))
        try await withFolder { root in
            let server = try ScriptedServer { _, request in .file(request.contains(common) ? supplementary : one) }
            let questions = [RequestedFile(.debuginfo, id), RequestedFile(.executable, id)]
            let results = try await fetch([server.url], root, questions: questions)
            #expect(results.count == 2)
            for result in results { if case .found = result.outcome {} else { #expect(Bool(false), "\(result)") } }
            #expect(try readFile("\(root)/\(common)/debuginfo") == supplementary)
            #expect(server.requests.count == 3)
            server.stop()
        }
    }

    @Test func `a folder serves as a server does`() async throws {
        try await withFolder { root in
            let folder = "\(root)/share/buildid/\(id)"
            _ = try run("mkdir", ["-p", folder])
            try writeFile(folder + "/debuginfo", file)
            let path = "\(root)/cache/\(id)/debuginfo"
            let url = "file://\(root)/share"
            #expect(try await fetch([url], root + "/cache").map(\.outcome) == [.found(path: path, source: url)])
            #expect(try readFile(path) == file)
            let absent = RequestedFile(.executable, try #require(Self.id))
            #expect(
                try await fetch([url], root + "/cache", questions: [absent]).map(\.outcome) == [.missing("\(url) does not have it")])
        }
    }

    @Test func `a cache that cannot be written is told so`() async throws {
        try await withFolder { root in
            try writeFile(root + "/file", [])
            let server = try ScriptedServer { [file] _, _ in .file(file) }
            let results = try await fetch([server.url], root + "/file/cache")
            guard case .failed(let message) = try #require(results.first).outcome else { return #expect(Bool(false), "\(results)") }
            #expect(message.contains("the file cannot be stored: "), "\(message)")
            server.stop()
        }
    }

    @Test func `downloads that were ended long ago are removed`() async throws {
        try await withFolder { root in
            let folder = "\(root)/\(id)"
            _ = try run("mkdir", ["-p", folder])
            for (name, age) in [
                ("debuginfo.aaaaaa", "2 days ago"), ("debuginfo.bbbbbb", "1 hour ago"), ("executable.cccccc", "2 days ago"),
            ] {
                try writeFile("\(folder)/\(name)", [1])
                _ = try run("touch", ["-d", age, "\(folder)/\(name)"])
            }
            let server = try ScriptedServer { [file] _, _ in .file(file) }
            _ = try await fetch([server.url], root)
            #expect(
                TestPaths.files(under: root).map { Path.name(of: $0) } == ["debuginfo", "debuginfo.bbbbbb", "executable.cccccc"])
            server.stop()
        }
    }

    /// Through a proxy, a request has the whole URL (RFC 9112, section 3.2.2).
    @Test func `a proxy is asked for what http servers have`() async throws {
        try await withFolder { root in
            let proxy = try ScriptedServer { [file] _, _ in .file(file) }
            let url = "http://debuginfod.example:8002"
            let results = try await fetch([url], root, environment: ["http_proxy": String(proxy.url.dropFirst(7))])
            let target = "\(url)/buildid/\(id)/debuginfo"
            #expect(proxy.requests.first?.hasPrefix("GET \(target) HTTP/1.1\r\n") == true, "\(proxy.requests)")
            #expect(results.map(\.outcome) == [.found(path: "\(root)/\(id)/debuginfo", source: url)])
            proxy.stop()
        }
    }

    /// RFC 9110, section 9.3.6.
    @Test func `a proxy is asked for the way to https servers`() async throws {
        try await withFolder { root in
            let proxy = try ScriptedServer { _, _ in .status("403 Forbidden") }
            let url = "https://debuginfod.example:8002"
            let results = try await fetch([url], root, environment: ["https_proxy": proxy.url])
            #expect(proxy.requests.first?.hasPrefix("CONNECT debuginfod.example:8002 HTTP/1.1\r\n") == true, "\(proxy.requests)")
            #expect(results.map(\.outcome) == [.failed("\(url): the proxy does not connect to it (HTTP 403)")])
            proxy.stop()
        }
    }

    /// The client says that it speaks version 5; 0xFF as the reply means that no way to log in is
    /// accepted (RFC 1928, section 3).
    @Test func `a SOCKS proxy is asked in its own protocol`() async throws {
        try await withFolder { root in
            let proxy = try ScriptedServer(isWhole: { $0.count >= 3 }) { _, _ in .bytes([5, 0xFF]) }
            let socks = "socks5h://" + proxy.url.dropFirst(7)
            let results = try await fetch(["http://debuginfod.example"], root, environment: ["all_proxy": socks])
            #expect(proxy.requests.first?.utf8.first == 5)
            guard case .failed = try #require(results.first).outcome else { return #expect(Bool(false), "\(results)") }
            proxy.stop()
        }
    }

    @Test func `a host that no_proxy names is reached directly`() async throws {
        try await withFolder { root in
            let proxy = try ScriptedServer { _, _ in .status("403 Forbidden") }
            let server = try ScriptedServer { [file] _, _ in .file(file) }
            let results = try await fetch(
                [server.url], root, environment: ["http_proxy": proxy.url, "no_proxy": "other.example,127.0.0.1"])
            guard case .found = try #require(results.first).outcome else { return #expect(Bool(false), "\(results)") }
            #expect(proxy.requests == [])
            proxy.stop()
            server.stop()
        }
    }

    /// Requests that strangers cause go through the proxy, or to an address that was checked, and nowhere else.
    @Test func `for strangers a proxy is no way around the check of addresses`() async throws {
        var settings = FetchSettings()
        settings.isGivenHostsOnly = true
        try await withFolder { root in
            let proxy = try ScriptedServer { _, _ in .notFound }
            let variables = ["http_proxy": proxy.url]
            let requested = try await fetch(["http://localhost:9"], root, settings: settings, environment: variables)
            #expect(requested.map(\.outcome) == [.missing("http://localhost:9 does not have it")])
            #expect(proxy.requests.count == 1)
            let direct = try await fetch(
                ["http://localhost:9"], root + "/other", settings: settings,
                environment: variables.merging(["no_proxy": "localhost"]) { $1 })
            guard case .failed(let text) = try #require(direct.first).outcome else { return #expect(Bool(false), "\(direct)") }
            #expect(text.contains("a private address"), "\(text)")
            #expect(proxy.requests.count == 1)
            proxy.stop()
        }
    }

    @Test func `a download that is canceled closes its connection`() async throws {
        try await withFolder { root in
            let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nabc".utf8)
            let (arrived, arrival) = AsyncStream.makeStream(of: Void.self)
            let server = try ScriptedServer { _, _ in
                arrival.yield()
                return .stall(head)
            }
            let task = Task { try await fetch([server.url], root) }
            for await _ in arrived { break }
            task.cancel()
            for await _ in server.abandoned { break }
            guard case .failed = try #require(try await task.value.first).outcome else { return #expect(Bool(false)) }
            #expect(TestPaths.files(under: root) == [])
            server.stop()
        }
    }

    @Test func `headers of the user's file are sent`() async throws {
        try await withFolder { root in
            try writeFile(root + "/headers", Array("X-Token: 42\n\n  \nUser-Agent: gdb\n".utf8))
            let server = try ScriptedServer { _, _ in .notFound }
            let settings = FetchSettings { $0 == "DEBUGINFOD_HEADERS_FILE" ? root + "/headers" : nil }
            _ = try await fetch([server.url], root, settings: settings)
            let request = try #require(server.requests.first)
            #expect(request.contains("X-Token: 42\r\n") && request.contains("User-Agent: gdb\r\n"), "\(request)")
            server.stop()
        }
    }

    @Test func `forty questions have forty answers, some at a time`() async throws {
        let ids = (0..<40).map { number in [UInt8](repeating: 0xab, count: 19) + [UInt8(number)] }
        let questions = ids.compactMap { ImageID(bytes: $0) }.map { RequestedFile(.debuginfo, $0) }
        try await withFolder { root in
            let server = try ScriptedServer { _, _ in .notFound }
            let results = try await fetch([server.url], root, questions: questions)
            #expect(results.count == 40)
            #expect(Set(results.map(\.file)) == Set(questions))
            #expect(server.requests.count == 40)
            server.stop()
        }
    }

    @Test func `forty files come at once, each whole`() async throws {
        try await withFolder { root in
            let server = try ScriptedServer { [file] _, _ in .file(file) }
            // A file of another build ID than the requested one is read to its end before it is
            // thrown away.
            let ids = (0..<39).compactMap { ImageID(bytes: [UInt8](repeating: 0xab, count: 19) + [UInt8($0)]) }
            var settings = FetchSettings()
            settings.parallel = 40
            let questions = [question] + ids.map { RequestedFile(.debuginfo, $0) }
            let results = try await fetch([server.url], root, settings: settings, questions: questions)
            for result in results {
                switch result.outcome {
                case .found(let path, _): #expect(try result.file == question && readFile(path) == file)
                case .failed(let text): #expect(text == "\(server.url): it sent another file: its build ID is \(id)")
                case .missing: #expect(Bool(false), "\(result)")
                }
            }
            #expect(results.count == 40 && server.requests.count == 40)
            server.stop()
        }
    }

    @Test(arguments: ["ftp://example.org", "debuginfod.example.org", ""])
    func `a URL of another kind is refused`(url: String) {
        #expect(throws: SymbolServerError.self) { _ = try SymbolServer(url) }
    }
}

private final class Results: Sendable {
    private let list = Mutex<[DownloadResult]>([])

    var all: [DownloadResult] { list.withLock { $0 } }

    func add(_ result: DownloadResult) { list.withLock { $0.append(result) } }
}

/// Makes a folder that is removed after `body`, which runs in a thread of its own: other tests wait
/// for programs in the threads that tasks share, and the time that passes counts here.
func withFolder<Result: Sendable>(_ body: (String) async throws -> Result) async throws -> Result {
    let folder = try #require(try run("mktemp", ["-d"]).lines.first)
    defer { _ = try? run("rm", ["-rf", folder]) }
    return try await withTaskExecutorPreference(QueueExecutor()) { try await body(folder) }
}

private final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "test")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
