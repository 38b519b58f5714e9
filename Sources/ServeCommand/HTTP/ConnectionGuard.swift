#if Service
    internal import NIOCore
    internal import NIOHTTP1

    /// Closes a connection whose client is too slow, so that no client keeps one open without use:
    /// a request's head that does not come, a body of a byte a second, a response that is not read.
    ///
    /// Seen from here a client that sends its headers slowly is one that has sent none yet.
    final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias InboundOut = HTTPServerRequestPart
        typealias OutboundIn = HTTPServerResponsePart
        typealias OutboundOut = HTTPServerResponsePart

        struct Limits: Sendable {
            /// Maximum time from the start of the connection, or the end of the last response, to
            /// the end of a request's head.
            var head = TimeAmount.seconds(60)
            /// Maximum time for a body, beside the time that its bytes may take.
            var body = TimeAmount.seconds(20)
            /// Minimum number of bytes of a body for each second.
            var bodyRate = 4096
            /// Maximum time that a response waits for the client to read more of it.
            var response = TimeAmount.seconds(60)
            /// Maximum time for reading the rest of a refused request, or of a connection whose
            /// last response was sent.
            var rest = TimeAmount.seconds(5)
        }

        private enum Phase {
            /// No request has begun.
            case idle(since: NIODeadline)
            case body(since: NIODeadline, bytes: Int)
            /// The request is here; its response is made or sent.
            case work
            /// The response was sent before the request had ended.
            case rest(since: NIODeadline)
        }

        private let limits: Limits
        private var phase = Phase.idle(since: .now())
        private var isBodyOpen = false
        private var fullSince: NIODeadline?
        private var task: RepeatedTask?

        init(_ limits: Limits) { self.limits = limits }

        func handlerAdded(context: ChannelHandlerContext) {
            phase = .idle(since: .now())
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            task = context.eventLoop.scheduleRepeatedTask(initialDelay: .seconds(2), delay: .seconds(2)) { _ in
                let (handler, context) = bound.value
                if handler.isOver { context.close(promise: nil) }
            }
        }

        func handlerRemoved(context: ChannelHandlerContext) { task?.cancel() }

        func channelInactive(context: ChannelHandlerContext) {
            task?.cancel()
            context.fireChannelInactive()
        }

        private var isOver: Bool {
            let now = NIODeadline.now()
            if let fullSince, now - fullSince > limits.response { return true }
            switch phase {
            case .idle(let since): return now - since > limits.head
            case .body(let since, let bytes): return now - since > limits.body + .seconds(Int64(bytes / limits.bodyRate))
            case .work: return false
            case .rest(let since): return now - since > limits.rest
            }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head:
                isBodyOpen = true
                phase = .body(since: .now(), bytes: 0)
            case .body(let buffer):
                if case .body(let since, let bytes) = phase { phase = .body(since: since, bytes: bytes + buffer.readableBytes) }
            case .end:
                isBodyOpen = false
                switch phase {
                case .rest: phase = .idle(since: .now())
                case .body: phase = .work
                case .idle, .work: break
                }
            }
            context.fireChannelRead(data)
        }

        /// The client sent no HTTP, or too many headers: the response is about to be sent, and
        /// nothing more is read.
        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            beginRest()
            context.fireErrorCaught(error)
        }

        /// Begins to wait for the end of what the client sends. Its time is not prolonged by what comes meanwhile.
        private func beginRest() { if case .rest = phase {} else { phase = .rest(since: .now()) } }

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            if mode == .output { beginRest() }
            context.close(mode: mode, promise: promise)
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if case .end = unwrapOutboundIn(data) {
                if case .rest = phase {} else { phase = isBodyOpen ? .rest(since: .now()) : .idle(since: .now()) }
            }
            context.write(data, promise: promise)
        }

        func channelWritabilityChanged(context: ChannelHandlerContext) {
            fullSince = context.channel.isWritable ? nil : .now()
            context.fireChannelWritabilityChanged()
        }
    }
#endif
