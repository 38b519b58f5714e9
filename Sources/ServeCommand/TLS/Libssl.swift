internal import CLibssl

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
