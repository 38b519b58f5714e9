import TestSupport
import Testing

/// Untrusted names in what gathers them: a store's results, tables and pages, and the reports of a
/// run of tests.
struct HostileStoreTests {
    private func python(_ script: String, _ arguments: [String]) throws -> [String] {
        let result = try run("python3", ["-c", script] + arguments)
        #expect(result.status == 0, "\(result.errors.suffix(600))")
        return result.lines
    }

    /// A store of the hostile logs, and one of the fixtures' Apple logs.
    private func withStores(_ body: (HostileScene, _ store: String, _ harmless: String) throws -> Void) throws {
        try HostileScene.with { scene in
            let (store, harmless) = (scene.folder + "/crashes.sqlite", scene.folder + "/harmless.sqlite")
            let made = try run(
                TestPaths.cairn,
                ["batch", scene.appleLogs, scene.sanitizerLog, scene.tree, "--store", store, "--symbols", scene.program, "--quiet"])
            // Some of the tree's files are damaged.
            try #require(made.status == 1, "\(made.errors)")
            let other = try run(
                TestPaths.cairn,
                [
                    "batch", TestPaths.fixture("logs/apple-crash"), TestPaths.fixture("logs/sanitizer-asan"), "--store", harmless,
                    "--symbols",
                    TestPaths.fixture("binaries/CrashExample/out"), "--quiet",
                ])
            try #require(other.status < 2, "\(other.errors)")
            try body(scene, store, harmless)
        }
    }

