internal import BinaryPrimitives
internal import CrashLogModel
internal import LibC
internal import Serving
internal import Synchronization

/// A file with a line of JSON for each request, for programs that count:
///
///     {"time":"2026-11-30T01:02:03.456Z","client":"10.0.0.7","token":"ci","method":"PUT","route":"/v1/symbols","path":"/v1/symbols","status":201,"ms":12,"received":80123,"sent":96,"modules":2,"missing":1,"files":["libstore.so.debug"],"agent":"curl/8.5"}
///
/// Queries are not in it, since they may have a token. It is opened again on `SIGHUP`, so that other programs may rename it.
final class AccessLog: Sendable {
    struct Entry: Sendable {
        var client: String
        /// Whose token the request had.
        var token: String?
        var method: String
        var route: String
        var path: String
        var status: Int
        var seconds: Double
        var received: Int
        var sent: Int
        var agent: String?
        /// Modules of the request, and files that were used.
        var facts = RequestFacts()

        /// - Parameter time: nanoseconds since 1970, of the response's end.
        func line(at time: Int64) -> [UInt8] {
            var output: [UInt8] = []
            WrittenJSON.object([
                ("time", .string(Timestamp(nanosecondsSince1970: Int128(time / 1_000_000 * 1_000_000), text: "").utc ?? "")),
                ("client", .string(client)), ("token", token.map { .string($0) }),
                ("method", .string(method)), ("route", .string(route)), ("path", .string(PlainText.line(path, limit: 1000))),
                ("status", .number(status)), ("ms", .number(Int(seconds * 1000))), ("received", .number(received)), ("sent", .number(sent)),
                ("modules", facts.found + facts.missing > 0 ? .number(facts.found + facts.missing) : nil),
                ("missing", facts.missing > 0 ? .number(facts.missing) : nil),
                ("files", facts.files.isEmpty ? nil : .array(facts.files.map { .string(PlainText.line($0, limit: 200)) })),
                ("agent", agent.map { .string(PlainText.line($0, limit: 200)) }),
            ]).write(to: &output)
            output.append(UInt8(ascii: "\n"))
            return output
        }
    }

    private let path: String
    private let file: Mutex<OpenFile>

    /// Open as long as somebody writes to it.
    private final class OpenFile: Sendable {
        let descriptor: Int32

        init(path: String) throws(FileError) {
            descriptor = unsafe LibC.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o640)
            guard descriptor >= 0 else { throw FileError(path: path, errorNumber: errno) }
        }

        deinit { if descriptor >= 0 { _ = close(descriptor) } }
    }

    init(path: String) throws(FileError) {
        self.path = path
        file = Mutex(try OpenFile(path: path))
    }

    /// Opens the file anew. An error leaves the old file in use.
    func reopen() throws(FileError) {
        let new = try OpenFile(path: path)
        let old = file.withLock { file in
            defer { file = new }
            return file
        }
        // Closed after the lock.
        withExtendedLifetime(old) {}
    }

    /// Appends a line. A full disk loses lines, and no request.
    func append(_ entry: Entry) {
        let line = entry.line(at: WallClock.nanoseconds)
        // Nobody waits for another's line: the system appends each as a whole.
        let file = file.withLock { $0 }
        try? FileDescriptor.write(line, to: file.descriptor, path: path)
    }
}
