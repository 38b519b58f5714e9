#if Service
    import NIOCore
    import NIOEmbedded
    import TestSupport
    import Testing

    @testable import ServeCommand

    /// TLS without a connection. That its bytes are TLS is what other implementations say (ServeTLSTests).
    @Suite struct TLSTests {
        /// Makes a certificate with its key, by OpenSSL's own program.
        private static func makeCertificate(_ folder: String, _ name: String, _ more: [String] = ["-nodes"]) throws -> (
            chain: String, key: String
        ) {
            let (chain, key) = ("\(folder)/\(name).pem", "\(folder)/\(name)-key.pem")
            try run(
                "openssl",
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-days", "1", "-subj", "/CN=\(name)", "-keyout",
                    key,
                ]
                    + ["-out", chain] + more
            ).requireSuccess()
            return (chain, key)
        }

        private static func channel(_ folder: String) throws -> EmbeddedChannel {
            let (chain, key) = try makeCertificate(folder, "server")
            let session = try #require(TLSSession(TLSContext(chain: chain, key: key)))
            let channel = EmbeddedChannel(handler: TLSHandler(session))
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            return channel
        }

        private func problem(_ chain: String, _ key: String) -> String {
            do throws(CertificateError) { _ = try TLSContext(chain: chain, key: key) } catch { return error.description }
            return ""
        }

        @Test func `files that are no certificate and its key are named`() throws {
            try withTemporaryFolder { folder in
                let (chain, key) = try Self.makeCertificate(folder, "server")
                #expect(problem(chain, key) == "")
                #expect(problem(folder + "/none.pem", key) == "\(folder)/none.pem: no such file or directory")
                #expect(problem(chain, folder + "/none.pem") == "\(folder)/none.pem: no such file or directory")
                #expect(problem(folder, key).hasPrefix("\(folder): "))
                // The texts in the middle are OpenSSL's.
                #expect(problem(key, key) == "\(key): no start line: expected a certificate chain in PEM")
                let other = try Self.makeCertificate(folder, "other")
                #expect(
                    problem(chain, other.key)
                        == "\(other.key): key values mismatch: expected the private key of \(chain), in PEM without a password")
                let locked = try Self.makeCertificate(folder, "locked", ["-passout", "pass:secret"])
                let text = problem(locked.chain, locked.key)
                #expect(text.hasPrefix("\(locked.key): ") && text.hasSuffix("in PEM without a password"), "\(text)")
            }
        }

        /// A request of HTTP, and a record of an unknown type (RFC 8446, section 5.1).
        @Test(arguments: ["GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{8}"])
        func `bytes that are not TLS end the connection`(_ text: String) throws {
            try withTemporaryFolder { folder in
                let channel = try Self.channel(folder)
                try channel.writeInbound(ByteBuffer(string: text))
                #expect(try channel.readInbound(as: ByteBuffer.self) == nil)
                channel.embeddedEventLoop.run()
                #expect(!channel.isActive)
            }
        }

        /// The beginning of a record of 512 bytes with a ClientHello (RFC 8446, sections 4.1.2 and 5.1).
        private static let beginning: [UInt8] = [0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3]

        @Test func `half a record is waited for, and ends with the connection`() throws {
            try withTemporaryFolder { folder in
                let channel = try Self.channel(folder)
                for byte in Self.beginning { try channel.writeInbound(ByteBuffer(bytes: [byte])) }
                #expect(channel.isActive)
                #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
                channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
                channel.embeddedEventLoop.run()
                #expect(!channel.isActive)
            }
        }

        @Test func `nothing is sent in plain text before the handshake, and its promise fails with the connection`() throws {
            try withTemporaryFolder { folder in
                let channel = try Self.channel(folder)
                let written = channel.writeAndFlush(ByteBuffer(string: "secret"))
                #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
                channel.close(promise: nil)
                channel.embeddedEventLoop.run()
                #expect(throws: (any Error).self) { try written.wait() }
                #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
            }
        }
    }
#endif
