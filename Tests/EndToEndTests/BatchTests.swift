import TestSupport
import Testing

/// `cairn batch` as it is run: what it keeps, what it passes over, and that no end of it loses
/// anything.
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
        return try run("python3", ["-c", script, store]).requireSuccess().output
    }

    private func question(_ store: String, _ sql: String) throws -> [String] {
        let script = "import sqlite3, sys\nfor row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(*row, sep='|')"
        return try run("python3", ["-c", script, store, sql]).requireSuccess().lines
    }

    private func withLogs(_ body: (_ folder: String, _ logs: String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            try run("cp", ["-r", TestPaths.fixture("logs"), folder + "/logs"]).requireSuccess()
            try body(folder, folder + "/logs")
        }
    }

    @Test func `every file has an outcome, and none is read twice`() throws {
        try withLogs { folder, logs in
            let store = folder + "/crashes.sqlite"
            let files = try run("sh", ["-c", "find \"$1\" -type f ! -path '*/.*' | wc -l", "sh", logs]).output.filter(\.isNumber)
            _ = try run(TestPaths.cairn, ["batch", logs, "--store", store])
            #expect(try question(store, "SELECT count(*) FROM files") == [files])
            // The same log at another place, and an unchanged one: neither is symbolicated again.
            let distinct = try question(store, "SELECT count(*) FROM logs")
            try run("cp", ["-r", logs, folder + "/copy"]).requireSuccess()
            let again = try run(TestPaths.cairn, ["batch", logs, folder + "/copy", "--store", store])
            let count = try #require(Int(files))
            #expect(again.lines.first == "\(2 * count) files: 0 new crash logs, \(count) duplicates, \(count) unchanged")
            #expect(again.lines.dropFirst().first == "new reports: 0")
            #expect(try question(store, "SELECT count(*) FROM logs") == distinct)
            // The hashes are those of `sha256sum`.
            let kept = try Set(question(store, "SELECT content FROM logs"))
            let sums = try run("sh", ["-c", "find \"$1\" -type f ! -path '*/.*' -exec sha256sum {} +", "sh", logs])
            #expect(kept == Set(sums.lines.map { String($0.prefix(64)) }))
        }
    }

    /// The founding example: its dSYM's names and lines are in the store as the ordinary command
    /// writes them.
    @Test func `answers are those of the ordinary command`() throws {
        try withTemporaryFolder { folder in
            let example = TestPaths.fixture("binaries/CrashExample/out")
            let log = TestPaths.fixture("logs/apple-crash/CrashExample-bad-access/bad-access.crash")
            try run("test", ["-e", log]).requireSuccess()
            let store = folder + "/crashes.sqlite"
            try run(TestPaths.cairn, ["batch", log, "--store", store, "--symbols", example]).requireSuccess()
            let text = try run(TestPaths.cairn, ["symbolicate", "--format", "text", "--symbols", example, log]).output
            let functions = try question(store, "SELECT name, file, line FROM functions WHERE file IS NOT NULL")
            #expect(!functions.isEmpty)
            for row in functions {
                let parts = row.split(separator: "|")
                #expect(text.contains("  \(parts[0])") && text.contains("(\(parts[1]):\(parts[2]))"), "\(row)")
            }
        }
    }

    /// `kill -9` at moments that nobody chose: the next run goes on, and in the end the rows are
    /// those of a run that nobody disturbed.
    @Test func `an interrupted run loses nothing`() throws {
        try withLogs { folder, logs in
            let whole = folder + "/whole.sqlite"
            _ = try run(TestPaths.cairn, ["batch", logs, "--store", whole])
            let store = folder + "/disturbed.sqlite"
            for kill in 0..<10 {
                // Between 0.05 and 0.5 s, set by the loop.
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

    /// How many logs are in work at once changes the order in which they are done, and nothing
    /// else.
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
            #expect(wrong.errors == "cairn: error: batch: \(other): not a crash store: expected an SQLite file, or no file\n")
            let newer = folder + "/newer.sqlite"
            #expect(try run(TestPaths.cairn, ["batch", log, "--store", newer]).status != 64)
            _ = try run(
                "python3",
                [
                    "-c",
                    "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(\"UPDATE runs SET version = '7.1.0'\"); c.execute(\"INSERT INTO grdb_migrations VALUES ('99: later')\"); c.commit()",
                    newer,
                ])
            let before = try dump(newer)
            let refused = try run(TestPaths.cairn, ["batch", log, "--store", newer])
            #expect(refused.status == 1)
            #expect(
                refused.errors
                    == "cairn: error: batch: \(newer): a newer cairn wrote this store. Use cairn 7.1.0 or later, or another store\n")
            #expect(try dump(newer) == before)
            let nowhere = try run(TestPaths.cairn, ["batch", log, "--store", folder + "/none/crashes.sqlite"])
            #expect(nowhere.status == 1 && nowhere.errors.contains("it cannot be opened"))
        }
    }

    /// On a file system of its own with no room: what was kept stays, and with room the next run
    /// ends as if nothing had been.
    @Test func `a full disk loses nothing`() throws {
        guard try run("unshare", ["-rm", "true"]).status == 0 else {
            print("no file system of its own can be mounted here: a full disk is not tried")
            return
        }
        try withLogs { folder, logs in
            let whole = folder + "/whole.sqlite"
            _ = try run(TestPaths.cairn, ["batch", logs, "--store", whole])
            try makeFolders(folder + "/small")
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

    @Test func `programs among the logs are counted, and are no error`() throws {
        try withTemporaryFolder { folder in
            let log = TestPaths.fixture("logs/apple-crash/CrashExample-bad-access/bad-access.crash")
            let script =
                #"mkdir "$1/logs" && cd "$1/logs" && cp "$2" a.crash && cp "$3" true && gzip -c "$4" > false.gz && echo text > notes.txt"#
            try run("sh", ["-c", script, "sh", folder, log, "/bin/true", "/bin/false"]).requireSuccess()
            let result = try run(TestPaths.cairn, ["batch", folder + "/logs", "--store", folder + "/s"]).requireSuccess()
            #expect(result.lines.first == "4 files: 1 new crash log, 3 not crash logs")
            #expect(try question(folder + "/s", "SELECT result, count(*) FROM logs GROUP BY result") == ["answered|1", "no-trace|3"])
        }
    }

    /// The mode bits do not stop the superuser, who runs tests in containers: the user nobody runs
    /// it instead.
    @Test func `what may not be opened is told, kept, and forgotten when it may`() throws {
        try withTemporaryFolder { folder in
            guard let become = try unprivilegedCommand() else {
                print("the built binary lies where only the superuser may go: files that may not be opened are not tried")
                return
            }
            let script = """
                cp -r "$1" "$2/logs" && chmod -R a+rwX "$2" && cp "$1/$3" "$2/logs/closed.crash" && chmod 000 "$2/logs/closed.crash" && mkdir -m 000 "$2/logs/closed"
                """
            let example = "apple-crash/CrashExample-bad-access/bad-access.crash"
            try run("sh", ["-c", script, "sh", TestPaths.fixture("logs"), folder, example]).requireSuccess()
            let arguments = become.dropFirst() + [TestPaths.cairn, "batch", folder + "/logs", "--store", folder + "/s"]
            let result = try run(become[0], Array(arguments))
            #expect(result.status == 1)
            #expect(result.errors.contains("\(folder)/logs/closed.crash: permission denied"), "\(result.errors)")
            let unread = "SELECT path, problem FROM unread ORDER BY path"
            #expect(
                try question(folder + "/s", unread) == [
                    "\(folder)/logs/closed|permission denied", "\(folder)/logs/closed.crash|permission denied",
                ])
            try run("chmod", ["-R", "a+rwX", folder + "/logs"]).requireSuccess()
            let again = try run(become[0], Array(arguments))
            #expect(again.lines.first?.contains(" files: ") == true)
            #expect(try question(folder + "/s", unread).isEmpty)
        }
    }

    /// The same logs in a folder and in every kind of archive: the same contents, and the same
    /// results.
    @Test func `logs in archives are logs`() throws {
        try withTemporaryFolder { folder in
            let logs = folder + "/logs"
            let script = """
                mkdir "$2/packed" "$2/packed/inner" && cp -r "$1" "$2/logs" && cd "$2/logs" && zip -qr "$2/packed/a.zip" apple-crash && tar cf "$2/packed/b.tar" apple-ips \\
                && tar czf "$2/packed/c.tgz" kernel-* swift-* && tar cJf "$2/packed/inner/d.tar.xz" android-* java-* && gzip -c apple-crash/CrashExample-bad-access/bad-access.crash > "$2/packed/e.crash.gz" \\
                && tar cf - *go-panic* *python* | zstd -q > "$2/packed/f.tar.zst" && (cd "$2/packed" && zip -q g.zip inner/d.tar.xz) && rm -r "$2/packed/inner" && printf 'PK\\003\\004 damaged' > "$2/packed/h.zip"
                """
            try run("bash", ["-c", "shopt -s nullglob; " + script, "sh", TestPaths.fixture("logs"), folder]).requireSuccess()
            _ = try run(TestPaths.cairn, ["batch", logs, "--store", folder + "/plain"])
            let result = try run(TestPaths.cairn, ["batch", folder + "/packed", "--store", folder + "/packed.sqlite"])
            #expect(result.status == 1 && result.errors.contains("\(folder)/packed/h.zip: "), "\(result.errors)")
            // Every file of the folders that were packed is in an archive of the store, by its
            // content.
            let kept = try Set(question(folder + "/packed.sqlite", "SELECT DISTINCT content FROM logs"))
            let packed = try run(
                "bash",
                [
                    "-c",
                    "shopt -s nullglob; cd \"$1\" && find apple-crash apple-ips kernel-* swift-* android-* java-* *go-panic* *python* -type f ! -path '*/.*' -exec sha256sum {} +",
                    "sh", logs,
                ])
            #expect(Set(packed.lines.map { String($0.prefix(64)) }) == kept)
            #expect(kept.count > 50)
            let same =
                "SELECT content, reports.number, format, process, threads.number, stack FROM logs JOIN reports ON log = logs.id JOIN threads ON report = reports.id ORDER BY content, reports.number, threads.number"
            let answers = try question(folder + "/packed.sqlite", same)
            #expect(try Set(answers).isSubset(of: question(folder + "/plain", same)) && !answers.isEmpty)
            #expect(
                try question(folder + "/packed.sqlite", "SELECT path FROM files WHERE path LIKE '%e.crash.gz%'") == [
                    "\(folder)/packed/e.crash.gz"
                ])
            #expect(
                try question(folder + "/packed.sqlite", "SELECT count(*) > 0 FROM files WHERE path LIKE '%/g.zip!/inner/d.tar.xz!/%'") == [
                    "1"
                ])
            // An archive that has not changed is not opened again.
            let again = try run(TestPaths.cairn, ["batch", folder + "/packed", "--store", folder + "/packed.sqlite"])
            #expect(
                again.lines.first == "1 file: 0 new crash logs, 1 unchanged; 5 archives unchanged; 1 directory or archive unreadable",
                "\(again.output)")
        }
    }

    /// A damaged archive may be whole later: the archive around it is opened in each run, and its
    /// logs are symbolicated once.
    @Test func `a damaged archive in an archive is told again`() throws {
        try withTemporaryFolder { folder in
            let script = """
                mkdir "$2/in" && cd "$2/in" && printf 'PK\\003\\004 damaged' > inner.zip && cp "$1" a.crash && zip -q "$2/outer.zip" inner.zip a.crash
                """
            let log = TestPaths.fixture("logs/apple-crash/CrashExample-bad-access/bad-access.crash")
            try run("sh", ["-c", script, "sh", log, folder]).requireSuccess()
            for _ in 0..<2 {
                let result = try run(TestPaths.cairn, ["batch", folder + "/outer.zip", "--store", folder + "/s"])
                #expect(result.status == 1)
                #expect(result.errors.contains("\(folder)/outer.zip!/inner.zip: "), "\(result.errors)")
                #expect(try question(folder + "/s", "SELECT path FROM unread") == ["\(folder)/outer.zip!/inner.zip"])
                #expect(try question(folder + "/s", "SELECT count(*) FROM reports") == ["1"])
            }
        }
    }

    /// First without symbols, then with them: the store is that of a run that had them at once, but
    /// for the names of groups, which keep those that they had.
    @Test func `symbols that come later answer what was missing`() throws {
        try withTemporaryFolder { folder in
            let logs = folder + "/logs"
            let symbols = TestPaths.fixture("binaries/CrashExample/out")
            try run("cp", ["-r", TestPaths.fixture("logs/apple-crash"), logs]).requireSuccess()
            _ = try run(TestPaths.cairn, ["batch", logs, "--store", folder + "/later"])
            let missing = "SELECT count(*) FROM frames WHERE reason IS NOT NULL"
            let before = try question(folder + "/later", missing)
            // Without the option nothing is read again.
            let idle = try run(TestPaths.cairn, ["batch", logs, "--store", folder + "/later", "--symbols", symbols])
            #expect(idle.lines.dropFirst().first == "new reports: 0")
            try run(
                TestPaths.cairn, ["batch", logs, "--store", folder + "/later", "--symbols", symbols, "--retry-unresolved"]
            ).requireSuccess()
            #expect(try question(folder + "/later", missing) != before)
            _ = try run(TestPaths.cairn, ["batch", logs, "--store", folder + "/once", "--symbols", symbols])
            for table in ["logs", "files", "reports", "images", "stacks", "threads", "frames", "functions"] {
                let sql = "SELECT * FROM \(table)"
                #expect(try question(folder + "/later", sql).sorted() == question(folder + "/once", sql).sorted(), "\(table)")
            }
            let groups =
                "SELECT group_concat(content, ' ') FROM (SELECT DISTINCT content, crash_group FROM logs JOIN reports ON log = logs.id "
                + "JOIN signatures ON signatures.id = signature ORDER BY content) GROUP BY crash_group"
            #expect(try question(folder + "/later", groups).sorted() == question(folder + "/once", groups).sorted())
        }
    }

    /// A log to which another crash was appended is one log with two reports; one that was replaced
    /// is a second log.
    @Test func `a log that has grown takes the place of its beginning`() throws {
        try withTemporaryFolder { folder in
            let crash = try readFile(TestPaths.fixture("logs/apple-crash/CrashExample-bad-access/bad-access.crash"))
            try writeFile(folder + "/grows.log", crash)
            try writeFile(folder + "/changes.log", crash + Array("end\n".utf8))
            let arguments = ["batch", folder + "/grows.log", folder + "/changes.log", "--store", folder + "/s"]
            _ = try run(TestPaths.cairn, arguments)
            try writeFile(folder + "/grows.log", crash + Array("\n".utf8) + crash)
            try writeFile(folder + "/changes.log", Array("another\n".utf8) + crash)
            _ = try run(TestPaths.cairn, arguments)
            // The logs that grew, that were changed, and the one before the change.
            #expect(try question(folder + "/s", "SELECT count(*) FROM logs") == ["3"])
            #expect(try question(folder + "/s", "SELECT sum(reports) FROM crash_groups") == ["4"])
        }
    }

    @Test func `other lists answer logs anew`() throws {
        try withTemporaryFolder { folder in
            let log = TestPaths.fixture("logs/apple-crash/CrashExample-bad-access/bad-access.crash")
            let arguments = ["batch", log, "--store", folder + "/s", "--symbols", TestPaths.fixture("binaries/CrashExample/out")]
            _ = try run(TestPaths.cairn, arguments)
            let before = try question(folder + "/s", "SELECT title FROM signatures")
            let inner = try #require(
                try question(
                    folder + "/s",
                    "SELECT functions.name FROM functions JOIN threads USING (stack) WHERE crashed = 1 AND frame = 0 AND depth = 0"
                ).first)
            // The crash's own function says nothing from now on.
            let printed = try run(TestPaths.cairn, ["batch", "lists", "c"])
            try writeFile(folder + "/c.txt", Array((printed.output + "irrelevant \(inner)\n").utf8))
            let result = try run(TestPaths.cairn, arguments + ["--frame-list", folder + "/c.txt"])
            #expect(result.lines.first == "1 file: 1 new crash log", "\(result.output)")
            let after = try question(folder + "/s", "SELECT title FROM signatures")
            #expect(before.count == 1 && after.count == 1 && before != after)
            #expect(before.first?.contains(inner) == true && after.first?.contains(inner) == false)
            try writeFile(folder + "/wrong.txt", Array("unimportant main\n".utf8))
            let wrong = try run(TestPaths.cairn, arguments + ["--frame-list", folder + "/wrong.txt"])
            #expect(wrong.status == 64 && wrong.errors.contains("wrong.txt: line 1: “unimportant” is not a kind"), "\(wrong.errors)")
        }
    }

    /// `grep` is the judge: no row has what the logs say of users, but where the logs lie. Results
    /// are the same.
    @Test func `a store without names has none`() throws {
        try withTemporaryFolder { folder in
            let crash = String(
                decoding: try readFile(TestPaths.fixture("logs/apple-crash/CrashExample-bad-access/bad-access.crash")), as: UTF8.self)
            // The program is in the folder of a user with an unlikely name, which is in a message,
            // too.
            let lines = crash.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            let path = try #require(lines.first { $0.hasPrefix("Path:") })
            let own = try #require(path.split(separator: " ").last.map(String.init))
            let message = "Application Specific Information:\ncannot open /Users/quentinquark/notes.txt\n\n"
            let named = lines.joined(separator: "\n").replacing(own, with: "/Users/quentinquark/build/CrashExample")
                .replacing("Thread 0 Crashed", with: message + "Thread 0 Crashed")
            try writeFile(folder + "/a.crash", Array(named.utf8))
            let arguments = ["batch", folder + "/a.crash", "--symbols", TestPaths.fixture("binaries/CrashExample/out"), "--store"]
            let holds = { (store: String) in try run("sh", ["-c", "cat \"$1\"* | grep -ac quentinquark", "sh", store]).output != "0\n" }
            _ = try run(TestPaths.cairn, arguments + [folder + "/with"])
            #expect(try holds(folder + "/with"))
            _ = try run(TestPaths.cairn, arguments + [folder + "/without", "--anonymize"])
            #expect(try !holds(folder + "/without"))
            for sql in [
                "SELECT name, file, line FROM functions ORDER BY 1, 2, 3", "SELECT \"offset\", kind FROM frames ORDER BY 1, 2",
                "SELECT title, own_code FROM signatures",
            ] {
                let rows = try question(folder + "/with", sql)
                #expect(try rows == question(folder + "/without", sql) && !rows.isEmpty)
            }
            // Data that was stored with names is erased by a run without them.
            _ = try run(TestPaths.cairn, arguments + [folder + "/with", "--anonymize"])
            #expect(try question(folder + "/with", "SELECT count(*) FROM images WHERE path LIKE '%quentinquark%'") == ["0"])
            #expect(try question(folder + "/with", "SELECT count(*) FROM reports WHERE message LIKE '%quentinquark%'") == ["0"])
        }
    }

    /// The log is of 2022, its copy of today.
    @Test func `old reports leave a store, and their logs are not read again`() throws {
        try withTemporaryFolder { folder in
            let log = TestPaths.fixture("logs/apple-crash/CrashExample-bad-access/bad-access.crash")
            let script = """
                mkdir -p "$1/in/tenant=acme" "$1/in/tenant=other" && cp "$2" "$1/in/tenant=acme/a.crash"
                sed "s/^Date\\/Time:.*/Date\\/Time:       $(date -u '+%Y-%m-%d %H:%M:%S.000 +0000')/" "$2" > "$1/in/tenant=other/b.crash"
                """
            try run("sh", ["-c", script, "sh", folder, log]).requireSuccess()
            func batch(_ arguments: String...) throws -> RunResult {
                try run(TestPaths.cairn, ["batch"] + arguments + ["--store", "s"], directory: folder)
            }
            #expect(try batch("prune", "--older-than", "1d").status == 1)
            #expect(try run("test", ["-e", folder + "/s"]).status == 1, "a store that is not there is not made")
            _ = try batch("in", "--no-local")
            #expect(try batch("prune").status == 64)
            #expect(try batch("top", "--where", "tenant=acme").lines.first == "1 of 1 group, 1 of 1 report")
            #expect(try batch("prune", "--older-than", "1d", "--dry-run").lines == ["would be removed: 1 report of 1 log"])
            #expect(try batch("prune", "--where", "tenant=none", "--older-than", "1d").lines.first == "removed: 0 reports of 0 logs")
            let pruned = try batch("prune", "--older-than", "1d")
            #expect(pruned.lines == ["removed: 1 report of 1 log", "in the store: 1 report in 1 group"])
            #expect(try batch("in", "--no-local").lines.first == "2 files: 0 new crash logs, 2 unchanged")
            #expect(try question(folder + "/s", "SELECT substr(path, -21) FROM group_reports") == ["/tenant=other/b.crash"])
        }
    }

    /// Logs that come while the run goes on are symbolicated, without a new run.
    @Test func `a folder that keeps filling is watched`() throws {
        try withTemporaryFolder { folder in
            let log = TestPaths.fixture("logs/apple-crash/CrashExample-bad-access/bad-access.crash")
            let script = """
                mkdir "$1/in" && cp "$2" "$1/in/a.crash" && touch -d '1 minute ago' "$1/in/a.crash"
                "$3" batch "$1/in" --store "$1/s" --watch > "$1/out" 2>&1 & run=$!
                sleep 3; sed s/EXC_BAD_ACCESS/EXC_CRASH/ "$2" > "$1/in/b.crash"
                for i in $(seq 60); do grep -q 'in the store: 2 reports of 2 crash logs' "$1/out" && break; sleep 0.5; done
                kill -0 $run && kill $run; wait $run; true
                """
            _ = try run("sh", ["-c", script, "sh", folder, log, TestPaths.cairn])
            #expect(try question(folder + "/s", "SELECT count(*) FROM logs") == ["2"])
            #expect(try question(folder + "/s", "SELECT count(*), sum(logs) FROM runs") == ["1|2"])
            let reported = try readFile(folder + "/out")
            #expect(
                String(decoding: reported, as: UTF8.self).split(separator: "\n").count { $0.contains(" of ") && $0.contains(" in ") } == 2)
        }
    }

    @Test func `a mistyped name makes no store`() throws {
        try withTemporaryFolder { folder in
            let result = try run(TestPaths.cairn, ["batch", folder + "/none", "--store", folder + "/s"])
            #expect(result.status == 1 && result.errors.contains("no such file"))
            #expect(try run("test", ["-e", folder + "/s"]).status == 1)
        }
    }
}
