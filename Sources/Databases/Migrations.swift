/// The versions of a database's tables: each brings the tables from the version before to its own,
/// and stays as it is for ever.
package struct Migrations: Sendable {
    /// In their order. The names are kept in the database.
    private let steps: [(name: String, sql: String)]
    private let conversions: [String: Conversion]
    private let neededToRead: Set<String>

    /// Work of a step that SQL alone cannot do, such as keys that are hashes.
    package typealias Conversion = @Sendable (any DatabaseConnection) throws -> Void

    /// - Parameters:
    ///   - additions: names of steps that no query needs, such as views for other programs: without
    ///     them a database can be read.
    ///   - conversions: by name of step: what follows its SQL, in the same transaction.
    package init(
        _ steps: [(name: String, sql: String)], additions: Set<String> = [], conversions: [String: Conversion] = [:]
    ) {
        self.steps = steps
        self.conversions = conversions
        neededToRead = Set(steps.map(\.name)).subtracting(additions)
    }

    /// The table that cairn 0.1 had from its first version on, by the name that the GRDB library
    /// gave it.
    private static let table = "grdb_migrations"

    /// A newer version has changed the tables.
    package func hasBeenSuperseded(_ database: any DatabaseConnection) throws(DatabaseError) -> Bool {
        !(try applied(database)).isSubset(of: steps.map(\.name))
    }

    /// Nothing is left to change that queries need.
    package func isReadable(_ database: any DatabaseConnection) throws(DatabaseError) -> Bool {
        try applied(database).isSuperset(of: neededToRead)
    }

    /// Applies missing versions, each in a transaction of its own: whoever is killed in one has
    /// changed nothing of it, and the next one begins it again.
    package func migrate(_ pool: DatabasePool) throws {
        try pool.writeAlone { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS \(Self.table) (identifier TEXT NOT NULL PRIMARY KEY)") }
        for step in steps {
            try pool.writeAlone { database in
                // Two processes may begin a store at the same time.
                guard try !applied(database).contains(step.name) else { return }
                try database.execute(sql: step.sql)
                try conversions[step.name]?(database)
                try database.execute(sql: "INSERT INTO \(Self.table) (identifier) VALUES (?)", arguments: [step.name])
            }
        }
    }

    private func applied(_ database: any DatabaseConnection) throws(DatabaseError) -> Set<String> {
        guard try database.hasTable(Self.table) else { return [] }
        var names: Set<String> = []
        let rows = try Row.fetchCursor(database.makeStatement(sql: "SELECT identifier FROM \(Self.table)"))
        while let row = try rows.next() { if let name = row.text(0) { names.insert(name) } }
        return names
    }
}
