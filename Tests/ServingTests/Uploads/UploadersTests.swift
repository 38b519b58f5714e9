import BinaryPrimitives
import CrashLogModel
import Serving
import SymbolFiles
import TestSupport
import Testing

/// The requests of those who upload symbols: Mozilla's builds, Breakpad's `symupload`, `sentry-cli`. Identities are those of `binaries/INDEX.tsv`.
struct UploadersTests {
    private static let library = "binaries/Android/out/arm64-v8a/libshop.so.debug"
    private static let id = "b8d4805eb85072adc63839f3e9055e11751026cd"
    private static let storedPath = ".build-id/b8/d4805eb85072adc63839f3e9055e11751026cd.debug"

    private func withStore(_ body: (Service, String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let store = folder + "/store"
            try body(Service.over([store]) { $0.uploadStore = store }, store)
        }
    }

    /// Files that are used: those that wait or differ are in folders of their own.
    private func files(_ store: String) -> [String] {
        TestPaths.files(under: store).map { String($0.dropFirst(store.count + 1)) }.filter {
            !$0.hasPrefix("names/") && !$0.hasPrefix(".cairn-")
        }
    }

    // MARK: Tecken

    private static let symbols = "MODULE windows x86_64 0185139C8F04FFC94C4C44205044422E1 xul.pdb\nFUNC 5380 44 0 somefunc\n"

    /// Sends what `curl -F symbols.zip=@symbols.zip` does; Python's zipfile makes the archive.
    private func upload(_ members: [(path: String, text: String)], as name: String = "symbols.zip", to service: Service) throws -> Response
    {
        try withTemporaryFolder { folder in
            for member in members {
                try makeFolders(Path.directory(of: folder + "/tree/" + member.path))
                try writeFile(folder + "/tree/" + member.path, Array(member.text.utf8))
            }
            let pack =
                "import os, zipfile\nz = zipfile.ZipFile('a.zip', 'w')\nfor r, _, f in os.walk('tree'):\n for n in f: z.write(f'{r}/{n}', f'{r}/{n}'[5:])\nz.close()"
            try run("python3", ["-c", pack], directory: folder).requireSuccess()
            let content = try readFile(folder + "/a.zip")
            let head =
                "--AaB03x\r\nContent-Disposition: form-data; name=\"\(name)\"; filename=\"\(name)\"\r\nContent-Type: application/zip\r\n\r\n"
            return service.respond(
                to: Request(
                    "POST", "/upload/", headers: [("Content-Type", "multipart/form-data; boundary=AaB03x")],
                    body: Array(head.utf8) + content + Array("\r\n--AaB03x--\r\n".utf8)))
        }
    }

