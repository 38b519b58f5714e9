import BinaryPrimitives
import TestSupport
import Testing

struct FileSystemTests {
    @Test(arguments: [
        ("/a/b", "b", "/a"), ("b", "b", "."), ("/b", "b", "/"), ("a/b/", "b", "a/b"), ("/", "", "/"), ("", "", "."),
    ])
    func `a path's name and folder`(path: String, name: String, folder: String) {
        #expect(FileSystem.name(of: path) == name)
        #expect(FileSystem.folder(of: path) == folder)
    }

    @Test func `folders are joined with one slash`() {
        #expect(FileSystem.join("/", "a") == "/a")
        #expect(FileSystem.join("a/", "b") == "a/b")
        #expect(FileSystem.join("a", "b") == "a/b")
    }

    @Test func `entries come in the order of their names, with what they are`() throws {
        try withTemporaryFolder { folder in
            let made = try run("sh", ["-c", "touch b a; mkdir c; ln -s a d; mkfifo e"], directory: folder)
            #expect(made.status == 0)
            let entries = FileSystem.entries(of: folder, limit: 10)
            #expect(entries.map(\.name) == ["a", "b", "c", "d", "e"])
            #expect(entries.map(\.kind) == [.file, .file, .folder, nil, .other])
            #expect(FileSystem.entries(of: folder, limit: 2).count == 2)
            #expect(FileSystem.kind(of: folder + "/d") == .file)
            #expect(FileSystem.kind(of: folder + "/e") == .other)
            #expect(FileSystem.kind(of: folder + "/f") == nil)
            #expect(FileSystem.entries(of: folder + "/f", limit: 10) == [])
        }
    }
}
