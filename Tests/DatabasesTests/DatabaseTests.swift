import BinaryPrimitives
import TestSupport
import Testing

@testable import Databases

/// Connections, statements and rows. What SQLite does is in its documentation
/// (https://www.sqlite.org/lang.html, https://www.sqlite.org/datatype3.html).
struct DatabaseTests {
    private func withDatabase(_ body: (Database, _ path: String) throws -> Void) throws {
        try withTemporaryFolder { folder in try body(Database(path: folder + "/a.sqlite"), folder + "/a.sqlite") }
    }

    // MARK: Values

    @Test func `values come back as they were written`() throws {
        try withDatabase { (database: Database, _) throws -> Void in
            try database.execute(sql: "CREATE TABLE t (number, text, flag, absent, real)")
            let text: String? = "a\u{0}b “ü” \u{1F980}"
            try database.execute(
                sql: "INSERT INTO t VALUES (?, ?, ?, ?, ?)", arguments: [Int64.min, text, true, nil as String?, ""])
            let row = try #require(try Row.fetchOne(database, sql: "SELECT *, 2.0 AS whole, 2.5 AS half FROM t"))
            #expect(row["number"] == Int64.min && row.number(0) == .min)
            #expect(row["text"] == text && row.text(1) == text)
            #expect(row["flag"] == true)
            #expect(row["absent"] == nil as String? && row["absent"] == "")
            // An empty text is not NULL.
            #expect(row["real"] == "" as String?)
            #expect(row["whole"] == 2 as Int? && row["half"] == nil as Int?)
            // A column that is not there is NULL.
            #expect(row["none"] == nil as Int? && row.text(99) == nil)
        }
    }

    @Test func `what a column holds is not believed`() throws {
        try withDatabase { (database: Database, _) throws -> Void in
            let row = try #require(try Row.fetchOne(database, sql: "SELECT 'text' AS number, 7 AS text, x'41ff' AS bytes"))
            #expect(row["number"] == nil as Int64? && row["number"] == Int64(0))
            #expect(row["text"] == nil as String? && row["text"] == "")
            #expect(row.count(0) == 0)
            // Bytes are read as text, and repaired.
            #expect(row["bytes"] == "A\u{FFFD}")
        }
    }

    @Test func `the wrong number of values is an error, and so is a wrong statement`() throws {
        try withDatabase { (database: Database, _) throws -> Void in
            #expect(throws: DatabaseError.self) { try database.execute(sql: "SELECT ?, ?", arguments: [1]) }
            #expect(throws: DatabaseError.self) { try database.makeStatement(sql: "SELEKT") }
            #expect(throws: DatabaseError.self) { try database.execute(sql: "INSERT INTO none VALUES (1)") }
            // The connection is as before.
            #expect(try database.count("SELECT 1") == 1)
        }
    }

