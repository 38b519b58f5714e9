import TestSupport

/// A page of the documentation as Markdown: its prose, and the commands that it shows.
struct DocumentedPage: Sendable, CustomStringConvertible {
    /// From the repository's root: `Documentation/batch.md`.
    var path: String
    /// With the line ending removed.
    var lines: [String]

    var description: String { path }

    init(_ path: String) throws {
        self.path = path
        lines = String(decoding: try readFile(TestPaths.root + "/" + path), as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false
        ).map(String.init)
    }

    /// README.md and every page of `Documentation`.
    static let all: [DocumentedPage] = {
        let folder = TestPaths.root + "/Documentation"
        let paths = TestPaths.files(under: folder).filter { $0.hasSuffix(".md") }.map { String($0.dropFirst(TestPaths.root.count + 1)) }
        return (["README.md"] + paths).compactMap { try? DocumentedPage($0) }
    }()

    /// The lines outside of fenced blocks, with their numbers from 1.
    var prose: [(number: Int, text: String)] {
        var isFenced = false
        return lines.enumerated().compactMap { index, line in
            if line.drop(while: { $0 == " " }).hasPrefix("```") {
                isFenced.toggle()
                return nil
            }
            return isFenced ? nil : (index + 1, line)
        }
    }
}

/// A command in a block that is marked `console`, and the lines below it, which it prints.
struct DocumentedCommand: Sendable {
    var line: Int
    var command: String
    /// `…` alone matches any lines, within a line any text.
    var output: [String]

    static func all(in page: DocumentedPage) -> [DocumentedCommand] {
        var commands: [DocumentedCommand] = []
        var isConsole = false
        for (index, line) in page.lines.enumerated() {
            if line.hasPrefix("```") {
                isConsole = line == "```console"
            } else if isConsole, line.hasPrefix("$ ") {
                commands.append(DocumentedCommand(line: index + 1, command: String(line.dropFirst(2)), output: []))
            } else if isConsole, let last = commands.indices.last {
                // A command that goes on in the next line, as a shell reads it.
                if commands[last].output.isEmpty, commands[last].command.hasSuffix("\\") {
                    commands[last].command += "\n" + line
                } else {
                    commands[last].output.append(line)
                }
            }
        }
        return commands
    }

    /// Whether this is what was printed.
    func describes(_ printed: [String]) -> Bool { Self.match(output[...], printed.map(Self.trimmed)[...]) }

    private static func match(_ expected: ArraySlice<String>, _ printed: ArraySlice<String>) -> Bool {
        guard let first = expected.first else { return printed.isEmpty }
        let rest = expected.dropFirst()
        if first == "…" { return (0...printed.count).contains { match(rest, printed.dropFirst($0)) } }
        guard let line = printed.first, match(trimmed(first), line) else { return false }
        return match(rest, printed.dropFirst())
    }

    private static func match(_ pattern: String, _ line: String) -> Bool {
        let parts = pattern.split(separator: "…", omittingEmptySubsequences: false).map(String.init)
        guard let first = parts.first, let last = parts.last, line.hasPrefix(first) else { return false }
        guard parts.count > 1 else { return line == first }
        var rest = line.dropFirst(first.count)
        for part in parts.dropFirst().dropLast() {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(last)
    }

    private static func trimmed(_ line: String) -> String {
        var line = line[...]
        while line.last == " " || line.last == "\t" { line.removeLast() }
        return String(line)
    }
}

/// A shell in a copy of `Documentation/examples`, with nothing of the user's environment.
struct DocumentedShell {
    let folder: String
    private var status: Int32 = 0

    init(in folder: String) throws {
        self.folder = folder + "/examples"
        try TestSupport.run("cp", ["-rL", TestPaths.root + "/Documentation/examples", self.folder]).requireSuccess()
    }

    /// Output of a command on both streams, as on a terminal; `$?` is the status of the previous
    /// command.
    mutating func output(of command: String) throws -> [String] {
        let programs = TestPaths.cairn.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let variables = [
            "PATH=\(programs):\(TestPaths.environment("PATH") ?? "/usr/bin:/bin")", "HOME=\(folder)/../home", "TZ=UTC", "LC_ALL=C.UTF-8",
        ]
        let script = "exec 2>&1; (exit \(status)); \(command)"
        let result = try TestSupport.run("env", ["-i"] + variables + ["bash", "-c", script], directory: folder)
        status = result.status
        return result.lines
    }
}
