import BinaryPrimitives
import LibC
import TestSupport
import Testing

/// Files that change while they are mapped. The handler is this test program's: a missing page
/// would end it otherwise.
struct FileChangeTests {
    private static let size = 1 << 20

    /// A file of letters, mapped, and its path.
    private func withMapped(_ body: (MappedFile, String) throws -> Void) throws {
        FileChanges.survive()
        try withTemporaryFolder { folder in
            let path = folder + "/file"
            try writeFile(path, [UInt8](repeating: UInt8(ascii: "x"), count: Self.size))
            try body(MappedFile(path: path), path)
        }
    }

    private func byte(_ file: MappedFile, _ position: Int) -> UInt8 { file.withBytes { $0.byte(at: position) } }

    @Test func `a file that stays as it was has not changed`() throws {
        try withMapped { file, path in
            #expect(byte(file, 12_345) == UInt8(ascii: "x"))
            #expect(file.change == nil)
            // Neither reading it, nor other rights, nor another name is a change.
            try #require(
                try run("sh", ["-c", "cat \"$1\" > /dev/null; chmod 600 \"$1\"; ln \"$1\" \"$1-2\"; mv \"$1\" \"$1-3\"", "sh", path]).status
                    == 0)
            #expect(file.change == nil)
        }
    }

    @Test(arguments: [0, 1, 4096, 500_000])
    func `pages that are gone are zeros, and the file says that it changed`(size: Int) throws {
        try withMapped { file, path in
            let before = FileChanges.count
            try cutFile(path, to: size)
            // The system fills the last page with zeros itself, and the pages after it are gone.
            let page = Int(getpagesize())
            let end = (size + page - 1) / page * page
            #expect(byte(file, end) == 0 && byte(file, Self.size - 1) == 0)
            if size > 0 { #expect(byte(file, size - 1) == UInt8(ascii: "x")) }
            #expect(file.change == .rewritten(path))
            #expect(FileChanges.count > before)
            #expect(file.bytes(in: 0..<Self.size).count == size)
        }
    }

    @Test func `a part of a file changes with it`() throws {
        try withMapped { file, path in
            let part = MappedFile(file, 10..<Self.size, path: "\(path)(part)")
            #expect(part.change == nil)
            try cutFile(path, to: 0)
            #expect(byte(part, Self.size - 11) == 0)
            #expect(part.change == .rewritten(path))
        }
    }

    /// The same number of bytes replaces others: no page disappears.
    @Test func `a file that is written to in place has changed`() throws {
        try withMapped { file, path in
            try run("sh", ["-c", "sleep 0.02; printf y | dd of=\"$1\" conv=notrunc status=none", "sh", path]).requireSuccess()
            #expect(file.change == .rewritten(path))
            #expect(file.change(checksTime: false) == nil)
        }
    }

    /// As a disk that fails: afterwards the file is as long and as old as it was.
    @Test func `a page that could not be read is told, although the file is what it was`() throws {
        try withMapped { file, path in
            let script = "touch -r \"$1\" \"$1-time\" && truncate -s 0 \"$1\""
            try run("sh", ["-c", script, "sh", path]).requireSuccess()
            #expect(byte(file, 100) == 0)
            try run("sh", ["-c", "truncate -s \(Self.size) \"$1\" && touch -r \"$1-time\" \"$1\"", "sh", path]).requireSuccess()
            #expect(file.change == .unreadable(path))
        }
    }

    /// Linkers and package managers write a new file and give it the name.
    @Test func `a new file in its place changes nothing`() throws {
        try withMapped { file, path in
            try FileReplacement.write([1, 2, 3], to: path)
            #expect(byte(file, Self.size - 1) == UInt8(ascii: "x"))
            #expect(file.change == nil)
        }
    }

    /// Mappings come and go; a new one at the address of an old one is not confused with it.
    @Test func `of many files the one that changed says so`() throws {
        FileChanges.survive()
        try withTemporaryFolder { folder in
            var files: [MappedFile] = []
            for number in 0..<200 {
                let path = "\(folder)/\(number)"
                try writeFile(path, [UInt8](repeating: 1, count: 9000))
                files.append(try MappedFile(path: path))
                if number % 3 == 0 { files.remove(at: files.count / 2) }
            }
            let victim = files[files.count / 3]
            try cutFile(victim.path, to: 0)
            #expect(byte(victim, 8999) == 0)
            #expect(files.filter { $0.change != nil }.map(\.path) == [victim.path])
        }
    }

    @Test func `bytes that never were a file do not change`() throws {
        #expect(try MappedFile(bytes: [1, 2, 3].span.rawBytes, name: "memory").change == nil)
    }

    /// A pipe has no size, and opening it would wait for its other end.
    @Test(arguments: ["fifo", "/dev/zero", "/dev/tty", "."])
    func `what is no file is refused at once`(name: String) throws {
        try withTemporaryFolder { folder in
            try makePipe(folder + "/fifo")
            #expect(throws: FileError.self) { try MappedFile(path: name.hasPrefix("/") ? name : folder + "/" + name) }
            #expect(FileDescriptor.head(of: folder + "/fifo", count: 4).isEmpty)
        }
    }
}
