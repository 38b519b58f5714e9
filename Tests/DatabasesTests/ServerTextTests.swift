import Testing

@testable import Databases

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
