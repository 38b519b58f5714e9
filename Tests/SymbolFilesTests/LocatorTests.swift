import BinaryPrimitives
import ObjectFiles
import SymbolFiles
import TestSupport
import Testing

/// Locators with folders of empty files: a locator opens nothing.
struct LocatorTests {
    private func paths(_ locator: any DebugFileLocator, _ request: ImageRequest, in folder: String) -> [String] {
        locator.candidates(for: request).map { String($0.path.dropFirst(folder.count + 1)) }
    }

    private func make(_ files: [String], in folder: String) throws {
        for file in files {
            try makeFolders(Path.directory(of: folder + "/" + file))
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

    @Test func `a relative path counts from the folders of the log, and a program that runs is the image of its name`() throws {
        try withTemporaryFolder { folder in
            try make(["build/App", "App"], in: folder)
            var request = ImageRequest(name: "App", path: "./App")
            #expect(ImagePath().candidates(for: request) == [])
            request.folders = [folder + "/build", folder]
            #expect(paths(ImagePath(), request, in: folder) == ["build/App", "App"])
            request.path = "build/App"
            #expect(paths(ImagePath(), request, in: folder) == ["build/App"])
            let running = ImagePath(programs: [folder + "/build/App"])
            #expect(paths(running, ImageRequest(name: "App"), in: folder) == ["build/App"])
            #expect(running.candidates(for: ImageRequest(name: "Other")) == [])
            // The kernel's own files are no programs.
            #expect(ImagePath().expectedPaths(for: ImageRequest(name: "exe", path: "/proc/self/exe")) == [])
        }
    }

    @Test func `a chain asks in order and names no file twice`() throws {
        try withTemporaryFolder { folder in
            try make(["App", "b/App"], in: folder)
            let chain = LocatorChain([
                GivenFiles([folder + "/App"]),
                DirectoryTree(root: folder) { path throws(ObjectFileError) in try ObjectFiles.openAll(path: path) },
            ])
            #expect(chain.candidates(for: ImageRequest(name: "App")).map(\.origin) == [.given, .tree(root: folder)])
        }
    }
}
