import BinaryPrimitives
import Synchronization
import TestSupport
import Testing

@testable import Databases

/// Connections, statements and rows. What PostgreSQL does is in its documentation
/// (https://www.postgresql.org/docs/current/libpq.html); `psql` is its own client.
@Suite(.enabled(if: PostgresServer.isInstalled, "\(PostgresServer.isMissing)"))
struct ServerConnectionTests {
    /// Ends with the process.
    private static let server = Result { try PostgresServer() }
    private static let databases = Count()

    private func withDatabase(_ body: (ServerConnection, _ address: String) throws -> Void) throws {
        let address = try Self.server.get().newDatabase("connection_\(Self.databases.next())")
        try body(connect(address), address)
    }

    private func connect(_ address: String) throws -> ServerConnection { try ServerConnection(#require(ServerAddress(address))) }

    private func kind(_ body: () throws -> Void) -> DatabaseError.Kind? {
        do { try body() } catch { return (error as? DatabaseError)?.kind }
        return nil
    }

    // MARK: Values

    @Test func `values come back as they were written`() throws {
        try withDatabase { (database: ServerConnection, address: String) throws -> Void in
            try database.execute(sql: "CREATE TABLE t (number INTEGER, text TEXT, flag INTEGER, absent TEXT, empty TEXT)")
            let text: String? = "a'b\\c\t“ü” \u{1F980}\r\n$1 ? %"
            try database.execute(
                sql: "INSERT INTO t VALUES (?, ?, ?, ?, ?)", arguments: [Int64.min, text, true, nil as String?, ""])
            let row = try #require(
                try Row.fetchOne(database, sql: "SELECT *, 2.0 AS whole, 2.5 AS half, 1 = 1 AS yes, CAST(2.5 AS float8) AS float FROM t"))
            #expect(row["number"] == Int64.min && row.number(0) == .min)
            #expect(row["text"] == text && row.text(1) == text)
            #expect(row["flag"] == true && row["yes"] == true)
            #expect(row["absent"] == nil as String? && row["absent"] == "")
            // An empty text is not NULL.
            #expect(row["empty"] == "" as String?)
            #expect(row["whole"] == 2 as Int? && row["half"] == nil as Int? && row["float"] == nil as Int?)
            // A column that is not there is NULL.
            #expect(row["none"] == nil as Int? && row.text(99) == nil)
            #expect(
                try #require(try Self.server.get()).query("SELECT length(text), number FROM t", at: address) == "19|-9223372036854775808\n"
            )
        }
    }

    @Test func `a NUL character becomes U+FFFD`() throws {
        try withDatabase { (database: ServerConnection, _) throws -> Void in
            let row = try #require(try Row.fetchOne(database, sql: "SELECT CAST(? AS varchar)", arguments: ["a\u{0}b"]))
            #expect(row.text(0) == "a\u{FFFD}b")
        }
    }

    @Test func `texts are ordered by their bytes, and LIKE takes capitals of ASCII for small letters`() throws {
        try withDatabase { (database: ServerConnection, _) throws -> Void in
            try database.execute(sql: "CREATE TABLE t (x TEXT); INSERT INTO t VALUES ('a'), ('B'), ('_'), ('É'), ('é')")
            var found: [String] = []
            try database.each("SELECT x FROM t ORDER BY x") {
                found.append($0.text(0) ?? "")
                return true
            }
            // 0x42, 0x5f, 0x61, 0xc389, 0xc3a9.
            #expect(found == ["B", "_", "a", "É", "é"])
            #expect(try database.count("SELECT count(*) FROM t WHERE x LIKE ?", ["b"]) == 1)
            #expect(try database.count("SELECT count(*) FROM t WHERE x LIKE ?", ["é"]) == 1)
            #expect(try database.count("SELECT count(*) FROM t WHERE x LIKE ? ESCAPE '\\'", ["\\_"]) == 1)
        }
    }

    // MARK: Statements

