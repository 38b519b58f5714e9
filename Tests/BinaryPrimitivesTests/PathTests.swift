import BinaryPrimitives
import TestSupport
import Testing

struct PathTests {
    @Test(arguments: [
        ("/a/b", "b", "/a"), ("b", "b", "."), ("/b", "b", "/"), ("a/b/", "b", "a/b"), ("/", "", "/"), ("", "", "."),
    ])
    func `a path's name and folder`(path: String, name: String, folder: String) {
        #expect(Path.name(of: path) == name)
        #expect(Path.directory(of: path) == folder)
    }

    @Test func `folders are joined with one slash`() {
        #expect(Path.join("/", "a") == "/a")
        #expect(Path.join("a/", "b") == "a/b")
        #expect(Path.join("a", "b") == "a/b")
    }

    @Test func `entries come in the order of their names, with what they are`() throws {
        try withTemporaryFolder { folder in
            let made = try run("sh", ["-c", "touch b a; mkdir c; ln -s a d; mkfifo e"], directory: folder)
            #expect(made.status == 0)
            let entries = Directory.entries(in: folder, limit: 10)
            #expect(entries.map(\.name) == ["a", "b", "c", "d", "e"])
            #expect(entries.map(\.kind) == [.file, .file, .directory, nil, .other])
            #expect(Directory.entries(in: folder, limit: 2).count == 2)
            #expect(PathKind(path: folder + "/d") == .file)
            #expect(PathKind(path: folder + "/e") == .other)
            #expect(PathKind(path: folder + "/f") == nil)
            #expect(Directory.entries(in: folder + "/f", limit: 10) == [])
        }
    }
}
