#if Service
    internal import BinaryPrimitives
    internal import Logging
    internal import NIOCore

    /// Encrypts a connection: TLS towards the client, plain bytes towards the other handlers.
    ///
    /// ```
    /// channelRead → TLSSession.read → fireChannelRead
    /// write, flush → TLSSession.write → writeAndFlush
    /// ```
    /// Writability is that of the connection below: what is encrypted is handed on at once. While the client does not read what it was sent, nothing more is read from
    /// it: messages of the protocol itself have responses (RFC 8446, section 4.6.3), which would pile up.
    final class TLSHandler: ChannelDuplexHandler {
        typealias InboundIn = ByteBuffer
        typealias InboundOut = ByteBuffer
        typealias OutboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private enum State {
            case handshake
            case open
            /// `close_notify` was sent; the client may still send something.
            case outputClosed
            /// An error of the protocol, or the connection's end: bytes are ignored.
            case closed
        }

        private let session: TLSSession
        private var state = State.handshake
        private var isInputOpen = true
        private var isReadHeld = false
        /// Writes that wait for a flush, or for the handshake's end.
        private var writes = MarkedCircularBuffer<(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)>(initialCapacity: 0)

        private let logger: Logger?

        /// - Parameter logger: gets the reasons why handshakes fail, for those who look for them.
        init(_ session: TLSSession, _ logger: Logger? = nil) { (self.session, self.logger) = (session, logger) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard isInputOpen, state != .closed else { return }
            var received = unwrapInboundIn(data)
            if state == .handshake, !finishHandshake(context, &received) { return }
            var plaintext = context.channel.allocator.buffer(capacity: received.readableBytes)
            let outcome = session.read(&received, into: &plaintext)
            sendOutput(context)
            if plaintext.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(plaintext)) }
            switch outcome {
            case .done, .wantsInput: break
            case .endOfInput:
                isInputOpen = false
                context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            case .failed: fail(context)
            }
        }

        /// - Returns: whether the connection can be used.
        private func finishHandshake(_ context: ChannelHandlerContext, _ received: inout ByteBuffer) -> Bool {
            let outcome = session.shakeHands(&received)
            sendOutput(context)
            switch outcome {
            case .done:
                state = .open
                sendWrites(context)
                return state == .open
            case .wantsInput: return false
            case .endOfInput, .failed:
                if let problem = session.problem {
                    let client = context.remoteAddress?.ipAddress ?? "a local socket"
                    logger?.info(
                        "no secure connection", metadata: ["client": "\(client)", "problem": "\(PlainText.line(problem, limit: 200))"])
                }
                fail(context)
                return false
            }
        }

        /// Ends the connection, whose alert was sent.
        private func fail(_ context: ChannelHandlerContext) {
            guard state != .closed else { return }
            state = .closed
            failWrites()
            context.close(promise: nil)
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            switch state {
            case .handshake, .open: writes.append((unwrapOutboundIn(data), promise))
            case .outputClosed: promise?.fail(ChannelError.outputClosed)
            case .closed: promise?.fail(ChannelError.ioOnClosedChannel)
            }
        }

        func flush(context: ChannelHandlerContext) {
            writes.mark()
            if state == .open { sendWrites(context) }
        }

        /// Encrypts the writes that were flushed. Small ones share a record.
        private func sendWrites(_ context: ChannelHandlerContext) {
            var (joined, encrypted) = (ByteBuffer(), ByteBuffer())
            var promises: [EventLoopPromise<Void>] = []
            var isWell = true
            while writes.hasMark, isWell {
                var (bytes, promise) = writes.removeFirst()
                if let promise { promises.append(promise) }
                if joined.readableBytes + bytes.readableBytes <= TLSSession.maxRecord {
                    joined.writeBuffer(&bytes)
                } else {
                    isWell = session.write(joined, into: &encrypted) == .done
                    joined = bytes
                }
            }
            isWell = isWell && session.write(joined, into: &encrypted) == .done
            guard isWell else {
                for promise in promises { promise.fail(ChannelError.ioOnClosedChannel) }
                sendOutput(context)
                return fail(context)
            }
            let promise = promises.first
            if let promise { for other in promises.dropFirst() { promise.futureResult.cascade(to: other) } }
            context.writeAndFlush(wrapOutboundOut(encrypted), promise: promise)
        }

        /// Sends what the protocol itself has to say.
        private func sendOutput(_ context: ChannelHandlerContext) {
            var encrypted = ByteBuffer()
            session.removeOutput(into: &encrypted)
            if encrypted.readableBytes > 0 { context.writeAndFlush(wrapOutboundOut(encrypted), promise: nil) }
        }

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            switch mode {
            case .input:
                isInputOpen = false
                context.close(mode: .input, promise: promise)
            case .output where state == .open:
                sendCloseNotify(context)
                state = .outputClosed
                failWrites()
                context.close(mode: .output, promise: promise)
            case .output where state == .outputClosed: promise?.fail(ChannelError.outputClosed)
            // Without a handshake there is nothing that could be sent after this.
            case .output, .all:
                if state == .open { sendCloseNotify(context) }
                state = .closed
                failWrites()
                context.close(mode: .all, promise: promise)
            }
        }

        private func sendCloseNotify(_ context: ChannelHandlerContext) {
            session.shutDown()
            sendOutput(context)
        }

        private func failWrites() {
            while let (_, promise) = writes.popFirst() { promise?.fail(ChannelError.ioOnClosedChannel) }
        }

        func read(context: ChannelHandlerContext) {
            if context.channel.isWritable { context.read() } else { isReadHeld = true }
        }

        func channelWritabilityChanged(context: ChannelHandlerContext) {
            if isReadHeld, context.channel.isWritable {
                isReadHeld = false
                context.read()
            }
            context.fireChannelWritabilityChanged()
        }

        /// The client's half of the connection ended. During the handshake nothing can follow.
        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if event as? ChannelEvent == .inputClosed {
                guard isInputOpen else { return }
                isInputOpen = false
                if state == .handshake { return fail(context) }
            }
            context.fireUserInboundEventTriggered(event)
        }

        func channelInactive(context: ChannelHandlerContext) {
            state = .closed
            failWrites()
            context.fireChannelInactive()
        }

        func handlerRemoved(context: ChannelHandlerContext) { failWrites() }
    }
#endif
