/// Translates a statement from SQLite's dialect to PostgreSQL's. Strings, quoted names and comments
/// stay.
///
/// Example: `SELECT offset FROM frames WHERE printed LIKE ?1` is
/// `SELECT "offset" FROM frames WHERE printed ILIKE $1`.
enum ServerText {
    private static let replacements: [Substring: String] = [
        // Types (https://www.postgresql.org/docs/current/datatype.html). Texts are ordered by their
        // bytes, as in SQLite.
        "INTEGER": "bigint", "TEXT": "text COLLATE \"C\"",
        // Columns that have a reserved word's name.
        "offset": "\"offset\"", "column": "\"column\"",
        // SQLite's LIKE ignores the case of ASCII letters. ILIKE does so too, with the order by
        // bytes.
        "LIKE": "ILIKE",
        "char": "chr", "json_each": "number_list",
        // Clauses about the layout of rows in SQLite's file.
        "WITHOUT": "", "ROWID": "",
        // See `REFERENCES`.
        "DEFERRABLE": "", "INITIALLY": "", "DEFERRED": "",
    ]

    static func translate(_ sql: String) -> String {
        var result = ""
        var rest = Substring(sql)
        var parameters = 0
        /// Character before a word: `f.offset` may have any name after the full stop.
        var previous: Character = " "
        while let first = rest.first {
            var piece: Substring
            switch first {
            case "'", "\"":
                let end = rest.dropFirst().firstIndex(of: first).map { rest.index(after: $0) } ?? rest.endIndex
                piece = rest[..<end]
                result += piece
            case "-" where rest.hasPrefix("--"):
                piece = rest.prefix { $0 != "\n" }
                result += piece
            case "?":
                piece = rest[..<(rest.dropFirst().firstIndex { !$0.isNumber } ?? rest.endIndex)]
                if piece.count == 1 {
                    parameters += 1
                    result += "$\(parameters)"
                } else {
                    result += "$" + piece.dropFirst()
                }
            case let letter where letter.isLetter || letter == "_":
                piece = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
                if piece == "REFERENCES" {
                    // `REFERENCES logs (id)`: the server would look each of them up, row by row, in
                    // the midst of a transaction.
                    let end = rest.firstIndex(of: ")").map { rest.index(after: $0) } ?? rest.endIndex
                    piece = rest[..<end]
                } else {
                    result += previous == "." ? String(piece) : replacements[piece] ?? String(piece)
                }
            default:
                piece = rest.prefix(1)
                result += piece
            }
            previous = piece.last ?? " "
            rest = rest[piece.endIndex...]
        }
        return result
    }
}
