import TestSupport
import Testing

/// `.cairn.json`, `--path-map` and `--source-root`. The log is symbolicated with CrashExample's
/// x86_64 slice, whose sources were compiled in /src.
struct SettingsTests {
    private let log = TestPaths.fixture("logs/nsexception-console/CrashExample/console.log")
    private let binary = TestPaths.fixture("binaries/CrashExample/out/CrashExample")
    private let bundle = TestPaths.fixture("binaries/CrashExample/out/CrashExample.dSYM")

    /// Runs the program in a folder with settings, and gives back what it says of `main`'s file.
    private func run(
        in folder: String, project: String? = nil, user: String? = nil, _ arguments: [String] = [], symbols: String? = nil
    ) throws -> (result: RunResult, file: String?) {
        try makeFolders(folder + "/project/below", folder + "/config/cairn")
        if let project { try writeFile(folder + "/project/.cairn.json", Array(project.utf8)) }
        if let user { try writeFile(folder + "/config/cairn/config.json", Array(user.utf8)) }
        let result = try TestSupport.run(
            TestPaths.cairn, [log, "-q", "--format", "json"] + (symbols.map { ["--symbols", $0] } ?? []) + arguments,
            environment: ["CAIRN_SYMBOLS": nil as String?, "XDG_CONFIG_HOME": folder + "/config"], directory: folder + "/project/below")
        let functions = try jsonLogs(result).first?.exceptionBacktrace?.frames.flatMap { $0.functions ?? [] } ?? []
        return (result, functions.first { $0.name == "main" }?.file)
    }

    @Test func `the nearest file upwards names symbols, relative to itself`() throws {
        try withTemporaryFolder { (folder: String) throws -> Void in
            try makeFolders(folder + "/project")
            _ = try TestSupport.run("cp", [binary, folder + "/project/CrashExample"])
            _ = try TestSupport.run("cp", ["-r", bundle, folder + "/project/CrashExample.dSYM"])
            #expect(try self.run(in: folder).file == nil)
            let found = try run(in: folder, project: #"{"symbols": ["CrashExample", "not-built-yet"]}"#)
            #expect(found.file == "/src/main.m")
            #expect(found.result.status == 0 && found.result.errors == "")
        }
    }

    @Test func `the project's file goes before the user's, key by key, and options before both`() throws {
        try withTemporaryFolder { (folder: String) throws -> Void in
            let user = #"{"pathMap": {"/src": "/user"}, "symbols": ["\#(binary)"]}"#
            #expect(try self.run(in: folder, user: user).file == "/user/main.m")
            let project = #"{"pathMap": {"/src": "/project", "/src/main.m": "/project/first.m"}}"#
            #expect(try self.run(in: folder, project: project, user: user).file == "/project/first.m")
            #expect(
                try run(in: folder, project: #"{"pathMap": {"/src": "/project"}}"#, user: user, ["--path-map", "/src=/option"]).file
                    == "/option/main.m")
        }
    }

    @Test func `settings at home, where no other folder is said`() throws {
        try withTemporaryFolder { (folder: String) throws -> Void in
            try makeFolders(folder + "/.config/cairn")
            try writeFile(folder + "/.config/cairn/config.json", Array(#"{"symbols": ["\#(binary)"]}"#.utf8))
            let result = try TestSupport.run(
                TestPaths.cairn, [log, "-q"],
                environment: ["CAIRN_SYMBOLS": nil as String?, "XDG_CONFIG_HOME": nil as String?, "HOME": folder], directory: folder)
            #expect(result.output.contains("main + 45 (main.m:9)"))
        }
    }

    @Test(arguments: [
        ("{\"symbols\": \"x\"}", "symbols: it is the string “x”: expected a list of paths"),
        ("{\"symbols\": [1]}", "symbols: an element is not a string: expected a list of paths"),
        ("{\"sourceRoots\": {}}", "sourceRoots: it is an object of another form: expected a list of folders"),
        ("{\"pathMap\": [\"/a\"]}", "pathMap: it is a list: expected an object with old paths as keys and new paths as values"),
        ("{\"pathMap\": {\"/a\": 1}}", "pathMap: it is an object of another form: expected an object with old paths as keys"),
        ("{\"ownCode\": null}", "ownCode: it is null: expected a list of names of images"),
        ("{\"debuginfod\": \"https://x\"}", "debuginfod: it is the string “https://x”: expected true, false or a list of servers' URLs"),
        ("{\"timeBudget\": 0}", "timeBudget: it is the number 0: expected a number of seconds"),
        ("{\"timeBudget\": \"5\"}", "timeBudget: it is the string “5”: expected a number"),
        ("{\"timeBudget\": 1e9}", "timeBudget: it is the number 1e9: expected a number"),
        ("{\"symbols\": [], \"symbols\": []}", "symbols: duplicate key"),
        ("[]", "not a JSON object: expected {…} with some of symbols"), ("{} {}", "not a JSON object"),
        ("", "the JSON document ends early at byte 0: expected a value"),
        ("{\"symbols\": [", "the JSON document ends early at byte 13"),
    ])
    func `what is wrong is one line with the file, the key and what was expected`(text: String, message: String) throws {
        try withTemporaryFolder { (folder: String) throws -> Void in
            let found = try run(in: folder, project: text, symbols: binary)
            let lines = found.result.errors.split(separator: "\n")
            #expect(lines.count == 1 && lines[0].contains("/project/.cairn.json: " + message), "\(found.result.errors)")
            // The log is symbolicated all the same.
            #expect(found.file == "/src/main.m" && found.result.status == 1)
        }
    }

    @Test func `what is right counts beside what is wrong`() throws {
        try withTemporaryFolder { (folder: String) throws -> Void in
            let all =
                #"{"symbols": ["\#(binary)"], "sourceRoots": ["src"], "pathMap": {"/src": "/x"}, "#
                + #""ownCode": ["App"], "debuginfod": false, "timeBudget": 2.5}"#
            #expect(try self.run(in: folder, project: all).result.status == 0)
            let unknown = #"{"symbols": ["\#(binary)"], "pathMap": {"/src": "/x"}, "no": 1}"#
            #expect(try self.run(in: folder, project: unknown).file == "/x/main.m")
        }
    }

    @Test(arguments: [
        ("symbol", "Did you mean symbols?"), ("SourceRoot", "Did you mean sourceRoots?"),
        ("color", "Expected one of symbols, sourceRoots, pathMap, ownCode, debuginfod, timeBudget"),
    ])
    func `a key that is not known is a warning`(key: String, message: String) throws {
        try withTemporaryFolder { (folder: String) throws -> Void in
            let found = try run(in: folder, project: "{\"\(key)\": []}", symbols: binary)
            #expect(found.result.errors == "cairn: warning: \(folder)/project/.cairn.json: \(key): unknown key. \(message)\n")
            #expect(found.result.status == 0 && found.file == "/src/main.m")
        }
    }

    @Test func `paths of the settings that do not exist are notes`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/.cairn.json", Array(#"{"symbols": ["gone"], "sourceRoots": ["lost", "\#(folder)"]}"#.utf8))
            let result = try TestSupport.run(
                TestPaths.cairn, [log, "--symbols", binary], environment: ["XDG_CONFIG_HOME": "/nonexistent"], directory: folder)
            let notes = result.errors.split(separator: "\n").filter { $0.hasPrefix("cairn: note: \(folder)/") }
            #expect(
                notes == [
                    "cairn: note: \(folder)/gone: no such file or directory (symbols in the settings)",
                    "cairn: note: \(folder)/lost: no such file or directory (sourceRoots in the settings)",
                ], "\(result.errors)")
            #expect(result.status == 0)
        }
    }

