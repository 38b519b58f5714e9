import BinaryPrimitives
import TestSupport
import Testing

@testable import ObjectFiles

/// Limits of archives (`Limits`): an archive at the limit is read whole, one more is rejected, and
/// the excess is reported.
struct ArchiveLimitsTests {
    private func open(_ bytes: [UInt8], _ limits: Limits) throws(ObjectFileError) -> FileArchive? {
        let file: MappedFile
        do throws(FileError) { file = try MappedFile(bytes: bytes.span.rawBytes, name: "a") } catch {
            throw ObjectFileError(.unreadable, path: "a", error.problem)
        }
        return try FileArchive.open(file, limits: limits)
    }

    /// - Returns: the names of the members, all of which are read; or why the archive or one of
    ///   them is refused.
    private func read(_ bytes: [UInt8], _ limits: Limits) throws -> String {
        do throws(ObjectFileError) {
            guard let archive = try open(bytes, limits) else { return "none" }
            for number in archive.members.indices { _ = try archive.contents(of: number) }
            return archive.members.map(\.name).joined(separator: " ")
        } catch { return error.problem }
    }

    // MARK: Tar archives

    /// A member of a tar archive: its header (POSIX.1-2017, "ustar Interchange Format") and its
    /// bytes, filled up to a multiple of 512.
    private func member(_ name: String, type: Character = "0", _ content: [UInt8]) -> [UInt8] {
        func octal(_ value: Int, _ width: Int) -> [UInt8] {
            let digits = String(value, radix: 8)
            return Array((String(repeating: "0", count: width - digits.utf8.count) + digits).utf8) + [0]
        }
        var header = Array(name.utf8) + [UInt8](repeating: 0, count: 100 - name.utf8.count)
        header += octal(0o644, 7) + octal(0, 7) + octal(0, 7) + octal(content.count, 11) + octal(0, 11)
        header += Array("        ".utf8) + Array(String(type).utf8) + [UInt8](repeating: 0, count: 100) + Array("ustar\u{0}00".utf8)
        header += [UInt8](repeating: 0, count: 512 - header.count)
        header.replaceSubrange(148..<155, with: octal(header.reduce(0) { $0 + Int($1) }, 6))
        return header + content + [UInt8](repeating: 0, count: -content.count & 511)
    }

    private let end = [UInt8](repeating: 0, count: 1024)

    @Test func `a tar archive has so many members, and names of so many bytes in all`() throws {
        let bytes = member("a.so", [1]) + member("b.so", [2]) + end
        var limits = Limits()
        limits.archiveMembers = 2
        limits.archiveNames = 8
        #expect(try read(bytes, limits) == "a.so b.so")
        limits.archiveMembers = 1
        #expect(try read(bytes, limits) == "the tar archive is damaged: it has more than 1 members")
        limits.archiveMembers = 2
        limits.archiveNames = 7
        #expect(try read(bytes, limits) == "the tar archive is damaged: the names of its members have more than 7 bytes")
    }

