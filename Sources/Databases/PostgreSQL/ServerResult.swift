internal import CLibpq

/// A result (`PGresult *`), which is whole in memory.
@safe final class ServerResult: Sendable {
    private let libpq: Libpq
    private nonisolated(unsafe) let handle: OpaquePointer?

    init(_ libpq: Libpq, _ handle: OpaquePointer?) {
        self.libpq = libpq
        unsafe self.handle = unsafe handle
    }

    deinit { unsafe libpq.functions.PQclear(handle) }

    /// No result at all is a failure, too.
    var isError: Bool {
        let status = unsafe libpq.functions.PQresultStatus(handle)
        return status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE
    }

    func error(orElse message: String, isAlive: Bool) -> DatabaseError {
        // "ERROR:  relation … does not exist", without the statement that libpq quotes below it.
        let primary = text(ofField: Int32(UInt8(ascii: "M")))
        let detail = text(ofField: Int32(UInt8(ascii: "D")))
        let state = text(ofField: Int32(UInt8(ascii: "C"))) ?? ""
        let text = primary.map { $0 + (detail.map { " (\($0))" } ?? "") } ?? message
        return DatabaseError(kind: Self.kind(state, isAlive: isAlive), message: oneLine(text))
    }

    /// https://www.postgresql.org/docs/current/errcodes-appendix.html
    private static func kind(_ state: String, isAlive: Bool) -> DatabaseError.Kind {
        if !isAlive { return .unavailable }
        switch state {
        // Shut down by an administrator or after a crash; not ready yet.
        case "57P01", "57P02", "57P03": return .unavailable
        // A deadlock, a transaction that cannot be ordered among others, a lock that is not to be
        // had; and a row that two insert at once, where ON CONFLICT is about another of the table's
        // indexes.
        case "40P01", "40001", "55P03", "23505": return .conflict
        case "53100": return .full
        case "25006", "42501": return .readOnly
        case "XX001", "XX002": return .corrupt
        default: return .other
        }
    }

    /// PG_DIAG_MESSAGE_PRIMARY and its neighbours are letters.
    private func text(ofField field: Int32) -> String? {
        unsafe libpq.functions.PQresultErrorField(handle, field).map { unsafe String(cString: $0) }
    }

    var rowCount: Int32 { unsafe libpq.functions.PQntuples(handle) }
    var columnCount: Int32 { unsafe libpq.functions.PQnfields(handle) }

    func name(_ column: Int32) -> String? { unsafe libpq.functions.PQfname(handle, column).map { unsafe String(cString: $0) } }

    func type(_ column: Int32) -> UInt32 { unsafe libpq.functions.PQftype(handle, column) }

    func bytes<Value>(_ row: Int32, _ column: Int32, _ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value? {
        guard row < rowCount, column >= 0, column < columnCount, unsafe libpq.functions.PQgetisnull(handle, row, column) == 0,
            let start = unsafe libpq.functions.PQgetvalue(handle, row, column)
        else { return nil }
        let count = Int(unsafe libpq.functions.PQgetlength(handle, row, column))
        return unsafe start.withMemoryRebound(to: UInt8.self, capacity: count) { unsafe body(UnsafeBufferPointer(start: $0, count: count)) }
    }
}
