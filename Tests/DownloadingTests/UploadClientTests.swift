import BinaryPrimitives
import Synchronization
import TestSupport
import Testing

@testable import Downloading

/// `PUT /v1/symbols` against a server of the test's own.
struct UploadClientTests {
    /// Sends a file, of four bytes unless others are given.
    private func send(
        name: String = "libfoo.so", bytes: [UInt8] = Array("\u{7F}ELF".utf8),
        isWhole: @escaping @Sendable ([UInt8]) -> Bool = ScriptedServer.isWholeRequest,
        _ reply: @escaping @Sendable (Int, String) -> ScriptedServer.Reply
    ) async throws -> (reply: UploadReply, requests: [String], pauses: [Duration]) {
        let server = try ScriptedServer(isWhole: isWhole, reply)
        let pauses = Pauses()
        let client = UploadClient(url: server.url + "/", token: "secret-token", environment: { _ in nil }) { pause in
            pauses.all.withLock { $0.append(pause) }
        }
        let result = await client.send(try MappedFile(bytes: bytes.span.rawBytes, name: "a"), name: name)
        client.shutDown()
        server.stop()
        return (result, server.requests, pauses.all.withLock { $0 })
    }

    private final class Pauses: Sendable {
        let all = Mutex<[Duration]>([])
    }

    @Test func `a file is sent with its name and the token`() async throws {
        let (reply, requests, _) = try await send(name: "lib foo+1.so") { _, _ in .status("201 Created") }
        #expect(reply == .added && requests.count == 1)
        let lines = requests.first?.split(separator: "\r\n").map(String.init) ?? []
        #expect(lines.first == "PUT /v1/symbols?name=lib%20foo%2B1.so HTTP/1.1")
        #expect(lines.contains { $0.lowercased() == "authorization: bearer secret-token" })
        #expect(lines.contains { $0.lowercased() == "content-length: 4" } && lines.last == "\u{7F}ELF")
    }

    @Test func `a large file arrives as it is`() async throws {
        let bytes = (0..<900_000).map { UInt8(ascii: "a") + UInt8($0 % 7) }
        let (reply, requests, _) = try await send(bytes: bytes) { _, _ in .status("201 Created") }
        #expect(reply == .added)
        let body = try #require(requests.first?.split(separator: "\r\n\r\n", maxSplits: 1).last)
        #expect(Array(body.utf8) == bytes)
    }

    /// A client announces a large body, and waits for the server's word (RFC 9110, section 10.1.1).
    @Test func `a large file that is refused is not sent`() async throws {
        let (reply, requests, _) = try await send(
            bytes: [UInt8](repeating: 1, count: 8 << 20), isWhole: { ScriptedServer.endOfHead($0) != nil }
        ) { _, _ in .status("413 Content Too Large") }
        #expect(reply == .tooLarge)
        #expect(requests.count == 1 && requests.first?.hasSuffix("\r\n\r\n") == true)
        #expect(requests.first?.contains("Expect: 100-continue\r\n") == true)
    }

    /// RFC 9110, section 15, and what the server says by each.
    @Test(arguments: [
        ("200 OK", UploadReply.known), ("201 Created", .added), ("409 Conflict", .differs), ("413 Content Too Large", .tooLarge),
        ("422 Unprocessable Content", .withoutIdentity),
        ("401 Unauthorized", .failed("the server does not accept the token", isLast: true)),
        ("404 Not Found", .failed("the server takes no uploads", isLast: true)),
        ("507 Insufficient Storage", .failed("the disk of the server is full", isLast: true)),
        ("500 Internal Server Error", .failed("HTTP 500", isLast: false)),
        ("302 Found\r\nLocation: http://example.org/", .failed("the server redirects to http://example.org/", isLast: true)),
    ])
    func `each status has its meaning, and is final`(status: String, meaning: UploadReply) async throws {
        let (reply, requests, pauses) = try await send { _, _ in .status(status) }
        #expect(reply == meaning && requests.count == 1 && pauses == [])
    }

    @Test(arguments: ["429 Too Many Requests", "503 Service Unavailable"])
    func `a busy server is given the time that it wants`(status: String) async throws {
        let (reply, requests, pauses) = try await send { number, _ in
            switch number {
            case 0: .status(status + "\r\nRetry-After: 7")
            case 1: .status(status)
            case 2: .status(status + "\r\nRetry-After: 99999")
            default: .status("201 Created")
            }
        }
        // Without a word twice as long as before; five minutes at most.
        #expect(reply == .added && requests.count == 4 && pauses == [.seconds(7), .seconds(2), .seconds(300)])
    }

    @Test func `a server that stays busy is given up`() async throws {
        let (reply, requests, _) = try await send { _, _ in .status("503 Service Unavailable") }
        #expect(reply == .failed("the server is busy", isLast: true) && requests.count == 5)
    }
}
