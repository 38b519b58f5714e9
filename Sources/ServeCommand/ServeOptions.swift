internal import ArgumentParser
internal import BinaryPrimitives
internal import CommandSupport
internal import Console
internal import ObjectFiles
internal import Serving
internal import SymbolFiles
internal import SymbolSources
internal import Symbolication

/// The options of `cairn serve`: of the process with the connections, and of the engine, which gets
/// the same arguments.
struct ServeOptions: ParsableArguments {
    @Option(
        name: [.customLong("symbols"), .customShort("s")],
        help: ArgumentHelp(
            "A symbol store, a directory of symbol files, an archive, a file, or a server (https://, s3://). Repeatable; CAIRN_SYMBOLS adds more.",
            valueName: "path"),
        completion: .file())
    var symbols: [String] = []

    @Option(help: ArgumentHelp("Address and port: 127.0.0.1:8080, [::]:8080, or port 0 for any free one.", valueName: "address:port"))
    var listen = ServeOptions.usualAddress

    /// The address on which a server listens by default.
    private static let usualAddress = "127.0.0.1:8080"

    @Option(name: .of(.port), help: ArgumentHelp("Port on this machine alone: short for --listen 127.0.0.1:PORT.", valueName: "port"))
    var port: Int?

    @OptionGroup var debuginfod: DebuginfodOptions

    @Option(
        help: ArgumentHelp(
            "Download from the sources that requests to Symbolicator’s endpoints name, if their URLs begin with this one. Repeatable.",
            valueName: "url"))
    var allowSource: [String] = []

    @Option(
        help: ArgumentHelp(
            "Space for downloaded files, in gigabytes: those used least recently are removed.", valueName: "gigabytes"))
    var downloadLimit = 20

    @Option(
        help: ArgumentHelp(
            "Accept uploads (PUT /v1/symbols) from holders of the tokens in this file: one line each, NAME TOKEN.", valueName: "token-file"),
        completion: .file())
    var upload: String?

    @Flag(help: "Accept requests only with a token of the file of --upload: to read, to upload, and for /metrics, each with its right.")
    var `private` = false

    @Option(
        help: ArgumentHelp("The store for uploads (default: the first --symbols that is a directory).", valueName: "dir"),
        completion: .directory)
    var store: String?

    @Option(
        help: ArgumentHelp(
            "A directory of source files that clients may read if debug information names them. Repeatable.", valueName: "dir"),
        completion: .directory)
    var sourceRoot: [String] = []

    @Option(
        help: ArgumentHelp(
            "A web page's origin that may read source files (default: https://profiler.firefox.com). Repeatable.", valueName: "origin"))
    var origin: [String] = []

    @Option(
        help: ArgumentHelp(
            "A name that clients call this server by. Without one, only localhost and 127.0.0.1 with --listen on them, else any. Repeatable.",
            valueName: "name"))
    var hostName: [String] = []

    @Option(help: ArgumentHelp("Keep results that people share in this directory, for 7 days.", valueName: "dir"), completion: .directory)
    var share: String?

    @Flag(help: "Leave out of responses why symbols were not found: the reasons contain paths of this machine.")
    var hideReasons = false

    @Option(help: ArgumentHelp("Certificate chain in PEM, for HTTPS; with --key.", valueName: "file"), completion: .file())
    var certificate: String?

    @Option(help: ArgumentHelp("Private key in PEM.", valueName: "file"), completion: .file())
    var key: String?

    @Option(help: ArgumentHelp("Requests that are handled at a time (default: twice the processors, at least 4).", valueName: "number"))
    var atOnce: Int?

    @Option(help: ArgumentHelp("Maximum time of one request, in seconds.", valueName: "seconds"))
    var timeLimit = 60

    @Option(help: ArgumentHelp("Memory of the engine, in megabytes: from half of it on, it is renewed.", valueName: "megabytes"))
    var memory = 2048

    @Option(help: ArgumentHelp("Connections at a time.", valueName: "number"))
    var connections = 4096

    @Option(
        help: ArgumentHelp("Append a line of JSON for each request to this file, which SIGHUP opens again.", valueName: "file"),
        completion: .file())
    var accessLog: String?

    @Option(
        help: ArgumentHelp("A JSON file with options: {\"symbols\": [\"/srv/symbols\"], \"private\": true}.", valueName: "file"),
        completion: .file())
    var config: String?

    @Option(help: "Log messages: error, warning, notice or info (each request).")
    var logLevel = LogLevel.notice

    enum LogLevel: String, ExpressibleByArgument, CaseIterable { case error, warning, notice, info }

    init() {}

