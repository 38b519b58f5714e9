internal import CLibpq

/// The functions of libpq, PostgreSQL's client library.
@safe struct Libpq: @unchecked Sendable {
    let functions: cairn_libpq

    /// Opened with the first server, and never closed.
    private static let shared: Libpq? = {
        var functions = cairn_libpq()
        for path in ["libpq.so.5", "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib"] {
            if unsafe cairn_libpq_open(path, &functions) != 0 { return Libpq(functions: functions) }
        }
        return nil
    }()

    static func opened() throws(DatabaseError) -> Libpq {
        if let shared { return shared }
        throw DatabaseError(
            kind: .cannotOpen, message: "this needs libpq.so.5, PostgreSQL's client library (Debian: apt-get install libpq5)")
    }
}
