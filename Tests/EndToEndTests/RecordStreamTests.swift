import TestSupport
import Testing

/// `cairn stream` as other engines run it.
struct RecordStreamTests {
    private func stream(_ input: [UInt8], _ arguments: String...) throws -> RunResult {
        // As Spark's `RDD.pipe` runs its command: without any variable.
        try run("env", ["-i", TestPaths.cairn, "stream"] + arguments, input: input, directory: TestPaths.fixture(""))
    }

    /// Runs a script of Python, whose last line is "ok" where nothing was wrong.
    private func check(_ script: String, _ arguments: String...) throws {
        let result = try run("python3", ["-c", script] + arguments)
        #expect(result.status == 0 && result.lines == ["ok"], "\(result.output.prefix(4000))\(result.errors.suffix(2000))")
    }

    /// Records of every log of the fixtures: as text, as a path, as base64 and with lengths.
    private static let writer = #"""
        import base64, json, struct, sys
        kind, *paths = sys.argv[1:]
        out = sys.stdout.buffer
        for path in paths:
            data = open(path, "rb").read()
            if kind == "path": record = {"key": path, "path": path}
            elif kind == "bytes": record = {"key": path, "bytes": base64.b64encode(data).decode()}
            elif kind == "log": record = {"key": path, "log": data.decode(errors="replace")}
            if kind == "lengths": out.write(struct.pack(">I", len(path)) + path.encode() + struct.pack(">I", len(data)) + data)
            else: out.write(json.dumps(record).encode() + b"\n")
        """#

    private func records(_ kind: String, _ paths: [String] = fixtureLogs) throws -> [UInt8] {
        try run("python3", ["-c", Self.writer, kind] + paths).standardOutput
    }

    /// The peer is `cairn batch`: its store and its export have the same values for each
    /// report.
    @Test func `a record has what cairn batch keeps of its log`() throws {
        try withTemporaryFolder { folder in
            let store = folder + "/s.sqlite"
            let batch = try cairn(["batch", "--quiet", "--store", store, "-s", "binaries"] + fixtureLogs)
            try #require(batch.status <= 1, "\(batch.errors)")
            try writeFile(
                folder + "/rows",
                try cairn("batch", "export", "--store", store, "--format", "ndjson", "--what", "reports").standardOutput)
            try writeFile(
                folder + "/frames",
                try cairn("batch", "export", "--store", store, "--format", "ndjson", "--what", "frames").standardOutput)
            let result = try stream(try records("path"), "-s", "binaries", "--jobs", "2")
            #expect(result.status == 0)
            try writeFile(folder + "/stream", result.standardOutput)
            try check(
                #"""
                import json, sqlite3, sys
                folder = sys.argv[1]
                load = lambda name: [json.loads(line) for line in open(f"{folder}/{name}", encoding="utf-8")]
                records = load("stream")
                found = {}
                for record in records:
                    if "error" in record: continue
                    all = [record] + record.get("more", [])
                    assert len(all) == record["reports"], record["key"]
                    for number, row in enumerate(all): found[record["key"], number] = row
                store = sqlite3.connect(folder + "/s.sqlite")
                # One log may be at several paths.
                paths = {}
                for path, content in store.execute("SELECT path, content FROM files JOIN logs ON logs.id = log"): paths.setdefault(content, []).append(path)
                rows, seen, groups, ids = load("rows"), 0, {}, {}
                for row in rows:
                    ids[row["id"]] = row
                    for path in paths[row["log"]]:
                        mine = found.pop((path, row["number"]))
                        seen += 1
                        # The titles of the export are those of groups.
                        for name in set(row) & set(mine) - {"group", "title"}: assert row[name] == mine[name], (path, name, row[name], mine[name])
                        assert (row["group"] is None) == (mine["group"] is None), path
                        if mine["group"]: groups.setdefault(mine["group"], set()).add(row["group"])
                        row["mine"] = mine
                assert not found and seen > 100, (list(found)[:5], seen)
                assert len(set(rows[0]) & set(records[0])) >= 18
                # A group of the stream is in one group of the store, which also joins what is similar.
                split = {key: value for key, value in groups.items() if len(value) > 1}
                assert not split and len(groups) > 30, split
                sql = """
                    SELECT logs.content, number, family, words, title, exact, own_code, lacks_symbols, absence, signatures.frames,
                        (SELECT count(*) FROM threads JOIN frames ON frames.stack = threads.stack WHERE report = reports.id AND EXISTS
                            (SELECT 1 FROM functions WHERE functions.stack = frames.stack AND frame = frames.number)),
                        (SELECT count(*) FROM threads JOIN frames ON frames.stack = threads.stack WHERE report = reports.id AND reason IS NOT NULL AND printed IS NULL)
                    FROM reports JOIN logs ON logs.id = log JOIN signatures ON signatures.id = signature"""
                by = {(row["log"], row["number"]): row["mine"] for row in rows}
                resolved, keys = 0, set()
                for content, number, family, words, title, exact, own, lacks, absence, frames, named, unresolved in store.execute(sql):
                    mine = by[content, number]
                    expected = [family, words, title, exact, bool(lacks), named, unresolved]
                    got = [mine[name] for name in ["family", "kind", "title", "signature", "lacks_symbols", "resolved_frames", "unresolved_frames"]]
                    assert expected == got, (paths[content], expected, got)
                    assert (mine["group"] is None) == (absence is not None), paths[content]
                    # Where inlined calls are known ("s"), a group is the store's own code; else the signal counts, too.
                    if not absence:
                        shows = "s" in frames.split("\n")[2].split("\t")[0]
                        assert not shows or mine["group"] == own, (paths[content], own, mine["group"])
                        keys.add((own if shows else own + words, mine["group"]))
                    resolved += named
                assert len(keys) == len({key for key, _ in keys}) == len({group for _, group in keys}) > 30, keys
                assert resolved > 500, resolved
                # The first own function with a line on the stack that a report is known by.
                first = {}
                for frame in load("frames"):
                    if frame["own"] and frame["line"]: first.setdefault(frame["report"], frame)
                same = 0
                for id, frame in first.items():
                    own = ids[id]["mine"]["own_frame"]
                    if own and own["line"] and [frame[name] for name in ["function", "file", "line"]] == [own[name] for name in ["function", "file", "line"]]: same += 1
                assert same >= 0.9 * len(first) and same > 50, (same, len(first))
                print("ok")
                """#, folder)
        }
    }

    /// The peer is `cairn batch`, whose store has all reports at once.
    @Test func `merged groups are those of cairn batch, in any order`() throws {
        try withTemporaryFolder { folder in
            let store = folder + "/s.sqlite"
            let batch = try cairn(["batch", "--quiet", "--store", store, "-s", "binaries"] + fixtureLogs)
            try #require(batch.status <= 1, "\(batch.errors)")
            let result = try stream(try records("path"), "-s", "binaries", "--jobs", "2", "--with", "stack")
            #expect(result.status == 0)
            try writeFile(folder + "/stream", result.standardOutput)
            try check(
                #"""
                import json, random, sqlite3, subprocess, sys
                folder, cairn = sys.argv[1:]
                rows = []
                for line in open(folder + "/stream", encoding="utf-8"):
                    record = json.loads(line)
                    if "error" in record: continue
                    for number, row in enumerate([record] + record.pop("more", [])): rows.append({**row, "key": [record["key"], number]})
                store = sqlite3.connect(folder + "/s.sqlite")
                expected, titles = {}, {None: {None}}
                sql = """SELECT path, number, crash_group, title FROM files JOIN reports ON reports.log = files.log
                    JOIN signatures ON signatures.id = signature"""
                for path, number, group, title in store.execute(sql):
                    expected[path, number] = group
                    if group: titles.setdefault(group, set()).add(title)
                assert len(rows) == len(expected) > 100, (len(rows), len(expected))
                # Some often, all in another order, and lines between them that are none.
                mixed = rows + rows[::3]
                random.Random(1).shuffle(mixed)
                for input in (rows, mixed):
                    text = "".join(json.dumps(row) + "\n" for row in input) + "[]\n{\"key\":5}\n"
                    done = subprocess.run([cairn, "groups", "merge"], input=text.encode(), stdout=subprocess.PIPE, check=True)
                    lines = [json.loads(line) for line in done.stdout.splitlines()]
                    assert [line["key"] for line in lines[:-2]] == [row["key"] for row in input]
                    for line in lines[:-2]:
                        assert line["group"] == expected[tuple(line["key"])], (line, expected[tuple(line["key"])])
                        # The store's is that of the most frequent of them.
                        assert line["title"] in titles[line["group"]], line
                    assert [line["error"]["kind"] for line in lines[-2:]] == ["input"] * 2 and lines[-1]["key"] == 5, lines[-2:]
                # As they come, with several reports in a line.
                done = subprocess.run([cairn, "groups", "merge"], stdin=open(folder + "/stream"), stdout=subprocess.PIPE, check=True)
                seen = 0
                for line in map(json.loads, done.stdout.splitlines()):
                    if "error" in line: continue
                    for number, part in enumerate([line] + line.pop("more", [])):
                        assert part["group"] == expected[line["key"], number], (line, number)
                        seen += 1
                assert seen == len(expected), (seen, len(expected))
                groups = set(expected.values())
                own = {row["group"] for row in rows}
                # Some of them are joined.
                assert 30 < len(groups) < len(own), (len(groups), len(own))
                print("ok")
                """#, folder, TestPaths.cairn)
        }
    }

    /// A log is the same log in whatever way it comes, and in whatever order records are
    /// read.
    @Test func `text, base64, paths and lengths give the same`() throws {
        let paths = fixtureLogs.filter { $0.contains("sanitizer") || $0.contains("apple") || $0.contains("tombstone") }
        let texts = try paths.filter { String(validating: try readFile($0), as: UTF8.self) != nil }
        #expect(paths.count > texts.count && texts.count > 20)
        let bytes = try stream(try records("bytes", paths), "--no-local", "--jobs", "4")
        #expect(bytes.status == 0 && bytes.lines.count == paths.count)
        let lengths = try stream(try records("lengths", paths), "--no-local", "--input", "lengths")
        #expect(lengths.output == bytes.output)
        let text = try stream(try records("log", texts), "--no-local")
        #expect(text.lines == zip(paths, bytes.lines).filter { texts.contains($0.0) }.map(\.1))
        let path = try stream(try records("path", paths), "--no-local", "--jobs", "2")
        #expect(path.lines.count == paths.count)
        // A file that could not be read completely is reported with its path.
        for (left, right) in zip(path.lines, bytes.lines) where left != right {
            #expect(left.contains(#""error""#) == right.contains(#""error""#), "\(left)\n\(right)")
            #expect(left.contains(#""error""#) || left.contains(#""problems""#), "\(left)\n\(right)")
        }
    }

    /// The state that a process keeps of earlier logs changes nothing: each log has its own
    /// architecture of a file with two of them.
    @Test func `a reply does not depend on the records before it`() throws {
        let forwards = try stream(try records("path"), "-s", "binaries", "--no-index")
        let backwards = try stream(try records("path", fixtureLogs.reversed()), "-s", "binaries", "--no-index")
        #expect(forwards.lines.count == fixtureLogs.count)
        #expect(forwards.lines == backwards.lines.reversed())
    }

    @Test func `the whole report is in it where that is requested`() throws {
        let log = TestPaths.fixture("logs/apple-crash/CrashExample-bad-access/bad-access.crash")
        let result = try stream(try records("path", [log]), "-s", "binaries/CrashExample/out", "--with", "report")
        let plain = try cairn(["--format", "json", "-q", "-s", "binaries/CrashExample/out", log])
        // Without the braces, and the path.
        let report = plain.output.dropFirst().dropLast(2).replacing("\"log\":\"\(log)\",", with: "")
        #expect(plain.status == 0 && result.output.contains("\"report\":{" + report + "}"), "\(result.output)\n\(report)")
    }

    /// Every line gets its line, and the run ends well.
    @Test func `hostile records`() throws {
        try withTemporaryFolder { folder in
            let good = TestPaths.fixture("logs/apple-crash/CrashExample-bad-access/bad-access.crash")
            try check(
                #"""
                import json, os, resource, subprocess, sys
                cairn, good = sys.argv[1:]
                fine = b'{"key":"fine","path":' + json.dumps(good).encode() + b"}"
                lines = [
                    (fine, None), (b'{"key":1,"log":"' + b"x" * 100_000_000 + b'"}', "too-large"), (b"", "input"), (b" ", "input"), (b"{", "input"),
                    (b'{"key":"\xff","log":""}', "input"), (b'{"key":2,"log":"a\xff"}', "input"), (b"\x00\x01\xfe", "input"),
                    (b'{"key":3,"path":"/nonexistent/x"}', "unreadable"), (b'{"key":4,"path":"/"}', "unreadable"),
                    (b'{"key":5,"path":"/dev/stdin"}', "no-report"), (b'{"key":6,"log":"","unknown":{"log":"x"}}', "no-report"),
                    (b"[" * 1_000_000, "input"), (b'{"key":7,"a":' + b"[" * 60_000 + b"]" * 60_000 + b',"log":""}', "input"),
                    (b'{"key":8,"bytes":"?"}', "input"), (b'{"key":9,"bytes":"' + b"A" * 1_000_000 + b'"}', "no-report"),
                    (b'{"key":10,"log":"' + b"word " * 1000 + b'"}', "no-report"), (b'{"key":11,"log":1}', "input"), (fine, None),
                ] + [(b'{"key":12,"log":"word"}', "no-report")] * 1000
                run = subprocess.run([cairn, "stream", "--jobs", "2"], input=b"\n".join(line for line, _ in lines) + b"\n", capture_output=True, env={}, cwd="/")
                assert run.returncode == 0, run.stderr
                text = run.stdout.decode("utf-8")
                assert text.endswith("\n") and "\r" not in text
                out = text[:-1].split("\n")
                assert len(out) == len(lines), (len(out), len(lines))
                for (line, kind), got in zip(lines, out):
                    record = json.loads(got)
                    assert record["schema"] == 1 and record.get("error", {}).get("kind") == kind, (line[:80], got[:300])
                    if kind not in ("input", None): assert str(record["key"]) in line[:20].decode(), got[:300]
                assert out[0] == out[18] and json.loads(out[6])["key"] == 2 and json.loads(out[7 + 1])["key"] == 3
                errors = sum(kind is not None for _, kind in lines)
                summary = run.stderr.decode()
                assert summary.count("\n") == 1 and summary.startswith(f"records: {len(lines)}, errors: {errors}, seconds: "), summary
                # The longest line is larger than a record may be: no more than that is kept of it, in the largest process.
                peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
                assert peak < 400_000, peak
                print("ok")
                """#, TestPaths.cairn, good)
        }
    }

    /// A log that needs more memory than there may be, and one that never comes.
    @Test func `a record that cannot end costs itself alone`() throws {
        try withTemporaryFolder { folder in
            try makePipe(folder + "/pipe")
            let last = #"{"key":3,"log":""}"#
            let large = Array(#"{"key":1,"log":""#.utf8) + [UInt8](repeating: 0x78, count: 120_000_000) + Array("\"}\n\(last)\n".utf8)
            let memory = try stream(large, "--memory", "256", "--record-limit", "200")
            let time = try stream(Array("{\"key\":1,\"path\":\"\(folder)/pipe\"}\n\(last)\n".utf8), "--time-limit", "2")
            for (result, kind) in [(memory, "crash"), (time, "time-limit")] {
                #expect(result.status == 0 && result.lines.count == 2)
                #expect(result.lines.first?.hasPrefix(#"{"schema":1,"key":1,"error":{"kind":"\#(kind)""#) == true, "\(result.lines)")
                #expect(result.lines.last?.hasPrefix(#"{"schema":1,"key":3,"error":{"kind":"no-report""#) == true, "\(result.lines)")
                // Nor is there another line on standard error.
                #expect(result.errors.hasPrefix("records: 2, errors: 2, seconds: "), "\(result.errors)")
                #expect(result.errors.count { $0 == "\n" } == 1, "\(result.errors)")
            }
        }
    }

    /// A request, its reply, the next request: a caller that waits for each never hangs.
    @Test func `a reply comes before the next request`() throws {
        let running = try RunningCairn(["stream", "--quiet"])
        for number in 0..<20 {
            running.send(#"{"id":\#(number),"log":"no report"}"#)
            let line = try #require(running.line())
            #expect(line.hasPrefix(#"{"schema":1,"id":\#(number),"error":{"kind":"no-report""#), "\(line)")
        }
        let end = running.finish()
        #expect(end.status == 0 && end.output.isEmpty && end.errors.isEmpty)
    }

    /// Whatever takes a process away that reads logs, the stream goes on; and no process stays.
    @Test func `processes that read logs may be killed, and none stays`() throws {
        try check(
            #"""
            import json, os, select, signal, subprocess, sys
            cairn = sys.argv[1]
            def workers(parent):
                found = []
                for name in os.listdir("/proc"):
                    if not name.isdigit(): continue
                    try:
                        fields = open(f"/proc/{name}/stat").read().rsplit(")", 1)[1].split()
                    except OSError: continue
                    if int(fields[1]) == parent and fields[0] != "Z": found.append(int(name))
                return found
            run = subprocess.Popen([cairn, "stream"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={})
            for number in range(5):
                run.stdin.write(b'{"key":%d,"log":"x"}\n' % number)
                run.stdin.flush()
                assert json.loads(run.stdout.readline())["key"] == number
                (worker,) = workers(run.pid)
                os.kill(worker, signal.SIGKILL)
            run.stdin.write(b'{"key":5,"log":"x"}\n')
            run.stdin.flush()
            assert json.loads(run.stdout.readline())["error"]["kind"] == "no-report"
            (worker,) = workers(run.pid)
            end = os.pidfd_open(worker)
            run.kill()
            run.wait()
            if not select.select([end], [], [], 60)[0]: raise Exception("a process stays")
            # An output that nobody reads any more.
            run = subprocess.Popen([cairn, "stream"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={})
            run.stdout.close()
            try: run.communicate(b'{"log":"x"}\n' * 1000, timeout=60)
            except BrokenPipeError: run.wait(60)
            assert run.returncode not in (0, 64), run.returncode
            print("ok")
            """#, TestPaths.cairn)
    }

    @Test func `what cannot be right is refused before the first record`() throws {
        for arguments in [["--jobs", "0"], ["--input", "xml"], ["--no-such-option"], ["--time-limit", "0"], ["file.ndjson"]] {
            let result = try cairn(["stream"] + arguments, input: "{}\n")
            #expect(
                result.status == 64 && result.output.isEmpty && result.errors.contains("(see cairn stream --help)"), "\(result.errors)")
        }
        let missing = try cairn("stream", "--symbols", "/nonexistent/symbols", input: "{}\n")
        #expect(missing.status == 1 && missing.output.isEmpty && missing.errors.contains("/nonexistent/symbols: no such file"))
        let empty = try cairn("stream")
        #expect(empty.status == 0 && empty.output.isEmpty && empty.errors.hasPrefix("records: 0, errors: 0, seconds: "))
    }

    /// Four processes with one cache make each index once, whole, and say the same; and an
    /// index that was made before is used.
    @Test func `processes share the index cache`() throws {
        try withTemporaryFolder { folder in
            let log = TestPaths.fixture("logs/sanitizer-asan/Sanitizers-clang-address/log.txt")
            let example = "binaries/Sanitizers/out"
            let single = try cairn("index", "--for", log, "--symbols", example, "--index-cache", folder + "/single")
            // The program, its library, and the C library where this machine has its symbols.
            #expect(single.status == 0 && (2...3).contains(single.lines.count), "\(single.output)\(single.errors)")
            #expect(single.output.contains("out/clang-address/libstore.so.debug"))
            try check(
                #"""
                import os, subprocess, sys
                cairn, folder, log, example, directory = sys.argv[1:]
                def start(*words): return subprocess.Popen([cairn, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=directory)
                shared = folder + "/shared"
                programs = [start("index", "--for", log, "--symbols", example, "--index-cache", shared) for _ in range(6)]
                said = {program.communicate()[0] for program in programs}
                assert len(said) == 1 and all(program.returncode == 0 for program in programs), said
                content = lambda path: {name: open(f"{path}/indexes/{name}", "rb").read() for name in os.listdir(path + "/indexes")}
                assert content(shared) == content(folder + "/single") and len(content(shared)) >= 2
                record = ('{"path":"%s"}\n' % log).encode()
                programs = [start("stream", "--quiet", "--index-cache", shared, "--symbols", example) for _ in range(4)]
                said = {program.communicate(record * 20)[0] for program in programs}
                assert len(said) == 1 and said.pop().count(b"store::read") >= 20
                assert content(shared) == content(folder + "/single")
                # The one that is there is used: a name that was changed in it is what comes out.
                (name,) = [name for name, data in content(shared).items() if b"_ZN5storeL4read" in data]
                data = content(shared)[name]
                open(f"{shared}/indexes/{name}", "wb").write(data.replace(b"_ZN5storeL4read", b"_ZN5storeL4reab"))
                said = start("stream", "--quiet", "--index-cache", shared, "--symbols", example).communicate(record)[0]
                assert b"store::reab" in said, said
                print("ok")
                """#, TestPaths.cairn, folder, log, example, TestPaths.fixture(""))
        }
    }
}
