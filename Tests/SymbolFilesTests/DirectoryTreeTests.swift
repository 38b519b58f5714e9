import BinaryPrimitives
import ObjectFiles
import Synchronization
import TestSupport
import Testing

@testable import SymbolFiles

/// Identities are those that `Fixtures/binaries/INDEX.tsv` records (from readelf and llvm-objdump).
struct DirectoryTreeTests {
    private static let elf = TestPaths.fixture("binaries/SwiftCrash/out/SwiftCrash")
    private static let otherBuild = TestPaths.fixture("binaries/SwiftCrash/out/SwiftCrash-O")

    private func tree(_ folder: String, cache: String? = nil, limits: TreeNames.TreeLimits = .init(), opened: Counter = Counter())
        -> DirectoryTree
    {
        DirectoryTree(root: folder, cache: cache, limits: limits) { path throws(ObjectFileError) in
            opened.count(path)
            return try ObjectFiles.openAll(path: path)
        }
    }

    private func paths(_ tree: DirectoryTree, _ request: ImageRequest) -> [String] {
        tree.candidates(for: request).map { String($0.path.dropFirst(tree.root.count + 1)) }
    }

    private func put(_ source: String?, at path: String, in folder: String) throws {
        try makeFolders(Path.directory(of: folder + "/" + path))
        if let source {
            try run("cp", [source, folder + "/" + path]).requireSuccess()
        } else {
            try writeFile(folder + "/" + path, [])
        }
    }

    @Test func `without an identity the name is asked for, and the name in the image's path`() throws {
        try withTemporaryFolder { folder in
            for file in ["bin/App", "deep/er/App.debug", "deep/App.txt", "x/App.o", "App.dSYM/Contents/Resources/DWARF/App"] {
                try put(nil, at: file, in: folder)
            }
            let member = "App.dSYM/Contents/Resources/DWARF/App"
            #expect(paths(tree(folder), ImageRequest(name: "App")) == [member, "bin/App", "deep/er/App.debug"])
            #expect(paths(tree(folder), ImageRequest(name: "None")) == [])
            // Apple's reports name an image by its bundle's identifier.
            #expect(paths(tree(folder), ImageRequest(name: "com.example.app", path: "/Applications/App")).first == member)
        }
    }

    @Test func `with an identity the file is found whatever it is called, and files of the name follow`() throws {
        try withTemporaryFolder { folder in
            try put(Self.elf, at: "a/renamed", in: folder)
            try put(Self.otherBuild, at: "b/SwiftCrash", in: folder)
            let id = try recordedID(of: "SwiftCrash/out/SwiftCrash")
            #expect(paths(tree(folder), ImageRequest(name: "SwiftCrash", id: id)) == ["a/renamed", "b/SwiftCrash"])
            // As Breakpad keeps it.
            let cut = ImageID(bytes: Array(id.bytes.prefix(16)))
            #expect(paths(tree(folder), ImageRequest(name: "x", id: cut)) == ["a/renamed"])
        }
    }

    @Test func `of two files of one identity the one with debug information comes first`() throws {
        try withTemporaryFolder { folder in
            try put(Self.elf, at: "z/full", in: folder)
            try Toolchain.run("llvm-objcopy", ["--strip-debug", Self.elf, folder + "/stripped"]).requireSuccess()
            let id = try recordedID(of: "SwiftCrash/out/SwiftCrash")
            #expect(paths(tree(folder), ImageRequest(name: "x", id: id)) == ["z/full", "stripped"])
        }
    }

    @Test func `links to folders are not followed, so a walk ends; links to files are`() throws {
        try withTemporaryFolder { folder in
            try put(nil, at: "a/App", in: folder)
            #expect(try run("sh", ["-c", "ln -s .. a/loop; ln -s App a/Link"], directory: folder).status == 0)
            #expect(paths(tree(folder), ImageRequest(name: "App")) == ["a/App"])
            #expect(paths(tree(folder), ImageRequest(name: "Link")) == ["a/Link"])
        }
    }

