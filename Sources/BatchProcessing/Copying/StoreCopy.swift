internal import Databases

/// Copies a store into an empty one, row for row, between any two databases.
package struct StoreCopy: Sendable {
    private let source: DatabasePool
    private let target: DatabasePool
    private let from: String
    private let to: String

    /// - Throws: `StoreError` where one of them cannot be opened, or is of another version.
    package init(from: String, to: String) throws(StoreError) {
        self.from = from
        self.to = to
        // They look at the versions.
        _ = try DatabaseQueries(path: from)
        _ = try DatabaseStore(path: to)
        source = try DatabaseStore.attempt(from) { try StoreLocation(from).poolToRead() }
        target = try DatabaseStore.attempt(to) {
            try DatabasePool { () throws(DatabaseError) in try StoreLocation(to).openToWrite(erases: false) }
        }
    }

    /// All rows are copied, or the target stays empty.
    /// - Returns: The number of rows of each table.
    /// - Throws: `StoreError` where the target is not empty, or where a row is missing at the end.
    package func run() throws(StoreError) -> [(table: String, rows: Int)] {
        try DatabaseStore.attempt(to) {
            try source.read { source in
                try target.writeAlone { target in
                    try checkEmpty(target)
                    var counts: [(table: String, rows: Int)] = []
                    for table in StoreTable.all { counts.append((table.name, try copy(table, source, target))) }
                    if target.isServer { try target.execute(sql: StoreTable.analysis) }
                    return counts
                }
            }
        }
    }

    private func checkEmpty(_ target: any DatabaseConnection) throws {
        for table in StoreTable.all where table.name != "state" {
            guard try Int.fetchOne(target, sql: "SELECT 1 FROM \(table.name) LIMIT 1") == nil else {
                throw StoreError(path: to, problem: "it is not empty. Choose a new store")
            }
        }
        // A new store has one row of its own.
        try target.execute(sql: "DELETE FROM state")
    }

    private func copy(_ table: StoreTable, _ source: any DatabaseConnection, _ target: any DatabaseConnection) throws -> Int {
        let rows = try Row.fetchCursor(source.makeStatement(sql: table.selection), isLarge: true)
        defer { rows.end() }
        var count = 0
        try target.load(table.name, table.columns) { () throws(DatabaseError) in
            guard let row = try rows.next() else { return nil }
            count += 1
            return StatementArguments(table.columns.indices.map { row.value(at: $0) })
        }
        let kept = try target.count("SELECT count(*) FROM \(table.name)")
        guard kept == count else {
            throw StoreError(path: to, problem: "\(table.name) has \(kept) rows after \(count) were copied. Nothing was kept")
        }
        return count
    }
}
