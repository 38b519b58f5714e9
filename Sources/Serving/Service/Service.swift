package import BinaryPrimitives
internal import SymbolFiles
package import Symbolication

/// The service of `cairn serve`, without a network: a request in, a response out.
///
/// A value that any number of connections may use at once; what is kept of symbol files is the
/// provider's.
package struct Service: Sendable {
    /// Settings of the operator.
    package struct Settings: Sendable {
        /// Folders whose source files may be read; none: no text of a source file leaves the
        /// machine.
        package var sourceRoots = SourceRoots([])
        /// Web pages that may read source files, each by its origin.
        package var origins: Set<String> = ["https://profiler.firefox.com"]
        /// Host names that requests may have.
        package var hostNames = HostNames.any
        /// Responses say why a module's symbols were not found. The reasons contain paths of this
        /// machine.
        package var includesReasons = true
        /// Bytes of a request's body.
        package var maxBodyBytes = 64 << 20
        /// The store that uploads are filed in; `nil`: there are none.
        package var uploadStore: String?
        /// The folder of results that are shared by a link; `nil`: none are.
        package var shareFolder: String?
        /// The servers that requests may name.
        package var allowedSources = AllowedSources()
        /// The server itself speaks HTTPS.
        package var isSecure = false
        /// How long after a look at the locations of symbol files they are looked at again, for a
        /// module that was not found.
        package var refreshInterval = Duration.seconds(4)
        package var now: @Sendable () -> ContinuousClock.Instant = { .now }
        /// This program's version.
        package var version = ""

        package init() {}
    }

    /// Looks frames up, with the symbols and options of reports.
    package private(set) var symbolicator: Symbolicator
    package let settings: Settings
    package let limits: Limits
    let frameTexts = FrameTexts()
    /// Whether requests are to be sent here: a server that is about to stop says no.
    package let isReady: @Sendable () -> Bool

    package init(
        _ symbolicator: Symbolicator, settings: Settings = Settings(), limits: Limits = .standard,
        isReady: @escaping @Sendable () -> Bool = { true }
    ) {
        self.symbolicator = symbolicator.using(RefreshedSymbols(symbolicator.provider, after: settings.refreshInterval, now: settings.now))
        self.settings = settings
        self.limits = limits
        self.isReady = isReady
    }

    /// The service with other symbols.
    func using(_ symbols: any SymbolProvider) -> Service {
        var service = self
        service.symbolicator = symbolicator.using(symbols)
        return service
    }

    /// The service for a request that names servers of its own.
    func using(_ servers: [SymbolServer]) -> Service {
        servers.isEmpty ? self : using(NamedServers(others: symbolicator.provider, servers: servers.map(\.text)))
    }

    /// Refuses a response that has become too large while it was written.
    func checkSize(of output: [UInt8]) throws(Refusal) {
        guard output.count <= limits.responseBytes else {
            throw Refusal("the response is larger than \(limits.responseBytes) bytes: please send fewer frames in a request", status: 413)
        }
    }

    /// Removes what killed processes have left of uploads, and results whose time is over. A server
    /// does it when it starts, and every hour.
    package func removeStaleData() {
        if let store = settings.uploadStore {
            WorkFolder.removeAbandoned(in: store)
            StagedUploads(store: store).sweep()
        }
        if let folder = settings.shareFolder { SharedResults(folder: folder, limits: limits).sweep() }
    }
}
