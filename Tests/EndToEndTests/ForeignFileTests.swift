import TestSupport
import Testing

/// Files that are no text, and files that are no logs: one line says what to do, and nothing of
/// them is written out.
struct ForeignFileTests {
    private func refused(_ bytes: [UInt8], _ name: String, _ message: String, commands: [String] = ["symbolicate", "filter", "anonymize"])
        throws
    {
        try withTemporaryFolder { folder in
            let path = folder + "/" + name
            try writeFile(path, bytes)
            for arguments in [[path], [path, "-o", folder + "/out"], [path, "--format", "text"], ["anonymize", path]] {
                let result = try cairn(arguments)
                #expect(result.status == 1 && result.standardOutput.isEmpty, "\(arguments)")
                #expect(
                    result.errors.hasPrefix("cairn: error: \(path): ") && result.errors.split(separator: "\n").count == 1,
                    "\(result.errors)")
                #expect(result.errors.contains(message), "\(result.errors)")
            }
            #expect(try run("test", ["-e", folder + "/out"]).status == 1)
            for command in commands {
                let piped = try run("sh", ["-c", "'\(TestPaths.cairn)' \(command) < '\(path)'"])
                #expect(piped.status == 1 && piped.standardOutput.isEmpty, "\(command): \(piped.errors)")
            }
        }
    }

    @Test func `a core file is not written to standard output`() throws {
        // An ELF header of a little-endian machine with 64 bits, `e_type` 4, and a secret.
        let header =
            Array("\u{7F}ELF\u{2}\u{1}\u{1}".utf8) + [UInt8](repeating: 0, count: 9) + [4, 0, 62, 0] + [UInt8](repeating: 0, count: 44)
        try withTemporaryFolder { folder in
            let path = folder + "/core"
            try writeFile(path, header + Array("TOKEN=hunter2".utf8))
            // It has no program headers.
            for arguments in [[path], [path, "-o", folder + "/out"], [path, "--format", "text"], ["inspect", path]] {
                let result = try cairn(arguments)
                #expect(result.status == 1 && result.standardOutput.isEmpty, "\(arguments)")
                #expect(result.errors == "cairn: error: \(path): the file is not an ELF core file\n")
            }
            #expect(try run("test", ["-e", folder + "/out"]).status == 1)
            let shared = try cairn("anonymize", path)
            #expect(shared.status == 1 && shared.standardOutput.isEmpty)
            #expect(
                shared.errors
                    == "cairn: error: \(path): this is a core file, which may hold anything that the program knew. Share a report of it: cairn --format text \(path) | cairn anonymize -\n"
            )
            let piped = try run("sh", ["-c", "'\(TestPaths.cairn)' filter < '\(path)'"])
            #expect(piped.status == 1 && piped.standardOutput.isEmpty)
            #expect(piped.errors.contains("this is a core file, not a log. Read it with: cairn FILE"), "\(piped.errors)")
        }
    }

    @Test func `a program is not written to standard output`() throws {
        try refused(
            try readFile("/bin/true"), "a.out",
            "this is an ELF file (a program, a library or debug information), not a log. To use it for symbols: cairn LOG --symbols ")
    }

    /// First bytes as the formats' documents have them: 0xFEEDFACF (mach-o/loader.h), `PK\3\4`
    /// (APPNOTE.TXT).
    @Test(
        arguments: [
            ("a.out", [0xCF, 0xFA, 0xED, 0xFE], "this is a Mach-O file"),
            ("x.zip", [0x50, 0x4B, 0x03, 0x04], "this is an archive (zip), not a log."),
        ] as [(String, [UInt8], String)])
    func `a file of another kind is not written to standard output`(name: String, magic: [UInt8], message: String) throws {
        try refused(magic + [UInt8](repeating: 0, count: 200) + Array("TOKEN=hunter2".utf8), name, message)
    }

    @Test func `of a compressed core nothing is written either`() throws {
        try withTemporaryFolder { folder in
            let header = Array("\u{7F}ELF\u{2}\u{1}\u{1}".utf8) + [UInt8](repeating: 0, count: 9) + [4, 0, 62, 0]
            try writeFile(folder + "/core", header + [UInt8](repeating: 0, count: 44) + Array("TOKEN=hunter2".utf8))
            _ = try run("gzip", [folder + "/core"])
            let result = try cairn(folder + "/core.gz")
            #expect(result.status == 1 && result.standardOutput.isEmpty)
            #expect(result.errors == "cairn: error: \(folder)/core.gz: the file is not an ELF core file\n", "\(result.errors)")
            let piped = try run("sh", ["-c", "'\(TestPaths.cairn)' < '\(folder)/core.gz'"])
            #expect(piped.status == 1 && piped.standardOutput.isEmpty)
            #expect(piped.errors == "cairn: error: standard input: the file is not an ELF core file\n", "\(piped.errors)")
        }
    }

    @Test func `other bytes that are no text are not written to standard output`() throws {
        try refused(
            (0..<9000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 5) }, "x.bin", "this is not text",
            commands: ["symbolicate", "anonymize"])
    }

    @Test func `an archive says how its logs are read`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/a.log", Array("a\n".utf8))
            _ = try run("tar", ["-czf", "a.tgz", "a.log"], directory: folder)
            let result = try cairn(folder + "/a.tgz")
            #expect(result.status == 1 && result.standardOutput.isEmpty)
            #expect(
                result.errors
                    == "cairn: error: \(folder)/a.tgz: this is an archive (tar), compressed with gzip, not a log. Symbolicate it with: tar -xOf \(folder)/a.tgz | cairn -\n"
            )
        }
    }
}