    @Test func `a store's answers and tables`() throws {
        try withStores { scene, store, harmless in
            let groups = try python(
                "import sqlite3, sys\nfor row in sqlite3.connect(sys.argv[1]).execute('SELECT id FROM crash_groups'): print(*row)", [store])
            try #require(groups.count > 5)
            var commands = [
                ["top", "--count", "1000"], ["diff", harmless, store], ["diff", store, harmless], ["search", "e"], ["search", "\u{1b}["],
                ["search", "::"],
            ]
            commands += groups.prefix(8).map { ["show", $0] }
            for command in commands {
                let storeOption = command[0] == "diff" ? [] : ["--store", store]
                for format in ["text", "json"] {
                    let result = try run(TestPaths.cairn, ["batch"] + command + ["--format", format] + storeOption)
                    #expect(result.status < 2, "\(command) \(result.errors)")
                    for output in [result.standardOutput, result.standardError] {
                        #expect(ShownText(output).commands.prefix(3) == [], "\(command) \(format)")
                        #expect(ShownText(output).serviceCommands.prefix(3) == [], "\(command) \(format)")
                    }
                    let shown = try scene.runOnTerminal(TestPaths.cairn, ["batch"] + command + ["--format", format] + storeOption)
                    #expect(ShownText(shown.shown, allowsColors: true).commands.prefix(3) == [], "\(command) \(format)")
                }
            }
            for what in ["groups", "reports", "frames"] {
                for format in ["csv", "json", "ndjson"] {
                    let path = "\(scene.folder)/\(what).\(format)"
                    try run(
                        TestPaths.cairn, ["batch", "export", "--what", what, "--format", format, "--store", store, "-o", path]
                    ).requireSuccess()
                    // A field of a table may have lines.
                    #expect(
                        ShownText(try readFile(path)).commands.filter { format != "csv" || $0 != "U+d" }.prefix(3) == [],
                        "\(what) \(format)")
                    let shown = try scene.runOnTerminal(
                        TestPaths.cairn, ["batch", "export", "--what", what, "--format", format, "--store", store])
                    #expect(ShownText(shown.shown).commands.prefix(3) == [], "\(what) \(format)")
                }
                let script = """
                    import csv, json, re, sys
                    path = sys.argv[1]
                    rows = json.load(open(path + ".json"))
                    lines = [json.loads(line) for line in open(path + ".ndjson", newline="\\n")]
                    table = list(csv.DictReader(open(path + ".csv", newline="", encoding="utf-8"), strict=True))
                    assert rows == lines and len(rows) == len(table) > 0
                    harmful = 0
                    for row, fields in zip(rows, table):
                        assert list(row) == list(fields) and None not in fields.values()
                        for name, field in fields.items():
                            # What a spreadsheet would run (OWASP, CSV Injection).
                            if re.match(r"[\\s\\u3000]*[=+\\-@\\uff1d\\uff0b\\uff0d\\uff20]", field) or field[:1] in ("\\t", "\\r", "\\n"): assert type(row[name]) is int, field
                            if isinstance(row[name], str) and field != row[name]: harmful += 1
                    print(harmful > 0)
                    """
                #expect(try python(script, ["\(scene.folder)/\(what)"]) == ["True"], "\(what)")
            }
        }
    }

    /// By the standard library's HTML parser: the elements and attributes are those of harmless
    /// logs' pages, and nothing leads or loads from elsewhere.
    @Test func `a store's pages`() throws {
        try withStores { scene, store, harmless in
            for (name, store) in [("pages", store), ("harmless", harmless)] {
                try run(TestPaths.cairn, ["batch", "report", "\(scene.folder)/\(name)-pages", "--store", store]).requireSuccess()
            }
            let script = """
                import html.parser, os, sys, urllib.parse
                class Reader(html.parser.HTMLParser):
                    def __init__(self):
                        super().__init__(convert_charrefs=True)
                        self.found, self.scripts, self.styles, self.open = set(), [], [], None
                    def handle_starttag(self, tag, attributes):
                        self.open = tag
                        for name, value in attributes + [("", "")]:
                            self.found.add((tag, name))
                            assert not name.startswith("on"), (tag, name)
                            if name in ("href", "src", "action", "xlink:href", "formaction"):
                                scheme = urllib.parse.urlparse(value).scheme
                                assert scheme in ("", "file"), value
                    def handle_endtag(self, tag): self.open = None
                    def handle_data(self, data):
                        if self.open == "script": self.scripts.append(data)
                        if self.open == "style": self.styles.append(data)
                    def handle_comment(self, data): raise AssertionError(data)
                    def handle_pi(self, data): raise AssertionError(data)
                def read(folder):
                    found, scripts = set(), set()
                    for root, _, files in os.walk(folder):
                        for file in files:
                            if not file.endswith(".html"): continue
                            reader = Reader()
                            reader.feed(open(os.path.join(root, file), encoding="utf-8").read())
                            reader.close()
                            found |= reader.found
                            scripts |= set(reader.scripts) | set(reader.styles)
                    return found, scripts
                hostile, harmless = read(sys.argv[1]), read(sys.argv[2])
                assert len(hostile[0]) > 20
                print(sorted(hostile[0] - harmless[0]), len(hostile[1] - harmless[1]))
                """
            // The harmless store has nothing unread.
            let differing = try python(script, [scene.folder + "/pages-pages", scene.folder + "/harmless-pages"])
            #expect(differing == ["[] 0"], "\(differing)")
            for path in TestPaths.files(under: scene.folder + "/pages-pages") {
                #expect(ShownText(try readFile(path)).commands.prefix(3) == [], "\(path)")
            }
        }
    }

    /// A command that prints a stranger's crash: what cairn adds to its output are annotations, and
    /// nothing else that a service would obey.
    @Test func `what a run of tests leaves`() throws {
        try HostileScene.with { scene in
            let outputs = [
                "--summary", scene.folder + "/summary.md", "--sarif", scene.folder + "/x.sarif", "--junit", scene.folder + "/x.xml",
                "--code-quality", scene.folder + "/q.json",
            ]

            let result = try run(
                TestPaths.cairn,
                ["ci", "--annotations", "github", "--symbols", scene.program] + outputs + [
                    "--", "sh", "-c", "cat \"$1\"; exit 1", "sh", scene.sanitizerLog,
                ])
            #expect(result.status == 1, "\(result.errors)")
            let commands = ShownText(result.standardOutput).serviceCommands
            #expect(
                !commands.isEmpty
                    && commands.allSatisfy { $0.hasPrefix("::error ") || $0.hasPrefix("::warning ") || $0.hasPrefix("::notice ") },
                "\(commands)")
            #expect(ShownText(Array(commands.map { $0.dropFirst(2) }.joined(separator: "\n").utf8)).serviceCommands == [])
            #expect(ShownText(result.standardOutput).commands == [] && ShownText(result.standardError).commands == [])
            for path in outputs where path.hasPrefix("/") {
                let bytes = try readFile(path)
                #expect(ShownText(bytes).commands.prefix(3) == [] && ShownText(bytes).serviceCommands.prefix(3) == [], "\(path)")
            }
            #expect(try run("xmllint", ["--noout", scene.folder + "/x.xml"]).status == 0)
            #expect(
                try run(
                    "python3",
                    [
                        "-c", "import json, sys\nfor path in sys.argv[1:]: json.load(open(path))", scene.folder + "/x.sarif",
                        scene.folder + "/q.json",
                    ]
                ).status == 0)
        }
    }
}
