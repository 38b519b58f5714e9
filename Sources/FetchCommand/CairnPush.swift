package import ArgumentParser
internal import BinaryPrimitives
internal import Console
internal import Downloading
internal import LibC
internal import ObjectFiles
internal import SymbolFiles

/// `cairn symbols push`: sends symbol files to a server, one after the other.
package struct CairnPush: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "cairn-push", abstract: "Upload symbol files to a server (cairn serve).",
        usage: "cairn symbols push URL FILE... --token-file FILE", version: "cairn-push \(cairnVersion)")

    @Option(help: ArgumentHelp("File with the token, which only you can read.", valueName: "path"))
    var tokenFile: String

    @Argument(help: ArgumentHelp("URL of the server.", valueName: "url"))
    var server: String

    @Argument(help: "Symbol files, dSYM bundles, archives and directories of them.")
    var paths: [String]

    package init() {}

    /// Runs the command. A usage error prints one line and ends with status 64, as in `cairn`.
    ///
    /// - Parameter arguments: arguments after `push`.
    package static func start(_ arguments: [String]) async {
        FileChanges.survive()
        do {
            var command = try parseAsRoot(arguments)
            if let own = command as? CairnPush { try await own.run() } else { try command.run() }
        } catch {
            let code = exitCode(for: error)
            guard code != .success, !(error is ExitCode) else { exit(withError: error) }
            let lines = message(for: error).split(separator: "\n", omittingEmptySubsequences: true)
            printDiagnostic("\(lines.joined(separator: " ")) (see cairn symbols push --help)")
            exit(withError: ExitCode(64))
        }
    }

    package func validate() throws {
        guard server.hasPrefix("https://") || server.hasPrefix("http://") else {
            throw ValidationError("\(server): expected the URL of a server: http://… or https://…")
        }
    }

    package func run() async throws {
        let token: UploadToken
        do throws(FileError) { token = try UploadToken(path: tokenFile) } catch {
            printDiagnostic(error.description)
            throw ExitCode.failure
        }
        for warning in token.warnings(for: server) { printDiagnostic(warning, as: .warning) }
        guard let secret = token.secret else {
            printDiagnostic("\(tokenFile): no token in it: expected a line with a token, or with a name and a token")
            throw ExitCode.failure
        }
        var run = PushRun(client: UploadClient(url: server, token: secret, environment: environmentVariable))
        let isComplete = await run.send(paths)
        // Nothing waits for connections that are still open.
        endProcessImmediately(isComplete ? 0 : 1)
    }
}

/// One run of `cairn symbols push`.
private struct PushRun {
    let client: UploadClient
    private var counts: [UploadReply: Int] = [:]
    private var isComplete = true

    init(client: UploadClient) { self.client = client }

    /// - Returns: whether the server has all files now.
    mutating func send(_ paths: [String]) async -> Bool {
        var files: [(path: String, isNamed: Bool)] = []
        for path in paths {
            switch PathKind(path: path) {
            case .file: files.append((path, true))
            case .directory: files += SymbolTree.files(below: path).filter(Self.mayHoldSymbols).map { ($0, false) }
            case .other, nil:
                printDiagnostic("\(path): no such file or directory")
                isComplete = false
            }
        }
        let showsProgress = FileDescriptor.isTerminal(2)
        for (index, file) in files.enumerated() {
            if showsProgress {
                let line = "\rsending \(index + 1) of \(files.count): \(PlainText.line(Path.name(of: file.path), limit: 60))\u{1B}[K"
                try? FileDescriptor.write(Array(line.utf8), to: 2)
            }
            let reply = await send(file.path)
            if showsProgress { try? FileDescriptor.write(Array("\r\u{1B}[K".utf8), to: 2) }
            guard handle(reply, file.path, isNamed: file.isNamed) else { break }
        }
        let summary = "\(counts[.added] ?? 0) added, \(counts[.known] ?? 0) already there"
        let skipped = counts[.withoutIdentity] ?? 0
        let line = skipped == 0 ? summary : summary + ", \(skipped) without a build ID or UUID skipped"
        try? FileDescriptor.write(Array((line + "\n").utf8), to: 1)
        return isComplete
    }

    /// Whether a file may be a symbol file: most files of a directory are not. The server checks members of
    /// archives.
    private static func mayHoldSymbols(_ path: String) -> Bool {
        path.contains(MemberPath.separator) || SymbolFileMagic.begins(FileDescriptor.head(of: path, count: 4))
    }

    private func send(_ path: String) async -> UploadReply {
        let file: MappedFile
        do {
            let member = try OpenArchives.shared.contents(at: path)
            file = try member ?? MappedFile(path: path)
        } catch { return .failed("\(error)", isLast: false) }
        return await client.send(file, name: Path.name(of: path))
    }

    /// - Returns: whether the next file is worth a request.
    private mutating func handle(_ reply: UploadReply, _ path: String, isNamed: Bool) -> Bool {
        counts[reply, default: 0] += 1
        let shown = PlainText.line(path)
        switch reply {
        case .added: try? FileDescriptor.write(Array("added \(shown)\n".utf8), to: 1)
        case .known: break
        case .withoutIdentity:
            if isNamed { fail("\(shown): no build ID or UUID in it, so that no log can be matched with it. Link with --build-id") }
        case .differs: fail("\(shown): the server has another file with the same build ID or UUID, and keeps it")
        case .tooLarge: fail("\(shown): too large for this server")
        case .failed(let message, let isLast):
            fail("\(shown): \(message)")
            return !isLast
        }
        return true
    }

    private mutating func fail(_ message: String) {
        printDiagnostic(message)
        isComplete = false
    }
}

/// The token that a file has: its first line that is no comment, which is the token alone, or a
/// line of the server's own file, `name token`.
private struct UploadToken {
    /// The token; `nil` if the file has none.
    let secret: String?
    private let path: String
    private let isReadByOthers: Bool

    private static let largestFile = 1 << 16

    init(path: String) throws(FileError) {
        self.path = path
        let text = String(decoding: try MappedFile(path: path).allBytes(limit: Self.largestFile), as: UTF8.self)
        let lines = text.split(whereSeparator: \.isNewline).map { $0.split { $0 == " " || $0 == "\t" } }
        secret = lines.first { $0.first.map { !$0.hasPrefix("#") } ?? false }?.last.map(String.init)
        var information = stat()
        isReadByOthers = unsafe stat(path, &information) == 0 && information.st_mode & 0o077 != 0
    }

    /// Warnings about ways in which others could read the token.
    func warnings(for server: String) -> [String] {
        var warnings: [String] = []
        if isReadByOthers { warnings.append("\(path): other users can read it. Run: chmod 600 \(ShellWord.quoted(path))") }
        let isHere = ["http://localhost", "http://127.", "http://[::1]"].contains(where: server.hasPrefix)
        if server.hasPrefix("http://"), !isHere { warnings.append("\(server): the token is sent unencrypted. Use https://") }
        return warnings
    }
}
