import TestSupport
import Testing

/// `cairn batch` as it is run: what it keeps, what it passes over, and that no end of it loses anything.
struct BatchTests {
    /// All tables but the one of runs, a line a row, in the order of their keys.
    private func dump(_ store: String) throws -> String {
        let script = """
            import sqlite3, sys
            store = sqlite3.connect(sys.argv[1])
            for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('runs', 'grdb_migrations') ORDER BY name").fetchall():
                print("##", name)
                for row in sorted(store.execute(f"SELECT * FROM {name}").fetchall(), key=repr): print(row)
            """
        let result = try run("python3", ["-c", script, store])
        try #require(result.status == 0, "\(result.errors)")
        return result.output
    }

    private func question(_ store: String, _ sql: String) throws -> [String] {
        let script = "import sqlite3, sys\nfor row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(*row, sep='|')"
        let result = try run("python3", ["-c", script, store, sql])
        try #require(result.status == 0, "\(result.errors)")
        return result.lines
    }

    private func withLogs(_ body: (_ folder: String, _ logs: String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            try #require(try run("cp", ["-r", TestPaths.fixture("logs"), folder + "/logs"]).status == 0)
            try body(folder, folder + "/logs")
        }
    }

    @Test func `every file has an outcome, and none is read twice`() throws {
        try withLogs { folder, logs in
            let store = folder + "/crashes.sqlite"
            let files = try run("sh", ["-c", "find \"$1\" -type f ! -path '*/.*' | wc -l", "sh", logs]).output.filter(\.isNumber)
            _ = try run(TestPaths.cairn, ["batch", logs, "--store", store])
            #expect(try question(store, "SELECT count(*) FROM files") == [files])
            // The same log at another place, and an unchanged one: neither is answered again.
            let distinct = try question(store, "SELECT count(*) FROM logs")
            try #require(try run("cp", ["-r", logs, folder + "/copy"]).status == 0)
            let again = try run(TestPaths.cairn, ["batch", logs, folder + "/copy", "--store", store])
            #expect(again.lines.first == "files: \(2 * (Int(files) ?? 0)), of them known before: \(2 * (Int(files) ?? 0))")
            #expect(again.lines.dropFirst().first == "logs answered in this run: 0, reports in them: 0")
            #expect(try question(store, "SELECT count(*) FROM logs") == distinct)
            // The hashes are those of `sha256sum`.
            let kept = try Set(question(store, "SELECT content FROM logs"))
            let sums = try run("sh", ["-c", "find \"$1\" -type f ! -path '*/.*' -exec sha256sum {} +", "sh", logs])
            #expect(kept == Set(sums.lines.map { String($0.prefix(64)) }))
        }
    }

    /// The founding example: its dSYM's names and lines are in the store as the ordinary command writes them.
    @Test func `answers are those of the ordinary command`() throws {
        try withTemporaryFolder { folder in
            let example = TestPaths.fixture("binaries/CrashExample/out")
            let log = TestPaths.fixture("logs/apple-crash/CrashExample-bad-access/bad-access.crash")
            try #require(try run("test", ["-e", log]).status == 0)
            let store = folder + "/crashes.sqlite"
            let result = try run(TestPaths.cairn, ["batch", log, "--store", store, "--symbols", example])
            #expect(result.status == 0, "\(result.errors)")
            let text = try run(TestPaths.cairn, ["symbolicate", "--format", "text", "--symbols", example, log]).output
            let functions = try question(store, "SELECT name, file, line FROM functions WHERE file IS NOT NULL")
            #expect(!functions.isEmpty)
            for row in functions {
                let parts = row.split(separator: "|")
                #expect(text.contains("  \(parts[0])") && text.contains("(\(parts[1]):\(parts[2]))"), "\(row)")
            }
        }
    }

    /// `kill -9` at moments that nobody chose: the next run goes on, and in the end the rows are those of a run that nobody disturbed.
    @Test func `an interrupted run loses nothing`() throws {
        try withLogs { folder, logs in
            let whole = folder + "/whole.sqlite"
            _ = try run(TestPaths.cairn, ["batch", logs, "--store", whole])
            let store = folder + "/disturbed.sqlite"
            for kill in 0..<10 {
                // Between 0.05 and 0.5 s, told by the shell's own process number and the loop.
                let script =
                    "\"$1\" batch \"$2\" --store \"$3\" --jobs 1 > /dev/null 2>&1 & sleep 0.$4; kill -9 $! 2> /dev/null; wait $!; true"
                let moment = ["05", "3", "1", "45", "2", "07", "4", "15", "25", "35"][kill]
                _ = try run("sh", ["-c", script, "sh", TestPaths.cairn, logs, store, moment])
            }
            _ = try run(TestPaths.cairn, ["batch", logs, "--store", store])
            #expect(try dump(store) == dump(whole))
            #expect(try question(store, "PRAGMA integrity_check") == ["ok"])
            #expect(try question(store, "PRAGMA foreign_key_check").isEmpty)
        }
    }

