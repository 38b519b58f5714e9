#if Service
    internal import CLibssl
    internal import NIOCore

    /// The server's side of one TLS connection, without the connection: encrypted bytes in, encrypted bytes out.
    ///
    /// Used by one thread at a time, as `SSL` has to be.
    @safe final class TLSSession {
        enum Outcome: Hashable {
            case done
            /// More of what the client sends is needed.
            case wantsInput
            /// The client sends nothing more (`close_notify`).
            case endOfInput
            case failed
        }

        private let context: TLSContext
        private let functions: cairn_libssl
        private let session: OpaquePointer
        /// Why the handshake failed, in OpenSSL's terms.
        private(set) var problem: String?
        /// Bytes that the client sent, and bytes to send to it. Both belong to `session`.
        private let input: OpaquePointer
        private let output: OpaquePointer

        /// Bytes of plain text in a record, at most (RFC 8446, section 5.1).
        static let maxRecord = 1 << 14

        /// - Returns: `nil` where there is no memory for it.
        init?(_ context: TLSContext) {
            self.context = context
            functions = context.library.functions
            guard let session = unsafe functions.SSL_new(context.pointer) else { return nil }
            let (input, output) = unsafe (functions.BIO_new(functions.BIO_s_mem()), functions.BIO_new(functions.BIO_s_mem()))
            guard let input = unsafe input, let output = unsafe output else {
                unsafe functions.SSL_free(session)
                unsafe _ = (functions.BIO_free(input), functions.BIO_free(output))
                return nil
            }
            unsafe functions.SSL_set_bio(session, input, output)
            unsafe functions.SSL_set_accept_state(session)
            unsafe (self.session, self.input, self.output) = unsafe (session, input, output)
        }

        deinit { unsafe functions.SSL_free(session) }

        /// Continues the handshake with what the client sent.
        func shakeHands(_ received: inout ByteBuffer) -> Outcome {
            var outcome = Outcome.wantsInput
            while outcome == .wantsInput, receive(&received) {
                functions.ERR_clear_error()
                outcome = unsafe self.outcome(of: functions.SSL_do_handshake(session))
                if outcome == .failed { problem = context.library.reason() }
            }
            return outcome
        }

        /// Decrypts what the client sent, as far as it is whole records.
        func read(_ received: inout ByteBuffer, into plaintext: inout ByteBuffer) -> Outcome {
            repeat {
                var result: Int32 = 0
                repeat {
                    functions.ERR_clear_error()
                    unsafe plaintext.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.maxRecord) { room in
                        unsafe result = functions.SSL_read(session, room.baseAddress, Int32(clamping: room.count))
                        return max(0, Int(result))
                    }
                } while result > 0
                let outcome = outcome(of: result)
                guard outcome == .wantsInput else { return outcome }
            } while receive(&received)
            return .wantsInput
        }

        /// Adds some of what the client sent.
        ///
        /// A memory BIO keeps the most memory that it ever had: neither has more than a record at a time.
        /// - Returns: whether there was something.
        private func receive(_ received: inout ByteBuffer) -> Bool {
            guard received.readableBytes > 0, let bytes = received.readSlice(length: min(received.readableBytes, Self.maxRecord)) else {
                return false
            }
            unsafe bytes.withUnsafeReadableBytes { unsafe _ = functions.BIO_write(input, $0.baseAddress, Int32(clamping: $0.count)) }
            return true
        }

        /// Encrypts bytes.
        func write(_ plaintext: ByteBuffer, into encrypted: inout ByteBuffer) -> Outcome {
            var rest = plaintext
            // A record has up to 256 bytes beside its text in TLS 1.3, and a few more in 1.2 (RFC 8446, section 5.2, RFC 5246, section 6.2.3).
            encrypted.reserveCapacity(minimumWritableBytes: rest.readableBytes + (rest.readableBytes / Self.maxRecord + 1) * 320)
            while rest.readableBytes > 0, let bytes = rest.readSlice(length: min(rest.readableBytes, Self.maxRecord)) {
                functions.ERR_clear_error()
                let outcome = unsafe bytes.withUnsafeReadableBytes { bytes in
                    unsafe self.outcome(of: functions.SSL_write(session, bytes.baseAddress, Int32(clamping: bytes.count)))
                }
                guard outcome == .done else { return outcome }
                removeOutput(into: &encrypted)
            }
            return .done
        }

        /// Says that nothing more will be sent (`close_notify`).
        func shutDown() {
            functions.ERR_clear_error()
            unsafe _ = functions.SSL_shutdown(session)
        }

        /// Appends what is to be sent to the client: of the handshake, alerts, records.
        func removeOutput(into encrypted: inout ByteBuffer) {
            let count = unsafe functions.BIO_ctrl_pending(output)
            guard count > 0 else { return }
            unsafe encrypted.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { room in
                max(0, Int(unsafe functions.BIO_read(output, room.baseAddress, Int32(clamping: room.count))))
            }
        }

        private func outcome(of result: Int32) -> Outcome {
            if result > 0 { return .done }
            return switch unsafe Int(functions.SSL_get_error(session, result)) {
            case SSL_ERROR_WANT_READ: .wantsInput
            case SSL_ERROR_ZERO_RETURN: .endOfInput
            default: .failed
            }
        }
    }
#endif
