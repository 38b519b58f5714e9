internal import BinaryPrimitives
internal import CrashLogModel

/// Reads Swift Testing's stream of events (`swift test --event-stream-output-path`), a JSON object
/// a line, as 6.3.1 writes it for its versions 0 (`"version":0`) and 6.3 (`"version":"6.3.0"`):
///
///     {"kind":"test","payload":{"id":"M.Suite/fails()/F.swift:6:6","kind":"function","name":"fails()","displayName":"…","sourceLocation":{"_filePath":"/…","fileID":"M/F.swift","line":6,"column":6}},"version":0}
///     {"kind":"event","payload":{"kind":"issueRecorded","testID":"…","issue":{"isKnown":false,"sourceLocation":{…}},"messages":[{"symbol":"fail","text":"…"}]},"version":0}
///
/// 6.3 writes `filePath` beside `_filePath`, `isFailure` and `severity`.
struct TestEventStream: Sendable {
    /// The names of tests by their identifiers.
    private var names: [String: String] = [:]
    private(set) var running = RunningTests()
    /// Lines that are not what was expected.
    private(set) var unreadable = 0
    private var rest: [UInt8] = []

    private static let nameLimit = 1 << 17
    /// An issue comes with its comments and, in version 0, its backtrace.
    private static let lineLimit = 4 << 20

    struct Issue {
        var test: String?
        var file: String?
        var line: Int
        var column: Int
        var message: String
    }

    /// - Parameter bytes: the stream's next bytes, which may end anywhere.
    mutating func read(_ bytes: Span<UInt8>) -> [Issue] {
        var issues: [Issue] = []
        var start = 0
        while let end = bytes.firstIndex(of: 0x0A, from: start) {
            let part = bytes.clamped(to: start..<end)
            if rest.isEmpty {
                if let issue = readLine(part) { issues.append(issue) }
            } else {
                if rest.count < Self.lineLimit { rest += part.copied() }
                let whole = rest
                rest = []
                if let issue = readLine(whole.span) { issues.append(issue) }
            }
            start = end + 1
        }
        if rest.count < Self.lineLimit { rest += bytes.from(start).copied() }
        return issues
    }

    /// The last line may lack its ending.
    mutating func finish() -> Issue? {
        let last = rest
        rest = []
        return readLine(last.span)
    }

    private mutating func readLine(_ line: Span<UInt8>) -> Issue? {
        guard line.trimmed().count > 0 else { return nil }
        guard line.count < Self.lineLimit, let value = try? JSONParser().parse(line), let payload = value["payload"], payload.isObject
        else {
            unreadable += 1
            return nil
        }
        switch value["kind"]?.string {
        case "test":
            guard let id = payload["id"]?.string, id.utf8.count <= 4096, names.count < Self.nameLimit else { return nil }
            names[id] = PlainText.line(payload["displayName"]?.string ?? payload["name"]?.string ?? id, limit: 1024)
            return nil
        case "event": return readEvent(payload)
        default: return nil
        }
    }

    private mutating func readEvent(_ payload: JSONValue) -> Issue? {
        let id = payload["testID"]?.string
        let name = id.map { self.name(of: $0) }
        switch payload["kind"]?.string {
        case "testStarted":
            // Suites have no location at the end of their identifiers, and are not what runs.
            if let name, id?.hasSuffix(".swift") != true, id?.contains(".swift:") == true { running.start(name) }
        case "testEnded": if let name { running.end(name) }
        case "issueRecorded":
            guard let issue = payload["issue"], !(issue["isKnown"]?.isTrue ?? false), issue["isFailure"].map(\.isTrue) ?? true,
                issue["severity"]?.string ?? "error" == "error"
            else { return nil }
            let location = issue["sourceLocation"]
            let messages = payload["messages"]?.elements.compactMap { $0["text"]?.string } ?? []
            return Issue(
                test: name, file: location?["filePath"]?.string ?? location?["_filePath"]?.string, line: location?["line"]?.int ?? 0,
                column: location?["column"]?.int ?? 0, message: messages.joined(separator: "\n"))
        default: break
        }
        return nil
    }

    /// The test's name; its identifier where the stream has not introduced it.
    private func name(of id: String) -> String { names[id] ?? PlainText.line(id, limit: 1024) }
}