    // MARK: Options

    @Test func `a map of paths, in every output`() throws {
        try withTemporaryFolder { (folder: String) throws -> Void in
            #expect(
                try run(in: folder, ["--path-map", "/src=/home/me/app", "--path-map", "/sr=/no"], symbols: binary).file
                    == "/home/me/app/main.m")
        }
        let text = try cairn(log, "--symbols", binary, "--format", "text", "--path-map", "/src=/home/me").output
        #expect(text.contains("(/home/me/main.m:9)") && !text.contains("/src/"))
    }

    @Test(arguments: [
        ("x", "--path-map x: no = in it: expected OLD=NEW"), ("=x", "--path-map =x: the old path is empty: expected OLD=NEW"),
    ])
    func `wrong usage`(argument: String, message: String) throws {
        let result = try cairn(log, "--path-map", argument)
        #expect(result.status == 64 && result.errors.contains(message))
    }

    @Test func `paths below a root of sources are told from it on, if the file is there`() throws {
        try withTemporaryFolder { (folder: String) throws -> Void in
            try makeFolders(folder + "/tree/app")
            try writeFile(folder + "/tree/app/main.m", [])
            let map = ["--path-map", "/src=\(folder)/tree/app"]
            #expect(try self.run(in: folder, map + ["--source-root", folder + "/tree"], symbols: binary).file == "app/main.m")
            #expect(try self.run(in: folder, map, symbols: binary).file == folder + "/tree/app/main.m")
            // Another file of the program is not there.
            let found = try run(in: folder, map + ["--source-root", folder + "/tree"], symbols: binary).result.output
            #expect(found.contains(#""file":"\#(folder)/tree/app/CrashExampleAppDelegate.m""#))
            let missing = try run(in: folder, ["--source-root", folder + "/none"], symbols: binary).result
            #expect(missing.status == 1 && missing.errors.contains("/none: no such directory: expected a source directory"))
        }
    }

    /// Whoever keeps dSYM bundles writes beside the member where its sources are now. The user's
    /// map goes before, and goes on from there.
    @Test func `a bundle's own map of paths`() throws {
        try withTemporaryFolder { (folder: String) throws -> Void in
            _ = try TestSupport.run("cp", ["-r", bundle, folder + "/CrashExample.dSYM"])
            let member = folder + "/CrashExample.dSYM/Contents/Resources/DWARF/CrashExample"
            let inspected = try TestSupport.run(TestPaths.cairn, ["inspect", member]).output
            let uuids = inspected.matches(of: #/[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}/#).map { String($0.output) }
            #expect(uuids.count >= 2)
            for uuid in uuids {
                let list =
                    "<plist version=\"1.0\"><dict><key>DBGVersion</key><string>3</string><key>DBGSourcePathRemapping</key><dict><key>/src</key><string>/archive/42</string></dict></dict></plist>"
                try writeFile("\(folder)/CrashExample.dSYM/Contents/Resources/\(uuid).plist", Array(list.utf8))
            }
            let symbols = folder + "/CrashExample.dSYM"
            #expect(try self.run(in: folder, symbols: symbols).file == "/archive/42/main.m")
            #expect(try self.run(in: folder, ["--path-map", "/src=/mine"], symbols: symbols).file == "/mine/main.m")
            #expect(try self.run(in: folder, ["--path-map", "/archive=/mine"], symbols: symbols).file == "/mine/42/main.m")
        }
    }
}
