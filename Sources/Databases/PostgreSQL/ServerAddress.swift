internal import CLibpq

/// Location of a server's database, as a libpq URI:
/// `postgresql://[user@]host[:port][/database][?sslmode=verify-full&…]`
/// (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING).
package struct ServerAddress: Sendable {
    package let text: String

    /// - Returns: `nil` for anything else, such as a file's path.
    package init?(_ text: String) {
        guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") else { return nil }
        self.text = text
    }

    /// Parameters that are rejected: other users of the machine see the command line, it is kept in
    /// a shell's history, and pages quote it.
    private static let secrets: Set = ["password", "sslpassword"]

    /// - Throws: `DatabaseError` where there is a password in the address, or where libpq cannot
    ///   read it. No part of it is repeated then.
    package func check() throws(DatabaseError) {
        let libpq = try Libpq.opened()
        var problem: UnsafeMutablePointer<CChar>?
        guard let options = unsafe libpq.functions.PQconninfoParse(text, &problem) else {
            let message = unsafe problem.map { unsafe String(cString: $0) } ?? ""
            unsafe libpq.functions.PQfreemem(problem)
            // The message may contain the whole address.
            let isHarmless = !text.contains("@") && !text.contains("password")
            throw DatabaseError(
                kind: .other, message: "not an address of a PostgreSQL database" + (isHarmless ? ": " + oneLine(message) : ""))
        }
        defer { unsafe libpq.functions.PQconninfoFree(options) }
        var option = unsafe options
        while let name = unsafe option.pointee.keyword {
            if unsafe option.pointee.val != nil, Self.secrets.contains(unsafe String(cString: name)) {
                throw DatabaseError(
                    kind: .other,
                    message:
                        "a password on the command line can be seen by others. Leave it out, and use the variable PGPASSWORD, ~/.pgpass or a service file"
                )
            }
            unsafe option += 1
        }
    }
}

/// libpq's messages have several lines: `ERROR:  …`, `DETAIL:  …`.
func oneLine(_ message: String) -> String {
    message.split(whereSeparator: \.isNewline).map { line in
        line.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
    }.joined(separator: "; ")
}