    /// How many logs are in work at once changes the order in which they are done, and nothing else.
    @Test func `the rows do not depend on the number of jobs`() throws {
        try withLogs { folder, logs in
            for jobs in ["1", "7"] { _ = try run(TestPaths.cairn, ["batch", logs, "--store", "\(folder)/\(jobs).sqlite", "--jobs", jobs]) }
            #expect(try dump(folder + "/1.sqlite") == dump(folder + "/7.sqlite"))
        }
    }

    @Test func `a store that cannot be used is told, and left as it is`() throws {
        try withTemporaryFolder { folder in
            let log = TestPaths.fixture("logs/apple-crash/CrashExample-bad-access/bad-access.crash")
            let other = folder + "/text.sqlite"
            try writeFile(
                other,
                Array(
                    "This is a text of more than a hundred bytes, so that nobody takes it for the beginning of a file of SQLite's own.\n"
                        .utf8))
            let wrong = try run(TestPaths.cairn, ["batch", log, "--store", other])
            #expect(wrong.status == 1)
            #expect(wrong.errors == "cairn: batch: \(other): it is no store: expected a file of SQLite, or none\n")
            let newer = folder + "/newer.sqlite"
            #expect(try run(TestPaths.cairn, ["batch", log, "--store", newer]).status != 64)
            _ = try run(
                "python3",
                [
                    "-c",
                    "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(\"INSERT INTO grdb_migrations VALUES ('99: later')\"); c.commit()",
                    newer,
                ])
            let before = try dump(newer)
            let refused = try run(TestPaths.cairn, ["batch", log, "--store", newer])
            #expect(refused.status == 1)
            #expect(refused.errors.contains("a newer cairn wrote this store"))
            #expect(try dump(newer) == before)
            let nowhere = try run(TestPaths.cairn, ["batch", log, "--store", folder + "/none/crashes.sqlite"])
            #expect(nowhere.status == 1 && nowhere.errors.contains("it cannot be opened"))
        }
    }

    /// On a file system of its own with no room: what was kept stays, and with room the next run ends as if nothing had been.
    @Test func `a full disk loses nothing`() throws {
        guard try run("unshare", ["-rm", "true"]).status == 0 else {
            print("no file system of its own can be mounted here: a full disk is not tried")
            return
        }
        try withLogs { folder, logs in
            let whole = folder + "/whole.sqlite"
            _ = try run(TestPaths.cairn, ["batch", logs, "--store", whole])
            try #require(try run("mkdir", [folder + "/small"]).status == 0)
            let script = """
                mount -t tmpfs -o size=900k none "$2/small" && "$1" batch "$3" --store "$2/small/store" --jobs 1 > /dev/null; echo $?
                mount -o remount,size=100m "$2/small" && "$1" batch "$3" --store "$2/small/store" > /dev/null 2>&1; cp "$2"/small/store* "$2"
                """
            let result = try run("unshare", ["-rm", "sh", "-c", script, "sh", TestPaths.cairn, folder, logs])
            #expect(result.lines == ["1"])
            #expect(result.errors.contains("the disk is full"), "\(result.errors)")
            #expect(try dump(folder + "/store") == dump(whole))
        }
    }

    @Test func `a file that cannot be read is told, and the others are answered`() throws {
        try withLogs { folder, logs in
            try writeFile(logs + "/damaged.ips", Array(#"{"app_name":"x","bug_type":"309"}\#n{"threads":[{"frames":["#.utf8))
            let result = try run(TestPaths.cairn, ["batch", logs, "--store", folder + "/s.sqlite"])
            #expect(result.status == 1)
            #expect(result.errors.contains("\(logs)/damaged.ips: "))
            #expect(
                try question(folder + "/s.sqlite", "SELECT result FROM logs JOIN files ON log = id WHERE path LIKE '%damaged.ips'") == [
                    "unreadable"
                ])
        }
    }
}
