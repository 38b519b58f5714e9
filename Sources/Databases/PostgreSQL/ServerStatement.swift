internal import Synchronization

/// A statement, prepared or not, and the rows of its result that are here, for one thread at a
/// time.
package final class ServerStatement: PreparedStatement {
    private let connection: ServerConnection
    private let sql: String
    /// Under which the server has prepared it.
    private let name: String?
    private let state = Mutex(State())

    private struct State {
        var result: ServerResult?
        var row: Int32 = -1
        /// From which more rows come.
        var cursor: String?
        /// Rows that are here already.
        var next: ServerResult?
        var columns: [String: Int32] = [:]
    }

    /// Rows of a large result that are here at a time: the server makes the next part while this
    /// one is used.
    private static let part: Int32 = 256

    init(_ connection: ServerConnection, _ sql: String, isPrepared: Bool) throws(DatabaseError) {
        self.connection = connection
        self.sql = ServerText.translate(sql)
        name = isPrepared ? connection.newName() : nil
        if let name { try connection.prepare(name, self.sql) }
    }

    package var columnCount: Int32 { state.withLock { $0.result?.columnCount ?? 0 } }
    package var columns: [String: Int32] { state.withLock { $0.columns } }

    package func begin(_ arguments: StatementArguments, isLarge: Bool) throws(DatabaseError) {
        reset()
        var cursor: String?
        let result: ServerResult
        if isLarge {
            let name = connection.newName()
            _ = try connection.run("DECLARE \(name) NO SCROLL CURSOR FOR \(sql)", arguments)
            cursor = name
            result = try connection.run("FETCH \(Self.part) FROM \(name)")
        } else if let name {
            result = try connection.run(prepared: name, arguments)
        } else {
            result = try connection.run(sql, arguments)
        }
        state.withLock { state in
            state.result = result
            state.cursor = cursor
            guard state.columns.isEmpty else { return }
            for column in 0..<result.columnCount { if let name = result.name(column) { state.columns[name] = column } }
        }
    }

    package func step() throws(DatabaseError) -> Bool {
        let (isHere, cursor) = state.withLock { state in
            state.row += 1
            let count = state.result?.rowCount ?? 0
            return (state.row < count, count == Self.part ? state.cursor : nil)
        }
        guard !isHere, let cursor else { return isHere }
        let fetch = "FETCH \(Self.part) FROM \(cursor)"
        try connection.finishFetchAhead()
        let ahead = state.withLock { $0.next.take() }
        let next = if let ahead { ahead } else { try connection.run(fetch) }
        state.withLock { state in
            state.result = next
            state.row = 0
        }
        // A reader that needs a second part usually reads on; the first is often enough.
        if next.rowCount == Self.part { connection.fetchAhead(fetch, for: self) }
        return next.rowCount > 0
    }

    /// Rows that were fetched ahead; after the cursor's end they are not wanted.
    func keepFetched(_ next: ServerResult) {
        state.withLock { state in if state.cursor != nil { state.next = next } }
    }

    package func reset() {
        let cursor = state.withLock { state in
            defer { state = State(columns: state.columns) }
            return state.cursor
        }
        if let cursor { _ = try? connection.run("CLOSE \(cursor)") }
    }

    package func value(_ column: Int32) -> ColumnValue {
        state.withLock { state in
            guard let result = state.result else { return .null }
            let type = result.type(column)
            return unsafe result.bytes(state.row, column) { unsafe ColumnValue(serverText: $0, type: type) } ?? .null
        }
    }
}

extension ColumnValue {
    /// - Parameter type: as `pg_type.dat` of PostgreSQL numbers the types that are built in.
    fileprivate init(serverText bytes: UnsafeBufferPointer<UInt8>, type: UInt32) {
        switch type {
        // int8, int2, int4; numeric, which a sum of int8 is.
        case 20, 21, 23, 1700:
            var number: Int64 = 0
            let isNegative = unsafe bytes.first == UInt8(ascii: "-")
            for index in stride(from: isNegative ? 1 : 0, to: bytes.count, by: 1) {
                let byte = unsafe bytes[index]
                let (product, overflow) = number.multipliedReportingOverflow(by: 10)
                let digit = Int64(byte) - 48
                let (sum, overflowOfSum) = isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
                guard (0...9).contains(digit), !overflow, !overflowOfSum else {
                    self = .real(Double(unsafe String(decoding: bytes, as: UTF8.self)) ?? .nan)
                    return
                }
                number = sum
            }
            self = .integer(number)
        case 16: self = .integer(unsafe bytes.first == UInt8(ascii: "t") ? 1 : 0)
        case 700, 701: self = .real(Double(unsafe String(decoding: bytes, as: UTF8.self)) ?? .nan)
        default: self = .text(unsafe String(decoding: bytes, as: UTF8.self))
        }
    }

    /// A value as a parameter. PostgreSQL's texts have no NUL characters: U+FFFD replaces them.
    var serverText: String? {
        switch self {
        case .null: nil
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .text(let text): text.utf8.contains(0) ? text.replacing("\0", with: "\u{FFFD}") : text
        }
    }
}
