import BinaryPrimitives
import Dispatch
import ObjectFiles
import Synchronization
import TestSupport
import Testing

@testable import SymbolFiles

/// When a folder is walked, and what requests have while it is being read.
struct FolderWalkTests {
    private let elf = TestPaths.fixture("binaries/SwiftCrash/out/SwiftCrash")

    /// A folder that counts how often it is searched.
    private final class CountingFolder: WalkedFolder {
        let root = "/counting"
        let isAtHand: Bool
        let isBeingRead = false
        let searches = Mutex(0)
        var location: String { root }
        init(isAtHand: Bool = true) { self.isAtHand = isAtHand }
        func expectedPaths(for request: ImageRequest) -> [String] { [] }
        func candidates(for request: ImageRequest) -> [SymbolFileCandidate] {
            searches.withLock { $0 += 1 }
            return []
        }
    }

    /// A file of a format that holds symbols alone, as Breakpad's.
    private final class SymbolText: SymbolFile {
        let path: String
        let identity: ImageID?
        let machine: Architecture? = nil
        let baseAddress = LinkAddress(0)
        let imageSize: UInt64? = nil
        let hasDebugInformation = true
        let holdsCode = false
        init(_ path: String, _ identity: ImageID?) { (self.path, self.identity) = (path, identity) }
    }

    /// How often a folder is searched after a store.
    private func searches(
        _ request: ImageRequest, after store: any DebugFileLocator, isAtHand: Bool = true, _ open: @escaping SymbolFileOpener
    ) -> (count: Int, found: FoundSymbolFiles) {
        let folder = CountingFolder(isAtHand: isAtHand)
        let found = SymbolFileSearch(SymbolFileCache(open: open)).search(for: request, in: [store, folder])
        return (folder.searches.withLock { $0 }, found)
    }

    /// The location is that of `Breakpad's layout` in `StoreTests`.
    @Test func `a Breakpad file at the location of its identity needs no walk`() throws {
        let id = try #require(ImageID(text: "abcdef0123456789abcdef0123456789abcdef01"))
        let other = try #require(ImageID(text: "00cdef0123456789abcdef0123456789abcdef01"))
        var request = ImageRequest(name: "libFoo.so", id: id)
        request.hasKnownBase = true
        try withTemporaryFolder { folder in
            let path = folder + "/libFoo.so/01EFCDAB45238967ABCDEF01234567890/libFoo.so.sym"
            let store = BreakpadStore(root: folder)
            func open(_ own: ImageID) -> SymbolFileOpener { { path throws(ObjectFileError) in [SymbolText(path, own)] } }
            #expect(searches(request, after: store, open(id)).count == 1)
            try makeFolders(Path.directory(of: path))
            try writeFile(path, [1])
            let known = searches(request, after: store, open(id))
            #expect(known.count == 0 && known.found.accepted.map(\.path) == [path])
            // It has not the address at which the binary is linked, which a log without addresses in memory may need.
            var unplaced = request
            unplaced.hasKnownBase = false
            #expect(searches(unplaced, after: store, open(id)).count == 1)
            #expect(searches(unplaced, after: store, isAtHand: false, open(id)).count == 0)
            // What lies there is of another build: the right one may be anywhere.
            #expect(searches(request, after: store, open(other)).count == 1)
        }
    }

    @Test func `a stripped binary and a debug file may have the other one anywhere`() throws {
        let id = try recordedID(of: "SwiftCrash/out/SwiftCrash")
        let request = ImageRequest(name: "SwiftCrash", id: id)
        try withTemporaryFolder { folder in
            let place = "\(folder)/\(id.hexadecimal.prefix(2))/\(id.hexadecimal.dropFirst(2))/"
            try makeFolders(place)
            let store = UnifiedStore(root: folder)
            let open: SymbolFileOpener = { path throws(ObjectFileError) in try ObjectFiles.openAll(path: path) }
            try Toolchain.run("llvm-objcopy", ["--strip-debug", elf, place + "executable"]).requireSuccess()
            #expect(searches(request, after: store, open).count == 1)
            // It is waited for: nothing else has the lines.
            #expect(searches(request, after: store, isAtHand: false, open).count == 1)
            var hasty = request
            hasty.waitsForFolders = false
            #expect(searches(hasty, after: store, isAtHand: false, open).count == 0)
            #expect(searches(hasty, after: store, open).count == 1)
            try run("rm", [place + "executable"]).requireSuccess()
            try Toolchain.run("llvm-objcopy", ["--only-keep-debug", elf, place + "debuginfo"]).requireSuccess()
            #expect(searches(request, after: store, open).count == 1)
            // The binary is not waited for: it has no more lines.
            #expect(searches(request, after: store, isAtHand: false, open).count == 0)
            try Toolchain.run("llvm-objcopy", ["--strip-debug", elf, place + "executable"]).requireSuccess()
            #expect(searches(request, after: store, open).count == 0)
        }
    }

