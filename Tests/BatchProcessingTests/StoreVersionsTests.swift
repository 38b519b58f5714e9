import Databases
import TestSupport
import Testing

@testable import BatchProcessing

/// A store that an older cairn wrote is brought to this one's tables (`Fixtures/stores`), and its
/// rows say what they said.
struct StoreVersionsTests {
    private static let frames = "SELECT stack, number, kind, image, offset, address, printed, reason FROM frames ORDER BY stack, number"
    private static let functions =
        "SELECT stack, frame, depth, name, file, line, column, inlined FROM functions ORDER BY stack, frame, depth"

    /// Each row as a text.
    private static func rows(_ database: any DatabaseConnection, _ sql: String, _ columns: Int) throws -> [String] {
        var rows: [String] = []
        try database.each(sql) { row in
            rows.append("\((0..<columns).map { row.value(at: $0) })")
            return true
        }
        return rows
    }

    private static func frameRows(_ path: String) throws -> [String] {
        try Database(path: path).transaction(.reading) { try rows($0, frames, 8) + rows($0, functions, 8) }
    }

    /// Keys and texts of the tables that stacks share.
    private static func sharedRows(_ path: String) throws -> [String] {
        try Database(path: path).transaction(.reading) {
            try rows($0, "SELECT id, text FROM texts ORDER BY id", 2)
                + rows($0, "SELECT id, kind, image, reason FROM frame_kinds ORDER BY id", 4)
        }
    }

    private func oldStore(_ path: String) throws {
        let sql = String(decoding: try readFile(TestPaths.fixture("stores/v4.sql")), as: UTF8.self)
        try Database(path: path).execute(sql: sql)
    }

    @Test func `frames and functions of a store of version 4 stay the same`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/s"
            try oldStore(path)
            let before = try Self.frameRows(path)
            // 212 frames and 17 functions, as the program that wrote it had them.
            try #require(before.count == 229)
            let error = #expect(throws: StoreError.self) { try DatabaseQueries(path: path) }
            #expect(error?.problem.hasPrefix("an older cairn wrote this store. To update it, run: cairn batch DIR --store ") == true)
            do { _ = try DatabaseStore(path: path) }
            #expect(try Self.frameRows(path) == before)
            #expect(try DatabaseQueries(path: path).overview(QueryLimits()).reports == 24)
            // The file does not keep the room of the former tables.
            #expect(try Database(path: path).count("PRAGMA freelist_count") == 0)
            // Once more there is nothing to do.
            do { _ = try DatabaseStore(path: path) }
            #expect(try Self.frameRows(path) == before)
        }
    }

    @Test func `each text and each kind of frame of an older store is kept once`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/s"
            try oldStore(path)
            let texts =
                "SELECT printed FROM frames WHERE printed IS NOT NULL UNION SELECT name FROM functions UNION SELECT file FROM functions WHERE file IS NOT NULL"
            let kinds = "SELECT DISTINCT kind, image, reason FROM frames"
            func counts(_ first: String, _ second: String) throws -> [Int] {
                try Database(path: path).transaction(.reading) { database in
                    try [first, second].map { try database.count("SELECT count(*) FROM (\($0))") }
                }
            }
            let before = try counts(texts, kinds)
            do { _ = try DatabaseStore(path: path) }
            #expect(try counts("SELECT * FROM texts", "SELECT * FROM frame_kinds") == before)
            // The keys follow from the content, so that a new log with the same text has the same.
            try Database(path: path).transaction(.reading) { database in
                try database.each("SELECT id, text FROM texts") { row in
                    #expect(row.number(0) == ContentHash.number(of: "text\u{1}" + (row.text(1) ?? "")))
                    return true
                }
                try database.each("SELECT id, kind || char(1) || coalesce(image, '') || coalesce(char(1) || reason, '') FROM frame_kinds") {
                    row in
                    #expect(row.number(0) == ContentHash.number(of: "frame kind\u{1}" + (row.text(1) ?? "")))
                    return true
                }
            }
        }
    }

    /// A stack's frames are rewritten where another log's symbols name more of them.
    @Test func `texts that a stack no longer has are removed with the next groups`() throws {
        let crash = try #require(try LabelledCrashes().crashes.first { CrashSignature($0.report).lacksSymbols })
        let bare = outcome(0, of: crash)
        var named = outcome(1, of: crash)
        var count = 0
        for stack in named.reports[0].stacks.indices {
            for frame in named.reports[0].stacks[stack].frames.indices where named.reports[0].stacks[stack].frames[frame].image != nil {
                guard named.reports[0].stacks[stack].frames[frame].reason != nil else { continue }
                named.reports[0].stacks[stack].frames[frame].reason = nil
                named.reports[0].stacks[stack].frames[frame].functions = [
                    .init(name: "found\(frame)", file: "/src/\(frame).c", line: 1, column: 0, isInlined: false)
                ]
                count += 1
            }
        }
        try #require(count > 0)
        try withTemporaryFolder { folder in
            for (name, order) in [("later", [bare, named]), ("first", [named, bare])] {
                let store = try DatabaseStore(path: folder + "/" + name)
                for outcome in order {
                    var part = StoredPart(rules: SignatureRules().fingerprint)
                    part.outcomes = [outcome]
                    try store.keep(part)
                    try store.group()
                }
            }
            #expect(try Self.frameRows(folder + "/later") == Self.frameRows(folder + "/first"))
            #expect(try Self.sharedRows(folder + "/later") == Self.sharedRows(folder + "/first"))
        }
    }

    /// The row of a run names the version that wrote it.
    @Test func `a newer store is refused with the version that reads it`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/s"
            do { _ = try DatabaseStore(path: path).beginRun(["/logs"], version: "7.1.0") }
            try Database(path: path).execute(sql: "INSERT INTO grdb_migrations VALUES ('99: later')")
            let problem = "a newer cairn wrote this store. Use cairn 7.1.0 or later, or another store"
            #expect(#expect(throws: StoreError.self) { try DatabaseStore(path: path) }?.problem == problem)
            #expect(#expect(throws: StoreError.self) { try DatabaseQueries(path: path) }?.problem == problem)
        }
    }
}
