import BinaryPrimitives
import CrashLogModel
import TestSupport
import Testing

@testable import Serving

/// `GET /`, `POST /` and `GET /shared/…`.
struct LogPagesTests {
    private static let crash = "logs/apple-crash/CrashExample-bad-access/bad-access.crash"

    /// A form as browsers send it (RFC 7578).
    private func form(_ fields: [(name: String, value: [UInt8])]) -> Request {
        var body: [UInt8] = []
        for (name, value) in fields {
            let file = name == "log" ? "; filename=\"a.log\"\r\nContent-Type: application/octet-stream" : ""
            body += Array("--AaB03x\r\nContent-Disposition: form-data; name=\"\(name)\"\(file)\r\n\r\n".utf8) + value + Array("\r\n".utf8)
        }
        body += Array("--AaB03x--\r\n".utf8)
        return Request("POST", "/", headers: [("Content-Type", "multipart/form-data; boundary=AaB03x")], body: body)
    }

    private func send(_ log: [UInt8], to service: Service, share: Bool = false) -> Response {
        // A browser sends all fields: the text is empty.
        service.respond(to: form([("log", log), ("text", [])] + (share ? [("share", Array("yes".utf8))] : [])))
    }

    private func isPage(_ response: Response) -> Bool {
        let policy = "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
        return response.header("Content-Type") == "text/html; charset=utf-8" && response.header("Content-Security-Policy") == policy
            && response.header("X-Content-Type-Options") == "nosniff" && response.header("Referrer-Policy") == "same-origin"
            && response.header("Cache-Control") == "no-store"
    }

    /// xmllint reads the page as XML: every element has its end, and no attribute comes twice.
    private func isWellFormed(_ response: Response) throws -> Bool {
        guard let python = Python.interpreter(with: "xml.dom.minidom") else { return true }
        let script = "import sys, xml.dom.minidom; xml.dom.minidom.parseString(sys.stdin.buffer.read())"
        let result = try run(python, ["-c", script], input: response.bytes)
        if result.status != 0 { Issue.record("\(result.errors)") }
        return result.status == 0
    }

