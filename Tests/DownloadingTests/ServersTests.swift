import BinaryPrimitives
import SymbolFiles
import Symbolication
import Synchronization
import TestSupport
import Testing

@testable import Downloading

/// Servers with other layouts than debuginfod's, and buckets.
struct ServersTests {
    /// `eu-readelf -n` says this build ID.
    private let id = "ab8d96dcc9de627ace64ea0173e42adb457cb353"
    private let path = TestPaths.fixture("binaries/Stripped/out/shapes-linked.debug")
    private let environment = ["AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret/+key", "AWS_REGION": "eu-central-1"]

    private func file(_ kind: RequestedFile.Kind = .debuginfo, name: String = "libshapes++.so", servers: [SymbolServer]? = nil) throws
        -> RequestedFile
    {
        RequestedFile(kind, RequestedImage(ImageRequest(name: name, id: try #require(ImageID(buildID: id)))), servers: servers)
    }

    private func client(
        _ servers: [SymbolServer], _ root: String, settings: FetchSettings = FetchSettings(), environment: [String: String] = [:]
    ) -> DownloadClient {
        let cache = DownloadCache(root: root + "/debuginfod", others: root + "/downloads")
        return DownloadClient(
            servers, cache: cache, space: DownloadSpace(folders: [cache.others], limit: 1 << 30), settings: settings,
            open: SymbolFileReader.openAll, environment: { environment[$0] })
    }

    private func fetch(_ files: [RequestedFile], _ client: DownloadClient, budget: Duration = .seconds(60)) async -> [DownloadResult
        .Outcome]
    {
        let outcomes = Mutex([DownloadResult.Outcome](repeating: .failed("nothing"), count: files.count))
        await client.fetch(files, before: .now + budget) { number, outcome in outcomes.withLock { $0[number] = outcome } }
        return outcomes.withLock { $0 }
    }

    @Test(arguments: [
        ("unified", ["ab/8d96dcc9de627ace64ea0173e42adb457cb353/debuginfo"]),
        ("symsrv", ["_.debug/elf-buildid-sym-ab8d96dcc9de627ace64ea0173e42adb457cb353/_.debug"]),
        ("native", [".build-id/ab/8d96dcc9de627ace64ea0173e42adb457cb353.debug", "ab/8d96dcc9de627ace64ea0173e42adb457cb353.debug"]),
    ])
    func `a file is requested where the layout has it`(layout: String, paths: [String]) async throws {
        let bytes = try readFile(path)
        try await withFolder { root in
            // The last of the layout's paths has it.
            let last = paths[paths.count - 1]
            let server = try ScriptedServer { _, request in
                request.hasPrefix("GET /sub/\(last) ") ? .file(bytes) : .notFound
            }
            let client = client([try SymbolServer("\(layout)+\(server.url)/sub")], root)
            let outcome = await fetch([try file()], client).first
            guard case .found(let found, let source) = outcome else { return #expect(Bool(false), "\(String(describing: outcome))") }
            #expect(source == server.url + "/sub" && found.hasPrefix(root + "/downloads/") && found.hasSuffix("/" + last))
            #expect(try readFile(found) == bytes)
            #expect(server.requests.map { String($0.split(separator: " ")[1]) } == paths.map { "/sub/" + $0 })
            await client.shutDown()
            server.stop()
        }
    }

    @Test func `a text file of Breakpad is proven by its first record`() async throws {
        let right = Array("MODULE Linux x86_64 DC968DABDEC97A62CE64EA0173E42ADB0 libshapes++.so\nFUNC 1000 10 0 main\n".utf8)
        let wrong = Array("MODULE Linux x86_64 00968DABDEC97A62CE64EA0173E42ADB0 libshapes++.so\nFUNC 1000 10 0 other\n".utf8)
        try await withFolder { root in
            let server = try ScriptedServer { _, request in
                // The path's escapes are those of RFC 3986, which servers of objects insist on.
                !request.contains("/libshapes%2B%2B.so/DC968DABDEC97A62CE64EA0173E42ADB0/libshapes%2B%2B.so.sym ")
                    ? .notFound : .file(request.hasPrefix("GET /wrong/") ? wrong : right)
            }
            let both = client([try SymbolServer("breakpad+\(server.url)/wrong"), try SymbolServer("breakpad+\(server.url)/right")], root)
            guard case .found(let found, let source)? = await fetch([try file()], both).first else { return #expect(Bool(false)) }
            #expect(try readFile(found) == right && source == server.url + "/right")
            let one = client([try SymbolServer("breakpad+\(server.url)/wrong")], root)
            guard case .failed(let reason)? = await fetch([try file()], one).first else { return #expect(Bool(false)) }
            #expect(reason.contains("it sent another file: its build ID is "))
            server.stop()
        }
    }

    @Test func `a miss is remembered for each server alone`() async throws {
        let bytes = try readFile(path)
        try await withFolder { root in
            let empty = try ScriptedServer { _, _ in .notFound }
            let full = try ScriptedServer { _, _ in .file(bytes) }
            let servers = [try SymbolServer("unified+\(empty.url)"), try SymbolServer("unified+\(full.url)")]
            guard case .missing? = await fetch([try file()], client([servers[0]], root)).first else { return #expect(Bool(false)) }
            // `debuginfo` and `breakpad`.
            #expect(empty.requests.count == 2)
            guard case .found? = await fetch([try file()], client(servers, root)).first else { return #expect(Bool(false)) }
            #expect(empty.requests.count == 2)
            empty.stop()
            full.stop()
        }
    }

    @Test func `many requests for one file are one download`() async throws {
        let bytes = try readFile(path)
        try await withFolder { root in
            let server = try ScriptedServer { _, _ in .file(bytes) }
            let client = client([try SymbolServer("unified+\(server.url)")], root)
            let file = try file()
            let outcomes = await withTaskGroup(of: [DownloadResult.Outcome].self) { group in
                for _ in 0..<20 { group.addTask { await fetch([file], client) } }
                return await group.reduce(into: []) { $0 += $1 }
            }
            for outcome in outcomes { guard case .found = outcome else { return #expect(Bool(false), "\(outcome)") } }
            #expect(outcomes.count == 20 && server.requests.count == 1)
            server.stop()
        }
    }

    @Test func `a server that is not there is left alone for a while`() async throws {
        try await withFolder { root in
            let server = try ScriptedServer { _, _ in .notFound }
            server.stop()
            let client = client([try SymbolServer("native+\(server.url)")], root)
            for _ in 0..<3 {
                #expect(await fetch([try file()], client) == [.failed("\(server.url): connection refused")])
            }
            #expect(TestPaths.files(under: root) == [])
        }
    }

    /// A service's client waits no longer than it said, and the next one has the file.
    @Test func `a slow download goes on for the next request`() async throws {
        let bytes = try readFile(path)
        try await withFolder { root in
            let (goesOn, go) = AsyncStream.makeStream(of: Void.self)
            let release = WorkQueue<Void>(maxWeight: .max)
            let server = try ScriptedServer { _, _ in
                go.yield()
                _ = release.next()
                return .file(bytes)
            }
            var settings = FetchSettings()
            settings.isService = true
            let client = client([try SymbolServer("unified+\(server.url)")], root, settings: settings)
            let file = try file()
            let first = Task { await fetch([file], client, budget: .milliseconds(200)) }
            for await _ in goesOn { break }
            #expect(await first.value == [.failed("it is still being downloaded: ask again in a moment")])
            _ = release.add((), weight: 0)
            guard case .found? = await fetch([file], client).first else { return #expect(Bool(false)) }
            #expect(server.requests.count == 1)
            server.stop()
        }
    }

    @Test func `servers that a request names have no more than their own files`() async throws {
        let bytes = try readFile(path)
        try await withFolder { root in
            let server = try ScriptedServer { _, request in request.contains("X-Secret: one\r\n") ? .file(bytes) : .status("403 Forbidden")
            }
            var named = try SymbolServer("unified+\(server.url)")
            named.headers = ["X-Secret: one"]
            let client = client([], root)
            guard case .found(let found, _)? = await fetch([try file(servers: [named])], client).first else { return #expect(Bool(false)) }
            #expect(try readFile(found) == bytes)
            // Whoever has no secret, or another one, does not get the file from the cache.
            named.headers = ["X-Secret: two"]
            guard case .failed? = await fetch([try file(servers: [named])], client).first else { return #expect(Bool(false)) }
            named.headers = []
            guard case .failed? = await fetch([try file(servers: [named])], client).first else { return #expect(Bool(false)) }
            #expect(await fetch([try file()], client) == [.missing("no server has files of its kind")])
            server.stop()
        }
    }

    /// Else anybody could say of any build ID that nobody has it, or what it is.
    @Test func `a request's servers of debuginfod share nothing with the user's`() async throws {
        let bytes = try readFile(path)
        try await withFolder { root in
            let empty = try ScriptedServer { _, _ in .notFound }
            let full = try ScriptedServer { _, _ in .file(bytes) }
            let client = client([try SymbolServer("debuginfod+\(full.url)")], root)
            let named = [try SymbolServer("debuginfod+\(empty.url)")]
            guard case .missing? = await fetch([try file(servers: named)], client).first else { return #expect(Bool(false)) }
            guard case .found(let own, _)? = await fetch([try file()], client).first else { return #expect(Bool(false)) }
            #expect(own.hasPrefix(root + "/debuginfod/"))
            // A file that the user's server has does not count as one of the named server's.
            guard case .missing? = await fetch([try file(servers: named)], client).first else { return #expect(Bool(false)) }
            guard case .found(let other, _)? = await fetch([try file(servers: [try SymbolServer("debuginfod+\(full.url)")])], client).first
            else { return #expect(Bool(false)) }
            #expect(other.hasPrefix(root + "/downloads/"))
            empty.stop()
            full.stop()
        }
    }

    /// debuginfod-client-config(7), `DEBUGINFOD_HEADERS_FILE`.
    @Test func `headers for debuginfod servers go to no other server`() async throws {
        let bytes = try readFile(path)
        try await withFolder { root in
            let server = try ScriptedServer { _, _ in .file(bytes) }
            var settings = FetchSettings()
            settings.headers = [("Authorization", "Bearer operator")]
            for (number, name) in ["debuginfod+\(server.url)", "unified+\(server.url)", "unified+s3://b?endpoint=\(server.url)"]
                .enumerated()
            {
                let client = client([try SymbolServer(name)], "\(root)/\(number)", settings: settings, environment: environment)
                _ = await fetch([try file()], client)
            }
            let client = client([], root + "/named", settings: settings)
            _ = await fetch([try file(servers: [try SymbolServer("debuginfod+\(server.url)")])], client)
            #expect(server.requests.map { $0.contains("Authorization: Bearer operator\r\n") } == [true, false, false, false])
            #expect(server.requests[2].contains("Authorization: AWS4-HMAC-SHA256 "))
            server.stop()
        }
    }

    @Test(arguments: [true, false])
    func `on a redirect to another host no secret goes with it`(isService: Bool) async throws {
        try await withFolder { root in
            let other = try ScriptedServer { _, _ in .notFound }
            let target = other.url.replacing("127.0.0.1", with: "localhost")
            let server = try ScriptedServer { _, _ in .redirect(target + "/x") }
            var settings = FetchSettings()
            (settings.isGivenHostsOnly, settings.isService) = (isService, isService)
            var named = try SymbolServer("unified+\(server.url)")
            named.headers = ["X-Api-Key: secret"]
            _ = await fetch([try file(servers: [named])], client([], root, settings: settings))
            #expect(server.requests.allSatisfy { $0.contains("X-Api-Key: secret") })
            // For a service the address is a private one.
            #expect(other.requests.isEmpty == isService)
            #expect(!other.requests.contains { $0.contains("secret") })
            server.stop()
            other.stop()
        }
    }

    /// `.gnu_debugaltlink` of each names the other (objcopy).
    @Test func `files that refer to each other end`() async throws {
        let (one, common) = ("3e8f02bfa93378736510dea59908247e3815c477", "85ba417839e4122fddf1a9095b3bb534796e36d2")
        try await withFolder { root in
            let link = [UInt8](Array("one\0".utf8)) + (try #require(ImageID(text: one))).bytes
            try writeFile(root + "/link", link)
            try run(
                "objcopy",
                [
                    "--add-section", ".gnu_debugaltlink=\(root)/link", TestPaths.fixture("binaries/SplitUnits/out/dwz-common"),
                    root + "/common",
                ]
            ).requireSuccess()
            let (first, second) = (try readFile(TestPaths.fixture("binaries/SplitUnits/out/dwz-one")), try readFile(root + "/common"))
            let server = try ScriptedServer { _, request in .file(request.contains(common) ? second : first) }
            let client = client([try SymbolServer("debuginfod+\(server.url)")], root)
            let files = [one, common].compactMap { ImageID(text: $0) }.map { RequestedFile(.debuginfo, $0) }
            for outcome in await fetch(files, client) { guard case .found = outcome else { return #expect(Bool(false), "\(outcome)") } }
            server.stop()
        }
    }

    @Test func `a bucket that gave no access gets another request with another key`() async throws {
        let bytes = try readFile(path)
        try await withFolder { root in
            let server = try ScriptedServer { _, request in
                request.contains("Credential=AKIDEXAMPLE/") ? .file(bytes) : .status("403 Forbidden")
            }
            let bucket = try SymbolServer("unified+s3://symbols?endpoint=\(server.url)")
            guard case .missing? = await fetch([try file()], client([bucket], root)).first else { return #expect(Bool(false)) }
            guard case .found? = await fetch([try file()], client([bucket], root, environment: environment)).first else {
                return #expect(Bool(false))
            }
            server.stop()
        }
    }

    // MARK: Buckets

    /// The signature is computed here as Amazon's documentation says ("Signature Calculations for the Authorization Header").
    @Test func `requests to a bucket are signed`() async throws {
        let bytes = try readFile(path)
        try await withFolder { root in
            let server = try ScriptedServer { _, _ in .file(bytes) }
            var variables = environment
            variables["AWS_ENDPOINT_URL"] = server.url
            variables["AWS_SESSION_TOKEN"] = "temporary"
            // A path with escapes.
            let client = client([try SymbolServer("symsrv+s3://symbols/a+b")], root, environment: variables)
            guard case .found(_, let source)? = await fetch([try file(.executable)], client).first else { return #expect(Bool(false)) }
            #expect(source == "s3://symbols/a+b")
            let request = try #require(server.requests.first)
            let expectedPath = "/symbols/a%2Bb/libshapes%2B%2B.so/elf-buildid-\(id)/libshapes%2B%2B.so"
            #expect(request.hasPrefix("GET \(expectedPath) HTTP/1.1\r\n"), "\(request)")
            let signature = try #require(SignedRequest(request))
            #expect(signature.scope.hasPrefix("AKIDEXAMPLE/") && signature.scope.hasSuffix("/eu-central-1/s3/aws4_request"))
            // Those that Amazon requires; the hash is that of no bytes.
            #expect(Set(signature.names).isSuperset(of: ["host", "x-amz-content-sha256", "x-amz-date"]))
            #expect(request.contains("x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\r\n"))
            #expect(request.contains("x-amz-security-token: temporary\r\n"))
            #expect(signature.signature == signature.expected(secret: "secret/+key"))
            server.stop()
        }
    }

    /// Amazon answers so where the reader may not list the bucket.
    @Test func `a bucket that says no of a file has it not`() async throws {
        try await withFolder { root in
            let server = try ScriptedServer { _, _ in .status("403 Forbidden") }
            let bucket = try SymbolServer("unified+s3://symbols?endpoint=\(server.url)")
            #expect(
                await fetch([try file()], client([bucket], root)) == [.missing("s3://symbols does not have it, or gives no access to it")])
            // Without keys nothing is signed.
            #expect(!server.requests.contains { $0.lowercased().contains("authorization:") })
            server.stop()
        }
    }

    /// Amazon S3 API Reference, "Error Responses".
    @Test(arguments: [
        ("403 Forbidden", "SignatureDoesNotMatch", false), ("403 Forbidden", "InvalidAccessKeyId", false),
        ("403 Forbidden", "AccessDenied", true), ("404 Not Found", "NoSuchKey", true), ("404 Not Found", "NoSuchBucket", false),
        ("400 Bad Request", "ExpiredToken", false),
    ])
    func `a wrong key is no missing file`(status: String, code: String, isMissing: Bool) async throws {
        try await withFolder { root in
            let body = "<?xml version=\"1.0\"?><Error><Code>\(code)</Code><Message>…</Message></Error>"
            let server = try ScriptedServer { _, _ in
                .text("HTTP/1.1 \(status)\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            }
            let bucket = try SymbolServer("unified+s3://symbols?endpoint=\(server.url)")
            let outcome = await fetch([try file()], client([bucket], root, environment: environment)).first
            if isMissing {
                guard case .missing? = outcome else { return #expect(Bool(false), "\(String(describing: outcome))") }
            } else {
                #expect(outcome == .failed("s3://symbols: HTTP \(status.prefix(3)) (\(code))"))
            }
            server.stop()
        }
    }

    @Test func `a bucket's host is Amazon's unless another one is named`() throws {
        func bucket(_ text: String, _ variables: [String: String] = [:]) throws -> Bucket {
            try #require(Bucket(try SymbolServer(text), environment: { variables[$0] }))
        }
        #expect(try bucket("s3://symbols/a-b").url == "https://symbols.s3.us-east-1.amazonaws.com/a-b")
        #expect(try bucket("s3://symbols", environment).url == "https://symbols.s3.eu-central-1.amazonaws.com")
        #expect(try bucket("s3://my.symbols/x", environment).url == "https://s3.eu-central-1.amazonaws.com/my.symbols/x")
        #expect(try bucket("s3://symbols?region=us-west-2", environment).url == "https://symbols.s3.us-west-2.amazonaws.com")
        let other = ["AWS_ENDPOINT_URL": "http://minio:9000/"]
        #expect(try bucket("s3://symbols/x", other).url == "http://minio:9000/symbols/x")
        #expect(try bucket("s3://symbols/x", other).signature == nil)
        // A request's own bucket is not looked for at the operator's server.
        #expect(try bucket("s3://a:b@symbols/x", other).url == "https://symbols.s3.us-east-1.amazonaws.com/x")
        #expect(try bucket("s3://a:b@symbols/x", environment).signature?.keys.id == "a")
    }

    @Test func `keys are read from the file of Amazon's programs`() {
        let text = """
            [default]
            aws_access_key_id = first
            aws_secret_access_key=one

            # another
            [prod]
            aws_access_key_id=second
            aws_secret_access_key=two
            aws_session_token=three
            """
        #expect(Bucket.keys(inFile: text, profile: "default") == SymbolServer.Keys(id: "first", secret: "one"))
        #expect(Bucket.keys(inFile: text, profile: "prod") == SymbolServer.Keys(id: "second", secret: "two", token: "three"))
        #expect(Bucket.keys(inFile: text, profile: "none") == nil)
    }
}

/// A request with a signature of version 4.
private struct SignedRequest {
    let scope: String
    let names: [String]
    let signature: String
    private let path: String
    private let headers: [String: String]

    init?(_ request: String) {
        let lines = request.split(separator: "\r\n")
        path = String(lines[0].split(separator: " ")[1])
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
        }
        self.headers = headers
        guard let value = headers["authorization"], value.hasPrefix("AWS4-HMAC-SHA256 ") else { return nil }
        var parts: [String: String] = [:]
        for part in value.dropFirst("AWS4-HMAC-SHA256 ".utf8.count).split(separator: ",") {
            let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            parts[String(pair[0])] = String(pair[1])
        }
        guard let scope = parts["Credential"], let names = parts["SignedHeaders"], let signature = parts["Signature"] else { return nil }
        self.scope = scope
        self.names = names.split(separator: ";").map(String.init)
        self.signature = signature
    }

    func expected(secret: String) -> String {
        let canonical =
            "GET\n\(path)\n\n" + names.map { "\($0):\(headers[$0] ?? "")\n" }.joined() + "\n" + names.joined(separator: ";")
            + "\n" + (headers["x-amz-content-sha256"] ?? hexadecimal(hash([])))
        let scope = scope.split(separator: "/").dropFirst().joined(separator: "/")
        let text = "AWS4-HMAC-SHA256\n\(headers["x-amz-date"] ?? "")\n\(scope)\n" + hexadecimal(hash(Array(canonical.utf8)))
        var key = Array(("AWS4" + secret).utf8)
        for part in scope.split(separator: "/") { key = code(key, Array(part.utf8)) }
        return hexadecimal(code(key, Array(text.utf8)))
    }

    private func hash(_ bytes: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finish()
    }

    /// HMAC (RFC 2104) with SHA-256, whose blocks have 64 bytes.
    private func code(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        let key = (key.count > 64 ? hash(key) : key) + [UInt8](repeating: 0, count: max(0, 64 - key.count))
        let block = Array(key.prefix(64))
        return hash(block.map { $0 ^ 0x5c } + hash(block.map { $0 ^ 0x36 } + message))
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String { bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
