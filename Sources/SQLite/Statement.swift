internal import CSQLite

/// A prepared statement (`sqlite3_stmt *`), for one thread at a time.
@safe package final class Statement: Sendable {
    nonisolated(unsafe) let handle: OpaquePointer
    let database: Database
    let columnCount: Int32
    /// The columns of its rows, by name.
    let columns: [String: Int32]

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

    /// Runs it to its end. Rows are passed over.
    package func execute(arguments: StatementArguments = []) throws(DatabaseError) {
        try begin(arguments)
        defer { reset() }
        while try step() {}
    }

    func begin(_ arguments: StatementArguments) throws(DatabaseError) {
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

    /// - Returns: whether there is a row.
    func step() throws(DatabaseError) -> Bool {
        let code = unsafe sqlite3_step(handle)
        guard code == SQLITE_ROW || code == SQLITE_DONE else {
            let error = database.failure(code)
            reset()
            throw error
        }
        return code == SQLITE_ROW
    }

    func reset() { _ = unsafe sqlite3_reset(handle) }

    private func bind(_ value: ColumnValue, _ index: Int32) -> Int32 {
        switch value {
        case .null: return unsafe sqlite3_bind_null(handle, index)
        case .integer(let number): return unsafe sqlite3_bind_int64(handle, index, number)
        case .real(let number): return unsafe sqlite3_bind_double(handle, index, number)
        case .text(var text):
            return text.withUTF8 { bytes in
                // An empty string has no address, and without one SQLite would keep NULL.
                guard let start = unsafe bytes.baseAddress else { return unsafe cairn_sqlite_bind_text(handle, index, "", 0) }
                return unsafe start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { text in
                    unsafe cairn_sqlite_bind_text(handle, index, text, UInt64(bytes.count))
                }
            }
        }
    }

    /// The value in a column of the row that the last step gave.
    func value(_ column: Int32) -> ColumnValue {
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

/// What a column holds. Bytes (BLOB) are read as text: a store has none.
package enum ColumnValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
}

/// The values of a statement's parameters, in their order.
package struct StatementArguments: ExpressibleByArrayLiteral, Sendable {
    private(set) var values: [ColumnValue]

    package init() { values = [] }

    package init(arrayLiteral elements: (any ColumnValueConvertible)?...) { values = elements.map { $0?.columnValue ?? .null } }

    package static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum += right
        return sum
    }

    package static func += (left: inout Self, right: Self) { left.values += right.values }
}

/// What parameters and columns are made of.
package protocol ColumnValueConvertible {
    var columnValue: ColumnValue { get }
    /// - Returns: `nil` where the column holds something else: another program may have changed the
    ///   file.
    init?(_ value: ColumnValue)
    /// What is taken for NULL where there has to be a value.
    static var missing: Self { get }
}

extension Int64: ColumnValueConvertible {
    package var columnValue: ColumnValue { .integer(self) }
    package init?(_ value: ColumnValue) {
        switch value {
        case .integer(let number): self = number
        case .real(let number): self.init(exactly: number)
        case .text, .null: return nil
        }
    }
    package static var missing: Int64 { 0 }
}

extension Int: ColumnValueConvertible {
    package var columnValue: ColumnValue { .integer(Int64(self)) }
    package init?(_ value: ColumnValue) {
        guard let number = Int64(value) else { return nil }
        self.init(exactly: number)
    }
    package static var missing: Int { 0 }
}

extension Bool: ColumnValueConvertible {
    package var columnValue: ColumnValue { .integer(self ? 1 : 0) }
    package init?(_ value: ColumnValue) {
        guard let number = Int64(value) else { return nil }
        self = number != 0
    }
    package static var missing: Bool { false }
}

extension String: ColumnValueConvertible {
    package var columnValue: ColumnValue { .text(self) }
    package init?(_ value: ColumnValue) {
        guard case .text(let text) = value else { return nil }
        self = text
    }
    package static var missing: String { "" }
}