    @Test func `a folder that is read in the background is searched when it has been read`() throws {
        try withTemporaryFolder { folder in
            try makeFolders(folder + "/deep")
            try run("cp", [elf, folder + "/deep/renamed"]).requireSuccess()
            let request = ImageRequest(name: "x", id: try recordedID(of: "SwiftCrash/out/SwiftCrash"))
            let gate = DispatchSemaphore(value: 0)
            let open: SymbolFileOpener = { path throws(ObjectFileError) in
                gate.wait()
                return try ObjectFiles.openAll(path: path)
            }
            let tree = DirectoryTree(root: folder, reading: .inBackground(patience: .zero), open: open)
            #expect(tree.isBeingRead && !tree.isAtHand)
            #expect(tree.candidates(for: request) == [] && tree.files(atMost: 9) { _ in true } == [])
            let found = SymbolFileSearch(SymbolFileCache(open: open)).search(for: request, in: [tree, TreeArchives(tree, open: open)])
            #expect(found.refusals.map(\.description) == ["\(folder): its files are still being read: ask again in a moment"])
            // Nobody reads it twice at once.
            #expect(tree.renewed() === tree)
            gate.signal()
            while tree.isBeingRead { _ = FileDescriptor.wait(for: [], atMost: .milliseconds(1)) }
            #expect(tree.candidates(for: request).map(\.path) == [folder + "/deep/renamed"])
            #expect(tree.files(atMost: 9) { _ in true }.map(\.path) == [folder + "/deep/renamed"])
        }
    }

    @Test func `a request waits for a folder that takes a moment, also where files have come`() throws {
        try withTemporaryFolder { folder in
            let request = ImageRequest(name: "x", id: try recordedID(of: "SwiftCrash/out/SwiftCrash"))
            let tree = DirectoryTree(root: folder, reading: .inBackground(patience: .seconds(60))) { path throws(ObjectFileError) in
                try ObjectFiles.openAll(path: path)
            }
            #expect(tree.candidates(for: request) == [])
            try run("cp", [elf, folder + "/renamed"]).requireSuccess()
            #expect(tree.candidates(for: request) == [])
            #expect(tree.renewed()?.candidates(for: request).map(\.path) == [folder + "/renamed"])
        }
    }

    #if os(Linux)
        @Test func `a file that comes later is found without another walk, also in a new folder`() throws {
            try withTemporaryFolder { folder in
                let request = ImageRequest(name: "x", id: try recordedID(of: "SwiftCrash/out/SwiftCrash"))
                let tree = DirectoryTree(root: folder, reading: .inBackground(patience: .seconds(60))) { path throws(ObjectFileError) in
                    try ObjectFiles.openAll(path: path)
                }
                #expect(tree.candidates(for: request) == [])
                try makeFolders(folder + "/late/deep")
                try run("cp", [elf, folder + "/late/deep/renamed"]).requireSuccess()
                try run("zip", ["-q", "-j", folder + "/late/symbols.zip", elf]).requireSuccess()
                let end = ContinuousClock.now + .seconds(30)
                while tree.candidates(for: request).isEmpty || tree.archivePaths().isEmpty, ContinuousClock.now < end {
                    _ = FileDescriptor.wait(for: [], atMost: .milliseconds(20))
                }
                #expect(tree.candidates(for: request).map(\.path) == [folder + "/late/deep/renamed"])
                #expect(tree.archivePaths() == [folder + "/late/symbols.zip"])
            }
        }
    #endif

    @Test func `while a folder is read again its earlier contents count`() throws {
        func contents(_ paths: [String]) -> TreeContents {
            TreeContents(
                names: TreeNames(paths: paths),
                identities: TreeIdentities(PackedPaths(paths), known: { _ in nil }) { _, _ in
                    nil
                } keep: { _, _, _ in
                })
        }
        let (earlier, new) = (contents(["/a"]), contents(["/a", "/b"]))
        let gate = DispatchSemaphore(value: 0)
        let before = ContinuousClock.now
        let reading = BackgroundReading(after: earlier) {
            gate.wait()
            return new
        }
        #expect(reading.isAtHand && reading.isBeingRead)
        #expect(reading.contents(patience: .zero).map { Array($0.names.paths) } == ["/a"])
        #expect(reading.contentsToRenew(small: 1000) == nil)
        gate.signal()
        while reading.isBeingRead { _ = FileDescriptor.wait(for: [], atMost: .milliseconds(1)) }
        #expect(reading.contents(patience: .zero).map { Array($0.names.paths) } == ["/a", "/b"])
        // Two files are read again at any time; more, when ten times as long has passed.
        #expect(reading.contentsToRenew(small: 2, now: before).map { Array($0.names.paths) } == ["/a", "/b"])
        #expect(reading.contentsToRenew(small: 1, now: before) == nil)
        #expect(reading.contentsToRenew(small: 1, now: .now + (.now - before) * 10).map { Array($0.names.paths) } == ["/a", "/b"])
    }
}
