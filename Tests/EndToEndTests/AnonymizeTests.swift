import TestSupport
import Testing

/// `cairn anonymize` over all logs: nobody's name is left, and the results are the same.
struct AnonymizeTests {
    /// The logs by themselves, numbered, in one folder. Dumps and what is compressed are left out,
    /// as the command refuses them.
    private func gather(into folder: String) throws {
        let script = """
            import os, sys
            number = 0
            for root in sys.argv[2:]:
                for parent, folders, names in os.walk(root):
                    folders.sort()
                    for name in sorted(names):
                        with open(os.path.join(parent, name), "rb") as file: data = file.read()
                        if name.startswith(("expected", "README", "addresses")) or data[:4] == b"MDMP" or data[:2] in (b"\\x1f\\x8b", b"\\x78\\x9c"): continue
                        number += 1
                        with open(f"{sys.argv[1]}/{number:04}-{name}", "wb") as file: file.write(data)
            """
        let roots = [TestPaths.fixture("logs")] + (TestPaths.corpus.map { [$0 + "/logs"] } ?? [])
        try run("python3", ["-c", script, folder] + roots).requireSuccess()
    }

    /// Searches with regular expressions for private data that a person would look for in the
    /// original logs: none of it may be left. Prints what is left, and how much was looked for.
    private let search = #"""
        import collections, os, re, sys
        NOBODY = {b"user", b"username", b"localhost", b"localhost.localdomain", b"root", b"*", b"shared", b"true"}
        SEPARATOR = rb"(?:/|\\/|\\\\|\\)"
        KINDS = [(kind, re.compile(pattern, re.M | re.I * (kind != "mail"))) for kind, pattern in [
            ("home", rb"(?:(?<=[^A-Za-z0-9])|^|/var)" + SEPARATOR + rb"(?:Users|home)" + SEPARATOR + rb"([^/\\\s\"':,;)<>\]|]+)"),
            ("key", rb"^\s*(?:CrashReporter Key|Anonymous UUID|Sleep/Wake UUID|Machine ID|Boot ID):[ \t]*([^\r\n]+)"),
            ("key", rb'"(?:crashReporterKey|deviceIdentifierForVendor|sleepWakeUUID|bootSessionUUID|device_app_hash|ip_address|device_id|serial|user_id)"\s*:\s*"([^"\n]+)"'),
            ("host", rb"^\s*(?:Hostname|Host Name):[ \t]*(\S+)"),
            ("host", rb"^(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d ([\w.-]+) \S+:"),
            ("field", rb'"(?:server_name|hostname|email|username)"\s*:\s*"([^"\n]+)"'),
            ("container", rb"(?:Applications?|AppGroup|CoreSimulator(?:/|\\/)Devices)" + SEPARATOR + rb"([0-9A-F]{8}-[0-9A-F-]{27})" + SEPARATOR),
            ("user", rb"(?:UID|GID):[ \t]*\d+ \(([^)]+)\)"), ("variable", rb"(?<![\w.])(?:USER|LOGNAME|USERNAME|HOSTNAME)=([\w.-]+)"),
            ("mail", rb"\b([\w.+-]+@[a-z][\w-]*(?:\.[\w-]+)*\.(?:com|org|net|de|edu|io))\b")]]
        counts = collections.Counter()
        for name in sorted(os.listdir(sys.argv[1])):
            with open(f"{sys.argv[1]}/{name}", "rb") as file: before = file.read()
            with open(f"{sys.argv[2]}/{name}", "rb") as file: after = file.read()
            for kind, pattern in KINDS:
                for value in {match[1].strip() for match in pattern.finditer(before)}:
                    if value.lower() in NOBODY or set(value) <= set(b"0-") : continue
                    counts[kind] += 1
                    # A name may be a word too: `example` of a host and of org.example. Where names stand, none is left.
                    left = {match[1].strip() for match in pattern.finditer(after)} if kind in ("home", "host") and len(value) < 8 else set()
                    anywhere = re.search(rb"(?<![A-Za-z0-9])" + re.escape(value) + rb"(?![A-Za-z0-9])", after)
                    if value in left or (anywhere and (kind not in ("home", "host") or len(value) >= 8)): print("left", kind, value, name)
        print("looked for", dict(sorted(counts.items())))
        """#

    /// The JSON of both, member by member: only texts that contained something may differ, and of
    /// paths the last part stays.
    private let compare = #"""
        import json, sys
        def last(path): return path.replace("\\", "/").split("/")[-1]
        def compare(path, a, b, log):
            if type(a) is not type(b): print(log, path, "is of another kind")
            elif isinstance(a, dict):
                if a.keys() != b.keys(): print(log, path, set(a) ^ set(b))
                for key in a.keys() & b.keys(): compare(f"{path}.{key}", a[key], b[key], log)
            elif isinstance(a, list):
                if len(a) != len(b): print(log, path, len(a), len(b))
                for one, other in zip(a, b): compare(path + "[]", one, other, log)
            elif a != b and path != ".log":
                is_path = path.endswith((".path", ".file", ".process.identifier")) and last(a) == last(b)
                is_message = path == ".cause.message" and "/Users/" in a
                if not is_path and not is_message: print(log, path, repr(a), repr(b))
        before, after = ([json.loads(line) for line in open(name, encoding="utf-8")] for name in sys.argv[1:3])
        if len(before) != len(after): print(len(before), len(after))
        for a, b in zip(before, after): compare("", a, b, a["log"])
        print("compared", len(before))
        """#

    @Test func `no name is left of any log, and its answers are the same`() throws {
        try withTemporaryFolder { folder in
            for name in ["before", "after", "again"] { try makeFolders(folder + "/" + name) }
            try gather(into: folder + "/before")
            let logs = try run("ls", [folder + "/before"]).lines
            try run(TestPaths.cairn, ["anonymize"] + logs.map { folder + "/before/" + $0 } + ["-o", folder + "/after"]).requireSuccess()
            #expect(try run("ls", [folder + "/after"]).lines == logs)
            let left = try run("python3", ["-c", search, folder + "/before", folder + "/after"])
            #expect(
                left.status == 0 && left.lines.count == 1 && left.output.hasPrefix("looked for {"),
                "\(left.output)\(left.errors)")
            print(left.output)
            var symbols = ["--symbols", TestPaths.fixture("binaries")]
            if let corpus = TestPaths.corpus { symbols += ["--symbols", corpus + "/objects"] }
            for name in ["before", "after"] {
                let answered = try run(
                    TestPaths.cairn, ["symbolicate", "--quiet", "--format", "json"] + symbols + logs.map { "\(folder)/\(name)/\($0)" })
                try writeFile("\(folder)/\(name).ndjson", Array(answered.output.utf8))
            }
            let compared = try run("python3", ["-c", compare, folder + "/before.ndjson", folder + "/after.ndjson"])
            #expect(compared.lines.count == 1 && compared.output.hasPrefix("compared "), "\(compared.output)\(compared.errors)")
        }
    }

    @Test func `to standard output, a file and a folder; never over a log`() throws {
        try withTemporaryFolder { folder in
            for name in ["a", "b"] {
                try makeFolders(folder + "/" + name)
                try writeFile("\(folder)/\(name)/app.log", Array("Path: /home/johndoe/\(name)\n".utf8))
            }
            let log = folder + "/a/app.log"
            #expect(try run(TestPaths.cairn, ["anonymize", log]).output == "Path: /home/user001/a\n")
            #expect(try run(TestPaths.cairn, ["anonymize", "-"], input: Array("USER=johndoe\n".utf8)).output == "USER=user001\n")
            #expect(try run(TestPaths.cairn, ["anonymize", log, "-o", folder + "/shared.log"]).output.isEmpty)
            #expect(try run("cat", [folder + "/shared.log"]).output == "Path: /home/user001/a\n")
            let both = try run(TestPaths.cairn, ["anonymize", log, folder + "/b/app.log", folder + "/none.log", "-o", folder + "/shared"])
            #expect(both.status == 1 && both.errors.hasPrefix("cairn: error: \(folder)/none.log: "))
            #expect(
                try run("cat", [folder + "/shared/app.log", folder + "/shared/app-2.log"]).output
                    == "Path: /home/user001/a\nPath: /home/user001/b\n")
            let refused = try run(TestPaths.cairn, ["anonymize", log, "-o", log])
            #expect(
                refused.status == 1
                    && refused.errors
                        == "cairn: error: \(log): it is one of the logs, and cairn never changes its input. Choose another path\n"
            )
            #expect(try run("cat", [log]).output == "Path: /home/johndoe/a\n")
        }
    }

    /// Dumps hold the memory of whoever crashed: nothing that is looked for by its text can be
    /// found in all of them.
    @Test func `a dump is refused`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/a.dmp", Array("MDMP/home/johndoe/".utf8))
            let result = try run(TestPaths.cairn, ["anonymize", folder + "/a.dmp", "-o", folder + "/b.dmp"])
            #expect(result.status == 1 && result.errors.contains("this is a minidump, which may hold anything that the program knew"))
            #expect(try run("test", ["-e", folder + "/b.dmp"]).status == 1)
        }
    }
}