    @Test func `the wrong number of values is an error, and so is a wrong statement`() throws {
        try withDatabase { (database: ServerConnection, _) throws -> Void in
            #expect(throws: DatabaseError.self) { try database.execute(sql: "SELECT ? + ?", arguments: [1]) }
            #expect(throws: DatabaseError.self) { try database.cachedStatement(sql: "SELEKT") }
            let error = #expect(throws: DatabaseError.self) { try database.execute(sql: "INSERT INTO none VALUES (1)") }
            #expect(error?.message == "relation \"none\" does not exist")
            // The connection is as before.
            #expect(try database.count("SELECT 1") == 1)
        }
    }

    @Test func `a statement is used again with other values`() throws {
        try withDatabase { (database: ServerConnection, _) throws -> Void in
            try database.execute(sql: "CREATE TABLE t (n INTEGER PRIMARY KEY)")
            let insert = try database.cachedStatement(sql: "INSERT INTO t VALUES (?)")
            for number in 1...3 { try insert.execute(arguments: [number]) }
            #expect(try database.cachedStatement(sql: "INSERT INTO t VALUES (?)") === insert)
            #expect(throws: DatabaseError.self) { try insert.execute(arguments: [3]) }
            try insert.execute(arguments: [4])
            var numbers: [Int] = []
            try database.each("SELECT n FROM t WHERE n > ? ORDER BY n", [1]) { row in
                numbers.append(row.count(0))
                return numbers.count < 2
            }
            #expect(numbers == [2, 3])
        }
    }

    /// A part is 256 rows.
    private static let counts = [0, 1, 255, 256, 257, 511, 512, 513, 768, 769, 999, 1000, 1001, 3000]

    /// The part after the next is made meanwhile.
    @Test(arguments: counts)
    func `a large result is read to its end, and no further than is wanted`(count: Int) throws {
        try withDatabase { (database: ServerConnection, _) throws -> Void in
            try database.transaction(.reading) { database in
                for last in [count, 1, 300, 600] {
                    var sum = 0
                    try database.each("SELECT generate_series(1, CAST(? AS int4))", [count], isLarge: true) { row in
                        sum += row.count(0)
                        return row.count(0) < last
                    }
                    let read = min(count, last)
                    #expect(sum == read * (read + 1) / 2)
                }
            }
        }
    }

