import BinaryPrimitives
import Synchronization
import TestSupport
import Testing

@testable import Downloading

/// Transfers over libcurl, below what debuginfod's client makes of them.
struct TransferTests {
    private func withServer<Result: Sendable>(
        _ reply: @escaping ScriptedServer.Script, _ body: (ScriptedServer, TransferLoop) async throws -> Result
    ) async throws -> Result {
        let server = try ScriptedServer(reply)
        let loop = TransferLoop()
        defer {
            loop.stop()
            server.stop()
        }
        return try await body(server, loop)
    }

    private func body(_ transfer: Transfer) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let piece = try await transfer.piece() { bytes += piece }
        return bytes
    }

    @Test func `a body larger than what is kept arrives whole`() async throws {
        // Numbers from 0, each in four bytes.
        let file = (0..<4 << 20).map { UInt8(truncatingIfNeeded: ($0 >> 2) >> (8 * ($0 & 3))) }
        let received = try await withServer({ _, _ in .file(file) }) { server, loop in
            let transfer = loop.start(TransferRequest(url: server.url))
            let head = try await transfer.head()
            #expect(head.fields["content-length"] == "4194304")
            return try await body(transfer)
        }
        #expect(received == file)
    }

    @Test func `a transfer whose body is not read pauses, and goes on when it is`() async throws {
        let loop = TransferLoop()
        defer { loop.stop() }
        let transfer = Transfer(TransferRequest(url: ""), in: loop)
        let piece = [UInt8](repeating: 1, count: 1 << 14)
        func deliver() -> Transfer.Delivery { unsafe piece.withUnsafeBytes { unsafe transfer.deliver($0) } }
        for _ in 0..<16 { #expect(deliver() == .accepted) }
        #expect(deliver() == .full)
        #expect(try await transfer.piece()?.count == 1 << 18)
        #expect(deliver() == .accepted)
        transfer.cancel()
        #expect(deliver() == .refused)
    }

    /// A name that leads elsewhere a moment later changes nothing: no name is looked up.
    @Test func `an address that is given is connected to, whatever the name means`() async throws {
        try await withServer({ _, _ in .status("204 No Content") }) { server, loop in
            let port = server.url.split(separator: ":").last ?? ""
            var request = TransferRequest(url: "http://debug.example:\(port)/a")
            request.address = "127.0.0.1"
            let head = try await loop.start(request).head()
            #expect(head.status == 204)
            #expect(server.requests.first?.contains("\r\nHost: debug.example:\(port)\r\n") == true)
        }
    }

    @Test func `informational responses and those of redirects are passed over`() async throws {
        let status = try await withServer({ number, _ in
            number == 0
                ? .redirect("/other")
                : .text("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 410 Gone\r\nConnection: close\r\n\r\n")
        }) { server, loop in
            var request = TransferRequest(url: server.url)
            request.redirectLimit = 5
            return try await loop.start(request).head().status
        }
        #expect(status == 410)
    }

    @Test func `after the end of the loop a transfer fails at once`() async throws {
        try await withServer({ _, _ in .stall([]) }) { server, loop in
            let running = loop.start(TransferRequest(url: server.url))
            loop.stop()
            await #expect(throws: FetchFailure.self) { try await running.head() }
            await #expect(throws: FetchFailure.self) { try await loop.start(TransferRequest(url: server.url)).head() }
        }
    }

    @Test func `head fields are read as they are sent`() {
        var head = ResponseHead()
        for line in [
            "HTTP/1.1 301 Moved", "location: /a", "HTTP/2 200", "Content-length:\t12 ", "CONTENT-LENGTH: 13", "X-Other: 1", "no field",
        ] {
            head.read(line: line)
        }
        #expect(head.status == 200 && head.fields == ["content-length": "12"])
    }

    @Test(arguments: ["libc.so.6", "libnothing.so.0"])
    func `a library without libcurl's functions is not used`(name: String) { #expect(!Libcurl.open([name])) }

    /// The numbers that `libcurl.h` in CCairn has, against the header that they are from.
    @Test func `constants are those of curl's header`() throws {
        func compile(_ text: String) throws -> RunResult {
            let options = [
                "-x", "c", "-fsyntax-only", "-Wno-deprecated-declarations", "-I", TestPaths.root + "/Sources/CCairn/include", "-",
            ]
            return try run("cc", options, input: Array(text.utf8))
        }
        let includes = "#include <curl/curl.h>\n#include <libcurl.h>\n"
        guard try compile(includes).status == 0 else { return print("curl/curl.h is not installed: constants were not compared with it") }
        let header = String(decoding: try readFile(TestPaths.root + "/Sources/CCairn/include/libcurl.h"), as: UTF8.self)
        let names = Set(header.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.filter { $0.hasPrefix("CAIRN_CURL") })
        try #require(names.contains("CAIRN_CURLOPT_URL"))
        let checks = names.map { "_Static_assert(\($0) == \($0.dropFirst(6)), \"\($0)\");\n" }.joined()
        try compile(includes + checks).requireSuccess()
    }
}

struct FetchProgressTests {
    @Test func `the line is written over itself and taken away`() {
        let written = Written()
        let progress = FetchProgress { written.add($0) }
        progress.begin(2)
        progress.add(1_500_000)
        progress.finishOne()
        progress.finishOne()
        progress.clear()
        // A beginning, two files, and the end; bytes between them within a tenth of a second show
        // nothing of their own.
        #expect(
            written.text
                == "\rdebuginfod: 0 of 2 files, 0.0 MB\u{1B}[K\rdebuginfod: 1 of 2 files, 1.5 MB\u{1B}[K\rdebuginfod: 2 of 2 files, 1.5 MB\u{1B}[K\r\u{1B}[K"
        )
    }

    private final class Written: Sendable {
        private let all = Mutex("")

        var text: String { all.withLock { $0 } }

        func add(_ text: String) { all.withLock { $0 += text } }
    }
}