    @Test func `a symbols tree is kept, and read by Tecken's paths`() throws {
        try withStore { service, store in
            let path = "xul.pdb/0185139C8F04FFC94C4C44205044422E1/xul.sym"
            let response = try upload([(path, Self.symbols), ("release-symbols.txt", path)], to: service)
            #expect(response.status == 201)
            let upload = try #require(response.json?["upload"])
            #expect(upload["filename"]?.string == "symbols.zip" && upload["skipped_keys"]?.elements.isEmpty == true)
            for prefix in ["/", "/try/", "/symbols/"] { #expect(service.get(prefix + path).text == Self.symbols) }
            // Another age, another name, what Windows' debuggers ask for first, and Breakpad's paths that lead outside.
            for path in [
                "/xul.pdb/0185139C8F04FFC94C4C44205044422E2/xul.sym", "/xul.pdb/0185139C8F04FFC94C4C44205044422E1/file.ptr",
                "/xul.pdb/0185139C8F04FFC94C4C44205044422E1/xul.pd_", "/xul.pdb/0185139C8F04FFC94C4C44205044422E1/xul.pdb",
                "/../../etc/passwd",
            ] { #expect(service.get(path).status == 404, "\(path)") }
            #expect(files(store) == ["other/0185139c8f04ffc94c4c44205044422e1/xul.sym"])
        }
    }

    @Test func `members without an identity, and those that differ, are listed`() throws {
        try withStore { service, store in
            let path = "xul.pdb/0185139C8F04FFC94C4C44205044422E1/xul.sym"
            _ = try upload([(path, Self.symbols)], to: service)
            let again = try upload([(path, Self.symbols + "PUBLIC 1 0 other\n"), ("a/AB/a.sym", "MSCF")], to: service)
            #expect(again.status == 201)
            #expect(again.json?["upload"]?["skipped_keys"]?.elements.map(\.string) == ["a/AB/a.sym"])
            let different = try #require(again.json?["upload"]?["different_keys"]?.elements.first?.string)
            #expect(try readFile(store + "/" + different) == Array((Self.symbols + "PUBLIC 1 0 other\n").utf8))
            #expect(service.get("/" + path).text == Self.symbols)
        }
    }

    /// The texts are Tecken's (`upload/views.py`).
    @Test(arguments: [
        ("xul.sym", "symbols.zip", "Unrecognized file pattern."), ("a/b/c/xul.sym", "symbols.zip", "Unrecognized file pattern."),
        ("a/xyz/xul.sym", "symbols.zip", "Unrecognized file pattern."),
        ("a/AB/xul.sym", "symbols.rar", "Unrecognized archive file extension"),
    ])
    func `what is no symbols tree is refused in Tecken's words`(member: String, name: String, message: String) throws {
        try withStore { service, store in
            let response = try upload([(member, Self.symbols)], as: name, to: service)
            #expect(response.status == 400 && response.json?["error"]?.string?.hasPrefix(message) == true)
            #expect(files(store) == [])
        }
    }

    // MARK: symupload

    /// The form of `sym_upload.cc`: facts of the first record, then the file, as libcurl writes them.
    private func symupload(_ symbols: [UInt8], to service: Service) -> Response {
        var body: [UInt8] = []
        for (name, value) in [
            ("code_file", "xul.pdb"), ("cpu", "x86_64"), ("debug_file", "xul.pdb"),
            ("debug_identifier", "0185139C8F04FFC94C4C44205044422E1"),
            ("os", "windows"),
        ] {
            body +=
                "--------------------------d74496d66958873e\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8
        }
        body +=
            "--------------------------d74496d66958873e\r\nContent-Disposition: form-data; name=\"symbol_file\"; filename=\"xul.sym\"\r\n"
            .utf8
        body += "Content-Type: application/octet-stream\r\n\r\n".utf8
        body += symbols + Array("\r\n--------------------------d74496d66958873e--\r\n".utf8)
        return service.respond(
            to: Request(
                "POST", "/symupload?key=secret",
                headers: [("Content-Type", "multipart/form-data; boundary=------------------------d74496d66958873e")], body: body))
    }

    @Test func `symupload's form is kept`() throws {
        try withStore { service, store in
            // The program takes 200 alone for success.
            #expect(symupload(Array(Self.symbols.utf8), to: service).status == 200)
            #expect(symupload(Array(Self.symbols.utf8), to: service).text == "already there\n")
            #expect(symupload(Array((Self.symbols + "PUBLIC 1 0 x\n").utf8), to: service).status == 409)
            #expect(symupload(Array("text".utf8), to: service).status == 422)
            #expect(files(store) == ["other/0185139c8f04ffc94c4c44205044422e1/xul.sym"])
        }
    }

    /// What `SymbolCollectorClient` finds with `"NAME": "([^"]+)"`.
    private func value(_ name: String, in response: Response) -> String? {
        response.text.split(separator: "\"\(name)\": \"").dropFirst().first.map { String($0.prefix { $0 != "\"" }) }
    }

    @Test func `symupload's second protocol is kept`() throws {
        try withStore { service, store in
            let status = "/v1/symbols/xul.pdb/0185139C8F04FFC94C4C44205044422E1:checkStatus?key=secret"
            for result in ["OK", "DUPLICATE_DATA"] {
                #expect(value("status", in: service.get(status)) == (result == "OK" ? "MISSING" : "FOUND"))
                let begin = service.respond(
                    to: Request("POST", "/v1/uploads:create?key=secret", headers: [("Host", "symbols.example:8080")]))
                let url = try #require(value("uploadUrl", in: begin))
                let key = try #require(value("uploadKey", in: begin))
                #expect(url == "http://symbols.example:8080/v1/uploads/\(key)?key=secret")
                let path = "/v1/uploads/\(key)?key=secret"
                #expect(service.respond(to: Request("PUT", path, body: Array(Self.symbols.utf8))).status == 200)
                // As the program for Linux writes it, which is no JSON.
                let facts =
                    #"{ symbol_id: {debug_file: "xul.pdb", debug_id: "0185139C8F04FFC94C4C44205044422E1" }, symbol_upload_type: "BREAKPAD" }"#
                let end = service.post("/v1/uploads/\(key):complete?key=secret", facts)
                #expect(value("result", in: end) == result, "\(end.text)")
                // It is over.
                #expect(service.respond(to: Request("PUT", path, body: [1])).status == 404)
                #expect(service.post("/v1/uploads/\(key):complete?key=secret", facts).status == 404)
            }
            #expect(TestPaths.files(under: store).filter { $0.contains("cairn-uploads") } == [])
        }
    }

    @Test(arguments: ["/v1/uploads/..", "/v1/uploads/%2e%2e%2fa", "/v1/uploads/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"])
    func `what was not begun is not put`(path: String) throws {
        try withStore { service, store in
            #expect(service.respond(to: Request("PUT", path, body: [1])).status == 404)
            #expect(service.post(path + ":complete", "{}").status == 404)
        }
    }

    // MARK: sentry-cli

    /// The digest of the file, as `sha1sum` prints it.
    private static let checksum = "bb291b292c1ff1e931098a5ea6fdbb3130772eb1"
    private static let assembly =
        #"{"\#(checksum)":{"name":"libshop.so.debug","debug_id":"5e80d4b8-50b8-ad72-c638-39f3e9055e11","chunks":["\#(checksum)"]}}"#

    private func sendChunk(_ content: [UInt8], _ name: String = checksum, field: String = "file", to service: Service) -> Response {
        let head =
            "--AaB03x\r\nContent-Disposition: form-data; name=\"\(field)\"; filename=\"\(name)\"\r\nContent-Type: application/octet-stream\r\n\r\n"
        return service.respond(
            to: Request(
                "POST", "/api/0/organizations/acme/chunk-upload/", headers: [("Content-Type", "multipart/form-data; boundary=AaB03x")],
                body: Array(head.utf8) + content + Array("\r\n--AaB03x--\r\n".utf8)))
    }

    private func assemble(_ body: String = assembly, in service: Service) -> JSONValue? {
        service.post("/api/0/projects/acme/game/files/difs/assemble/", body).json?.members.first?.value
    }

    /// The requests that sentry-cli 3.8.2 made (`debug-files upload -o acme -p game libshop.so.debug`), in their order.
    @Test(arguments: ["file", "file_gzip"])
    func `sentry-cli's chunks become a file`(field: String) throws {
        try withStore { service, store in
            let limits = service.respond(
                to: Request(
                    "GET", "/api/0/organizations/acme/chunk-upload/",
                    headers: [("Host", "symbols.example"), ("X-Forwarded-Proto", "https")]))
            #expect(limits.json?["url"]?.string == "https://symbols.example/api/0/organizations/acme/chunk-upload/")
            #expect(limits.json?["hashAlgorithm"]?.string == "sha1" && limits.json?["chunkSize"]?.int == 8_388_608)
            let missing = assemble(in: service)
            #expect(missing?["state"]?.string == "not_found")
            #expect(missing?["missingChunks"]?.elements.map(\.string) == [Self.checksum])
            let content = bytes(Self.library)
            let sent = field == "file" ? content : try run("gzip", ["-c"], input: content).standardOutput
            #expect(sendChunk(sent, field: field, to: service).status == 200)
            for _ in 0..<2 {
                let kept = assemble(in: service)
                #expect(
                    kept?["state"]?.string == "ok" && kept?["missingChunks"]?.elements.isEmpty == true, "\(kept?["detail"]?.string ?? "")")
                #expect(kept?["dif"]?["debugId"]?.string == "5e80d4b8-50b8-ad72-c638-39f3e9055e11")
            }
            #expect(files(store) == [Self.storedPath])
            #expect(try readFile(store + "/" + Self.storedPath) == content)
        }
    }

    @Test func `a file of several chunks is put together in their order`() throws {
        try withStore { service, store in
            let content = bytes(Self.library)
            let pieces = [Array(content.prefix(1000)), Array(content.dropFirst(1000))]
            let names = try pieces.map { try String(run("sha1sum", [], input: $0).output.prefix(40)) }
            for (piece, name) in zip(pieces, names) { #expect(sendChunk(piece, name, to: service).status == 200) }
            func body(_ names: [String]) -> String {
                #"{"\#(Self.checksum)":{"name":"libshop.so.debug","chunks":["\#(names.joined(separator: "\",\""))"]}}"#
            }
            let swapped = assemble(body(names.reversed()), in: service)
            #expect(swapped?["state"]?.string == "error" && swapped?["detail"]?.string?.contains("SHA-1") == true)
            #expect(assemble(body(names), in: service)?["state"]?.string == "ok")
            #expect(try readFile(store + "/" + Self.storedPath) == content)
        }
    }

    @Test func `chunks of another digest or name are refused`() throws {
        try withStore { service, store in
            #expect(sendChunk([1, 2, 3], to: service).status == 400)
            for name in ["../../a", "a", Self.checksum.uppercased()] { #expect(sendChunk([1], name, to: service).status == 400) }
            let described = [
                #"{"../a":{"name":"x","chunks":[]}}"#, #"{"\#(Self.checksum)":{"name":"x"}}"#, #"{"\#(Self.checksum)":{"chunks":[]}}"#,
                #"{"\#(Self.checksum)":{"name":"x","chunks":{}}}"#, #"{"\#(Self.checksum)":{"name":"x","chunks":[1]}}"#,
            ]
            for body in described { #expect(service.post("/api/0/projects/a/b/files/difs/assemble/", body).status == 400, "\(body)") }
            #expect(files(store) == [] && assemble(in: service)?["state"]?.string == "not_found")
        }
    }

    @Test func `chunks of something else end in an error`() throws {
        try withStore { service, _ in
            let text = Array("hello".utf8)
            let name = try String(run("sha1sum", [], input: text).output.prefix(40))
            #expect(sendChunk(text, name, to: service).status == 200)
            let result = assemble(#"{"\#(name)":{"name":"hello","chunks":["\#(name)"]}}"#, in: service)
            #expect(result?["state"]?.string == "error" && result?["detail"]?.string?.hasPrefix("no build ID or UUID found") == true)
        }
    }

    // MARK: All

    /// RFC 6750, section 2.1; Tecken's header; symupload's query.
    @Test func `each client's way to show a token is read`() {
        #expect(Request("POST", "/upload/", headers: [("Auth-Token", "abc")]).token == "abc")
        #expect(Request("POST", "/symupload?key=abc").token == "abc")
        #expect(Request("POST", "/symupload?key=other", headers: [("Authorization", "Bearer abc")]).token == "abc")
        #expect(Request("POST", "/symupload?key=other", headers: [("Authorization", "Basic abc")]).token == nil)
        // RFC 7617, section 2: the user Aladdin and the password "open sesame".
        #expect(Request("GET", "/", headers: [("Authorization", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")]).token == "open sesame")
    }

    @Test(arguments: [
        ("POST", "/upload/"), ("POST", "/symupload"), ("GET", "/v1/symbols/a/1:checkStatus"), ("POST", "/v1/uploads:create"),
        ("PUT", "/v1/uploads/a"), ("POST", "/v1/uploads/a:complete"), ("GET", "/api/0/organizations/a/chunk-upload/"),
        ("POST", "/api/0/organizations/a/chunk-upload/"), ("POST", "/api/0/projects/a/b/files/difs/assemble/"),
    ])
    func `every uploader needs a token, and a store`(method: String, path: String) {
        let plan = Service.over([]).plan(for: Request(method, path))
        #expect(plan.needsToken && plan.isWork)
        #expect(Service.over([]).respond(to: Request(method, path)).status == 404)
    }
}
