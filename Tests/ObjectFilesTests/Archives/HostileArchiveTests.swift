import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

/// Archives that are cut, damaged or made to do harm: each is read or refused, and nothing traps,
/// hangs or grows.
struct HostileArchiveTests {
    /// Reads all that can be read.
    static func exercise(_ bytes: [UInt8], limits: Limits = .standard) throws {
        let file = try MappedFile(bytes: bytes.span.rawBytes, name: "archive")
        guard let archive = (try? FileArchive.open(file, limits: limits)) ?? nil else { return }
        for number in archive.members.indices {
            _ = try? archive.head(of: number, count: 4)
            _ = archive.start(of: number)
            if let contents = try? archive.contents(of: number) { #expect(contents.size == archive.members[number].size) }
        }
    }

    /// Archives of two small files, by the tools.
    static let small: [(String, [UInt8])] = {
        let scripts = [
            "zip -q -0 a.zip b c.so; cat a.zip", "zip -q -9 -fz a.zip b c.so; cat a.zip", "tar --format=gnu -cf - b c.so",
            "tar --format=pax -cf - b c.so",
            "tar -czf - b c.so", "tar -cJf - b c.so", "tar --zstd -cf - b c.so",
        ]
        return scripts.compactMap { script in
            try? withTemporaryFolder { folder in
                try writeFile(folder + "/b", Array(String(repeating: "hello ", count: 30).utf8))
                try writeFile(folder + "/c.so", Array("short".utf8))
                return (script, try run("sh", ["-c", script], directory: folder).standardOutput)
            }
        }
    }()

    @Test func `there are samples`() { #expect(Self.small.count == 7 && Self.small.allSatisfy { $0.1.count > 100 }) }

    @Test(arguments: small)
    func `an archive cut anywhere is read or refused`(name: String, bytes: [UInt8]) throws {
        for length in stride(from: 0, to: bytes.count, by: bytes.count > 2000 ? 7 : 1) { try Self.exercise(Array(bytes[..<length])) }
    }

    @Test(arguments: small)
    func `an archive with any byte changed is read or refused`(name: String, bytes: [UInt8]) throws {
        for index in bytes.indices where bytes[index] != 0 || index < 600 || name.hasPrefix("zip") {
            for value: UInt8 in [0, 0x80, 0xff] where value != bytes[index] {
                var changed = bytes
                changed[index] = value
                try Self.exercise(changed)
            }
        }
    }

    /// A universal file whose first 512 bytes sum up to zero, and another and an ELF file.
    @Test(arguments: ["CrashExample/out/CrashExample", "MachOCXX/out/shapes", "SwiftCrash/out/SwiftCrash"])
    func `object files are no archives`(path: String) throws {
        #expect(!OpenArchives.isArchive(TestPaths.fixture("binaries/" + path)))
    }

    private func problem(_ builder: ZIPBuilder, limits: Limits = .standard) -> String? {
        FileArchiveTests.problem {
            let bytes = builder.build()
            let archive = try #require(try FileArchive.open(MappedFile(bytes: bytes.span.rawBytes, name: "a"), limits: limits))
            for number in archive.members.indices { _ = try archive.contents(of: number) }
        }
    }

    /// "A better zip bomb" (Fifield 2019): a thousand members that are all the same bytes.
    @Test func `members that share bytes are refused`() {
        var builder = ZIPBuilder()
        for index in 0..<3 { builder.add(Array("m\(index)".utf8), [1, 2, 3]) }
        #expect(problem(builder) == nil)
        builder.members[2].header = 0
        #expect(problem(builder) == "it shares bytes with another part of the ZIP file, as only damaged or malicious files do")
    }

    @Test func `members inside of another's bytes are refused, also behind the first of them`() throws {
        var inner = ZIPBuilder()
        inner.add(Array("b".utf8), [1, 2, 3])
        inner.add(Array("c".utf8), [4])
        var builder = ZIPBuilder()
        builder.add(Array("a".utf8), inner.build())
        builder.members += inner.members
        // A local header has 30 bytes, and the name's; then the content.
        builder.members[1].header = 30 + 1
        builder.members[2].header = (30 + 1) + (30 + 1 + 3)
        let bytes = builder.build()
        let archive = try #require(try FileArchive.open(MappedFile(bytes: bytes.span.rawBytes, name: "a")))
        #expect(archive.members.map(\.name) == ["a", "b", "c"])
        for number in archive.members.indices {
            let problem = FileArchiveTests.problem { _ = try archive.contents(of: number) }
            #expect(problem?.hasPrefix("it shares bytes with another part of the ZIP file") == true, "\(archive.members[number].name)")
        }
    }

    @Test func `what declares more than can be in it is refused before memory is taken`() {
        var builder = ZIPBuilder()
        builder.add(Array("m".utf8), [1, 2, 3])
        builder.members[0].method = 8
        builder.members[0].size = 1 << 31
        #expect(
            problem(builder)
                == "3 compressed bytes declare 2147483648 inflated ones, expected at most 1100 times as many, and \(Limits.standard.archiveMember)"
        )
        builder.members[0].method = 0
        #expect(problem(builder) == "it is stored as it is, in 3 bytes, and declares 2147483648")
        builder.members[0].size = nil
        builder.members[0].packedSize = 1 << 31
        builder.members[0].size = 1 << 31
        #expect(problem(builder)?.contains("shares bytes") == true)
    }

    @Test func `counts are capped`() {
        var builder = ZIPBuilder()
        for index in 0..<9 { builder.add(Array("m\(index)".utf8), []) }
        var limits = Limits.standard
        limits.archiveMembers = 8
        #expect(problem(builder, limits: limits) == "the ZIP file is damaged: it declares 9 members, expected at most 8")
        builder.count = nil
        builder.disk = 1
        #expect(problem(builder) == "it is one volume of a ZIP file that was split, expected the whole file")
        builder.disk = 0
        builder.count = 60_000
        #expect(problem(builder)?.contains("60000 members do not fit a directory of") == true)
    }

    /// 300 MB of zeros in a gzip file of some hundred KB, in front of the file that is wanted: more
    /// than 1,100 times as much is not needed to be refused by a smaller cap.
    @Test(arguments: [2, 2_000])
    func `a bomb around a tar archive is stopped`(limit: Int) throws {
        try withTemporaryFolder { folder in
            try run("sh", ["-c", "truncate -s 300M zeros; tar -cf - zeros | gzip -9 > a.tar.gz; rm zeros"], directory: folder)
                .requireSuccess()
            var limits = Limits.standard
            limits.archiveRatio = limit
            if limit > 1_100 {
                let archive = try #require(try FileArchive.open(MappedFile(path: folder + "/a.tar.gz"), limits: limits))
                #expect(archive.members.map(\.name) == ["zeros"])
                return
            }
            let said = FileArchiveTests.problem { _ = try FileArchive.open(MappedFile(path: folder + "/a.tar.gz"), limits: limits) }
            #expect(said == "the file that is compressed with gzip is damaged: they unpack to more than 268435456 bytes")
        }
    }

    /// Names are names: nothing is ever written to them.
    @Test func `a member whose name leads elsewhere is read like any other`() throws {
        var builder = ZIPBuilder()
        builder.add(Array("../../../../tmp/cairn-evil".utf8), Array("x".utf8))
        builder.add(Array("/etc/cairn-evil".utf8), Array("y".utf8))
        let bytes = builder.build()
        let archive = try #require(try FileArchive.open(MappedFile(bytes: bytes.span.rawBytes, name: "a")))
        #expect(archive.members.map(\.name) == ["../../../../tmp/cairn-evil", "/etc/cairn-evil"])
        try FileArchiveTests.expect("/etc/cairn-evil", in: archive, is: Array("y".utf8))
        #expect(PathKind(path: "/tmp/cairn-evil") == nil)
    }

    /// A member called `a!/b` could not be distinguished from `b` in an archive `a`.
    @Test func `a name with the mark of a member in it is left out`() throws {
        var builder = ZIPBuilder()
        builder.add(Array("a!/b".utf8), [1])
        builder.add(Array("c".utf8), [1])
        let bytes = builder.build()
        #expect(try FileArchive.open(MappedFile(bytes: bytes.span.rawBytes, name: "a"))?.members.map(\.name) == ["c"])
    }
}
