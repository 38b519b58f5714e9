internal import BinaryPrimitives
internal import CLibssl
internal import Synchronization

/// A certificate chain with its key, and the settings of connections that use it.
///
/// A connection keeps the context that it began with, whatever replaces that (`SSL_new(3)`).
@safe final class TLSContext: @unchecked Sendable {
    let library: Libssl
    let pointer: OpaquePointer

    /// - Parameters:
    ///   - chain: path of the certificates in PEM, the server's own first.
    ///   - key: path of its private key in PEM.
    init(chain: String, key: String) throws(CertificateError) {
        for path in [chain, key] {
            do throws(FileError) { _ = try MappedFile(path: path) } catch { throw CertificateError(description: "\(error)") }
        }
        library = try Libssl.opened()
        let functions = library.functions
        guard let context = unsafe functions.SSL_CTX_new(functions.TLS_server_method()) else {
            throw CertificateError(description: "--certificate: \(library.reason()): expected a working libssl")
        }
        // From here on `deinit` frees it.
        unsafe pointer = context
        unsafe cairn_libssl_set_callbacks(functions, context)
        // Renegotiation lets a client make the server compute keys again and again; compression tells lengths apart (CRIME).
        unsafe _ = functions.SSL_CTX_set_options(
            context, UInt64(SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION))
        // TLS 1.0 and 1.1 are not to be used (RFC 8996).
        unsafe _ = functions.SSL_CTX_ctrl(context, Int32(SSL_CTRL_SET_MIN_PROTO_VERSION), TLS1_2_VERSION, nil)
        // An idle connection keeps no buffers of 34 KB, and sessions are kept by clients (tickets), not here.
        unsafe _ = functions.SSL_CTX_ctrl(context, Int32(SSL_CTRL_MODE), SSL_MODE_RELEASE_BUFFERS, nil)
        unsafe _ = functions.SSL_CTX_ctrl(context, Int32(SSL_CTRL_SET_SESS_CACHE_MODE), SSL_SESS_CACHE_OFF, nil)
        functions.ERR_clear_error()
        guard unsafe functions.SSL_CTX_use_certificate_chain_file(context, chain) == 1 else {
            throw CertificateError(description: "\(chain): \(library.reason()): expected a certificate chain in PEM")
        }
        // The library compares the key with the certificate as soon as it has both.
        guard unsafe functions.SSL_CTX_use_PrivateKey_file(context, key, Int32(SSL_FILETYPE_PEM)) == 1,
            unsafe functions.SSL_CTX_check_private_key(context) == 1
        else {
            throw CertificateError(
                description: "\(key): \(library.reason()): expected the private key of \(chain), in PEM without a password")
        }
    }

    deinit { unsafe library.functions.SSL_CTX_free(pointer) }
}

/// The certificate in force, which may be read anew while the server runs.
final class Certificates: Sendable {
    private let context: Mutex<TLSContext>
    private let paths: (chain: String, key: String)

    /// - Throws: if a file is missing, or the two do not belong together.
    init(chain: String, key: String) throws(CertificateError) {
        paths = (chain, key)
        context = Mutex(try TLSContext(chain: chain, key: key))
    }

    func reload() throws(CertificateError) {
        let new = try TLSContext(chain: paths.chain, key: paths.key)
        context.withLock { $0 = new }
    }

    var current: TLSContext { context.withLock { $0 } }
}

/// The functions of libssl, OpenSSL's library of TLS.
@safe struct Libssl: @unchecked Sendable {
    let functions: cairn_libssl

    /// Opened with the first certificate, and never closed.
    private static let shared: Libssl? = {
        var functions = cairn_libssl()
        for path in ["libssl.so.3", "libssl.3.dylib", "/opt/homebrew/opt/openssl@3/lib/libssl.3.dylib"] {
            guard unsafe cairn_libssl_open(path, &functions) != 0 else { continue }
            // Else `exit(3)` takes the library's state away while other threads have connections.
            unsafe _ = functions.OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
            return Libssl(functions: functions)
        }
        return nil
    }()

    static func opened() throws(CertificateError) -> Libssl {
        if let shared { return shared }
        throw CertificateError(description: "--certificate: libssl.so.3 is missing: expected OpenSSL 3 (Debian: apt-get install libssl3)")
    }

    /// Removes the thread's errors.
    /// - Returns: the reason of the first, such as `no start line`.
    func reason() -> String {
        let code = functions.ERR_get_error()
        functions.ERR_clear_error()
        return unsafe functions.ERR_reason_error_string(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    }
}

/// Why a certificate cannot be used.
struct CertificateError: Error, Hashable, CustomStringConvertible {
    var description: String
}