    @Test func `an error in a later part is said, whoever waits for it, and ends the transaction`() throws {
        try withDatabase { (database: ServerConnection, _) throws -> Void in
            for asksMeanwhile in [false, true] {
                var rows = 0
                let error = #expect(throws: DatabaseError.self) {
                    try database.transaction(.reading) { database in
                        try database.each("SELECT 1 / (700 - n) FROM generate_series(1, 1000) AS n", isLarge: true) { _ in
                            rows += 1
                            if asksMeanwhile { _ = try database.count("SELECT 1") }
                            return true
                        }
                    }
                }
                #expect(error?.message == "division by zero")
                #expect(rows >= 256 && rows < 700)
                #expect(try database.count("SELECT 1") == 1)
            }
        }
    }

    @Test(arguments: counts)
    func `a large result comes in parts, and other statements run meanwhile`(count: Int) throws {
        try withDatabase { (database: ServerConnection, _) throws -> Void in
            try database.transaction(.reading) { database in
                var sum = 0
                try database.each("SELECT generate_series(1, CAST(? AS int4))", [count], isLarge: true) { row in
                    sum += try database.count("SELECT 2 * CAST(? AS int8)", [row.count(0)])
                    return true
                }
                #expect(sum == count * (count + 1))
                // Whoever wants no more may query again.
                for _ in 0..<2 {
                    var first = 0
                    try database.each("SELECT generate_series(1, CAST(? AS int4))", [count], isLarge: true) { row in
                        first = row.count(0)
                        return false
                    }
                    #expect(first == min(count, 1))
                }
            }
        }
    }

    // MARK: Loading

    @Test func `rows are loaded as they are`() throws {
        try withDatabase { (database: ServerConnection, address: String) throws -> Void in
            try database.execute(sql: "CREATE TABLE t (\"offset\" INTEGER, text TEXT)")
            let texts: [String?] = [nil, "", "\\N", "\\.", "a\tb\nc\rd\\e", "“ü”", String(repeating: "x", count: 200_000)]
            var rows = texts.enumerated().map { StatementArguments([.integer(Int64($0)), $1?.columnValue ?? .null]) }.makeIterator()
            try database.load("t", ["offset", "text"]) { rows.next() }
            var found: [String?] = []
            try database.each("SELECT text FROM t ORDER BY offset") {
                found.append($0.text(0))
                return true
            }
            #expect(found == texts)
            var left = 3
            #expect(throws: DatabaseError.self) {
                try database.load("t", ["offset", "text"]) { () throws(DatabaseError) in
                    left -= 1
                    guard left > 0 else { throw DatabaseError(kind: .other, message: "enough") }
                    return [7, "seven"]
                }
            }
            var wrong: [StatementArguments] = [["no number", ""]]
            #expect(throws: DatabaseError.self) { try database.load("t", ["offset", "text"]) { wrong.popLast() } }
            #expect(try database.count("SELECT count(*) FROM t") == texts.count)
        }
    }

    // MARK: Transactions

    @Test func `a transaction that throws leaves nothing, and a reader writes nothing`() throws {
        struct Halt: Error {}
        try withDatabase { (database: ServerConnection, address: String) throws -> Void in
            try database.execute(sql: "CREATE TABLE t (n INTEGER)")
            #expect(throws: Halt.self) {
                try database.transaction(.writing) { database in
                    try database.execute(sql: "INSERT INTO t VALUES (1)")
                    throw Halt()
                }
            }
            #expect(kind { try database.transaction(.reading) { try $0.execute(sql: "INSERT INTO t VALUES (1)") } } == .readOnly)
            try database.transaction(.writing) { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
            #expect(try connect(address).count("SELECT sum(n) FROM t") == 2)
        }
    }

    /// Each takes its first row, then waits for the other's: the server ends one of them.
    @Test func `who is chosen to end a deadlock may begin again`() throws {
        try withDatabase { (database: ServerConnection, address: String) throws -> Void in
            try database.execute(sql: "CREATE TABLE t (n INTEGER PRIMARY KEY, m INTEGER); INSERT INTO t VALUES (1, 0), (2, 0)")
            let both = try [connect(address), connect(address)]
            for (index, one) in both.enumerated() {
                try one.begin(.writing)
                try one.execute(sql: "UPDATE t SET m = 1 WHERE n = ?", arguments: [index + 1])
            }
            let kinds = Parallel.map([0, 1], chunk: 1) { index in
                let found = kind { try both[index].execute(sql: "UPDATE t SET m = 2 WHERE n = ?", arguments: [2 - index]) }
                both[index].rollBack()
                return found
            }
            #expect(kinds.contains(.conflict) && kinds.contains(nil))
        }
    }

    @Test func `who writes alone waits for the others, and they for it`() throws {
        try withDatabase { (database: ServerConnection, address: String) throws -> Void in
            let other = try connect(address)
            try database.begin(.writing)
            // Writers do not wait for each other.
            try other.begin(.writing)
            try other.commit()
            try other.execute(sql: "SET lock_timeout = '200ms'")
            #expect(kind { try other.begin(.alone) } == .conflict)
            other.rollBack()
            try database.commit()
            try database.begin(.alone)
            #expect(kind { try other.begin(.writing) } == .conflict)
            other.rollBack()
            // Readers never wait.
            try other.begin(.reading)
        }
    }

    // MARK: Errors

    @Test func `no password is taken from the address, and none is repeated`() throws {
        for text in [
            "postgresql://user:hunter2@localhost/db", "postgres://localhost/db?password=hunter2",
            "postgresql://localhost/db?sslpassword=hunter2",
            "postgresql://user:hunter2@localhost/db?nonsense=1", "postgresql://user:hunter2@[::1/db",
        ] {
            let address = try #require(ServerAddress(text))
            let error = #expect(throws: DatabaseError.self) { try ServerConnection(address) }
            #expect(error?.message.contains("hunter2") == false, "\(text)")
        }
        let error = #expect(throws: DatabaseError.self) { try ServerConnection(#require(ServerAddress("postgresql://u:hunter2@h/d"))) }
        #expect(error?.message.contains("PGPASSWORD") == true)
        #expect(ServerAddress("crashes.sqlite") == nil && ServerAddress("./postgresql://x") == nil)
    }

    @Test func `what is not there is not there yet, or not at all`() throws {
        try withTemporaryFolder { (folder: String) throws -> Void in
            #expect(kind { _ = try connect("postgresql://u@/d?host=\(folder)") } == .unavailable)
        }
        let address = try Self.server.get().address
        #expect(kind { _ = try connect(address.replacing("/postgres?", with: "/nothing?")) } == .cannotOpen)
        _ = try run("psql", ["-q", "-d", address, "-c", "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0"])
        let error = #expect(throws: DatabaseError.self) { try connect(address.replacing("/postgres?", with: "/latin?")) }
        #expect(error?.message.contains("LATIN1") == true)
    }

    @Test(arguments: ["restart", "crash"])
    func `a server that goes away is noticed`(way: String) throws {
        let server = try PostgresServer()
        let database = try connect(server.address)
        try database.begin(.writing)
        #expect(database.isAlive)
        server.order(way)
        #expect(kind { try database.commit() } == .unavailable)
        #expect(!database.isAlive)
        #expect(try connect(server.address).count("SELECT 1") == 1)
    }
}

