import TestSupport
import Testing

/// Files that are no text, and files that are no logs: one line says what to do, and nothing of them is written out.
struct ForeignFileTests {
    private func refused(_ bytes: [UInt8], _ name: String, _ words: String) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/" + name
            try writeFile(path, bytes)
            for arguments in [[path], [path, "-o", folder + "/out"], [path, "--format", "text"], ["anonymize", path]] {
                let result = try cairn(arguments)
                #expect(result.status == 1 && result.standardOutput.isEmpty, "\(arguments)")
                #expect(
                    result.errors.hasPrefix("cairn: error: \(path): ") && result.errors.split(separator: "\n").count == 1,
                    "\(result.errors)")
                #expect(result.errors.contains(words), "\(result.errors)")
            }
            #expect(try run("test", ["-e", folder + "/out"]).status == 1)
        }
    }

    @Test func `a core file is not written to standard output`() throws {
        // An ELF header of a little-endian machine with 64 bits, `e_type` 4, and a secret.
        let header =
            Array("\u{7F}ELF\u{2}\u{1}\u{1}".utf8) + [UInt8](repeating: 0, count: 9) + [4, 0, 62, 0] + [UInt8](repeating: 0, count: 44)
        try refused(header + Array("TOKEN=hunter2".utf8), "core", "this is a core file, not a log. Symbolicate it with: gdb -batch ")
    }

    @Test func `a program is not written to standard output`() throws {
        try refused(
            try readFile("/bin/true"), "a.out",
            "this is an ELF file (a program, a library or debug information), not a log. To use it for symbols: cairn LOG --symbols ")
    }

    @Test func `other bytes that are no text are not written to standard output`() throws {
        try refused((0..<9000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 5) }, "x.bin", "this is not text")
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
