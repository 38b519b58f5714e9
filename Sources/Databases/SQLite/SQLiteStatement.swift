internal import CSQLite

/// A prepared statement (`sqlite3_stmt *`), for one thread at a time.
@safe package final class SQLiteStatement: PreparedStatement {
    nonisolated(unsafe) let handle: OpaquePointer
    let database: Database
    package let columnCount: Int32
    /// The columns of its rows, by name.
    package let columns: [String: Int32]

    init(_ database: Database, _ sql: String) throws(DatabaseError) {
        var prepared: OpaquePointer?
        let code = unsafe sqlite3_prepare_v2(database.handle, sql, -1, &prepared, nil)
        guard code == SQLITE_OK, let statement = unsafe prepared else { throw database.failure(code) }
        self.database = database
        unsafe handle = statement
        columnCount = unsafe sqlite3_column_count(statement)
        var columns: [String: Int32] = [:]
        for index in 0..<columnCount {
            guard let name = unsafe sqlite3_column_name(statement, index) else { continue }
            columns[unsafe String(cString: name)] = index
        }
        self.columns = columns
    }

    deinit { _ = unsafe sqlite3_finalize(handle) }

    /// A statement's rows are made one at a time, so no result is large.
    package func begin(_ arguments: StatementArguments, isLarge: Bool = false) throws(DatabaseError) {
        reset()
        guard arguments.values.count == Int(unsafe sqlite3_bind_parameter_count(handle)) else {
            throw DatabaseError(code: SQLITE_RANGE, message: "\(arguments.values.count) values for another number of parameters")
        }
        for (index, value) in arguments.values.enumerated() {
            let code = bind(value, Int32(truncatingIfNeeded: index + 1))
            guard code == SQLITE_OK else { throw database.failure(code) }
        }
        database.note(self)
    }

    package func step() throws(DatabaseError) -> Bool {
        let code = unsafe sqlite3_step(handle)
        guard code == SQLITE_ROW || code == SQLITE_DONE else {
            let error = database.failure(code)
            reset()
            throw error
        }
        return code == SQLITE_ROW
    }

    package func reset() { _ = unsafe sqlite3_reset(handle) }

    private func bind(_ value: ColumnValue, _ index: Int32) -> Int32 {
        switch value {
        case .null: return unsafe sqlite3_bind_null(handle, index)
        case .integer(let number): return unsafe sqlite3_bind_int64(handle, index, number)
        case .real(let number): return unsafe sqlite3_bind_double(handle, index, number)
        case .text(var text):
            return text.withUTF8 { bytes in
                // An empty string has no address, and without one SQLite would keep NULL.
                guard let start = bytes.baseAddress else { return unsafe cairn_sqlite_bind_text(handle, index, "", 0) }
                return unsafe start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { text in
                    unsafe cairn_sqlite_bind_text(handle, index, text, UInt64(bytes.count))
                }
            }
        }
    }

    package func value(_ column: Int32) -> ColumnValue {
        switch unsafe sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(handle, column))
        case SQLITE_FLOAT: return .real(unsafe sqlite3_column_double(handle, column))
        case SQLITE_NULL: return .null
        default:
            guard let bytes = unsafe sqlite3_column_text(handle, column) else { return .null }
            let count = Int(unsafe sqlite3_column_bytes(handle, column))
            return .text(unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
        }
    }
}
