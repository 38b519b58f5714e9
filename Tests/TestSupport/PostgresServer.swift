import Synchronization

/// A PostgreSQL server of its own for a test: `scripts/checks/postgres-server`. It ends with the
/// value.
package final class PostgresServer: Sendable {
    private let program: Mutex<StartedProgram>
    /// `postgresql://…`
    package let address: String

    /// - Throws: `RunError` where it does not start.
    package init() throws {
        let program = try StartedProgram([TestPaths.root + "/scripts/checks/postgres-server"])
        guard let line = program.line() else {
            let result = program.finish()
            throw RunError(description: "no PostgreSQL server: \(result.errors)")
        }
        address = line
        self.program = Mutex(program)
    }

    deinit { _ = program.withLock { $0.finish() } }

    /// Its programs are where Debian's package `postgresql` has them.
    package static let isInstalled = (try? run("sh", ["-c", "ls /usr/lib/postgresql/*/bin/initdb"]).status) == 0
    package static let isMissing = "PostgreSQL's server (package postgresql) is not installed"

    /// `restart`, `crash`, `down` or `up`; it is done when this returns.
    package func order(_ command: String) {
        program.withLock { program in
            program.send(command)
            _ = program.line()
        }
    }

    /// Another database of the same server.
    package func newDatabase(_ name: String) throws -> String {
        try run("psql", ["-q", "-d", address, "-c", "CREATE DATABASE \(name)"]).requireSuccess()
        return address.replacing("/postgres?", with: "/\(name)?")
    }

    /// Output of psql, PostgreSQL's own client: a line for each row, with `|` between the columns.
    package func query(_ sql: String, at address: String? = nil) throws -> String {
        try run("psql", ["-qAt", "-d", address ?? self.address, "-c", sql]).requireSuccess().output
    }
}
