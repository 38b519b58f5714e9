import TestSupport
import Testing

private let jsonschema = Python.interpreter(with: "jsonschema")

/// `Documentation/schemas`: what the commands write as JSON fits, and has no key that is not
/// documented.
@Suite(.enabled(if: jsonschema != nil, "no Python with jsonschema"))
struct DocumentationSchemaTests {
    /// Reads lines of JSON. Prints what does not fit the schema, and keys of the schema that no
    /// line has. Published schemas allow more, because outputs grow; here a key that they lack is
    /// an error.
    private static let validator = #"""
        import json, sys
        import jsonschema

        def closed(schema, seen):
            if isinstance(schema, list): return [closed(part, seen) for part in schema]
            if not isinstance(schema, dict): return schema
            made = {key: closed(value, seen) for key, value in schema.items()}
            if isinstance(made.get("properties"), dict):
                made["additionalProperties"] = False
                seen.update(dict.fromkeys(made["properties"], False))
            return made

        def keys(value):
            if isinstance(value, dict): yield from value
            for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []: yield from keys(part)

        path, *rare = sys.argv[1:]
        schema, seen = json.load(open(path, encoding="utf-8")), {}
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(closed(schema, seen))
        lines = [json.loads(line) for line in sys.stdin if line.strip()]
        for number, line in enumerate(lines, 1):
            for error in validator.iter_errors(line):
                print(f"line {number}: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")
            seen.update(dict.fromkeys(keys(line), True))
        for key in sorted(key for key, found in seen.items() if not found and key not in rare): print("no line has", key)
        print(len(lines))
        """#

    /// - Parameter rare: keys that these lines need not have.
    private func check(_ schema: String, _ lines: [UInt8], rare: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        let python = try #require(jsonschema)
        let path = TestPaths.root + "/Documentation/schemas/\(schema).json"
        let result = try run(python, ["-c", Self.validator, path] + rare, input: lines)
        let problems = result.lines.dropLast()
        #expect(result.status == 0 && problems.isEmpty, "\(schema): \(result.output)\(result.errors)", sourceLocation: sourceLocation)
        #expect((result.lines.last.flatMap { Int($0) } ?? 0) > 0, "\(schema): no output", sourceLocation: sourceLocation)
    }

    /// In the order of the schemas' pages: the outputs of every log in the fixtures.
    @Test func `symbolicated logs`() throws {
        let core = TestPaths.root + "/Fixtures/memory/counter"
        try withTemporaryFolder { folder in
            let recursion = folder + "/recursion.txt"
            try writeFile(recursion, Array(String(repeating: "/bin/fib(+0x1139)[0x555555555139]\n", count: 20).utf8))
            let logs = fixtureLogs + [core + ".core.xz", recursion]
            let result = try cairn(["--format", "json", "-q", "-s", "binaries", "-s", core] + logs)
            try check("symbolicate", result.standardOutput, rare: "alternative", "note", "symbolVersion", "messageSource")
        }
    }

    @Test func explanations() throws {
        let result = try cairn(["explain", "--format", "json", "-s", "binaries"] + fixtureLogs)
        try check("explain", result.standardOutput)
    }

    @Test func `a store of symbols`() throws {
        try check("symbols-list", try cairn("symbols", "list", "--format", "json", "binaries").standardOutput)
    }

    @Test func `inspected objects`() throws {
        let result = try cairn(
            "inspect", "--format", "json", "binaries/CrashExample/out/CrashExample.dSYM", "binaries/CrashExample/out/CrashExample",
            "binaries/SwiftCrash/out/SwiftCrash", "hostile/pe/functions-x86_64", "memory/counter.core.xz", "hostile/shared-cache/named")
        try check(
            "inspect", result.standardOutput, rare: "compression", "debugFile", "debugLink", "debugMap", "notes", "objects", "origin",
            "problem", "problems", "sizeInFile", "name", "checksum", "dwarfVersions")
    }

    @Test func `formats, and what logs are`() throws {
        let logs = ["logs/sanitizer-asan", "logs/apple-ips"].flatMap { part in fixtureLogs.filter { $0.contains(part) } }
        try withTemporaryFolder { folder in
            // A recording of perf begins so.
            try writeFile(folder + "/perf.data", Array("PERFILE2".utf8) + [UInt8](repeating: 0, count: 96))
            let result = try cairn(["formats", "--format", "json"] + logs + [folder + "/perf.data"])
            try check("formats", try cairn("formats", "--format", "json").standardOutput + result.standardOutput)
        }
    }

    @Test func `records of a stream`() throws {
        let core = TestPaths.root + "/Fixtures/memory/counter"
        // A log whose end is missing has a report all the same.
        let whole = try readFile(TestPaths.fixture("logs/sanitizer-asan/Sanitizers-clang-address/log.txt"))
        let cut = try run("sh", ["-c", "(cat; head -c 300000 /dev/urandom | od) | gzip | head -c 100000 | base64 -w 0"], input: whole)
            .output
        let records =
            (fixtureLogs + [core + ".core.xz"]).map { #"{"key":1,"columns":{"day":7},"path":"\#($0)"}"# } + [
                #"{"id":1,"columns":{}}"#, #"{"bytes":"\#(cut)"}"#,
            ]
        let result = try cairn(
            ["stream", "-q", "-s", "binaries", "-s", core, "--with", "report", "--with", "stack"],
            input: records.joined(separator: "\n"))
        try check("stream", result.standardOutput)
        // Records with an error are no signatures.
        try check("groups-merge", try cairn(["groups", "merge"], input: result.output).standardOutput)
        // A report is what `--format json` prints, but for the path of its log.
        let script = """
            import json, sys
            for line in sys.stdin:
                record = json.loads(line)
                for row in [record] + record.get("more", []):
                    if "report" in row: print(json.dumps({"log": "x", **row["report"]}))
            """
        let reports = try run("python3", ["-c", script], input: result.standardOutput)
        try check(
            "symbolicate", reports.standardOutput, rare: "alternative", "note", "symbolVersion", "messageSource", "repeated", "first",
            "times")
    }

    @Test func `questions to a store of crashes`() throws {
        try withTemporaryFolder { folder in
            let (first, second) = (folder + "/first.sqlite", folder + "/second.sqlite")
            for (store, parts) in [
                (first, ["apple-ips", "android-tombstone", "sanitizer-asan"]), (second, ["apple-ips", "rust-panic"]),
            ] {
                try #require(
                    try cairn(["batch", "--quiet", "--store", store, "-s", "binaries"] + parts.map { "logs/" + $0 }).status == 0)
            }
            func ask(_ arguments: String...) throws -> [UInt8] {
                try cairn(["batch"] + arguments + ["--format", "json"]).standardOutput
            }
            let top = try ask("top", "--store", first, "--count", "50") + ask("top", "--store", first, "--since", "2022-01-01")
            // Files that cannot be read, which root has none of.
            try check("batch-top", top, rare: "path", "problem")
            let groups = String(decoding: top, as: UTF8.self).split(separator: "\"id\":\"").dropFirst().map { String($0.prefix(16)) }
            var shown: [UInt8] = []
            for group in Set(groups) { shown += try ask("show", group, "--store", first) }
            // A group that was joined with another has former identifiers.
            try check("batch-show", shown, rare: "requestedAs", "formerIDs")
            try check("batch-search", try ask("search", "performTransition", "--store", first))
            let pages = folder + "/pages"
            try cairn("batch", "report", pages, "--store", first).requireSuccess()
            let reports = try TestPaths.files(under: pages + "/reports").filter { $0.hasSuffix(".json") }.flatMap { try readFile($0) }
            try check("batch-report", reports, rare: "name")
            try check("batch-diff", try ask("diff", first, second))
            let rows = try ["groups", "reports", "frames"].flatMap {
                try cairn("batch", "export", "--store", first, "--format", "ndjson", "--what", $0).standardOutput
            }
            try check("batch-export", rows)
        }
    }

    @Test func `debug information`() throws {
        let files = ["C/out/c-clang-dwarf5-O2", "CXX/out/cxx-gcc-types", "LineRules/out/vliw", "SplitUnits/out/split-clang5"].map {
            "binaries/" + $0
        }
        var lines = try cairn(
            ["dwarfdump", "--format", "json", "--debug-info", "--debug-types", "--debug-line", "--debug-aranges"] + files
        ).standardOutput
        lines += try cairn(
            "dwarfdump", "--format", "json", "--lookup", "0xdd9", "binaries/Sanitizers/out/clang-address/libstore.so.debug"
        )
        .standardOutput
        // These belong to machines and compilers that the files are not of.
        try check("dwarfdump", lines, rare: "beginsBlock", "isa")
    }
}
