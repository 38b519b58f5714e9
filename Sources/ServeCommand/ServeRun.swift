#if Service
    internal import BinaryPrimitives
    internal import Console
    internal import Logging
    internal import NIOCore
    internal import Serving
    internal import Symbolication

    /// One run of `cairn serve`, from its options to its last connection.
    struct ServeRun {
        private let options: ServeOptions
        private let arguments: ServeArguments
        private let logger: Logger
        private let stopping = StopSign()

        /// The time that requests have to end when the server stops.
        private static let patience = Duration.seconds(30)
        /// Between two times of tidying up.
        private static let upkeep = Duration.seconds(3600)

        init(_ options: ServeOptions, _ arguments: ServeArguments) {
            self.options = options
            self.arguments = arguments
            var logger = Logger(label: "cairn.serve") { StreamLogHandler.standardError(label: $0) }
            logger.logLevel = Logger.Level(rawValue: options.logLevel.rawValue) ?? .notice
            self.logger = logger
        }

        func run() async {
            guard let address = options.address, let program = Program.ownPath else { endProcess(.usage) }
            if let missing = options.missing {
                printDiagnostic("serve: \(missing): no such file or directory")
                endProcess(.failed)
            }
            let state: ServerState
            var certificates: Certificates?
            let accessLog: AccessLog?
            do {
                accessLog = try options.accessLog.map { path throws(FileError) in try AccessLog(path: path) }
                state = ServerState(try settings(), stopping, timeLimit: .seconds(options.timeLimit))
                if let chain = options.certificate, let key = options.key { certificates = try Certificates(chain: chain, key: key) }
            } catch {
                printDiagnostic("serve: \(error)")
                endProcess(.failed)
            }
            var limits = EnginePool.Settings()
            limits.atOnce = options.slots
            limits.time = .seconds(options.timeLimit)
            limits.memory = options.memory << 19
            let pool = EnginePool(limits) { [arguments] (sockets) throws(FileError) in
                Engine(try SocketProcess(program, ["serve-engine", "\(sockets)"] + arguments.expanded, sockets: sockets))
            }
            do throws(FileError) { try pool.warmUp() } catch {
                printDiagnostic("serve: \(error)")
                endProcess(.failed)
            }
            let frontend = Frontend(
                state: state, pool: pool, pending: PendingResults(atMost: 200), metrics: Metrics(), budget: SpoolBudget(maxBytes: 8 << 30),
                uploads: UploadRate(), accessLog: accessLog, logger: logger)
            // Before anybody knows of the server, who might send one.
            guard let signals = SignalRelay(catching: [SignalRelay.terminating, SignalRelay.interrupting, SignalRelay.hangingUp]) else {
                printDiagnostic("serve: signals cannot be caught: expected two free descriptors")
                endProcess(.failed)
            }
            do {
                let server = try await HTTPServer(
                    host: address.host, port: address.port, maxConnections: options.connections, certificates: certificates, logger: logger
                ) { head, connection in try await frontend.handle(head, &connection) }
                _ = Parallel.start { [self, certificates] in watch(signals, server, state, pool, certificates, accessLog) }
                announce(server, address, scheme: certificates == nil ? "http" : "https")
                try await server.waitForEnd()
            } catch {
                printDiagnostic("serve: \(Self.problem(of: error))")
                pool.close()
                endProcess(.failed)
            }
            end(pool)
        }

        private func end(_ pool: EnginePool) -> Never {
            pool.close()
            logger.notice("stopped")
            endProcess(.done)
        }

        private func announce(_ server: HTTPServer, _ address: (host: String, port: Int), scheme: String) {
            let host = address.host.contains(":") ? "[\(address.host)]" : address.host
            let url = "\(scheme)://\(host):\(server.port ?? address.port)"
            logger.notice("listening", metadata: ["url": "\(url)"])
            // For the program that started it, with the port that the system chose.
            try? FileDescriptor.write(Array("\(url)/\n".utf8), to: 1)
            ProcessMemory.releaseProgram()
        }

        /// Acts on signals, and tidies up now and then, on a thread of its own.
        private func watch(
            _ signals: SignalRelay, _ server: HTTPServer, _ state: ServerState, _ pool: EnginePool, _ certificates: Certificates?,
            _ accessLog: AccessLog?
        ) {
            var nextUpkeep = ContinuousClock.now
            while !state.isStopping {
                if nextUpkeep <= .now {
                    state.service.removeStaleData()
                    nextUpkeep = .now + Self.upkeep
                }
                _ = FileDescriptor.wait(for: [signals.descriptor], atMost: nextUpkeep - .now)
                let arrivals = signals.arrivals().map(\.number)
                if arrivals.contains(SignalRelay.hangingUp) { reread(state, pool, certificates, accessLog) }
                // `/readyz` says no from now on.
                if arrivals.contains(where: { $0 != SignalRelay.hangingUp }) { state.stop() }
            }
            logger.notice("stopping")
            server.stop()
            // The process ends with the last connection, and this thread with it.
            let latest = ContinuousClock.now + Self.patience
            while latest > .now { _ = FileDescriptor.wait(for: [], atMost: latest - .now) }
            logger.warning("requests did not end within \(Self.patience.components.seconds) s")
            end(pool)
        }

        /// Reads settings, tokens and certificates again. What is wrong with them leaves the old ones in force.
        private func reread(_ state: ServerState, _ pool: EnginePool, _ certificates: Certificates?, _ accessLog: AccessLog?) {
            do {
                try accessLog?.reopen()
                try certificates?.reload()
                try arguments.reread()
                state.replace(try settings())
                pool.renew()
                logger.notice("settings are read again")
            } catch {
                logger.error("the settings are as before", metadata: ["problem": "\(error)"])
            }
        }

        /// A port that is taken is what goes wrong most often.
        private static func problem(of error: any Error) -> String {
            (error as? IOError).map { FileError(path: "", errorNumber: $0.errnoCode).problem } ?? "\(error)"
        }

        /// Settings that this process needs, with a service without symbols.
        private func settings() throws -> ServerState.Settings {
            let tokens = try options.upload.map { path throws(FileError) in try UploadTokens(path: path) }
            for warning in tokens?.warnings ?? [] { printDiagnostic("serve: \(warning)", as: .warning) }
            return ServerState.Settings(
                service: Service(Symbolicator(provider: NoSymbols()), settings: options.settings()) { [stopping] in !stopping.isSet },
                holder: { tokens?.holder(of: $0) }, isPrivate: options.private)
        }
    }
#endif
