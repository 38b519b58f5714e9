import TestSupport
import Testing

@testable import CommandSupport

/// `.cairn.json`: the keys and values of Documentation/configuration.md.
struct SettingsReaderTests {
    private func read(_ text: String, _ body: (SettingsReader, _ folder: String) throws -> Void) throws {
        try withTemporaryFolder { (folder: String) throws -> Void in
            try writeFile(folder + "/.cairn.json", Array(text.utf8))
            try body(SettingsReader(path: folder + "/.cairn.json"), folder)
        }
    }

    @Test func `every key, with relative paths from the file's folder`() throws {
        let text = """
            { "symbols": ["build", "/srv/symbols"], "sourceRoots": ["Sources"], "pathMap": { "/build/agent": "/home/me" },
              "ownCode": ["App", "/opt/app"], "debuginfod": false, "timeBudget": 20 }
            """
        try read(text) { file, folder in
            #expect(file.problems.isEmpty)
            let settings = file.settings
            #expect(settings.symbols == [folder + "/build", "/srv/symbols"] && settings.sourceRoots == [folder + "/Sources"])
            // Neither a map's paths nor names of code are places on this machine.
            #expect(settings.pathMap == ["/build/agent": "/home/me"] && settings.ownCode == ["App", "/opt/app"])
            #expect(settings.debuginfod == .no && settings.timeBudget == 20)
        }
    }

    @Test(arguments: [
        ("true", Settings.Debuginfod.yes), ("false", .no), ("[]", .servers([])),
        (#"["https:\/\/a", "http://b"]"#, .servers(["https://a", "http://b"])),
    ])
    func `debuginfod is a word or a list of servers`(value: String, debuginfod: Settings.Debuginfod) throws {
        try read("{\"debuginfod\": \(value)}") { file, _ in
            #expect(file.settings.debuginfod == debuginfod && file.problems.isEmpty)
        }
    }

    @Test(
        arguments: [("0.5", 0.5), ("86400", 86_400), ("1e2", 100), ("86401", nil), ("0", nil), ("-1", nil), ("1e400", nil), ("null", nil)]
            as [(String, Double?)])
    func `a time budget is more than nothing and at most a day`(value: String, seconds: Double?) throws {
        try read("{\"timeBudget\": \(value)}") { file, folder in
            #expect(file.settings.timeBudget == seconds)
            #expect(file.problems.count == (seconds == nil ? 1 : 0))
            let start = "\(folder)/.cairn.json: timeBudget: it is "
            #expect(
                file.problems.allSatisfy {
                    $0.hasPrefix(start) && $0.hasSuffix(": expected a number of seconds, more than 0 and at most 86400")
                })
        }
    }

