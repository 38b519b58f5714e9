import BinaryPrimitives
import Synchronization
import TestSupport
import Testing

struct FileWritingTests {
    @Test func `a file is replaced as a whole, with the mode that the mask leaves`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/out"
            try writeFile(path, Array("old".utf8))
            try FileReplacement.write(Array("new".utf8), to: path)
            #expect(String(decoding: try readFile(path), as: UTF8.self) == "new")
            #expect(Directory.entries(in: folder, limit: 10).map(\.name) == ["out"])
            let modes = try run("sh", ["-c", "touch other; stat -c %a out other"], directory: folder).lines
            #expect(modes[0] == modes[1])
        }
    }

    /// Programs that other threads start have it.
    @Test func `the mask of the process stays what it is`() throws {
        try withTemporaryFolder { folder in
            let mask = try run("sh", ["-c", "umask"]).output
            let isDone = Atomic(false)
            let masks = Parallel.both(worthwhile: true) {
                defer { isDone.store(true, ordering: .relaxed) }
                return (0..<40).map { _ in try? run("sh", ["-c", "umask"]).output }
            } _: {
                while !isDone.load(ordering: .relaxed) { try? FileReplacement.write([1], to: folder + "/out") }
            }.0
            #expect(Set(masks) == [mask])
        }
    }

    /// Root could replace `/dev/null` itself, and would take it away from the whole machine.
    @Test func `a pipe is written to, and so is a device, and both stay what they are`() throws {
        try withTemporaryFolder { folder in
            try makePipe(folder + "/pipe")
            _ = try run("ln", ["-s", "/dev/null", folder + "/null"])
            for name in ["first", "second"] {
                let reader = try StartedProgram(["cat", folder + "/pipe"])
                try FileReplacement.write(Array("\(name)\n".utf8), to: folder + "/pipe", isNamed: true)
                #expect(reader.line() == name)
                _ = reader.finish()
            }
            try FileReplacement.write(Array("nothing".utf8), to: folder + "/null", isNamed: true)
            let kinds = try run("stat", ["-L", "-c", "%F", folder + "/null", folder + "/pipe"]).lines
            #expect(kinds == ["character special file", "fifo"])
            #expect(Directory.entries(in: folder, limit: 10).map(\.name).sorted() == ["null", "pipe"])
        }
    }

    @Test func `a failure leaves what was there, and nothing beside it`() throws {
        try withTemporaryFolder { folder in
            try FileReplacement.makeDirectory(folder + "/out")
            try FileReplacement.makeDirectory(folder + "/out")
            #expect(throws: FileError.self) { try FileReplacement.write([1], to: folder + "/out") }
            #expect(Directory.entries(in: folder, limit: 10).map(\.name) == ["out"])
            #expect(throws: FileError.self) { try FileReplacement.write([1], to: folder + "/none/out") }
        }
    }

    /// A file that is being written is locked, one that its writer left when it was killed is not.
    @Test func `what a killed process left behind is removed, and what another writes is not`() throws {
        try withTemporaryFolder { folder in
            for name in [".cairn-abcdef", ".cairn-a", "cairn-abcdef", ".cairn-folder"] where name != ".cairn-folder" {
                try writeFile(folder + "/" + name, Array("left".utf8))
            }
            try FileReplacement.makeDirectory(folder + "/.cairn-folder")
            var file = try FileReplacement(path: folder + "/out")
            try file.append(Array("new".utf8))
            FileReplacement.removeAbandoned(in: folder)
            #expect(!TestPaths.isReadable(folder + "/.cairn-abcdef"))
            try file.finish()
            FileReplacement.removeAbandoned(in: folder)
            #expect(Directory.entries(in: folder, limit: 10).map(\.name) == [".cairn-a", ".cairn-folder", "cairn-abcdef", "out"])
            FileReplacement.removeAbandoned(in: folder + "/none")
        }
    }

    @Test func `the first bytes are replaced, and the next ones follow the last`() throws {
        try withTemporaryFolder { folder in
            var file = try FileReplacement(path: folder + "/out")
            try file.append(Array("....cd".utf8))
            try file.replaceStart(with: Array("<ab>".utf8))
            try file.append(Array("ef".utf8))
            try file.finish()
            #expect(String(decoding: try readFile(folder + "/out"), as: UTF8.self) == "<ab>cdef")
        }
    }

    /// In memory, and in a temporary file.
    @Test(arguments: [1 << 20, 0]) func `so it is in a file without a name`(largestInMemory: Int) throws {
        var file = UnlinkedFile(largestInMemory: largestInMemory)
        try file.append(Array("....cd".utf8))
        try file.replaceStart(with: Array("<ab>".utf8))
        try file.append(Array("ef".utf8))
        #expect(file.count == 8)
        for whole in [try file.reading(path: "so far"), try file.finish(path: "all")] {
            #expect(whole.withBytes { $0.string() } == "<ab>cdef")
        }
    }

    @Test func `two paths to one file`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/a", [])
            let linked = try run("ln", ["-s", "a", "b"], directory: folder)
            #expect(linked.status == 0)
            #expect(FileReplacement.isSameFile(folder + "/a", folder + "/b"))
            #expect(!FileReplacement.isSameFile(folder + "/a", folder))
            #expect(!FileReplacement.isSameFile(folder + "/none", folder + "/none"))
        }
    }
}