    @Test func `every template can be parsed`() { #expect(LogPageTemplates.count == 4) }

    @Test func `the page has a form`() throws {
        let page = Service.over([]).get("/")
        #expect(page.status == 200 && isPage(page))
        #expect(try isWellFormed(page))
        #expect(page.text.contains(#"<form method="post" action="/" enctype="multipart/form-data">"#))
        #expect(page.text.contains(#"<input type="file" id="log" name="log"/>"#) && page.text.contains(#"<textarea id="text" name="text""#))
        #expect(!page.text.contains("<script") && !page.text.contains("style=") && !page.text.contains(" on"))
        #expect(!page.text.contains("share"))
        #expect(Service.over([]) { $0.shareFolder = "/nowhere" }.get("/").text.contains(#"<input type="checkbox" id="share" name="share""#))
    }

    /// The colours and fonts of the pages of `cairn batch`, whose contrast its tests measure.
    @Test func `the sheet is this server's own`() {
        let sheet = Service.over([]).get("/style.css")
        #expect(sheet.header("Content-Type") == "text/css; charset=utf-8")
        #expect(sheet.text.contains("prefers-color-scheme:dark") && !sheet.text.contains("url(") && !sheet.text.contains("@import"))
    }

    @Test func `a log becomes a page with its frames resolved`() throws {
        let page = send(bytes(Self.crash), to: .over(fixture: "binaries/CrashExample/out/CrashExample"))
        #expect(page.status == 200 && isPage(page))
        #expect(try isWellFormed(page))
        for row in expectedResults("logs/apple-crash/CrashExample-bad-access/expected.tsv").flatMap(\.functions) {
            guard let function = row["function"], !function.isEmpty else { continue }
            #expect(page.text.contains(function) && page.text.contains("\(Path.name(of: row["file"] ?? "")):\(row["line"] ?? "")"))
        }
        #expect(page.text.contains("<h1>Crash of CrashExample</h1>"))
    }

    @Test func `text in the form is a log, too`() throws {
        let service = Service.over(fixture: "binaries/CrashExample/out/CrashExample")
        let pasted = service.respond(to: form([("log", []), ("text", bytes(Self.crash))]))
        #expect(pasted.bytes == send(bytes(Self.crash), to: service).bytes)
    }

    /// `b8d4…` of the tombstone is in `binaries/INDEX.tsv`.
    @Test func `missing symbol files are listed with what to get`() throws {
        let page = send(bytes(Self.crash), to: .over([]) { $0.uploadStore = "/nowhere" })
        #expect(page.text.contains("<h2>Missing symbol files</h2>") && page.text.contains("The dSYM of that build"))
        // The log's own line, as UUIDs are written: 4c4c44fc55553144a11be947a8e8e6fe.
        #expect(page.text.contains("4C4C44FC-5555-3144-A11B-E947A8E8E6FE"))
        #expect(page.text.contains("cairn symbols push"))
        // The system's rows have names in the log.
        #expect(!page.text.contains("<code>AppKit</code>"))
        let elf = send(bytes("logs/sanitizer-asan/Sanitizers-gcc-address/log.txt"), to: .over([]))
        #expect(elf.text.contains("<code>libstore.so</code>") && elf.text.contains("The unstripped file of that build"))
        #expect(!elf.text.contains("cairn symbols push"))
    }

    /// The crashed thread of this log is the second.
    @Test func `the thread that crashed is shown first`() throws {
        let log = String(decoding: bytes(Self.crash), as: UTF8.self)
            .replacing("Triggered by Thread:  0", with: "Triggered by Thread:  1").replacing("Thread 0 Crashed:", with: "Thread 0:")
            .replacing("Thread 1:\n", with: "Thread 1 Crashed:\n").replacing("Thread 0 crashed with", with: "Thread 1 crashed with")
        let text = send(Array(log.utf8), to: .over([])).text
        let crashed = try #require(text.firstRange(of: "Thread 1 crashed:"))
        let other = try #require(text.firstRange(of: "\nThread 0 "))
        #expect(crashed.lowerBound < other.lowerBound)
    }

    /// A name in a log that is markup, in every place that shows it.
    @Test func `a log cannot write into the page`() throws {
        let evil = #"</pre><script>alert(1)</script><img src=x onerror='a' a="b">&"#
        let log = """
            ==1==ERROR: AddressSanitizer: SEGV \(evil) on unknown address 0x0 (pc 0x0 bp 0x0 sp 0x0 T0)
                #0 0x840  (/a/\(evil.replacing("/", with: ""))+0x840) (BuildId: 0123456789abcdef0123456789abcdef01234567)
                #1 0x841 in \(evil) /src/\(evil):12

            """
        let page = send(Array(log.utf8), to: .over([]))
        #expect(page.status == 200, "\(page.text)")
        #expect(!page.text.contains("<script") && !page.text.contains("<img") && page.text.contains("&lt;"))
        #expect(try isWellFormed(page))
    }

    @Test func `what is no log is a page that says so`() throws {
        for (response, message) in [
            (send(Array("hello".utf8), to: .over([])), "no crash report found"),
            (send([], to: .over([])), "choose a file, or paste its text"),
        ] {
            #expect(response.status == 422 && isPage(response) && response.text.contains(message))
            #expect(try isWellFormed(response))
            #expect(response.text.contains("<form"))
        }
        let none = Service.over([]).post("/", "a=b", headers: [("Content-Type", "application/x-www-form-urlencoded")])
        #expect(none.status == 400 && isPage(none) && none.text.contains("multipart/form-data"))
    }

    /// The server refuses it before it has read the body.
    @Test func `a form that is too large is refused by a page`() {
        let request = Request("POST", "/")
        #expect(Service.over([]).plan(for: request).maxBodyBytes == Limits.standard.sentLog)
        let refused = Service.over([]).refuse(request, "too large", status: 413)
        #expect(refused.status == 413 && isPage(refused) && refused.text.contains("too large"))
    }

    @Test func `a page shows so much, and says what is left out`() throws {
        var limits = Limits()
        limits.shownResult = 1000
        let page = send(bytes(Self.crash), to: .over([], limits: limits))
        #expect(page.text.contains("The rest is left out here"))
        let text = try #require(page.text.split(separator: "<pre class=\"log\">").last?.split(separator: "</pre>").first)
        // Escaped text is longer: `&lt;` is one byte.
        let plain = text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&#39;", with: "'").replacing(
            "&amp;", with: "&")
        #expect(plain.utf8.count <= 1000 && plain.utf8.count > 800 && plain.hasSuffix("\n"))
        #expect(!send(bytes(Self.crash), to: .over([])).text.contains("left out here"))
    }
}