    /// A key's last byte may be wrong without taking the others away.
    @Test(arguments: [
        (#""sourceRoots": [1], "#, "sourceRoots: an element is not a string: expected a list of folders"),
        (#""sourceRoots": [""], "#, "sourceRoots: an element is not a string: expected a list of folders"),
        (#""pathMap": {"": "/x"}, "#, "pathMap: it is an object of another form: expected an object with old paths as keys"),
        (#""ownCode": ["B"], "ownCode": ["C"], "#, "ownCode: duplicate key"),
        (#""debuginfod": 1.5, "#, "debuginfod: it is the number 1.5: expected true, false or a list of servers' URLs"),
        (#""debuginfod": [true], "#, "debuginfod: it is a list: expected true, false or a list of servers' URLs"),
    ])
    func `what is wrong is one line, and the rest of the file counts`(wrong: String, message: String) throws {
        try read("{\(wrong)\"symbols\": [\"/a\"]}") { file, folder in
            #expect(file.problems.count == 1 && file.problems[0].hasPrefix("\(folder)/.cairn.json: \(message)"), "\(file.problems)")
            #expect(file.settings.symbols == ["/a"])
        }
    }

    /// A key may be of a later version: that is a remark, with the key that is meant where one is
    /// near.
    @Test(arguments: [
        ("symbol", "symbol: unknown key. Did you mean symbols?"),
        ("color", "color: unknown key. Expected one of symbols, sourceRoots, pathMap, ownCode, debuginfod, timeBudget"),
    ])
    func `a key that is not known is no failure`(key: String, message: String) throws {
        try read("{\"\(key)\": 1, \"symbols\": [\"/a\"]}") { file, folder in
            #expect(file.remarks == ["\(folder)/.cairn.json: \(message)"] && file.problems.isEmpty)
            #expect(file.settings.symbols == ["/a"])
        }
    }

    /// A mebibyte is the most. JSON allows white space after the value (RFC 8259, section 2), and
    /// nothing else.
    @Test(arguments: [(1 << 20, " ", true), ((1 << 20) + 1, " ", false), (20, "\n", true), (20, "x", false), (20, "\0", false)])
    func `a file is one object of at most a mebibyte`(size: Int, filler: String, isRead: Bool) throws {
        let object = #"{"ownCode": []}"#
        try read(object + String(repeating: filler, count: size - object.utf8.count)) { file, _ in
            #expect((file.settings.ownCode != nil) == isRead)
            #expect(file.problems.isEmpty == isRead)
        }
    }

    @Test func `a file that cannot be read is a problem with its name`() throws {
        try withTemporaryFolder { (folder: String) throws -> Void in
            let file = SettingsReader(path: folder + "/none.json")
            #expect(file.problems.count == 1 && file.problems[0].contains(folder + "/none.json"))
        }
    }

    // MARK: Which file counts

    @Test func `each key is taken from the first file that has it`() throws {
        try withTemporaryFolder { (folder: String) throws -> Void in
            let (near, far) = (folder + "/near.json", folder + "/far.json")
            try writeFile(near, Array(#"{"ownCode": ["near"], "pathMap": {"/a": "/near"}, "symbols": 1}"#.utf8))
            try writeFile(far, Array(#"{"ownCode": ["far"], "pathMap": {"/b": "/far"}, "timeBudget": 3, "debuginfod": true}"#.utf8))
            let force = ActiveSettings(paths: [near, far])
            #expect(force.settings.ownCode == ["near"] && force.settings.pathMap == ["/a": "/near"])
            #expect(force.settings.timeBudget == 3 && force.settings.debuginfod == .yes && force.settings.symbols == nil)
            #expect(force.problems.count == 1)
        }
    }

    /// The nearest file upwards, then `cairn/config.json` in `XDG_CONFIG_HOME`, or in `~/.config`
    /// where that is empty (XDG Base Directory Specification).
    @Test func `settings are those of the project and those of the user`() throws {
        try withTemporaryFolder { (folder: String) throws -> Void in
            try makeFolders(folder + "/project/below/deep", folder + "/xdg/cairn", folder + "/home/.config/cairn")
            let project = folder + "/project/.cairn.json"
            let (xdg, home) = (folder + "/xdg/cairn/config.json", folder + "/home/.config/cairn/config.json")
            func paths(_ variables: [String: String]) -> [String] {
                SettingsFiles.paths(environment: { variables[$0] }, workingDirectory: folder + "/project/below/deep")
            }
            let both = ["XDG_CONFIG_HOME": folder + "/xdg", "HOME": folder + "/home"]
            #expect(paths(both).isEmpty)
            for path in [project, xdg, home] { try writeFile(path, Array("{}".utf8)) }
            #expect(paths(both) == [project, xdg])
            #expect(paths(["XDG_CONFIG_HOME": "", "HOME": folder + "/home"]) == [project, home])
            #expect(paths(["HOME": folder + "/home"]) == [project, home] && paths([:]) == [project])
            // A nearer one hides the one above it.
            try writeFile(folder + "/project/below/.cairn.json", Array("{}".utf8))
            #expect(paths([:]) == [folder + "/project/below/.cairn.json"])
        }
    }
}