    @Test func `a statement is used again with other values`() throws {
        try withDatabase { (database: Database, _) throws -> Void in
            try database.execute(sql: "CREATE TABLE t (n INTEGER PRIMARY KEY); CREATE INDEX i ON t (n)")
            let insert = try database.cachedStatement(sql: "INSERT INTO t VALUES (?)")
            for number in 1...3 { try insert.execute(arguments: [number]) }
            #expect(try database.count("SELECT last_insert_rowid()") == 3)
            #expect(try database.cachedStatement(sql: "INSERT INTO t VALUES (?)") === insert)
            // A row that violates a rule does not end the statement's life.
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

    // MARK: Transactions

    @Test func `a transaction that throws leaves nothing`() throws {
        struct Halt: Error {}
        try withDatabase { (database: Database, path: String) throws -> Void in
            try database.execute(sql: "CREATE TABLE t (n)")
            #expect(throws: Halt.self) {
                try database.transaction(.writing) { database in
                    try database.execute(sql: "INSERT INTO t VALUES (1)")
                    throw Halt()
                }
            }
            try database.transaction(.writing) { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
            #expect(try Database(path: path).count("SELECT sum(n) FROM t") == 2)
        }
    }

    @Test func `writers of several threads wait for each other, and readers see whole transactions`() throws {
        try withDatabase { (_, path: String) throws -> Void in
            let pool = try DatabasePool { () throws(DatabaseError) in
                let database = try Database(path: path)
                try database.execute(sql: "PRAGMA journal_mode = WAL")
                return database
            }
            try pool.write { try $0.execute(sql: "CREATE TABLE t (n); INSERT INTO t VALUES (0)") }
            let results = Parallel.map(Array(0..<8), chunk: 1) { number -> Bool in
                (try? (0..<25).allSatisfy { _ in
                    if number % 2 == 0 {
                        // Twice one: a reader never sees an odd number.
                        try pool.write { database in
                            try database.execute(sql: "UPDATE t SET n = n + 1")
                            try database.execute(sql: "UPDATE t SET n = n + 1")
                        }
                        return true
                    }
                    return try pool.read { try $0.count("SELECT n FROM t") % 2 == 0 }
                }) ?? false
            }
            #expect(results == [Bool](repeating: true, count: 8))
            #expect(try pool.read { try $0.count("SELECT n FROM t") } == 4 * 25 * 2)
        }
    }

    // MARK: Errors

    @Test func `errors say what is wrong with the file`() throws {
        try withTemporaryFolder { (folder: String) throws -> Void in
            func kind(_ body: () throws -> Void) -> DatabaseError.Kind? {
                do { try body() } catch { return (error as? DatabaseError)?.kind }
                return nil
            }
            try writeFile(folder + "/text", Array(String(repeating: "no database\n", count: 100).utf8))
            #expect(kind { _ = try Database(path: folder + "/text").count("SELECT count(*) FROM sqlite_master") } == .notADatabase)
            #expect(kind { _ = try Database(path: folder + "/none/a").count("SELECT 1") } == .cannotOpen)
            _ = try Database(path: folder + "/a").execute(sql: "CREATE TABLE t (n)")
            #expect(kind { try Database(path: folder + "/a", .readOnly).execute(sql: "INSERT INTO t VALUES (1)") } == .readOnly)
            #expect(kind { try Database(path: folder + "/a").execute(sql: "CREATE TABLE t (n)") } == .other)
        }
    }

    // MARK: Versions

    @Test func `tables are brought to the newest version once, and a newer one is noticed`() throws {
        try withDatabase { (database: Database, path: String) throws -> Void in
            let pool = try DatabasePool { () throws(DatabaseError) in try Database(path: path) }
            let first = Migrations([("1", "CREATE TABLE t (n)")])
            let second = Migrations([("1", "CREATE TABLE t (n)"), ("2", "ALTER TABLE t ADD COLUMN m; INSERT INTO t VALUES (1, 2)")])
            #expect(try !first.isReadable(database) && !first.hasBeenSuperseded(database))
            try first.migrate(pool)
            #expect(try first.isReadable(database) && !second.isReadable(database))
            try second.migrate(pool)
            try second.migrate(pool)
            #expect(try database.count("SELECT sum(n + m) FROM t") == 3)
            #expect(try second.isReadable(database) && first.hasBeenSuperseded(database))
        }
    }

    @Test func `what only adds to the tables is not needed to read them`() throws {
        try withDatabase { (database: Database, path: String) throws -> Void in
            let pool = try DatabasePool { () throws(DatabaseError) in try Database(path: path) }
            let steps = [("1", "CREATE TABLE t (n)"), ("2", "CREATE VIEW v AS SELECT n FROM t")]
            try Migrations([steps[0]]).migrate(pool)
            #expect(try !Migrations(steps).isReadable(database))
            let whole = Migrations(steps, additions: ["2"])
            #expect(try whole.isReadable(database))
            try whole.migrate(pool)
            #expect(try database.count("SELECT count(*) FROM v") == 0)
        }
    }

    /// As if it had been killed between its tables and its rows.
    @Test func `a version that ends in the midst begins again the next time`() throws {
        try withDatabase { (database: Database, path: String) throws -> Void in
            let pool = try DatabasePool { () throws(DatabaseError) in try Database(path: path) }
            let steps = [("1", "CREATE TABLE t (n); INSERT INTO t VALUES (3)"), ("2", "ALTER TABLE t RENAME TO s; CREATE TABLE t (n)")]
            try Migrations([steps[0]]).migrate(pool)
            struct Killed: Error {}
            let interrupted = Migrations(steps, conversions: ["2": { _ in throw Killed() }])
            #expect(throws: Killed.self) { try interrupted.migrate(pool) }
            #expect(try database.count("SELECT n FROM t") == 3 && !interrupted.isReadable(database))
            let whole = Migrations(steps, conversions: ["2": { try $0.execute(sql: "INSERT INTO t SELECT 2 * n FROM s; DROP TABLE s") }])
            try whole.migrate(pool)
            try whole.migrate(pool)
            #expect(try database.count("SELECT sum(n) FROM t") == 6 && whole.isReadable(database))
        }
    }

    @Test func `a version that fails changes nothing`() throws {
        try withDatabase { (database: Database, path: String) throws -> Void in
            let pool = try DatabasePool { () throws(DatabaseError) in try Database(path: path) }
            let wrong = Migrations([("1", "CREATE TABLE t (n); CREATE TABLE t (n)")])
            #expect(throws: DatabaseError.self) { try wrong.migrate(pool) }
            #expect(try database.count("SELECT count(*) FROM sqlite_master WHERE name = 't'") == 0)
            #expect(try !wrong.isReadable(database))
        }
    }
}
