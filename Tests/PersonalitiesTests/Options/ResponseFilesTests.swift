import TestSupport
import Testing

@testable import Personalities

/// `@FILE` among a tool's arguments, as the GNU tools read it (`expandargv` and `buildargv` of
/// libiberty).
struct ResponseFilesTests {
    @Test(arguments: [
        (#"-f  '-a b'"c"\d "\"" '\'' ''"# + "\n\t-e\\ x", ["-f", "-a bcd", "\"", "'", "", "-e x"]), ("", []), (" \t\r\n\u{b}\u{c}", []),
        ("a\"b c\"d", ["ab cd"]), ("'\"' \"'\"", ["\"", "'"]), ("\\", [""]), ("'a b", ["a b"]), ("\"a\\ b\"", ["a b"]),
        ("größe ü", ["größe", "ü"]),
    ])
    func `white space separates words, quotes and backslashes keep it`(text: String, words: [String]) {
        #expect(ResponseFiles.arguments(in: Array(text.utf8).span) == words)
    }

    @Test func `a file's words replace its argument, files in files too`() throws {
        try withTemporaryFolder { (folder: String) throws -> Void in
            try writeFile(folder + "/outer", Array("-f @\(folder)/inner '@two words' last".utf8))
            try writeFile(folder + "/inner", Array("-e \"a b\"".utf8))
            try writeFile(folder + "/empty", [])
            let expanded = try ResponseFiles.expand(["0x1", "@" + folder + "/outer", "@" + folder + "/empty", "0x2"])
            #expect(expanded == ["0x1", "-f", "-e", "a b", "@two words", "last", "0x2"])
        }
    }

    @Test func `a file that cannot be read stays an argument`() throws {
        #expect(try ResponseFiles.expand(["@/no/such/file", "@", "a@b"]) == ["@/no/such/file", "@", "a@b"])
    }

    @Test func `a folder is misuse`() {
        #expect(throws: ResponseFiles.IsDirectory.self) { _ = try ResponseFiles.expand(["-f", "@/tmp"]) }
    }

    /// libiberty stops at 2000 files; a file that names itself would have no end.
    @Test func `a file that names itself is read no more than two thousand times`() throws {
        try withTemporaryFolder { (folder: String) throws -> Void in
            let argument = "@" + folder + "/self"
            try writeFile(folder + "/self", Array("x \(argument)".utf8))
            let expanded = try ResponseFiles.expand([argument])
            #expect(expanded.last == argument && expanded.count <= 2001 && expanded.dropLast().allSatisfy { $0 == "x" })
        }
    }
}
