#if Service
    internal import HummingbirdCore
    internal import Logging
    internal import NIOCore
    internal import NIOSSL
    internal import Synchronization

    /// The certificate in force, which may be read anew while the server runs.
    final class Certificates: Sendable {
        private let context: Mutex<NIOSSLContext>
        private let paths: (chain: String, key: String)

        /// - Throws: where a file is missing, or the two do not belong together.
        init(chain: String, key: String) throws {
            paths = (chain, key)
            context = Mutex(try Self.read(chain, key))
        }

        private static func read(_ chain: String, _ key: String) throws -> NIOSSLContext {
            let certificates = try NIOSSLCertificate.fromPEMFile(chain).map { NIOSSLCertificateSource.certificate($0) }
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: certificates, privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
            configuration.applicationProtocols = ["http/1.1"]
            configuration.minimumTLSVersion = .tlsv12
            return try NIOSSLContext(configuration: configuration)
        }

        func reload() throws {
            let new = try Self.read(paths.chain, paths.key)
            context.withLock { $0 = new }
        }

        var current: NIOSSLContext { context.withLock { $0 } }
    }

    /// HTTP/1.1 on a connection, encrypted where there is a certificate.
    struct ServingChannel: ServerChildChannel {
        typealias Value = HTTP1Channel.Value

        let http: HTTP1Channel
        let certificates: Certificates?

        func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
            guard let certificates else { return http.setup(channel: channel, logger: logger) }
            return channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: certificates.current))
            }.flatMap { http.setup(channel: channel, logger: logger) }
        }

        func handle(value: Value, logger: Logger) async { await http.handle(value: value, logger: logger) }
    }
#endif
