import TestSupport
import Testing

/// The action for GitHub: its steps' scripts, run by bash as the runner runs them.
struct ActionTests {
    private static let path = TestPaths.root + "/.github/actions/cairn/action.yml"

    /// The scripts of the action's steps, in order: the lines below `run: |`, two columns further
    /// in.
    private func scripts() throws -> [String] {
        var scripts: [[Substring]] = []
        var indentation: Int?
        for line in try run("cat", [Self.path]).output.split(separator: "\n", omittingEmptySubsequences: false) {
            let blanks = line.prefix { $0 == " " }.count
            if let column = indentation, blanks >= column || line.isEmpty {
                scripts[scripts.count - 1].append(line.dropFirst(column))
            } else if line.hasSuffix("run: |") {
                indentation = blanks + 2
                scripts.append([])
            } else {
                indentation = nil
            }
        }
        return scripts.map { $0.joined(separator: "\n") }
    }

    @Test func `a program that is given is the one that is used`() throws {
        try withTemporaryFolder { folder in
            let script = try #require(try scripts().first)
            let result = try run(
                "bash", ["-eo", "pipefail", "-c", script],
                environment: ["GIVEN": "/opt/cairn", "SOURCE": "/", "GITHUB_OUTPUT": folder + "/out"])
            #expect(result.status == 0)
            #expect(try run("cat", [folder + "/out"]).output == "path=/opt/cairn\n")
        }
    }

    /// Quotes, variables and a pipeline that fails in its first part; an option with a value.
    @Test func `the command runs as it was written`() throws {
        let script = try #require(try scripts().last)
        let environment: [String: String?] = [
            "CAIRN_PROGRAM": TestPaths.cairn, "CAIRN_OPTIONS": "--timeout 60 --annotations none",
            "CAIRN_RUN": "word='two words'\nprintf '%s\\n' \"$word\"\n(exit 3) | cat", "SWIFT_BACKTRACE": nil as String?,
        ]
        let result = try run("bash", ["-eo", "pipefail", "-c", script], environment: environment)
        #expect(result.output == "two words\n")
        #expect(result.status == 3)
    }
}
