import BinaryPrimitives
import SymbolFiles
import TestSupport
import Testing

/// The places, over folders of empty files: a locator opens nothing.
struct LocatorTests {
    private func paths(_ locator: any DebugFileLocator, _ request: ImageRequest, in folder: String) -> [String] {
        locator.candidates(for: request).map { String($0.path.dropFirst(folder.count + 1)) }
    }

    private func make(_ files: [String], in folder: String) throws {
        for file in files {
            #expect(try run("mkdir", ["-p", Path.directory(of: folder + "/" + file)]).status == 0)
            try writeFile(folder + "/" + file, [])
        }
    }

    @Test func `given files come in their order, those with the image's name first, bundles as their members`() throws {
        try withTemporaryFolder { folder in
            try make(["Other", "App.dSYM/Contents/Resources/DWARF/App", "App.dSYM/Contents/Resources/DWARF/Helper", "App"], in: folder)
            let given = GivenFiles([folder + "/Other", folder + "/App", folder + "/App.dSYM", folder + "/missing"])
            let bundle = "App.dSYM/Contents/Resources/DWARF/"
            #expect(
                Array(paths(given, ImageRequest(name: "App"), in: folder).prefix(2)) == ["App", bundle + "App"])
            #expect(paths(given, ImageRequest(name: "App"), in: folder).contains("Other"))
            #expect(given.candidates.filter { $0.origin == .besideBinary }.count == 2)
        }
    }

    @Test func `a tree is searched for the name, for the build ID, and with an identity for any bundle`() throws {
        try withTemporaryFolder { folder in
            let member = "Products/Renamed.dSYM/Contents/Resources/DWARF/Renamed"
            try make(
                ["bin/App", "deep/er/App.debug", "deep/App.txt", member, "store/ab/cdef01.debug", "x/App.o"], in: folder)
            let tree = DirectoryTree(root: folder)
            #expect(paths(tree, ImageRequest(name: "App"), in: folder) == ["bin/App", "deep/er/App.debug"])
            let id = ImageID(text: "abcdef01")
            #expect(
                paths(tree, ImageRequest(name: "App", id: id), in: folder)
                    == ["bin/App", "deep/er/App.debug", "store/ab/cdef01.debug", member])
            #expect(paths(tree, ImageRequest(name: "None"), in: folder) == [])
            // The path's own name counts too: Apple's reports name an image by its bundle's identifier.
            #expect(paths(tree, ImageRequest(name: "com.example.app", path: "/Applications/App"), in: folder).first == "bin/App")
        }
    }

    @Test func `links to folders are not followed, so a walk ends; links to files are`() throws {
        try withTemporaryFolder { folder in
            try make(["a/App"], in: folder)
            #expect(try run("sh", ["-c", "ln -s .. a/loop; ln -s App a/Link"], directory: folder).status == 0)
            let tree = DirectoryTree(root: folder)
            #expect(paths(tree, ImageRequest(name: "App"), in: folder) == ["a/App"])
            #expect(paths(tree, ImageRequest(name: "Link"), in: folder) == ["a/Link"])
        }
    }

    @Test func `a walk is capped`() throws {
        try withTemporaryFolder { folder in
            try make(["a/b/c/App", "a/App"], in: folder)
            var limits = DirectoryTree.TreeLimits()
            limits.depth = 1
            #expect(paths(DirectoryTree(root: folder, limits: limits), ImageRequest(name: "App"), in: folder) == ["a/App"])
            limits.entries = 1
            #expect(paths(DirectoryTree(root: folder, limits: limits), ImageRequest(name: "App"), in: folder) == [])
        }
    }

    @Test func `GDB's layout of build IDs`() throws {
        try withTemporaryFolder { folder in
            try make([".build-id/bf/961b3b.debug", ".build-id/bf/961b3b"], in: folder)
            let request = ImageRequest(name: "x", id: ImageID(text: "BF961B3B"))
            #expect(paths(BuildIDFolder(root: folder), request, in: folder) == [".build-id/bf/961b3b.debug", ".build-id/bf/961b3b"])
            #expect(paths(BuildIDFolder(root: folder), ImageRequest(name: "x"), in: folder) == [])
            #expect(paths(BuildIDFolder(root: folder), ImageRequest(name: "x", id: ImageID(text: "ab")), in: folder) == [])
        }
    }

    @Test func `an image's own path counts if it is absolute and something is there`() throws {
        try withTemporaryFolder { folder in
            try make(["App", "App.dSYM/Contents/Resources/DWARF/App"], in: folder)
            let request = ImageRequest(name: "App", path: folder + "/App")
            #expect(paths(ImagePath(), request, in: folder) == ["App.dSYM/Contents/Resources/DWARF/App", "App"])
            #expect(ImagePath().candidates(for: ImageRequest(name: "App", path: "App")) == [])
            #expect(ImagePath().candidates(for: ImageRequest(name: "App", path: folder + "/Nothing")) == [])
        }
    }

    @Test func `a chain asks in order and names no file twice`() throws {
        try withTemporaryFolder { folder in
            try make(["App", "b/App"], in: folder)
            let chain = LocatorChain([GivenFiles([folder + "/App"]), DirectoryTree(root: folder)])
            #expect(chain.candidates(for: ImageRequest(name: "App")).map(\.origin) == [.given, .tree(root: folder)])
        }
    }
}