    @Test func `a walk is capped, and says so`() throws {
        try withTemporaryFolder { folder in
            for file in ["a/b/c/App", "a/App"] { try put(nil, at: file, in: folder) }
            var limits = TreeNames.TreeLimits()
            limits.depth = 1
            let shallow = tree(folder, limits: limits)
            #expect(paths(shallow, ImageRequest(name: "App")) == ["a/App"])
            #expect(
                shallow.remarks(for: ImageRequest(name: "App")) == [
                    "1 file that may hold symbols; the tree is larger than what is looked through"
                ])
            limits.entries = 1
            #expect(paths(tree(folder, limits: limits), ImageRequest(name: "App")) == [])
        }
    }

    /// A bundler renames modules: each of a few is tried. Programs beside them are none of these.
    @Test func `a folder with too many modules to try each says so`() throws {
        try withTemporaryFolder { folder in
            let module: [UInt8] = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
            for index in 0..<16 { try writeFile(folder + "/m\(index).wasm", module) }
            try put(nil, at: "App", in: folder)
            let request = ImageRequest(name: "1a2b.wasm", architecture: .wasm32)
            #expect(tree(folder).remarks(for: request) == ["17 files that may hold symbols"])
            try writeFile(folder + "/m16.wasm", module)
            #expect(
                tree(folder).remarks(for: request) == [
                    "18 files that may hold symbols",
                    "more than 16 WebAssembly modules, so that none was tried under another name: name the file",
                ])
            #expect(tree(folder).remarks(for: ImageRequest(name: "App")) == ["18 files that may hold symbols"])
        }
    }

    @Test func `what was seen is kept, and a file that changed is read again`() throws {
        try withTemporaryFolder { folder in
            let symbols = folder + "/symbols"
            for index in 0..<70 { try put(index == 7 ? Self.elf : Self.otherBuild, at: "symbols/f\(index)", in: folder) }
            try put(nil, at: "symbols/empty", in: folder)
            let request = ImageRequest(name: "x", id: try recordedID(of: "SwiftCrash/out/SwiftCrash"))
            let first = Counter()
            #expect(paths(tree(symbols, cache: folder + "/cache", opened: first), request) == ["f7"])
            // Files that do not begin like a symbol file are not opened.
            #expect(first.paths.count == 70)
            let second = Counter()
            #expect(paths(tree(symbols, cache: folder + "/cache", opened: second), request) == ["f7"])
            #expect(second.paths == [])
            try put(Self.elf, at: "symbols/f3", in: folder)
            let third = Counter()
            #expect(paths(tree(symbols, cache: folder + "/cache", opened: third), request) == ["f3", "f7"])
            #expect(third.paths == [symbols + "/f3"])
        }
    }

    @Test(arguments: [
        "", "cairn seen files 1\n", "cairn seen files 2\n/elsewhere\n", "cairn seen files 2\nROOT\n12 x - /f\n", "\u{0}\u{1}",
    ])
    func `a cache that is damaged, cut short, of another version or of another tree is as none`(contents: String) throws {
        try withTemporaryFolder { folder in
            for index in 0..<64 { try put(Self.elf, at: "symbols/f\(index)", in: folder) }
            let request = ImageRequest(name: "x", id: try recordedID(of: "SwiftCrash/out/SwiftCrash"))
            let symbols = folder + "/symbols"
            #expect(paths(tree(symbols, cache: folder + "/cache"), request).count == 64)
            let kept = try #require(try Directory.names(in: folder + "/cache/trees").first)
            let root = Path.resolved(symbols) ?? ""
            try writeFile(folder + "/cache/trees/" + kept, Array(contents.replacing("ROOT", with: root).utf8))
            #expect(paths(tree(symbols, cache: folder + "/cache"), request).count == 64)
        }
    }
}

/// Which files were opened.
final class Counter: Sendable {
    private let opened = Mutex<[String]>([])
    var paths: [String] { opened.withLock { $0 } }
    func count(_ path: String) { opened.withLock { $0.append(path) } }
}
