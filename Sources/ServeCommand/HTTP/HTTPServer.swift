#if Service
    internal import Logging
    internal import NIOCore
    internal import NIOHTTP1
    internal import NIOPosix

    /// A socket that listens, and its connections.
    struct HTTPServer: Sendable {
        private let channel: any Channel
        private let ended: EventLoopFuture<Void>

        /// Connections that the system has accepted, and this process has not: more are refused (`listen(2)`).
        private static let backlog: Int32 = 1024

        /// Begins to listen.
        /// - Parameters:
        ///   - port: 0 for one that the system chooses.
        ///   - maxConnections: more wait until one of these ends.
        ///   - respond: writes one response. It returns whether the connection may have another request.
        init(
            host: String, port: Int, maxConnections: Int, certificates: Certificates?, logger: Logger,
            respond: @escaping @Sendable (HTTPRequestHead, inout Connection) async throws -> Bool
        ) async throws {
            let group = MultiThreadedEventLoopGroup.singleton
            let ended = group.any().makePromise(of: Void.self)
            self.ended = ended.futureResult
            do {
                channel = try await ServerBootstrap(group: group)
                    .serverChannelOption(.backlog, value: Self.backlog)
                    .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                    .childChannelOption(.allowRemoteHalfClosure, value: true)
                    .serverChannelInitializer { channel in
                        channel.eventLoop.makeCompletedFuture {
                            try channel.pipeline.syncOperations.addHandler(OpenConnections(atMost: maxConnections, ended, logger))
                        }
                    }
                    // Here, and not from a sequence of connections: one that comes while the server stops would have nobody, and swift-nio traps where a
                    // `NIOAsyncChannel` is not used.
                    .childChannelInitializer { channel in
                        channel.eventLoop.makeCompletedFuture {
                            let connection = try Connection.setUp(channel, certificates?.current, logger)
                            Task { await Connection.serve(connection, respond) }
                        }
                    }
                    .bind(host: host, port: port).get()
            } catch {
                ended.fail(error)
                throw error
            }
        }

        /// The port that it listens on.
        var port: Int? { channel.localAddress?.port }

        /// Waits until the server was stopped and its last connection has ended.
        func waitForEnd() async throws { try await ended.get() }

        /// Accepts no more connections. Those without a request in progress end at once, the others with its response.
        func stop() { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
    }

    /// The connections that are open: as many as are accepted, and those that have to end when the server stops.
    private final class OpenConnections: ChannelDuplexHandler {
        typealias InboundIn = any Channel
        typealias InboundOut = any Channel
        typealias OutboundIn = Never
        typealias OutboundOut = Never

        private let maxConnections: Int
        /// Fulfilled with the end of the last connection after the server was stopped.
        private let ended: EventLoopPromise<Void>
        private let logger: Logger
        private var open: [ObjectIdentifier: any Channel] = [:]
        private var isReadHeld = false
        /// After an error of `accept(2)`.
        private var isResting = false
        private var isStopping = false

        init(atMost maxConnections: Int, _ ended: EventLoopPromise<Void>, _ logger: Logger) {
            self.maxConnections = maxConnections
            self.ended = ended
            self.logger = logger
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let connection = unwrapInboundIn(data)
            open[ObjectIdentifier(connection)] = connection
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            connection.closeFuture.hop(to: context.eventLoop).whenComplete { _ in
                let (handler, context) = bound.value
                handler.open[ObjectIdentifier(connection)] = nil
                if handler.isStopping, handler.open.isEmpty { handler.ended.succeed() } else { handler.resume(context) }
            }
            context.fireChannelRead(data)
        }

        func read(context: ChannelHandlerContext) {
            isReadHeld = true
            resume(context)
        }

        private func resume(_ context: ChannelHandlerContext) {
            guard isReadHeld, !isResting, !isStopping, open.count < maxConnections else { return }
            isReadHeld = false
            context.read()
        }

        /// Too many descriptors, or too little memory (`accept(2)`, ERRORS): connections wait until some are closed.
        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            guard !isResting else { return }
            logger.error("a connection cannot be accepted", metadata: ["problem": "\(error)"])
            isResting = true
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            context.eventLoop.scheduleTask(in: .seconds(1)) {
                let (handler, context) = bound.value
                handler.isResting = false
                handler.resume(context)
            }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            guard event is ChannelShouldQuiesceEvent else { return context.fireUserInboundEventTriggered(event) }
            isStopping = true
            context.close(promise: nil)
            if open.isEmpty { ended.succeed() }
            for connection in open.values { connection.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
        }

        /// The system closed the channel because of an error; the server was not stopped.
        func channelInactive(context: ChannelHandlerContext) {
            if !isStopping { ended.fail(ChannelError.eof) }
            context.fireChannelInactive()
        }
    }
#endif