    /// GNU's long name, with its zero byte, and pax' record, whose length counts itself:
    /// `120 path=`, 110 letters and a line feed.
    @Test(arguments: ["L", "x"] as [Character])
    func `a member's name has so many bytes`(type: Character) throws {
        let name = String(repeating: "n", count: 110)
        let content = Array((type == "L" ? name + "\u{0}" : "120 path=\(name)\n").utf8)
        try #require(content.count == (type == "L" ? 111 : 120))
        let bytes = member("long", type: type, content) + member("short", [1]) + end
        var limits = Limits()
        limits.memberName = content.count
        #expect(try read(bytes, limits) == name)
        limits.memberName = content.count - 1
        #expect(
            try read(bytes, limits)
                == "the tar archive is damaged: a member's name or records have \(content.count) bytes, expected at most \(content.count - 1)"
        )
    }

    private func packed(_ bytes: [UInt8], _ command: String) throws -> [UInt8] {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/plain", bytes)
            return try run("sh", ["-c", command + " < plain"], directory: folder).requireSuccess().standardOutput
        }
    }

    /// Two headers, two blocks of content, and two blocks of zeros.
    @Test func `a compressed archive unpacks to so many bytes`() throws {
        let bytes = try packed(member("a.so", [1]) + member("b.so", [2]) + end, "gzip")
        var limits = Limits()
        limits.unpackedArchive = 6 * 512
        #expect(try read(bytes, limits) == "a.so b.so")
        limits.unpackedArchive = 6 * 512 - 1
        #expect(try read(bytes, limits) == "the file that is compressed with gzip is damaged: they unpack to more than 3071 bytes")
    }

    /// `xz` reports the memory that unpacking a file needs: the third field of the summary of
    /// `--list --robot -vv` (xz(1), "List mode").
    @Test func `an archive's decoder takes so much memory`() throws {
        let plain = member("a.so", [1]) + end
        let bytes = try packed(plain, "xz -0")
        let listed = try withTemporaryFolder { folder in
            try writeFile(folder + "/a.xz", bytes)
            return try run("xz", ["--robot", "--list", "-vv", folder + "/a.xz"]).output
        }
        let summary = try #require(listed.split(separator: "\n").first { $0.hasPrefix("summary\t") })
        let memory = try #require(Int(summary.split(separator: "\t")[1]))
        var limits = Limits()
        limits.unpackingMemory = memory
        #expect(try read(bytes, limits) == "a.so")
        limits.unpackingMemory = memory - 1
        #expect(
            try read(bytes, limits)
                == "the file that is compressed with xz is damaged: they need more than \(memory - 1) bytes of memory to be unpacked")
    }

    // MARK: ZIP files

    /// A ZIP file of two members that are packed, `a.so` and `b.so`, each of 1,000 bytes.
    private func zip() throws -> (bytes: [UInt8], packedSize: Int) {
        try withTemporaryFolder { folder in
            let content = (0..<1000).map { UInt8($0 % 50) }
            for name in ["/a.so", "/b.so"] { try writeFile(folder + name, content) }
            let made = try run("sh", ["-c", "zip -q -9 -X a.zip a.so b.so && cat a.zip"], directory: folder).requireSuccess()
            let bytes = made.standardOutput
            // The first local header (APPNOTE.TXT, section 4.3.7): the method in bytes 8 and 9, the
            // packed size from byte 18 on.
            try #require(bytes[8] == 8 && bytes[9] == 0)
            return (bytes, Int(bytes[18]) | Int(bytes[19]) << 8)
        }
    }

    @Test func `a ZIP file has so many members`() throws {
        let (bytes, _) = try zip()
        var limits = Limits()
        limits.archiveMembers = 2
        #expect(try read(bytes, limits) == "a.so b.so")
        limits.archiveMembers = 1
        #expect(try read(bytes, limits) == "the ZIP file is damaged: it declares 2 members, expected at most 1")
    }

    @Test func `a member of a ZIP file inflates to so many bytes, and so many times its packed ones`() throws {
        let (bytes, packedSize) = try zip()
        let ratio = (1000 + packedSize - 1) / packedSize
        try #require(ratio > 1)
        func refusal(_ ratio: Int, _ limit: Int) -> String {
            "\(packedSize) compressed bytes declare 1000 inflated ones, expected at most \(ratio) times as many, and \(limit)"
        }
        var limits = Limits()
        limits.archiveMember = 1000
        limits.inflationRatio = ratio
        #expect(try read(bytes, limits) == "a.so b.so")
        limits.archiveMember = 999
        #expect(try read(bytes, limits) == refusal(ratio, 999))
        limits.archiveMember = 1000
        limits.inflationRatio = ratio - 1
        #expect(try read(bytes, limits) == refusal(ratio - 1, 1000))
    }

    /// The first member is let go when both do not fit; the last is kept however large it is.
    @Test(arguments: [(2000, true), (1999, false), (0, false)])
    func `unpacked members of so many bytes are kept`(limit: Int, isFirstKept: Bool) throws {
        var limits = Limits()
        limits.keptMembers = limit
        let archive = try #require(try open(try zip().bytes, limits))
        weak let first = try archive.contents(of: 0)
        #expect(first != nil)
        weak let second = try archive.contents(of: 1)
        #expect((first != nil) == isFirstKept && second != nil)
        // A member that was released is unpacked again.
        #expect(try archive.contents(of: 0).size == 1000)
    }

    #if canImport(Glibc)
        /// The mapped file has the name of a file that was deleted.
        @Test(arguments: [(1000, false), (999, true)])
        func `a member of so many bytes is memory`(limit: Int, isFile: Bool) throws {
            var limits = Limits()
            limits.memberInMemory = limit
            let archive = try #require(try open(try zip().bytes, limits))
            let member = try archive.contents(of: 0)
            #expect(member.bytes(in: 0..<member.size) == (0..<1000).map { UInt8($0 % 50) })
            let address = unsafe UInt(bitPattern: member.unsafeBytes.baseAddress)
            let maps = String(decoding: try FileDescriptor.readAll(atPath: "/proc/self/maps"), as: UTF8.self)
            let line = try #require(
                maps.split(separator: "\n").first { line in
                    let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
                    return ends.count == 2 && ends[0] <= address && address < ends[1]
                })
            #expect(line.hasSuffix("(deleted)") == isFile)
        }
    #endif

    // MARK: Packed debug data

    /// A library whose `.gnu_debugdata` has an ELF file of so many bytes, packed by `xz -0`.
    private func library(_ limits: Limits) throws -> (object: ObjectFile, innerSize: Int, memory: Int) {
        var inner = ELFBuilder()
        inner.sections = [.init(name: ".text", type: 8, flags: 6, size: 16)]
        let plain = inner.build()
        let bytes = try packed(plain, "xz -0 --check=crc32")
        var builder = ELFBuilder()
        builder.sections = [.init(name: ".gnu_debugdata", type: 1, bytes: bytes)]
        let all = builder.build()
        let object = try #require(try ELFReader.open(MappedFile(bytes: all.span.rawBytes, name: "lib"), limits))
        return (object, plain.count, bytes.count)
    }

    @Test func `packed debug data unpack to so many bytes, and take so much memory`() throws {
        let size = try library(Limits()).innerSize
        var limits = Limits()
        limits.miniDebugInformation = size
        #expect(try library(limits).object.miniDebugInformation()?.file.size == size)
        limits.miniDebugInformation = size - 1
        let tooLong = #expect(throws: ObjectFileError.self) { try library(limits).object.miniDebugInformation() }
        #expect(
            tooLong?.problem
                == "the debug data in section .gnu_debugdata are damaged: they unpack to more than \(size - 1) bytes")
        limits.miniDebugInformation = size
        // A dictionary of 256 KB is the smallest that xz has (`-0`), and one of 4 KB the smallest
        // of the format.
        limits.unpackingMemory = 4 << 10
        let tooMuch = #expect(throws: ObjectFileError.self) { try library(limits).object.miniDebugInformation() }
        #expect(
            tooMuch?.problem
                == "the debug data in section .gnu_debugdata are damaged: they need more than 4096 bytes of memory to be unpacked")
    }
}
