internal import CLibpq
internal import Synchronization

/// A connection to a PostgreSQL server (`PGconn *`), for one thread at a time.
@safe package final class ServerConnection: DatabaseConnection {
    let libpq: Libpq
    nonisolated(unsafe) let handle: OpaquePointer
    private let kept = Mutex<[String: ServerStatement]>([:])
    /// The statement whose next rows the server is making meanwhile.
    private let ahead = Mutex<ServerStatement?>(nil)
    /// How many statements and cursors have got a name.
    private let names = Atomic(0)
    /// Schema of the tables: the first one of `search_path`, as a quoted name.
    private let schema = Mutex("public")

    package let isServer = true
    package var mainSchema: String { schema.withLock { $0 } }
    package var isAlive: Bool { unsafe libpq.functions.PQstatus(handle) == CONNECTION_OK }

    /// - jit: Compiling a query needs more time than any of our queries.
    /// - cursor_tuple_fraction: Results that are sent part by part are read to their end.
    /// - random_page_cost: For disks without moving parts, and data in memory.
    private static let settings = """
        SET client_min_messages = error; SET standard_conforming_strings = on; SET jit = off; SET cursor_tuple_fraction = 1;
        SET random_page_cost = 1.1
        """

    package init(_ address: ServerAddress) throws(DatabaseError) {
        try address.check()
        libpq = try Libpq.opened()
        unsafe handle = try Self.connect(libpq, address)
        unsafe cairn_libpq_silence(libpq.functions, handle)
        let encoding = unsafe libpq.functions.PQparameterStatus(handle, "server_encoding").map { unsafe String(cString: $0) }
        guard encoding == "UTF8" else {
            throw DatabaseError(
                kind: .cannotOpen, message: "the database has the encoding \(encoding ?? "?"): expected UTF8 (createdb --encoding UTF8)")
        }
        let result = try run(Self.settings + "; SELECT quote_ident(current_schema())")
        guard let name = unsafe result.bytes(0, 0, { unsafe String(decoding: $0, as: UTF8.self) }) else {
            throw DatabaseError(kind: .cannotOpen, message: "no schema of the search_path exists in this database")
        }
        schema.withLock { $0 = name }
    }

    /// If a parameter occurs twice, the last one counts: an address cannot change the encoding.
    private static func connect(_ libpq: Libpq, _ address: ServerAddress) throws(DatabaseError) -> OpaquePointer {
        let parameters = [("fallback_application_name", "cairn"), ("dbname", address.text), ("client_encoding", "UTF8")]
        var error = DatabaseError(kind: .cannotOpen, message: "no memory")
        // A server that refuses the first and accepts the second connection was starting.
        for _ in 0..<2 {
            let connection = unsafe withCStrings(parameters.map(\.0)) { keywords in
                unsafe withCStrings(parameters.map(\.1)) { values in unsafe libpq.functions.PQconnectdbParams(keywords, values, 1) }
            }
            guard let connection = unsafe connection else { throw error }
            if unsafe libpq.functions.PQstatus(connection) == CONNECTION_OK { return unsafe connection }
            let message = unsafe libpq.functions.PQerrorMessage(connection).map { unsafe String(cString: $0) } ?? ""
            unsafe libpq.functions.PQfinish(connection)
            let result = unsafe libpq.functions.PQping(address.text)
            error = DatabaseError(
                kind: result == PQPING_REJECT || result == PQPING_NO_RESPONSE ? .unavailable : .cannotOpen, message: oneLine(message))
            if result != PQPING_OK { break }
        }
        throw error
    }

    deinit {
        forgetStatements()
        unsafe libpq.functions.PQfinish(handle)
    }

    package func forgetStatements() { kept.withLock { $0 = [:] } }

    func newName() -> String { "cairn_\(names.add(1, ordering: .relaxed).newValue)" }

    // MARK: Results

    /// libpq's message about the last call.
    var lastError: String { unsafe libpq.functions.PQerrorMessage(handle).map { oneLine(unsafe String(cString: $0)) } ?? "no memory" }

    /// - Parameter result: taken over.
    func checked(_ result: OpaquePointer?) throws(DatabaseError) -> ServerResult {
        let result = unsafe ServerResult(libpq, result)
        guard result.isError else { return result }
        throw result.error(orElse: lastError, isAlive: isAlive)
    }

    /// Runs PostgreSQL's own SQL: one statement, or several.
    func run(_ sql: String) throws(DatabaseError) -> ServerResult {
        try finishFetchAhead()
        return unsafe try checked(libpq.functions.PQexec(handle, sql))
    }

    func run(_ sql: String, _ arguments: StatementArguments) throws(DatabaseError) -> ServerResult {
        try finishFetchAhead()
        return unsafe try checked(
            withCStrings(arguments.values.map(\.serverText)) { values in
                unsafe libpq.functions.PQexecParams(
                    handle, sql, Int32(truncatingIfNeeded: arguments.values.count), nil, values, nil, nil, 0)
            })
    }

    func prepare(_ name: String, _ sql: String) throws(DatabaseError) {
        try finishFetchAhead()
        _ = unsafe try checked(libpq.functions.PQprepare(handle, name, sql, 0, nil))
    }

    func run(prepared name: String, _ arguments: StatementArguments) throws(DatabaseError) -> ServerResult {
        try finishFetchAhead()
        return unsafe try checked(
            withCStrings(arguments.values.map(\.serverText)) { values in
                unsafe libpq.functions.PQexecPrepared(handle, name, Int32(truncatingIfNeeded: arguments.values.count), values, nil, nil, 0)
            })
    }

    // MARK: Reading ahead

    /// Lets the server make the next rows of a statement while the last ones are used. If it cannot
    /// be sent, they are fetched when they are wanted.
    func fetchAhead(_ sql: String, for statement: ServerStatement) {
        guard unsafe libpq.functions.PQsendQuery(handle, sql) == 1 else { return }
        ahead.withLock { $0 = statement }
    }

    /// A connection accepts the next command after the result of the last.
    func finishFetchAhead() throws(DatabaseError) {
        guard let statement = ahead.withLock({ $0.take() }) else { return }
        let result = unsafe libpq.functions.PQgetResult(handle)
        drain()
        statement.keepFetched(unsafe try checked(result))
    }

    /// A connection accepts the next command after all results of the last.
    func drain() {
        while let result = unsafe libpq.functions.PQgetResult(handle) { unsafe libpq.functions.PQclear(result) }
    }

    // MARK: Statements

    package func execute(sql: String, arguments: StatementArguments) throws(DatabaseError) {
        if arguments.values.isEmpty {
            _ = try run(ServerText.translate(sql))
        } else {
            try makeStatement(sql: sql).execute(arguments: arguments)
        }
    }

    package func makeStatement(sql: String) throws(DatabaseError) -> ServerStatement { try ServerStatement(self, sql, isPrepared: false) }

    package func cachedStatement(sql: String) throws(DatabaseError) -> ServerStatement {
        if let known = kept.withLock({ $0[sql] }) { return known }
        let statement = try ServerStatement(self, sql, isPrepared: true)
        kept.withLock { $0[sql] = statement }
        return statement
    }

    package func hasTable(_ name: String) throws(DatabaseError) -> Bool {
        // The views of information_schema take milliseconds to be planned.
        try count(
            "SELECT count(*) FROM (SELECT to_regclass(quote_ident(current_schema()) || '.' || quote_ident(?)) AS id) AS found WHERE has_table_privilege(id, 'SELECT')",
            [name]) > 0
    }

    // MARK: Transactions

    /// Advisory lock that writers share, and that a lone writer holds exclusively: any number that
    /// other programs' locks do not have
    /// (https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS). The bytes
    /// are "cairn".
    private static let lock = 0x63_6169_726e

    package func begin(_ kind: TransactionKind) throws(DatabaseError) {
        switch kind {
        case .reading: try execute(sql: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        // Each statement sees what was committed before it, so the lock's holder sees all that
        // others wrote.
        case .writing: try execute(sql: "BEGIN; SELECT pg_advisory_xact_lock_shared(\(Self.lock))")
        case .alone: try execute(sql: "BEGIN; SELECT pg_advisory_xact_lock(\(Self.lock))")
        }
    }

    package func commit() throws(DatabaseError) { try execute(sql: "COMMIT") }

    package func rollBack() {
        try? finishFetchAhead()
        let status = unsafe libpq.functions.PQtransactionStatus(handle)
        if status == PQTRANS_INTRANS || status == PQTRANS_INERROR { try? execute(sql: "ROLLBACK") }
    }
}

/// Texts as an array of C's strings, with NULL at its end.
func withCStrings<Result>(
    _ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
) -> Result {
    var bytes: [CChar] = []
    var starts: [Int?] = []
    for text in texts {
        guard let text else {
            starts.append(nil)
            continue
        }
        starts.append(bytes.count)
        bytes += text.utf8.lazy.map { CChar(bitPattern: $0) }
        bytes.append(0)
    }
    return unsafe bytes.withUnsafeBufferPointer { buffer in
        var pointers: [UnsafePointer<CChar>?] = unsafe []
        for start in starts { unsafe pointers.append(start.flatMap { start in unsafe buffer.baseAddress.map { unsafe $0 + start } }) }
        unsafe pointers.append(nil)
        return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
    }
}
