#if Service
    internal import Logging
    internal import NIOCore
    internal import NIOHTTP1
    internal import NIOPosix

    /// A socket that listens, and its connections.
    struct HTTPServer: Sendable {
        private let channel: NIOAsyncChannel<Connection.Channel, Never>

        /// Connections that the system has accepted, and this process has not: more are refused (`listen(2)`).
        private static let backlog: Int32 = 1024

        /// Begins to listen.
        /// - Parameters:
        ///   - port: 0 for one that the system chooses.
        ///   - maxConnections: more wait until one of these ends.
        init(host: String, port: Int, maxConnections: Int, certificates: Certificates?, logger: Logger) async throws {
            channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.backlog, value: Self.backlog)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .serverChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(OpenConnections(atMost: maxConnections, logger))
                    }
                }
                .bind(host: host, port: port) { channel in
                    channel.eventLoop.makeCompletedFuture { try Connection.setUp(channel, certificates?.current) }
                }
        }

        /// The port that it listens on.
        var port: Int? { channel.channel.localAddress?.port }

        /// Serves connections until the server was stopped and the last of them has ended.
        /// - Parameter respond: writes one response. It returns whether the connection may have another request.
        func run(_ respond: @escaping @Sendable (HTTPRequestHead, inout Connection) async throws -> Bool) async throws {
            try await withThrowingDiscardingTaskGroup { group in
                try await channel.executeThenClose { connections in
                    for try await connection in connections {
                        group.addTask { await Connection.serve(connection, respond) }
                    }
                }
            }
        }

        /// Accepts no more connections. Those without a request in progress end at once, the others with its response.
        func stop() { channel.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
    }

    /// The connections that are open: as many as are accepted, and those that have to end when the server stops.
    private final class OpenConnections: ChannelDuplexHandler {
        typealias InboundIn = any Channel
        typealias InboundOut = any Channel
        typealias OutboundIn = Never
        typealias OutboundOut = Never

        private let most: Int
        private let logger: Logger
        private var open: [ObjectIdentifier: any Channel] = [:]
        private var isReadHeld = false
        /// After an error of `accept(2)`.
        private var isResting = false

        init(atMost most: Int, _ logger: Logger) {
            self.most = most
            self.logger = logger
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let connection = unwrapInboundIn(data)
            open[ObjectIdentifier(connection)] = connection
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            connection.closeFuture.hop(to: context.eventLoop).whenComplete { _ in
                let (handler, context) = bound.value
                handler.open[ObjectIdentifier(connection)] = nil
                handler.resume(context)
            }
            context.fireChannelRead(data)
        }

        func read(context: ChannelHandlerContext) {
            isReadHeld = true
            resume(context)
        }

        private func resume(_ context: ChannelHandlerContext) {
            guard isReadHeld, !isResting, open.count < most else { return }
            isReadHeld = false
            context.read()
        }

        /// Too many descriptors, or too little memory (`accept(2)`, ERRORS): connections wait until some are closed. The error is not handed on, since it would end
        /// the sequence of connections.
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
            context.close(promise: nil)
            for connection in open.values { connection.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
        }
    }
#endif