    func validate() throws {
        if let port {
            guard (0...65_535).contains(port) else { throw ValidationError("--port \(port): expected 0 to 65535") }
            guard listen == ServeOptions.usualAddress else {
                throw ValidationError("--port and --listen: expected one of them. Use: --listen ADDRESS:PORT")
            }
        }
        guard address != nil else { throw ValidationError("--listen \(listen): expected an address and a port, such as 127.0.0.1:8080") }
        guard (certificate == nil) == (key == nil) else { throw ValidationError("--certificate and --key: expected both, or none") }
        guard (1...256).contains(atOnce ?? 1) else { throw ValidationError("--at-once \(atOnce ?? 0): expected 1 to 256") }
        guard (1...86_400).contains(timeLimit) else { throw ValidationError("--time-limit \(timeLimit): expected 1 to 86400") }
        guard (256...1 << 20).contains(memory) else { throw ValidationError("--memory \(memory): expected 256 or more") }
        guard (1...1 << 20).contains(connections) else { throw ValidationError("--connections \(connections): expected 1 or more") }
        guard (1...1 << 20).contains(downloadLimit) else { throw ValidationError("--download-limit \(downloadLimit): expected 1 or more") }
        for text in allowSource {
            guard let server = try? SymbolServer(text), server.name == server.url,
                !server.url.hasPrefix("file:") || server.url.utf8.count > 8
            else {
                throw ValidationError(
                    "--allow-source \(text): expected the beginning of a URL: https://HOST/…, s3://BUCKET/… or file:///DIR")
            }
        }
        guard hasSymbols else { throw ValidationError("no symbols to serve: expected --symbols STORE") }
        guard !`private` || upload != nil else { throw ValidationError("--private: expected tokens, in --upload TOKEN-FILE") }
        guard upload == nil || uploadStore != nil else { throw ValidationError("--upload: expected --store, or a directory as --symbols") }
    }

    /// A place that is not there: it is more likely mistyped than about to come.
    var missing: String? {
        (symbols + sourceRoot + [store, share].compactMap { $0 }).first {
            PathKind(path: $0) == nil && !SymbolServer.isURL($0) && !OpenArchives.shared.hasMember(at: $0)
        }
    }

    private var hasSymbols: Bool {
        let others = [environmentVariable("CAIRN_SYMBOLS") ?? ""] + (ActiveSettings.current.settings.symbols ?? [])
        return !symbols.isEmpty || store != nil || !debuginfod.servers.isEmpty || !allowSource.isEmpty || others.contains { !$0.isEmpty }
    }

    /// `127.0.0.1:8080` and `[::1]:8080` in their two parts.
    var address: (host: String, port: Int)? {
        if let port { return ("127.0.0.1", port) }
        guard let colon = listen.lastIndex(of: ":"), let port = Int(listen[listen.index(after: colon)...]), (0...65_535).contains(port)
        else {
            return nil
        }
        var host = listen[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        return host.isEmpty ? nil : (String(host), port)
    }

    var uploadStore: String? { upload == nil ? nil : store ?? symbols.first { PathKind(path: $0) == .directory } }

    /// How many requests are handled at a time: twice the processors, so that one that waits for a
    /// disk leaves none idle.
    var slots: Int { atOnce ?? max(4, 2 * Parallel.processors) }

    /// Settings of the service.
    func settings() -> Service.Settings {
        var settings = Service.Settings()
        settings.sourceRoots = SourceRoots(sourceRoot)
        if !origin.isEmpty { settings.origins = Set(origin) }
        if let address { settings.hostNames = HostNames(listeningAt: address.host, given: hostName) }
        settings.includesReasons = !hideReasons
        settings.uploadStore = uploadStore
        settings.shareFolder = share
        settings.isSecure = certificate != nil
        settings.allowedSources = AllowedSources(allowSource.compactMap { try? SymbolServer($0) })
        settings.version = cairnVersion
        return settings
    }

    /// The service over the symbols.
    func service() throws -> Service {
        var arguments = symbols.flatMap { ["--symbols", $0] } + ["--no-local"]
        // Uploaded files are served.
        if let uploadStore, !symbols.contains(uploadStore) { arguments += ["--symbols", uploadStore] }
        let options = try SymbolOptions.parse(arguments)
        var debuginfod = debuginfod
        // A client that waits for a response does not wait for a minute of downloads.
        if debuginfod.timeBudget == nil { debuginfod.timeBudget = Double(timeLimit) / 3 }
        // Many requests are about one file, and one process has them all.
        // Requests for files at the locations that their identities give wait for no folder.
        let provider = options.provider(
            debuginfod.makeServers(
                beside: options.servers, quiet: true,
                service: ServiceDownloads(limit: downloadLimit, hasOtherServers: !allowSource.isEmpty)), indexes: .allFiles,
            folderReading: .inBackground(patience: .seconds(2))
        ).provider
        return Service(Symbolicator(provider: provider, options: options.symbolication), settings: settings())
    }
}
