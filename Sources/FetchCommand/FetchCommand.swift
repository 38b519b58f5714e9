package import ArgumentParser
internal import BinaryPrimitives
internal import Console
internal import Downloading
internal import SymbolFiles
internal import Symbolication

/// The neighbour of `cairn` that speaks HTTP: all network code is in this process, and it runs only
/// when the user requests it.
package struct CairnFetch: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "cairn-fetch",
        abstract: "Download debug files from symbol servers into a cache, and print their paths.",
        usage: "cairn fetch [--url URL]... [--time-budget SECONDS] [BUILD-ID...]",
        discussion: """
            cairn symbolicate --debuginfod runs it with queries on standard input. By hand: cairn fetch --url https://debuginfod.example BUILD-ID...

            A URL alone is a debuginfod server. Others have their layout in front: unified+s3://BUCKET/PREFIX, breakpad+https://HOST. Layouts: unified, breakpad, symsrv, native, debuginfod.

            It uses the variables of elfutils' client (debuginfod-client-config(7)): DEBUGINFOD_URLS without --url, DEBUGINFOD_CACHE_PATH, DEBUGINFOD_TIMEOUT, DEBUGINFOD_MAXTIME, \
            DEBUGINFOD_MAXSIZE, DEBUGINFOD_RETRY_LIMIT, DEBUGINFOD_HEADERS_FILE; and http_proxy, https_proxy, all_proxy, no_proxy, SSL_CERT_FILE. For s3://: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_PROFILE, AWS_REGION, AWS_ENDPOINT_URL.

            Exit status: 0 if every file was found, 3 if one is missing, 1 for any other error.
            """,
        version: "cairn-fetch \(cairnVersion)")

    @Option(name: .customLong("url"), help: "URL of a server. Repeatable.")
    var urls: [String] = []

    @Option(help: ArgumentHelp("Maximum total download time, in seconds.", valueName: "seconds"))
    var timeBudget = 60.0

    @Flag(help: "Show progress on standard error.")
    var progress = false

    @Option(
        help: ArgumentHelp(
            "Space for downloads, in gigabytes: those used least recently are removed (default: 10, and debuginfod's cache is left alone).",
            valueName: "gigabytes"))
    var downloadLimit: Int?

    @Flag(help: .hidden)
    var service = false

    @Argument(help: "Build IDs (default: read queries from standard input).", transform: CairnFetch.identity)
    var ids: [ImageID] = []

    package init() {}

    package func validate() throws {
        guard timeBudget > 0, timeBudget <= 86_400 else {
            throw ValidationError("--time-budget \(timeBudget): expected more than 0, up to 86400")
        }
        guard (1...1 << 20).contains(downloadLimit ?? 1) else {
            throw ValidationError("--download-limit \(downloadLimit ?? 0): expected 1 or more")
        }
    }

    private static func identity(_ text: String) throws -> ImageID {
        guard let id = ImageID(text: text) else { throw ValidationError("\(text): not a build ID: expected hexadecimal digits") }
        return id
    }

    /// Runs the command. A usage error prints one line and ends with status 64, as in `cairn`.
    ///
    /// - Parameter arguments: arguments after `cairn fetch`.
    package static func start(_ arguments: [String]) async {
        FileChanges.survive()
        do {
            var command = try parseAsRoot(arguments)
            if let own = command as? CairnFetch { try await own.run() } else { try command.run() }
        } catch {
            let code = exitCode(for: error)
            guard code != .success, !(error is ExitCode) else { exit(withError: error) }
            let lines = message(for: error).split(separator: "\n", omittingEmptySubsequences: true)
            printDiagnostic("\(lines.joined(separator: " ")) (see cairn fetch --help)")
            exit(withError: ExitCode(64))
        }
    }

    package func run() async throws {
        let cache: DebuginfodCache
        do throws(FileError) { cache = try DebuginfodCache.forDownloads(environment: environmentVariable) } catch {
            throw failure("no directory for downloads: \(error). Set HOME, or DEBUGINFOD_CACHE_PATH")
        }
        var servers: [SymbolServer] = []
        do throws(SymbolServerError) {
            for url in urls.isEmpty ? DebuginfodServerList.environment : urls {
                servers.append(try SymbolServer(url, standard: [.debuginfod]))
            }
        } catch { throw ValidationError(error.description) }
        guard !servers.isEmpty || service else { throw ValidationError("no server given: expected --url, or DEBUGINFOD_URLS") }
        var settings = FetchSettings(environment: environmentVariable)
        (settings.isGivenHostsOnly, settings.isService) = (service, service)
        let downloads = DownloadCache(root: cache.root, others: CacheFolder.standard().map { Path.join($0, "downloads") })
        let space = DownloadSpace(
            folders: [downloads.others] + (downloadLimit == nil ? [] : [downloads.root]), limit: (downloadLimit ?? 10) << 30)
        let client = DownloadClient(
            servers, cache: downloads, space: space, settings: settings, open: SymbolFileReader.openAll,
            progress: progress ? FetchProgress { try? FileDescriptor.write(Array($0.utf8), to: 2) } : nil)
        let session = FetchSession(client: client)
        let isComplete =
            ids.isEmpty
            ? await session.serve() : await session.fetch(ids.map { (nil, RequestedFile(.debuginfo, $0)) }, within: .seconds(timeBudget))
        // Nothing waits for connections that are still being made.
        endProcessImmediately(isComplete || ids.isEmpty ? 0 : 3)
    }

    private func failure(_ message: String) -> ExitCode {
        printDiagnostic("fetch: \(message)")
        return .failure
    }
}
