#if Service
    internal import BinaryPrimitives
    internal import Console
    internal import HummingbirdCore
    internal import Logging
    internal import NIOCore
    internal import NIOPosix
    internal import Serving
    internal import ServiceLifecycle
    internal import Symbolication
    internal import UnixSignals

    /// One run of `cairn serve`, from its options to its last connection.
    struct ServeRun {
        private let options: ServeOptions
        private let arguments: [String]
        private let logger: Logger
        private let stopping = StopSign()

        /// Seconds that requests have to end when the server stops.
        private static let patience = 30

        init(_ options: ServeOptions, _ arguments: [String]) {
            self.options = options
            self.arguments = arguments
            var logger = Logger(label: "cairn.serve") { StreamLogHandler.standardError(label: $0) }
            logger.logLevel = Logger.Level(rawValue: options.logLevel.rawValue) ?? .notice
            self.logger = logger
        }

        func run() async {
            guard let address = options.address, let program = Program.ownPath else { endProcess(.usage) }
            if let missing = options.missing {
                complain("serve: \(missing): no such file or directory")
                endProcess(.failed)
            }
            let state: ServerState
            var certificates: Certificates?
            do {
                state = ServerState(try settings(), stopping, timeLimit: .seconds(options.timeLimit))
                if let chain = options.certificate, let key = options.key { certificates = try Certificates(chain: chain, key: key) }
            } catch {
                complain("serve: \(error)")
                endProcess(.failed)
            }
            var limits = EnginePool.Settings()
            limits.atOnce = options.slots
            limits.time = .seconds(options.timeLimit)
            limits.memory = options.memory << 19
            let pool = EnginePool(limits) { [arguments] (sockets) throws(FileError) in
                Engine(try SocketProcess(program, ["serve-engine", "\(sockets)"] + arguments, sockets: sockets))
            }
            do throws(FileError) { try pool.warmUp() } catch {
                complain("serve: \(error)")
                endProcess(.failed)
            }
            let frontend = Frontend(
                state: state, pool: pool, pending: PendingResults(atMost: 200), metrics: Metrics(), budget: SpoolBudget(most: 8 << 30),
                uploads: UploadRate(), logger: logger)
            let http = HTTP1Channel(
                responder: { request, writer, _ in try await frontend.handle(request, writer) },
                configuration: .init(
                    additionalChannelHandlers: [ConnectionGuard(ConnectionGuard.Limits())],
                    httpDecoderConfiguration: .init(maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 64 << 10, maxHeaderFieldCount: 200)))
            let scheme = certificates == nil ? "http" : "https"
            let server = ServingChannel(http: http, certificates: certificates).server(
                configuration: .init(
                    address: .hostname(address.host, port: address.port), backlog: 1024,
                    availableConnectionsDelegate: MaximumAvailableConnections(options.connections)),
                onServerRunning: { [logger] channel in
                    let port = channel.localAddress?.port ?? address.port
                    let host = address.host.contains(":") ? "[\(address.host)]" : address.host
                    logger.notice("listening", metadata: ["url": "\(scheme)://\(host):\(port)"])
                    // For whoever started it, with the port that the system chose.
                    try? FileDescriptor.write(Array("\(scheme)://\(host):\(port)/\n".utf8), to: 1)
                    ProcessMemory.releaseProgram()
                },
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
                logger: Logger(label: "cairn.serve") { _ in SwiftLogNoOpLogHandler() })
            var configuration = ServiceGroupConfiguration(
                services: [
                    .init(service: server, successTerminationBehavior: .gracefullyShutdownGroup),
                    .init(service: Stopping(state: state, logger: logger)), .init(service: Upkeep(state: state)),
                    .init(service: Rereading(run: self, state: state, pool: pool, certificates: certificates)),
                ],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: Logger(label: "cairn.serve") { _ in SwiftLogNoOpLogHandler() })
            configuration.maximumGracefulShutdownDuration = .seconds(Self.patience)
            do { try await ServiceGroup(configuration: configuration).run() } catch {
                complain("serve: \(Self.words(error))")
                pool.close()
                endProcess(.failed)
            }
            pool.close()
            logger.notice("stopped")
            endProcess(.done)
        }

        /// A port that is taken is what goes wrong most often.
        private static func words(_ error: any Error) -> String {
            (error as? IOError).map { FileError(path: "", errorNumber: $0.errnoCode).problem } ?? "\(error)"
        }

        /// What this process needs to know; a service without symbols.
        fileprivate func settings() throws -> ServerState.Settings {
            let tokens = try options.upload.map { path throws(FileError) in try UploadTokens(path: path) }
            for warning in tokens?.warnings ?? [] { complain("serve: \(warning)", as: .warning) }
            return ServerState.Settings(
                service: Service(Symbolicator(provider: NoSymbols()), settings: options.settings()) { [stopping] in !stopping.isSet },
                uploader: { tokens?.matches($0) })
        }
    }

    /// Says no to those who look for a server (`/readyz`) as soon as it is about to stop.
    private struct Stopping: ServiceLifecycle.Service {
        let state: ServerState
        let logger: Logger

        func run() async throws {
            try? await gracefulShutdown()
            state.stop()
            logger.notice("stopping")
        }
    }

    /// What time takes with it.
    private struct Upkeep: ServiceLifecycle.Service {
        let state: ServerState

        func run() async throws {
            try? await cancelWhenGracefulShutdown {
                while true {
                    state.service.tidyUp()
                    try await Task.sleep(for: .seconds(3600))
                }
            }
            // A service that ends ends the others.
            try? await gracefulShutdown()
        }
    }

    /// SIGHUP: settings, tokens and certificates are read again; what is wrong with them leaves the
    /// old ones in force.
    private struct Rereading: ServiceLifecycle.Service {
        let run: ServeRun
        let state: ServerState
        let pool: EnginePool
        let certificates: Certificates?

        func run() async throws {
            for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
                do {
                    try certificates?.reload()
                    state.replace(try run.settings())
                    pool.renew()
                    run.note("settings are read again")
                } catch {
                    run.complainOfSettings(error)
                }
            }
        }
    }

    extension ServeRun {
        fileprivate func note(_ words: Logger.Message) { logger.notice(words) }
        fileprivate func complainOfSettings(_ error: any Error) {
            logger.error("the settings are as before", metadata: ["problem": "\(error)"])
        }
    }
#endif