/// Numbers, each once.
private final class Count: Sendable {
    private let value = Mutex(0)

    func next() -> Int {
        value.withLock {
            $0 += 1
            return $0
        }
    }
}

/// Statements in SQLite's dialect, and their PostgreSQL translations
/// (https://www.sqlite.org/lang.html, https://www.postgresql.org/docs/current/sql.html).
struct ServerTextTests {
    @Test(arguments: [
        ("SELECT a FROM t WHERE b = ? AND c = ?", "SELECT a FROM t WHERE b = $1 AND c = $2"),
        ("SELECT ?2, ?1", "SELECT $2, $1"),
        ("SELECT '?', \"a?\" FROM t -- ? LIKE\nWHERE b = ?", "SELECT '?', \"a?\" FROM t -- ? LIKE\nWHERE b = $1"),
        ("SELECT 'it''s ?' LIKE ?1 ESCAPE '\\'", "SELECT 'it''s ?' ILIKE $1 ESCAPE '\\'"),
        ("SELECT f.offset, offset, c.column FROM f", "SELECT f.offset, \"offset\", c.column FROM f"),
        (
            "CREATE TABLE t (id INTEGER PRIMARY KEY, log INTEGER NOT NULL REFERENCES logs (id) DEFERRABLE INITIALLY DEFERRED, x TEXT) WITHOUT ROWID;",
            "CREATE TABLE t (id bigint PRIMARY KEY, log bigint NOT NULL    , x text COLLATE \"C\")  ;"
        ),
        ("SELECT value FROM json_each(?)", "SELECT value FROM number_list($1)"),
        ("ALTER TABLE t ADD COLUMN n INTEGER", "ALTER TABLE t ADD COLUMN n bigint"),
        ("SELECT 'unfinished ?", "SELECT 'unfinished ?"),
        ("", ""),
    ])
    func `words and parameters are PostgreSQL's, and texts stay`(pair: (String, String)) {
        #expect(ServerText.translate(pair.0) == pair.1)
    }
}
