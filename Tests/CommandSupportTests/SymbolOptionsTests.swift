import ArgumentParser
import BinaryPrimitives
import SymbolFiles
import Symbolication
import TestSupport
import Testing

@testable import CommandSupport

/// The options that say how logs are read and where symbols are searched.
struct SymbolOptionsTests {
    private func parse(_ arguments: [String]) throws -> SymbolOptions { try SymbolOptions.parse(DebuginfodOptions.separated(arguments)) }

    /// Each row: arguments, and the words of the command that is printed for the user to paste;
    /// `sh` takes them apart.
    @Test(
        arguments: [
            ([], []), (["-s", "build/", "--symbols", "a b"], ["-s", "build/", "-s", "a b"]),
            (["-s", "it's $HOME `x` \"y\" \\"], ["-s", "it's $HOME `x` \"y\" \\"]),
            // A path that begins like an option is written so that it is none.
            (["--symbols=-x"], ["-s", "./-x"]), (["-s", ""], ["-s", ""]),
            (
                ["--image", "tide=build/tide@0x5649090b0000", "--sysroot", "/mnt/a*", "--no-local", "--force"],
                ["--image", "tide=build/tide@0x5649090b0000", "--sysroot", "/mnt/a*", "--no-local", "--force"]
            ),
            (["--arch", "arm64", "--log-format", "apple-crash"], ["--log-format", "apple-crash", "--arch", "arm64"]),
            (["--debuginfod", "http://one.example/?a=b&c", "-s", "x"], ["-s", "x", "--debuginfod", "http://one.example/?a=b&c"]),
            (["--no-debuginfod"], ["--no-debuginfod"]),
            // Options that change only how results look are left out.
            (["--path-map", "/a=/b", "--source-root", "/src", "--no-index", "--index-cache", "/tmp"], []),
        ] as [([String], [String])])
    func `the options of a search are written as a shell's words`(arguments: [String], tokens: [String]) throws {
        let text = try parse(arguments).searchArguments
        let shell = try run("sh", ["-c", "for word in \(text); do printf '%s\\n' \"$word\"; done"])
        #expect(shell.lines == tokens && shell.errors == "")
    }

    @Test func `the option's entries for one path go in their order, the last one counts`() throws {
        let options = try parse(["--path-map", "/unit=/first", "--path-map", "/unit/a=/deep", "--path-map", "/unit=/last"])
        #expect(options.sourcePaths.map.rewritten("/unit/b.c") == "/last/b.c")
        #expect(options.sourcePaths.map.rewritten("/unit/a/b.c") == "/deep/b.c")
        #expect(options.sourcePaths.map.rewritten("/units/b.c") == nil)
    }

    @Test(arguments: [
        (["--image", "tide"], "--image tide: no = in it: expected NAME=PATH or NAME=PATH@BASE"),
        (["--path-map", "/a"], "--path-map /a: no = in it: expected OLD=NEW"),
        (["--log-format", "nothing"], "no such log format: nothing. Run: cairn formats"),
        (["--arch", "z80"], "no such architecture: z80. Use a name like x86_64, arm64, armv7 or riscv64"),
    ])
    func `what cannot be meant is refused in a line`(arguments: [String], message: String) {
        let error = #expect(throws: (any Error).self) { _ = try parse(arguments) }
        #expect(error.map { SymbolOptions.message(for: $0) } == message)
    }

    /// `uname -m` has aarch64 and x86_64, Go and Debian amd64, compilers i686.
    @Test(
        arguments: [
            ("arm64", .arm64), ("aarch64", .arm64), ("amd64", .x86_64), ("X86_64", .x86_64), ("x64", .x86_64), ("i686", .i386),
            ("arm64e", .arm64e), ("sparc64", Architecture("sparcv9")), ("sparc", Architecture("sparc")),
        ] as [(String, Architecture)])
    func `an architecture is called as machines and compilers call it`(text: String, architecture: Architecture) throws {
        #expect(try parse(["--arch", text]).symbolication.architecture == architecture)
    }

    @Test func `files of this machine count unless the user says that they do not`() throws {
        let log = TestPaths.fixture("README.md")
        #expect(try parse([]).origin(of: log) != nil && parse([]).originOfLiveLog != nil)
        #expect(try parse(["--no-local"]).origin(of: log) == nil && parse(["--no-local"]).originOfLiveLog == nil)
    }

    /// Every place that the user names has to be there; those that a command adds by itself need
    /// not.
    @Test func `a place that is missing is a failure`() throws {
        try withTemporaryFolder { (folder: String) throws -> Void in
            try writeFile(folder + "/file", [])
            func isComplete(_ arguments: [String], locations: [String] = []) throws -> Bool {
                try parse(arguments + ["--no-index", "--no-debuginfod"]).provider(nil, locations: locations).isComplete
            }
            #expect(try isComplete(["-s", folder, "--source-root", folder, "--sysroot", folder], locations: [folder + "/none"]))
            for wrong in [
                ["-s", folder + "/none"], ["--image", "a=\(folder)/none"], ["--source-root", folder + "/file"],
                ["--sysroot", folder + "/file"],
            ] {
                #expect(try !isComplete(wrong), "\(wrong)")
            }
        }
    }
}
