import Foundation
import TestSupport
import Testing

/// `cairn index`: makes, lists, compares and removes indexes; and commands use them by themselves.
struct IndexTests {
    private let program = "binaries/CXX/out/cxx-gcc-dwarf5-O2"

    private func index(_ arguments: String..., cache: String) throws -> RunResult {
        try cairn(["index"] + arguments, environment: ["CAIRN_CACHE": cache])
    }

    private func files(in folder: String) -> [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() }

    @Test func `an index is kept, listed, compared, used and removed`() throws {
        try withTemporaryFolder { folder in
            #expect(try index("--list", cache: folder).output.isEmpty)
            let none = try index("--verify", program, cache: folder)
            #expect(none.status == 1 && none.errors.contains("no index in the cache. Run: cairn index \(program)"), "\(none.errors)")

            let made = try index(program, cache: folder)
            #expect(made.status == 0 && made.output.contains(".4.cairnidx: "), "\(made.errors)")
            #expect(files(in: folder + "/indexes").count == 1)
            let listed = try index("--list", cache: folder)
            #expect(listed.output.split(separator: "\n").count == 1 && listed.output.contains(folder + "/indexes/"))

            let compared = try index("--verify", program, cache: folder)
            #expect(compared.status == 0 && compared.output.hasSuffix(" lookups compared, 0 differ\n"), "\(compared.output)")
            let count = try #require(compared.output.split(separator: " ").dropFirst().first.flatMap { Int($0) })
            #expect(count > 500)

            // A page of its code, with the index and without.
            let addresses = (0..<4096).map { "0x" + String(0x1000 + $0, radix: 16) + "\n" }.joined()
            let with = try cairn(["llvm-symbolizer", "--obj=" + program], input: addresses, environment: ["CAIRN_CACHE": folder])
            let without = try cairn(
                ["llvm-symbolizer", "--obj=" + program], input: addresses, environment: ["CAIRN_CACHE": folder + "/none"])
            #expect(with.output == without.output && with.output.contains("main\n"))

            // addr2line prints which block of a line it is; GNU's (2.40) does so 194 times for this
            // page.
            let indexed = try cairn(["addr2line", "-fie", program], input: addresses, environment: ["CAIRN_CACHE": folder])
            let direct = try cairn(["addr2line", "-fie", program], input: addresses, environment: ["CAIRN_CACHE": folder + "/none"])
            #expect(indexed.output == direct.output)
            #expect(indexed.output.split(separator: "\n").count { $0.contains(" (discriminator ") } == 194)

            #expect(try index("--prune", cache: folder).output.isEmpty)
            let removed = try index("--prune", "--cap", "0", cache: folder)
            #expect(removed.output.hasPrefix("removed ") && files(in: folder + "/indexes").isEmpty)
        }
    }

    /// Shows that the index was used: one whose names were changed gives the changed name.
    @Test func `a kept index answers`() throws {
        try withTemporaryFolder { folder in
            let symbols = try cairn("llvm-symbolizer", "--obj=" + program, input: "0x0\n")
            #expect(symbols.status == 0)
            #expect(try index(program, cache: folder).status == 0)
            let path = folder + "/indexes/" + (try #require(files(in: folder + "/indexes").first))
            var bytes = TestPaths.bytes(of: path)
            let name = Array("main\0".utf8)
            let offset = try #require((0..<bytes.count - name.count).last { Array(bytes[$0..<$0 + name.count]) == name })
            bytes.replaceSubrange(offset..<offset + 4, with: Array("niam".utf8))
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let addresses = (0..<4096).map { "0x" + String(0x1000 + $0, radix: 16) + "\n" }.joined()
            func names(_ arguments: [String]) throws -> Bool {
                try cairn(arguments, input: addresses, environment: ["CAIRN_CACHE": folder]).output.contains("niam\n")
            }
            #expect(try names(["llvm-symbolizer", "--obj=" + program]))
            #expect(try names(["addr2line", "-fie", program]))
            // Its checksums show it.
            let compared = try index("--verify", program, cache: folder)
            #expect(
                compared.status == 1 && compared.errors.contains("the checksum of the table of nameTexts differs"), "\(compared.errors)")
        }
    }

    @Test func `two processes that make one index at once leave one that is whole`() throws {
        try withTemporaryFolder { folder in
            let single = try index(program, cache: folder + "/single")
            #expect(single.status == 0)
            let expected = TestPaths.bytes(of: folder + "/single/indexes/" + (try #require(files(in: folder + "/single/indexes").first)))
            let shared = folder + "/shared"
            let script = "cd \"$1\" && exec \"$2\" index \"$3\""
            var programs: [StartedProgram] = []
            for _ in 0..<6 {
                let commandLine = ["sh", "-c", script, "sh", TestPaths.fixture(""), TestPaths.cairn, program]
                programs.append(try StartedProgram(commandLine, environment: ["CAIRN_CACHE": shared]))
            }
            for program in programs {
                let result = program.finish()
                #expect(result.status == 0, "\(result.errors)")
            }
            let left = files(in: shared + "/indexes")
            #expect(left.count == 1 && left[0].hasSuffix(".cairnidx"))
            #expect(TestPaths.bytes(of: shared + "/indexes/" + left[0]) == expected)
        }
    }

    @Test func `index says why it makes none`() throws {
        try withTemporaryFolder { folder in
            #expect(try index(cache: folder).status == 64)
            #expect(try index("--gsym", "--verify", program, cache: folder).status == 64)
            let text = try index("logs/README.md", cache: folder)
            #expect(text.status == 1)
            let relocatable = try index("binaries/KernelModule/out/CrashModule.ko", cache: folder)
            #expect(relocatable.status == 1)
            let split = try index("binaries/SplitUnits/out/split-missing", "-o", folder + "/split.cairnidx", cache: folder)
            #expect(split.status == 1 && split.errors.contains("no index was built, so the file itself is used: "), "\(split.errors)")
            #expect(files(in: folder).isEmpty || files(in: folder) == ["indexes"])
            // Two slices, one directory that cannot be made: one line.
            try writeFile(folder + "/file", [])
            let fat = try index("binaries/CrashExample/out/CrashExample.dSYM", cache: folder + "/file/cache")
            #expect(fat.status == 1 && fat.errors.split(separator: "\n").count == 1, "\(fat.errors)")
        }
    }
}
