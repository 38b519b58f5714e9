import TestSupport
import Testing

@testable import TestReports

struct GitHubAnnotationsTests {
    private func text(_ failures: [Failure], limit: Int = 10) -> String {
        String(decoding: GitHubAnnotations(limit: limit).render(failures), as: UTF8.self)
    }

    private func failure(_ title: String = "SIGSEGV in f", _ message: String = "words", line: Int = 3) -> Failure {
        var failure = Failure(kind: .crash, rule: "crash/SIGSEGV", title: title, message: message)
        failure.location = Failure.Location(path: "a.c", line: line, column: 5)
        return failure
    }

    @Test func aCommand() {
        #expect(text([failure()]) == "::error file=a.c,line=3,endLine=3,col=5,title=SIGSEGV in f::words\n")
    }

    /// The runner reads the values that were meant from the line, for any text of the log.
    /// `Command` reads as `ActionCommand.TryParseV2` of actions/runner does.
    @Test(arguments: Hostile.texts)
    func nothingIsInjected(hostile: String) throws {
        var failure = failure(hostile, hostile)
        failure.location?.path = "dir,file=b.c/a:%0A.c"
        failure.tests = [hostile]
        let output = text([failure])
        let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 2)
        #expect(lines.last == "")
        let command = try #require(Command(String(lines[0])))
        #expect(command.name == "error")
        #expect(Set(command.properties.keys) == ["file", "line", "endLine", "col", "title"])
        #expect(command.properties["file"] == "dir,file=b.c/a:%0A.c")
        #expect(command.properties["line"] == "3")
        #expect(ShownText(Array(output.utf8)).commands == [])
        // Nothing but the command itself.
        #expect(ShownText(Array(output.utf8.dropFirst(2))).serviceCommands == [])
    }

    @Test func limits() {
        let many = (1...13).map { failure(line: $0) }
        let lines = text(many).split(separator: "\n")
        #expect(lines.count == 11)
        #expect(lines.last == "cairn: 3 more failures are not annotated: GitHub shows 10 a step; see the summary")
        #expect(text(many, limit: 0).split(separator: "\n").count == 1)
        // A title of 255 characters, a message of 64 KB.
        let long = failure(String(repeating: "ü", count: 1000), String(repeating: "m", count: 100_000))
        guard let command = Command(String(text([long]).dropLast())) else {
            Issue.record("no command")
            return
        }
        #expect(command.properties["title"]?.unicodeScalars.count == 255)
        #expect(command.data.utf8.count <= 65_536)
    }
}

/// A workflow command as the runner reads it.
private struct Command {
    var name: String
    var properties: [String: String] = [:]
    var data: String

    init?(_ line: String) {
        guard line.hasPrefix("::") else { return nil }
        let rest = line.dropFirst(2)
        var end = rest.startIndex
        while end < rest.endIndex, !rest[end...].hasPrefix("::") { end = rest.index(after: end) }
        guard end < rest.endIndex else { return nil }
        let head = rest[..<end]
        guard let space = head.firstIndex(of: " ") else { return nil }
        name = String(head[..<space])
        for property in head[space...].dropFirst().split(separator: ",") {
            let pair = property.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { continue }
            properties[String(pair[0])] = Self.plain(
                String(pair[1]), [("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")])
        }
        data = Self.plain(String(rest[end...].dropFirst(2)), [("%0D", "\r"), ("%0A", "\n"), ("%25", "%")])
    }

    private static func plain(_ text: String, _ mappings: [(String, String)]) -> String {
        var text = text
        for (from, to) in mappings { text = text.split(separator: from, omittingEmptySubsequences: false).joined(separator: to) }
        return text
    }
}
