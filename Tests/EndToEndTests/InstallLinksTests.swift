import TestSupport
import Testing

/// `cairn install-links`: links by the tools' names, and the built program called through them.
struct InstallLinksTests {
    private static let names = ["addr2line", "atos", "dwarfdump", "eu-addr2line", "llvm-addr2line", "llvm-dwarfdump", "llvm-symbolizer"]
    private let object = TestPaths.fixture("binaries/C/out/c-clang-dwarf5-O2")

    @Test(.enabled(if: Installed.has("llvm-symbolizer-19", "llvm-addr2line-19", "addr2line"), "llvm-19 or binutils is not installed"))
    func `every tool gets a link that is the tool`() throws {
        try withTemporaryFolder { folder in
            let made = try cairn("install-links", folder)
            #expect(made.status == 0)
            #expect(made.lines.map { String($0.prefix { $0 != " " }) } == Self.names.map { folder + "/" + $0 })
            // The originals' output, by names as packagers vary them.
            let address = try #require(try functionAddresses(object).first)
            for (name, peer) in [
                ("addr2line", "addr2line"), ("llvm-symbolizer", "llvm-symbolizer-19"), ("llvm-addr2line", "llvm-addr2line-19"),
            ] {
                let expected = try run(peer, ["-e", object, address]).output
                #expect(expected.contains(".c:"))
                #expect(try run(folder + "/" + name, ["-e", object, address]).output == expected)
            }
            let atos = try run(folder + "/atos", ["-o", object, address])
            #expect(atos.output.contains("(in c-clang-dwarf5-O2)"))
            // Found in `PATH`, where a program is given its bare name.
            let path = folder + ":" + (TestPaths.environment("PATH") ?? "/usr/bin:/bin")
            let found = try run("sh", ["-c", "atos -o \"$0\" \"$1\"", object, address], environment: ["PATH": path])
            #expect(found.output == atos.output)
        }
    }

    /// `dwarfdump` is a command of the program beside cairn.
    @Test(arguments: ["dwarfdump", "llvm-dwarfdump", "llvm-dwarfdump-19"])
    func `a link to a tool that a neighbour answers for runs the neighbour`(name: String) throws {
        try withTemporaryFolder { folder in
            _ = try run("cp", [TestPaths.cairn, folder + "/cairn"])
            try writeFile(folder + "/cairn-tools", Array("#!/bin/sh\necho \"dump:$*\"\nexit 7\n".utf8))
            _ = try run("chmod", ["+x", folder + "/cairn-tools"])
            try makeFolders(folder + "/links")
            #expect(try run(folder + "/cairn", ["install-links", folder + "/links"]).errors == "")
            _ = try run("ln", ["-sf", "../cairn", folder + "/links/" + name])
            let result = try run(folder + "/links/" + name, ["--uuid", "a b"])
            #expect(result.output == "dump:dwarfdump --uuid a b\n")
            #expect(result.status == 7)
        }
    }

    @Test func `a link to cairn is renewed, what else is there stays, and then nothing is made`() throws {
        try withTemporaryFolder { folder in
            // To a cairn that is gone.
            _ = try run("ln", ["-s", "/gone/bin/cairn", folder + "/atos"])
            let renewed = try cairn("install-links", folder, "atos")
            #expect(renewed.lines.map { $0.hasSuffix("(replaced)") } == [true])
            #expect(try run("readlink", [folder + "/atos"]).lines == run("readlink", ["-f", TestPaths.cairn]).lines)
            #expect(try cairn("install-links", folder, "atos").lines.map { $0.hasSuffix("(already there)") } == [true])

            try writeFile(folder + "/addr2line", Array("original".utf8))
            _ = try run("ln", ["-s", "/usr/bin/true", folder + "/llvm-symbolizer"])
            let refused = try cairn("install-links", folder)
            #expect(refused.status == 1)
            #expect(refused.output == "")
            #expect(
                refused.errors.split(separator: "\n") == [
                    "cairn: error: \(folder)/addr2line: it is another program. To replace it: --force",
                    "cairn: error: \(folder)/llvm-symbolizer: it is a link to /usr/bin/true. To replace it: --force",
                ])
            #expect(try run("ls", [folder]).lines == ["addr2line", "atos", "llvm-symbolizer"])
            #expect(try readFile(folder + "/addr2line") == Array("original".utf8))

            let forced = try cairn("install-links", "--force", folder)
            #expect(forced.status == 0)
            #expect(try run("ls", ["-A", folder]).lines == Self.names)
            for name in Self.names { #expect(try run("test", [folder + "/" + name, "-ef", TestPaths.cairn]).status == 0) }
        }
    }

    /// A user who installs the links beside the program may move the folder.
    @Test func `in the program's own folder links are relative, and the program is not replaced`() throws {
        try withTemporaryFolder { folder in
            _ = try run("cp", [TestPaths.cairn, folder + "/cairn"])
            _ = try run("ln", [folder + "/cairn", folder + "/atos"])
            let refused = try run(folder + "/cairn", ["install-links", "--force", folder, "atos"])
            #expect(refused.status == 1)
            #expect(refused.errors == "cairn: error: \(folder)/atos: it is cairn itself, and cannot be replaced with a link\n")
            #expect(try run(folder + "/cairn", ["install-links", folder, "addr2line"]).lines == ["\(folder)/addr2line -> cairn"])
        }
    }

    @Test func `wrong names and folders are told`() throws {
        try withTemporaryFolder { folder in
            #expect(try cairn("install-links", folder, "nm").status == 64)
            try makeFolders(folder + "/atos")
            for arguments in [[folder + "/none"], [folder, "atos", "--force"]] {
                let result = try cairn(["install-links"] + arguments)
                #expect(result.status == 1)
                #expect(result.errors.hasPrefix("cairn: error: \(folder)/"))
            }
            #expect(try run("ls", ["-A", folder]).lines == ["atos"])
        }
    }
}
