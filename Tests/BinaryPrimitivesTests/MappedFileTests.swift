import BinaryPrimitives
import LibC
import TestSupport
import Testing

/// A file on disk and the same bytes in memory behave alike.
struct MappedFileTests {
    static let bytes: [UInt8] = Array("\0short\0".utf8) + [UInt8](repeating: UInt8(ascii: "l"), count: 5000) + [0] + Array("open".utf8)

    private func withBoth(_ body: (MappedFile) throws -> Void) throws {
        try body(MappedFile(bytes: Self.bytes.span.rawBytes, name: "memory"))
        try withTemporaryFolder { folder throws in
            try writeFile(folder + "/file", Self.bytes)
            try body(MappedFile(path: folder + "/file"))
        }
    }

    @Test func `bytes are those that were given, through the mapping and as copies`() throws {
        try withBoth { file throws in
            #expect(file.size == Self.bytes.count)
            #expect(file.withBytes { $0.byteCount } == Self.bytes.count)
            #expect(file.withBytes { $0.byte(at: 1) } == UInt8(ascii: "s"))
            #expect(file.bytes(in: 0..<Self.bytes.count) == Self.bytes)
            #expect(file.bytes(in: 1..<6) == Array("short".utf8))
            // As far as the file goes, and nothing outside it.
            #expect(file.bytes(in: Self.bytes.count - 2..<Self.bytes.count + 9) == Array("en".utf8))
            #expect(file.bytes(in: 1 << 40..<1 << 41).isEmpty)
            file.releasePages()
            #expect(file.withBytes { $0.byte(at: 1) } == UInt8(ascii: "s"))
        }
    }

    @Test func `strings end at their zero, at the limit, or not at all`() throws {
        try withBoth { file throws in
            func string(_ position: UInt64, before end: UInt64, limit: Int = 1 << 20) -> String? {
                file.string(from: FileOffset(position), before: FileOffset(end), limit: limit)
            }
            let count = UInt64(Self.bytes.count)
            #expect(string(0, before: count) == "")
            #expect(string(1, before: count) == "short")
            #expect(string(1, before: 6) == nil)
            #expect(string(1, before: count, limit: 3) == "sho")
            #expect(string(7, before: count) == String(repeating: "l", count: 5000))
            #expect(string(7, before: count, limit: 4000) == String(repeating: "l", count: 4000))
            #expect(string(count - 4, before: count + 100) == nil)
            #expect(string(count, before: count + 100) == nil)
            #expect(string(.max, before: .max) == nil)
            #expect(string(5, before: 2) == nil)
        }
    }

    @Test func `no bytes are a file too`() throws {
        let file = try MappedFile(bytes: [UInt8]().span.rawBytes, name: "empty")
        #expect(file.size == 0)
        #expect(file.bytes(in: 0..<5).isEmpty)
        #expect(file.withBytes { $0.byteCount } == 0)
    }

    /// Lets the fuzzers detect a C library's read past the end, or a write.
    @Test func `a page that cannot be read follows the bytes, and they cannot be written`() async {
        await #expect(processExitsWith: .signal(SIGSEGV)) {
            let file = try MappedFile(bytes: [1, 2, 3].span.rawBytes, name: "three")
            let end = unsafe file.unsafeBytes.baseAddress.map { unsafe $0 + 16 }
            _ = unsafe end?.load(as: UInt8.self)
        }
        await #expect(processExitsWith: .signal(SIGSEGV)) {
            let file = try MappedFile(bytes: [1, 2, 3].span.rawBytes, name: "three")
            unsafe UnsafeMutableRawPointer(mutating: file.unsafeBytes.baseAddress)?.storeBytes(of: 9, as: UInt8.self)
        }
    }

    @Test func `joined files follow one another at pages, with zeros between them`() throws {
        let page = Int(getpagesize())
        try withTemporaryFolder { folder throws in
            let first = [UInt8](repeating: 1, count: page + 5)
            let second = [UInt8](repeating: 2, count: 3)
            try writeFile(folder + "/first", first)
            let files = [try MappedFile(path: folder + "/first"), try MappedFile(bytes: second.span.rawBytes, name: "second")]
            let joined = try MappedFile(joining: files, path: "both")
            let whole = first + [UInt8](repeating: 0, count: page - 5) + second + [UInt8](repeating: 0, count: page - 3)
            #expect(joined.size == whole.count && joined.path == "both")
            #expect(joined.bytes(in: 0..<joined.size) == whole)
            #expect(joined.withBytes { bytes in (0..<bytes.byteCount).map { bytes.byte(at: $0) } } == whole)
            for range in [0..<1, page + 3..<page + 9, page * 2 - 1..<page * 2 + 4, page * 2 + 2..<page * 3, page * 3 - 1..<page * 9] {
                #expect(joined.bytes(in: range) == Array(whole[range.clamped(to: whole.indices)]), "\(range)")
            }
            #expect(joined.change == nil)
            // A part that is written to is a change of the whole.
            try writeFile(folder + "/first", first + [9])
            #expect(joined.change?.path == folder + "/first")
        }
    }

    @Test func `a missing file, and a directory, are errors of the system`() {
        let missing = #expect(throws: FileError.self) { try MappedFile(path: "/nonexistent") }
        #expect(missing?.errorNumber == ENOENT)
        let directory = #expect(throws: FileError.self) { try MappedFile(path: "/") }
        #expect(directory?.errorNumber == EISDIR)
        #expect(directory?.description == "/: is a directory")
    }

    @Test func `a directory's names are sorted by their bytes`() throws {
        try withTemporaryFolder { folder throws in
            for name in ["b", "a", "Z", ".hidden", "é"] { try writeFile(folder + "/" + name, []) }
            #expect(try Directory.names(in: folder) == [".hidden", "Z", "a", "b", "é"])
            #expect(PathKind(path: folder) == .directory)
            #expect(PathKind(path: folder + "/a") == .file)
            #expect(PathKind(path: folder + "/c") == nil)
            let missing = #expect(throws: FileError.self) { try Directory.names(in: folder + "/c") }
            #expect(missing?.errorNumber == ENOENT)
        }
    }
}