/// Results that have a link.
struct SharedResultsTests {
    private static let log = TestPaths.bytes(of: TestPaths.fixture("logs/sanitizer-asan/Sanitizers-gcc-address/log.txt"))

    private func share(_ service: Service) -> Response {
        let body =
            Array("--b\r\nContent-Disposition: form-data; name=\"log\"\r\n\r\n".utf8) + Self.log
            + Array("\r\n--b\r\nContent-Disposition: form-data; name=\"share\"\r\n\r\nyes\r\n--b--\r\n".utf8)
        return service.respond(
            to: Request("POST", "/", headers: [("Content-Type", "multipart/form-data; boundary=b")], body: body))
    }

    private func withFolder(_ limits: Limits = .standard, _ body: (Service, String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            try body(Service.over([], limits: limits) { $0.shareFolder = folder + "/shared" }, folder + "/shared")
        }
    }

    @Test func `a shared result has a link that nobody guesses`() throws {
        try withFolder { service, folder in
            let links = try (0..<20).map { _ in
                let response = share(service)
                #expect(response.status == 303)
                return try #require(response.header("Location"))
            }
            #expect(Set(links).count == 20)
            for link in links {
                let name = link.dropFirst("/shared/".count)
                // 22 letters of base64url are 132 bits.
                #expect(link.hasPrefix("/shared/") && name.utf8.count >= 22)
                #expect(name.utf8.allSatisfy { "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8.contains($0) })
                let page = service.get(link)
                #expect(page.status == 200 && page.text.contains("<a href=\"\(link)\">") && page.header("Cache-Control") == "no-store")
                #expect(page.header("Content-Security-Policy")?.hasPrefix("default-src 'none'") == true)
            }
            #expect(try Directory.names(in: folder).count == 20)
        }
    }

    @Test func `nothing is kept unless it is shared, and the operator allows it`() throws {
        try withFolder { _, folder in
            _ = share(.over([]))
            #expect(PathKind(path: folder) == nil)
            #expect(share(.over([])).status == 200)
        }
    }

    @Test func `a result ends after seven days`() throws {
        try withFolder { service, folder in
            let link = try #require(share(service).header("Location"))
            let path = folder + "/" + (try Directory.names(in: folder)[0])
            _ = try run("touch", ["-d", "6 days ago", path])
            service.removeStaleData()
            #expect(service.get(link).status == 200)
            _ = try run("touch", ["-d", "7 days ago", path])
            #expect(service.get(link).status == 404)
            #expect(PathKind(path: path) == .file)
            service.removeStaleData()
            #expect(PathKind(path: path) == nil)
        }
    }

    @Test(arguments: [
        "", "a", "../secret", "..%2Fsecret", "%2e%2e/secret", "/etc/passwd", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "secret.html",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAA/../", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA.", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA.html",
    ])
    func `no other name leads to a file`(name: String) throws {
        try withFolder { service, folder in
            _ = share(service)
            try writeFile(folder + "/../secret.html", Array("secret".utf8))
            try writeFile(folder + "/secret.html", Array("secret".utf8))
            let response = service.get("/shared/" + name)
            #expect(response.status == 404 && !response.text.contains("secret<") && response.text.contains("the result was not found"))
        }
    }

    /// Files that are no results stay.
    @Test func `a sweep removes results alone`() throws {
        try withFolder { service, folder in
            _ = share(service)
            for name in ["notes.txt", "short.html"] {
                try writeFile(folder + "/" + name, [])
                _ = try run("touch", ["-d", "30 days ago", folder + "/" + name])
            }
            try writeFile(folder + "/.cairn-aBcD12", [])
            service.removeStaleData()
            let names = try Directory.names(in: folder)
            #expect(names.contains("notes.txt") && names.contains("short.html") && names.count == 3)
        }
    }

    @Test func `so many results are shared at a time`() throws {
        var limits = Limits()
        limits.sharedResults = 2
        try withFolder(limits) { service, _ in
            #expect(share(service).status == 303 && share(service).status == 303)
            let third = share(service)
            #expect(third.status == 507 && third.text.contains("2 results are shared already"))
        }
    }
}
