import BinaryPrimitives
import TestSupport
import Testing

@testable import CrashLogFormats
@testable import CrashLogModel
@testable import CrashReports

/// Files about a crash that are not logs: named, with the command that makes a log of them.
struct ForeignFileTests {
    private func foreign(_ bytes: [UInt8]) -> ForeignFile? { CrashLog.parse(bytes.span).foreign }

    /// Real files of the corpus, in folders that have the names of their kinds.
    @Test(.enabled(if: TestPaths.corpus != nil, "there is no corpus"), arguments: ["minidump"])
    func `binary reports are named`(folder: String) {
        let paths = TestPaths.files(under: (TestPaths.corpus ?? "") + "/logs/" + folder)
        #expect(!paths.isEmpty)
        for path in paths {
            let log = CrashLog.parse(TestPaths.bytes(of: path).span)
            #expect(log.foreign?.name == folder, "\(path)")
            #expect(log.reports.isEmpty && log.problems.count == 1)
            #expect(log.pieces.map(\.range) == [0..<TestPaths.bytes(of: path).count])
        }
    }

    /// Real core files of a 32-bit and a 64-bit machine.
    @Test(.enabled(if: TestPaths.corpus != nil, "there is no corpus"), arguments: ["i386", "x86_64"])
    func `a core file is memory, and cairn reads it`(machine: String) throws {
        let path = (TestPaths.corpus ?? "") + "/objects/elfutils-core/backtrace.\(machine).core.xz"
        let packed = TestPaths.bytes(of: path)
        #expect(foreign(packed)?.pipeline(path: "a b.xz") == "xz -dc 'a b.xz' | cairn -")
        let core = try Self.unpacked(path)
        let found = try #require(foreign(core))
        #expect(found.name == "elf-core" && found.kind == "a core file" && found.command == "cairn")
        #expect(MemoryFormat(core.span) == .core)
        // Fewer bytes do not decide.
        for count in 1..<MemoryFormat.magicLength {
            let start = Array(core.prefix(count))
            #expect(MemoryFormat(start.span) == nil && MemoryFormat.mayBegin(start.span))
        }
    }

    private static func unpacked(_ path: String) throws -> [UInt8] {
        try withTemporaryFolder { folder in
            _ = try run("sh", ["-c", "xz -dc '\(path)' > '\(folder)/core'"])
            return try readFile(folder + "/core")
        }
    }

    /// The first bytes by the formats' documents.
    @Test(
        arguments: [
            ("gzip", [0x1F, 0x8B, 8, 0, 0, 0]), ("zstd", [0x28, 0xB5, 0x2F, 0xFD, 4]), ("zip", Array("PK\u{3}\u{4}\u{14}".utf8)),
            ("bzip2", Array("BZh91AY&SY".utf8)), ("perf-data", Array("PERFILE2....".utf8)), ("systemd-journal", Array("LPKSHHRH....".utf8)),
            ("tar", Array(repeating: 0x61, count: 257) + Array("ustar\u{0}00".utf8)),
        ] as [(String, [UInt8])]) func `what a log is packed in is named`(name: String, bytes: [UInt8])
    {
        #expect(foreign(bytes)?.name == name)
    }

    @Test(arguments: ["", "M", "MDM", "\u{7F}ELF", "BZh9 is text", "\u{8}\u{1}", "\u{12}\u{4}text\u{1A}\u{1}a\u{22}\u{1}b"])
    func `other beginnings are logs`(text: String) { #expect(foreign(Array(text.utf8)) == nil) }

    @Test func `a path stands in the command as one word`() {
        let file = ForeignFile(name: "x", kind: "x", command: "read")
        #expect(file.pipeline(path: "/a/b-1.dmp") == "read /a/b-1.dmp | cairn -")
        #expect(file.pipeline(path: "it's") == "read 'it'\\''s' | cairn -")
        #expect(file.pipeline(path: "-x") == "read ./'-x' | cairn -")
        #expect(file.pipeline(path: "") == "read '' | cairn -")
    }
}
