import BinaryPrimitives
import TestSupport
import Testing

@testable import ObjectFiles

/// Static libraries, character by character (`ar(5)`).
struct ArchiveTests {
    /// A member with its header: name, date, owner, group, mode, size.
    private func member(_ name: String, date: String = "1712019970", size: Int? = nil, _ content: [UInt8]) -> [UInt8] {
        func field(_ text: String, _ width: Int) -> [UInt8] { Array(text.utf8) + [UInt8](repeating: 0x20, count: width - text.utf8.count) }
        var bytes = field(name, 16) + field(date, 12) + field("501", 6) + field("20", 6) + field("100644", 8)
        bytes += field("\(size ?? content.count)", 10) + Array("`\n".utf8) + content
        return bytes.count % 2 == 0 ? bytes : bytes + [0x0a]
    }

    private func members(_ bytes: [UInt8]) throws -> [String] {
        let file = try MappedFile(bytes: bytes.span.rawBytes, name: "lib.a")
        return try #require(try Archive.members(file, 0..<file.size)).map { member in
            "\(member.name) \(member.modificationTime) \(String(decoding: file.bytes(in: member.range), as: UTF8.self))"
        }
    }

    private let magic = Array("!<arch>\n".utf8)

    @Test func `members have the names of either kind of ar, their dates and their bytes`() throws {
        // BSD's: the name of 20 bytes, padded with zeros, is the member's first part; the table of
        // symbols is no member.
        let long = Array("a_long_member.o".utf8) + [UInt8](repeating: 0, count: 5)
        #expect(
            try members(
                magic + member("__.SYMDEF SORTED", [1, 2, 3]) + member("#1/20", long + Array("odd".utf8)) + member("b.o", Array("b".utf8)))
                == ["a_long_member.o 1712019970 odd", "b.o 1712019970 b"])
        // System V's: names end with a slash; long ones are in the member "//", here the second
        // from its byte 7.
        let names = Array("one.o/\na_long_member_name.o/\n".utf8)
        #expect(
            try members(
                magic + member("/", [0, 0, 0, 0]) + member("//", names) + member("/7", Array("x".utf8)) + member("b.o/", date: "0", []))
                == ["a_long_member_name.o 1712019970 x", "b.o 0 "])
    }

    @Test func `an archive of nothing has no members`() throws {
        #expect(try members(magic) == [])
    }

    @Test func `what is no archive is none`() throws {
        let file = try MappedFile(bytes: [0x7f, 0x45].span.rawBytes, name: "x")
        #expect(try Archive.members(file, 0..<2) == nil)
    }

    @Test func `a header that is none, or a member longer than what is left, is an error with its place`() throws {
        let expected = "lib.a: the archive's member at byte 8 has no header, or is longer than what is left"
        for bytes in [magic + member("a.o", size: 4, [1, 2]), magic + [1, 2, 3], magic + member("a.o", size: -1, [])] {
            #expect { try members(bytes) } throws: { "\($0)" == expected }
        }
    }

    @Test func `a name longer than its member is taken as it stands`() throws {
        #expect(try members(magic + member("#1/20", Array("ab".utf8))) == ["#1/20 1712019970 ab"])
    }

    @Test(arguments: 0..<150) func `an archive cut anywhere gives members or an error`(count: Int) throws {
        let whole = magic + member("#1/4", Array("a.o\0x".utf8)) + member("b.o", [1])
        let file = try MappedFile(bytes: whole.span.rawBytes.prefix(count), name: "lib.a")
        for member in (try? Archive.members(file, 0..<file.size)) ?? [] { #expect(member.range.upperBound <= file.size) }
    }

    @Test(.enabled(if: TestPaths.isReadable("/usr/bin/llvm-ar-19"), "llvm-ar-19 (package llvm-19) is not installed"))
    func `a real library has the members that llvm-ar lists`() throws {
        let path = TestPaths.fixture("binaries/DebugMap/out/arm64/libpool.a")
        let file = try MappedFile(path: path)
        let found = try #require(try Archive.members(file, 0..<file.size))
        // rw-r--r-- 0/0   2696 Jan  1 00:00 1970 pool.o
        let expected = try run("/usr/bin/llvm-ar-19", ["tv", path]).lines.map { line in
            let columns = line.split(separator: " ")
            return "\(columns[columns.count - 1]) \(columns[2])"
        }
        #expect(found.map { "\($0.name) \($0.range.count)" } == expected)
        #expect(try ObjectFiles.open(member: "pool.o", ofArchive: path).map(\.object.architecture) == [.arm64])
        #expect(try ObjectFiles.open(member: "other.o", ofArchive: path).isEmpty)
    }
}
