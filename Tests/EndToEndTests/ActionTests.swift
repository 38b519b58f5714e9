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
                environment: ["GIVEN": "/opt/cairn", "GITHUB_OUTPUT": folder + "/out"])
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

    // MARK: Releases

    private static let repository = "example/cairn"

    /// Releases as GitHub has them: a folder for the tag, with the archive and the sums.
    private func withRelease(_ body: (_ folder: String, _ archive: String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let name = "cairn-0.1.0-linux-x86_64"
            let script = """
                mkdir -p releases/v0.1.0 "\(name)/bin" && cp "$0" "\(name)/bin/cairn" &&
                tar -czf "releases/v0.1.0/\(name).tar.gz" "\(name)" && cd releases/v0.1.0 && sha256sum * > SHA256SUMS
                """
            try run("sh", ["-c", script, TestPaths.cairn], directory: folder).requireSuccess()
            try body(folder, "\(folder)/releases/v0.1.0/\(name).tar.gz")
        }
    }

    private func download(_ folder: String, _ arguments: String...) throws -> RunResult {
        try run(
            TestPaths.root + "/.github/actions/cairn/download", [Self.repository] + arguments,
            environment: ["CAIRN_RELEASES": "file://" + folder + "/releases"])
    }

    @Test(.enabled(if: isX86Linux, "Linux on x86-64")) func `a release is downloaded, compared with its sum, and unpacked`() throws {
        try withRelease { folder, archive in
            let result = try download(folder, "v0.1.0", folder + "/there")
            #expect(result.status == 0 && result.lines == [folder + "/there/bin/cairn"], "\(result.errors)")
            #expect(try run(folder + "/there/bin/cairn", ["--version"]).status == 0)
            let sum = try #require(try run("sha256sum", [archive]).output.split(separator: " ").first.map { String($0) })
            #expect(try download(folder, "0.1.0", folder + "/again", sum).status == 0)
        }
    }

    @Test(.enabled(if: isX86Linux, "Linux on x86-64")) func `what has another sum, or is not there, is not used`() throws {
        try withRelease { folder, archive in
            let other = String(repeating: "0", count: 64)
            let wrong = try download(folder, "0.1.0", folder + "/there", other)
            #expect(wrong.status == 1 && wrong.output.isEmpty && wrong.errors.contains("expected \(other)\n"), "\(wrong.errors)")
            #expect(try run("sh", ["-c", "echo more >> \"$0\"", archive]).status == 0)
            let changed = try download(folder, "0.1.0", folder + "/there")
            #expect(changed.status == 1 && changed.errors.contains("its SHA-256 is "), "\(changed.errors)")
            let missing = try download(folder, "9.9.9", folder + "/there")
            #expect(missing.status == 1 && missing.errors.contains("/v9.9.9/cairn-9.9.9-linux-x86_64.tar.gz: not downloaded\n"))
            #expect(try run("ls", [folder + "/there"]).status != 0)
        }
    }

    @Test func `the action used by a branch says how to name a release`() throws {
        try withTemporaryFolder { folder in
            let script = try #require(try scripts().first)
            let environment = [
                "GIVEN": "", "VERSION": "", "REFERENCE": "main", "ACTION": TestPaths.root + "/.github/actions/cairn",
                "REPOSITORY": Self.repository, "FOLDER": folder, "SUM": "", "GITHUB_OUTPUT": folder + "/out",
            ]
            let result = try run("bash", ["-eo", "pipefail", "-c", script], environment: environment)
            #expect(result.status == 1)
            #expect(result.output.hasPrefix("::error::cairn: “main” is no release: "))
        }
    }
}

private let isX86Linux = (try? run("uname", ["-sm"]).output) == "Linux x86_64\n"
