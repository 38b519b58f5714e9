import TestSupport
import Testing

/// The commands that query a store, beside what Python's own modules read from it.
struct BatchQuestionsTests {
    private func python(_ script: String, _ arguments: String...) throws -> [String] {
        try run("python3", ["-c", "import collections, csv, json, sqlite3, sys\n" + script] + arguments).requireSuccess().lines
    }

    /// A store of the fixtures' logs.
    private func withStore(_ body: (_ folder: String, _ store: String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let store = folder + "/crashes.sqlite"
            _ = try run(TestPaths.cairn, ["batch", TestPaths.fixture("logs"), "--store", store, "--quiet"])
            try body(folder, store)
        }
    }

    /// The store whose rows are written beside their numbers.
    private func withMadeStore(_ body: (_ folder: String, _ store: String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let store = folder + "/crashes.sqlite"
            try makeFolders(folder + "/empty")
            try run(TestPaths.cairn, ["batch", folder + "/empty", "--store", store, "--quiet"]).requireSuccess()
            try run(
                "python3",
                ["-c", "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('DELETE FROM runs'); c.commit()", store]
            ).requireSuccess()
            try MadeStore.fill(store)
            try body(folder, store)
        }
    }

    @Test func `groups have the numbers that another reader of the store counts`() throws {
        try withStore { folder, store in
            let top = try run(TestPaths.cairn, ["batch", "top", "--count", "100000", "--format", "json", "--store", store]).requireSuccess()
            try writeFile(folder + "/top.json", top.standardOutput)
            let script = """
                store, top = sqlite3.connect(sys.argv[1]), json.load(open(sys.argv[2]))
                groups = dict(store.execute("SELECT id, crash_group FROM signatures"))
                counts, logs, versions, instants = collections.Counter(), collections.defaultdict(set), collections.defaultdict(collections.Counter), collections.defaultdict(list)
                for log, version, instant, signature in store.execute("SELECT log, version, instant, signature FROM reports"):
                    group = groups[signature]
                    # Without a usable stack a report is in no group.
                    if group is None: continue
                    counts[group] += 1; logs[group].add(log); versions[group][version] += 1
                    if instant is not None: instants[group].append(instant)
                assert len(top["groups"]) == len(counts) > 50, len(counts)
                assert [g["reports"] for g in top["groups"]] == sorted(counts.values(), reverse=True)
                for g in top["groups"]:
                    assert (g["reports"], g["logs"]) == (counts[g["id"]], len(logs[g["id"]])), g
                    assert {v.get("value"): v["reports"] for v in g["versions"]}.items() <= versions[g["id"]].items(), g
                    assert g["versionCount"] == len(versions[g["id"]]), g
                    assert ("first" in g) == bool(instants[g["id"]]), g
                (stackless,) = store.execute("SELECT count(*) FROM reports JOIN signatures ON signatures.id = signature WHERE absence IS NOT NULL").fetchone()
                assert top["reports"] == sum(counts.values()) + stackless and top["store"]["reportsWithoutStack"] == stackless > 0
                missing = collections.Counter(image for _, image in store.execute("SELECT report, image FROM loaded_images"))
                wanted = {id for (id,) in store.execute("SELECT id FROM images WHERE has_symbols = 0 AND reason IS NOT NULL")}
                assert top["store"]["missingImageCount"] == len(wanted)
                assert [i["reports"] for i in top["store"]["missingImages"]] == sorted((missing[i] for i in wanted), reverse=True)[:50]
                print(top["groups"][0]["id"])
                """
            let largest = try #require(try python(script, store, folder + "/top.json").first)
            let text = try run(TestPaths.cairn, ["batch", "top", "--store", store])
            #expect(text.output.contains(largest) && !text.output.contains("\u{1b}"))
            #expect(
                text.output.split(separator: "\n").count { $0.contains(" report") && $0.contains(" in ") && $0.contains(" log") } == 10)

            let show = try run(TestPaths.cairn, ["batch", "show", String(largest.prefix(8)), "--format", "json", "--store", store])
                .requireSuccess()
            try writeFile(folder + "/show.json", show.standardOutput)
            let check = """
                store, group = sqlite3.connect(sys.argv[1]), json.load(open(sys.argv[2]))
                rows = store.execute("SELECT reports.* FROM reports JOIN signatures ON signatures.id = signature WHERE crash_group = ?", (group["id"],))
                names = [d[0] for d in rows.description]
                reports = [dict(zip(names, row)) for row in rows]
                assert group["reports"] == len(reports)
                for key, column in [("processes", "process"), ("versions", "version"), ("systems", "system"), ("devices", "device"), ("formats", "format"), ("architectures", "architecture")]:
                    assert {t.get("value"): t["reports"] for t in group[key]} == collections.Counter(r[column] for r in reports), key
                words = dict(store.execute("SELECT id, words FROM signatures"))
                assert {t["value"]: t["reports"] for t in group["kinds"]} == collections.Counter(words[r["signature"]] for r in reports)
                assert sum(d["reports"] for d in group["days"]) + group["reportsWithoutInstant"] == len(reports)
                # Each report has one stack by which it is known.
                assert sum(s["reports"] for s in group["stacks"]) == len(reports) and len(group["stacks"]) == group["stackCount"]
                paths = {path for (path,) in store.execute("SELECT path FROM files")}
                assert all(path in paths for e in group["examples"] for path in e["paths"]) and group["examples"]
                for stack in group["stacks"]:
                    (id,) = [s for (s,) in store.execute("SELECT DISTINCT stack FROM threads WHERE report = ? AND crashed", (int(stack["example"]),))]
                    kept = store.execute("SELECT name FROM functions WHERE stack = ? ORDER BY frame, depth", (id,)).fetchall()
                    printed = [f.get("function") for f in stack["frames"] if "reason" not in f and "line" in f]
                    assert set(printed) <= {name for (name,) in kept}
                print("ok")
                """
            #expect(try python(check, store, folder + "/show.json") == ["ok"])
        }
    }

    @Test(arguments: ["groups", "reports", "frames"])
    func `every format of an export has the same rows, and they are the store's`(what: String) throws {
        try withStore { folder, store in
            for format in ["json", "csv", "ndjson"] {
                let result = try run(
                    TestPaths.cairn,
                    ["batch", "export", "--format", format, "--what", what, "--store", store, "-o", folder + "/rows." + format])
                #expect(result.status == 0 && result.output.isEmpty, "\(result.errors)")
            }
            let script = """
                folder, what, store = sys.argv[1], sys.argv[2], sqlite3.connect(sys.argv[3])
                whole = json.load(open(folder + "/rows.json"))
                lines = [json.loads(line) for line in open(folder + "/rows.ndjson", newline="\\n")]
                table = list(csv.DictReader(open(folder + "/rows.csv", newline="", encoding="utf-8"), strict=True))
                assert whole == lines and len(table) == len(lines)
                kinds = collections.defaultdict(set)
                for line in lines:
                    assert list(line) == list(table[0])
                    for key, value in line.items():
                        if value is not None: kinds[key].add(type(value))
                assert all(len(k) == 1 and k <= {str, int, bool} for k in kinds.values()), kinds
                for line, row in zip(lines, table):
                    for key, value in line.items():
                        text = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
                        if text[:1] in ("=", "+", "-", "@") and isinstance(value, str): text = "'" + text
                        assert row[key] == text or any(ord(c) < 32 or 0x7f <= ord(c) < 0xa0 or ord(c) in (0x202e, 0xfeff) for c in text), (key, text, row[key])
                if what == "reports":
                    kept = {str(r[0]): r[1:] for r in store.execute("SELECT id, format, message, instant, pid, version FROM reports")}
                    assert {l["id"]: (l["format"], l["message"], l["instant_ns"], l["pid"], l["version"]) for l in lines} == kept
                elif what == "groups":
                    grouped = "SELECT count(*) FROM reports JOIN signatures ON signatures.id = signature WHERE absence IS NULL"
                    assert sum(l["reports"] for l in lines) == store.execute(grouped).fetchone()[0]
                else:
                    assert {l["report"] for l in lines} <= {str(i) for (i,) in store.execute("SELECT id FROM reports")} and len(lines) > 500
                print("ok")
                """
            #expect(try python(script, folder, what, store) == ["ok"])
        }
    }

    /// The rows of `MadeStore`: of version 2.0 there are three reports of each of two groups.
    @Test func `only the reports of a program or a version`() throws {
        try withMadeStore { folder, store in
            let top = try run(
                TestPaths.cairn, ["batch", "top", "-n", "1", "--process", "app", "--version", "2.0", "--format", "json", "--store", store])
            try writeFile(folder + "/top.json", top.standardOutput)
            let check = """
                top = json.load(open(sys.argv[1]))
                print(top["reports"], top["store"]["groups"], *[(g["id"], g["reports"]) for g in top["groups"]])
                """
            #expect(try python(check, folder + "/top.json") == ["6 2 ('aaaa000000000001', 3)"])
            let search = try run(TestPaths.cairn, ["batch", "search", "main_loop", "--version", "1.0", "--store", store])
            #expect(search.output.contains("2 reports of 1 group"), "\(search.output)")
            try run(
                TestPaths.cairn, ["batch", "report", folder + "/pages", "--title", "Only 1.0", "--version", "1.0", "--store", store]
            ).requireSuccess()
            let index = String(decoding: try readFile(folder + "/pages/index.html"), as: UTF8.self)
            #expect(
                index.contains("<h1>Only 1.0</h1>") && index.contains("groups/aaaa000000000001.html") && !index.contains("b000000000000003")
            )
        }
    }

    @Test func `what stands in logs does nothing to terminals, tables and programs`() throws {
        try withMadeStore { folder, store in
            let texts = [
                try run(TestPaths.cairn, ["batch", "top", "--store", store]),
                try run(TestPaths.cairn, ["batch", "show", "b000", "--store", store]),
                try run(TestPaths.cairn, ["batch", "search", "evil", "--store", store]),
            ]
            for text in texts {
                #expect(text.status == 0, "\(text.errors)")
                #expect(
                    text.output.contains(#"\u{1b}[31mevil "quoted", comma\nsecond line"#.split(separator: " ")[0]), "\(text.output)")
                #expect(
                    text.output.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0.value != 0x7f && $0.value != 0x202E })
            }
            for (what, format) in [("reports", "csv"), ("reports", "json"), ("frames", "ndjson"), ("groups", "csv")] {
                try run(
                    TestPaths.cairn,
                    [
                        "batch", "export", "--what", what, "--format", format, "--store", store, "--group", "b000", "-o",
                        "\(folder)/\(what).\(format)",
                    ]
                ).requireSuccess()
            }
            let script = """
                folder, function, process, message, path = sys.argv[1:6]
                (row,) = csv.DictReader(open(folder + "/reports.csv", newline=""), strict=True)
                assert row["process"] == "'" + process and row["version"] == "'=cmd" and row["path"] == path
                assert row["message"] == message.replace("\\x07", "\\\\u{7}").replace("\\u202e", "\\\\u{202e}"), row["message"]
                (row,) = json.load(open(folder + "/reports.json"))
                assert (row["process"], row["message"], row["path"], row["version"]) == (process, message, path, "=cmd")
                # Day 20003 since 1970.
                assert row["instant"] == "2024-10-07T00:00:00Z" and row["instant_ns"] == 20003 * 86400 * 10**9
                (row,) = [json.loads(line) for line in open(folder + "/frames.ndjson")]
                assert row["function"] == function and row["address"] == "0xfff0" and row["line"] is None
                (row,) = csv.DictReader(open(folder + "/groups.csv", newline=""), strict=True)
                assert row["title"].endswith("second line")
                print("ok")
                """
            #expect(
                try python(
                    script, folder, MadeStore.hostileFunction, MadeStore.hostileProcess, MadeStore.hostileMessage, MadeStore.hostilePath
                )
                    == ["ok"])
        }
    }

    /// The first group's reports end at 05:00 UTC of day 20001, which is 2024-10-05; the zones are
    /// given by rule, so that no table of zones is needed.
    @Test(arguments: [
        ("UTC0", "2024-10-04 00:00 +0000 to 2024-10-05 05:00 +0000"), ("IST-5:30", "2024-10-04 05:30 +0530 to 2024-10-05 10:30 +0530"),
        ("EST5EDT,M3.2.0,M11.1.0", "2024-10-03 20:00 -0400 to 2024-10-05 01:00 -0400"),
    ])
    func `people read instants in their own zone, programs in UTC`(zone: String, span: String) throws {
        try withMadeStore { _, store in
            let text = try run(TestPaths.cairn, ["batch", "top", "--store", store], environment: ["TZ": zone])
            #expect(text.output.contains(span), "\(text.output)")
            #expect(text.output.contains("3 of 3 groups, 10 of 11 reports\n") && text.output.contains("6 reports (54.5 %) in 5 logs"))
            #expect(text.output.contains("versions 2.0 (3), 1.0 (2), unknown (1)\n") && text.output.contains("in no group: 1 report\n"))
            #expect(text.output.contains("could not be read: 2 files\n  /logs/12.crash: cut off\n  /logs/locked: permission denied\n"))
            let json = try run(TestPaths.cairn, ["batch", "top", "--format", "json", "--store", store], environment: ["TZ": zone])
            #expect(json.output.contains(#""first":"2024-10-04T00:00:00Z","last":"2024-10-05T05:00:00Z""#))
            // From 00:00 UTC of 2024-10-05 there are three reports of the first group (at 0, 1 and
            // 5 o'clock), two of the second, one of the third; where the day begins at 04:00 UTC,
            // one of the first.
            let since = try run(
                TestPaths.cairn, ["batch", "top", "--since", "2024-10-05", "--store", store], environment: ["TZ": zone])
            #expect(since.lines.first?.hasPrefix("3 of 3 groups, \(zone.hasPrefix("EST") ? 4 : 6) of ") == true, "\(since.output)")
        }
    }

    @Test func `a group that became part of another says so`() throws {
        try withMadeStore { _, store in
            let text = try run(TestPaths.cairn, ["batch", "show", "cccc", "--store", store])
            #expect(text.lines.first == "cccc000000000009 was merged into aaaa000000000001", "\(text.errors)")
            #expect(
                text.output.contains("    0   inner [inlined] at /src/app/a.c:7:3 in app\n    0   outer at /src/app/b.c:70 in app\n"))
            #expect(text.output.contains("    1   ? in libmissing+0x99\n"))
            #expect(text.output.contains("  version       2.0 (3), 1.0 (2), unknown (1)\n"))
            #expect(text.output.contains("without symbols: 1 image\n  libmissing (BB) x86_64: 5 reports\n"))
            #expect(text.lines.allSatisfy { $0.unicodeScalars.count <= 100 })
            let colored = try run(TestPaths.cairn, ["batch", "show", "cccc", "--color", "always", "--store", store])
            #expect(colored.output.contains("\u{1b}[1mSIGSEGV in outer\u{1b}[0m"))
        }
    }

    /// Another process is in the middle of writing: what it has committed is shown, and it is not
    /// disturbed.
    @Test func `a store is asked while a run writes to it`() throws {
        try withMadeStore { _, store in
            let script = """
                import subprocess
                store = sqlite3.connect(sys.argv[1])
                assert store.execute("PRAGMA journal_mode").fetchone() == ("wal",)
                store.execute("UPDATE crash_groups SET title = 'committed' WHERE id = 'aaaa000000000001'"); store.commit()
                store.execute("UPDATE crash_groups SET title = 'not yet' WHERE id = 'aaaa000000000001'")
                print(subprocess.run([sys.argv[2], "batch", "show", "cccc", "--store", sys.argv[1]], stdout=subprocess.PIPE, text=True, check=True).stdout.split("\\n")[1])
                store.commit()
                print(subprocess.run([sys.argv[2], "batch", "show", "cccc", "--store", sys.argv[1]], stdout=subprocess.PIPE, text=True, check=True).stdout.split("\\n")[1])
                """
            let titles = try python(script, store, TestPaths.cairn)
            #expect(titles == ["committed", "not yet"])
        }
    }

    /// In a folder that cannot be written, on a file system of its own, because permissions do not
    /// hold for root.
    @Test func `a store is asked where nothing can be written`() throws {
        guard try run("unshare", ["-rm", "true"]).status == 0 else {
            print("no file system of its own can be mounted here: a folder that cannot be written is not tried")
            return
        }
        try withMadeStore { folder, store in
            let script =
                "mount --bind \"$1\" \"$1\" && mount -o remount,ro,bind \"$1\" && ! touch \"$1/x\" 2> /dev/null && \"$2\" batch top --store \"$3\""
            let result = try run("unshare", ["-rm", "sh", "-c", script, "sh", folder, TestPaths.cairn, store])
            #expect(result.status == 0 && result.lines.first == "3 of 3 groups, 10 of 11 reports", "\(result.errors)")
        }
    }

    /// One log in both stores, one in each alone; which bugs they are says a store of each log by
    /// itself.
    @Test func `two stores are compared by their bugs`() throws {
        try withTemporaryFolder { folder in
            let logs = [
                "apple-crash/CrashExample-bad-access/bad-access.crash", "sanitizer-asan/Sanitizers-clang-address/symbolized.txt",
                "rust-panic/RustCrash/full-itself.txt",
            ].map { TestPaths.fixture("logs/" + $0) }
            func store(_ name: String, _ logs: [String]) throws -> String {
                let path = "\(folder)/\(name).sqlite"
                _ = try run(TestPaths.cairn, ["batch"] + logs + ["--store", path, "--quiet"])
                return path
            }
            let titles = try logs.enumerated().map { index, log in
                try python(
                    "print(*[t for (t,) in sqlite3.connect(sys.argv[1]).execute('SELECT title FROM crash_groups')], sep='|')",
                    try store("\(index)", [log])
                ).joined()
            }
            try #require(Set(titles).count == 3 && !titles.contains(""))
            let before = try store("before", [logs[0], logs[1]])
            let after = try store("after", [logs[1], logs[2]])
            let json = try run(TestPaths.cairn, ["batch", "diff", before, after, "--format", "json"]).requireSuccess()
            try writeFile(folder + "/diff.json", json.standardOutput)
            let changes = try python(
                "for g in json.load(open(sys.argv[1]))['groups']: print(g['change'], g['title'])", folder + "/diff.json")
            #expect(changes == ["new \(titles[2])", "gone \(titles[0])", "same \(titles[1])"])
            let text = try run(TestPaths.cairn, ["batch", "diff", before, after]).output
            #expect(text.contains("\nnew: 1 group\n") && text.contains("\ngone: 1 group\n") && !text.contains("grown"))
        }
    }

    @Test func `a question that has no answer says what is wrong, and leaves nothing behind`() throws {
        try withMadeStore { folder, store in
            func refused(_ arguments: [String], _ status: Int32, _ message: String) throws {
                let result = try run(TestPaths.cairn, ["batch"] + arguments)
                #expect(result.status == status && result.errors.contains(message) && result.output.isEmpty, "\(arguments): \(result)")
                #expect(result.errors.hasPrefix("cairn: error: batch: ") && result.lines.count <= 1)
            }
            let nowhere = folder + "/none.sqlite"
            for command in [["top"], ["show", "aaaa"], ["search", "x"], ["export"]] {
                try refused(
                    command + ["--store", nowhere], 1,
                    "\(nowhere): no such file. To create it, run: cairn batch DIR --store \(nowhere)")
            }
            try refused(["diff", store, nowhere], 1, "no such file. To create it, run: cairn batch DIR --store ")
            #expect(!TestPaths.isReadable(nowhere))
            try refused(["show", "aaaa", "--store", store], 1, "several groups begin with aaaa: aaaa000000000001 aaaa000000000002")
            try refused(["show", "dddd", "--store", store], 1, "no group dddd in it: expected one that cairn batch top lists")
            try refused(["show", "a", "--store", store], 1, "several groups begin with a: aaaa000000000001 aaaa000000000002")
            try refused(["show", "no", "--store", store], 64, "expected 1 to 16 hexadecimal digits")
            try refused(["top", "--since", "tomorrow", "--store", store], 64, "--since tomorrow: expected 7d")
            try refused(["top", "--count", "0", "--store", store], 64, "--count 0: expected 1 to 1000000")
            try refused(["search", "", "--store", store], 64, "the text is empty")
            try refused(["export", "-o", store, "--store", store], 64, "it is the store")
            try refused(["export", "-o", folder + "/none/rows", "--store", store], 1, folder + "/none/rows: no such file or directory")
            // A file that cannot be written to its end leaves the old one.
            let before = try run("sha256sum", [store]).output
            for question in [
                ["top", "-n", "1", "--since", "yesterday"], ["show", "b"], ["search", "inner", "--process", "app"],
                ["export", "-o", folder + "/rows.json"],
            ] {
                #expect(try run(TestPaths.cairn, ["batch"] + question + ["--store", store]).status == 0)
            }
            #expect(try run("sha256sum", [store]).output == before)
            #expect(try run("ls", ["-A", folder]).lines.sorted() == ["crashes.sqlite", "empty", "rows.json"])
        }
    }
}
