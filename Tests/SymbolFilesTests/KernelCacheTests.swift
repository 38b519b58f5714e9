import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

@testable import SymbolFiles

/// The images of a kernel cache are found by their own identities. Those, and where the images are
/// linked, are in the fixture's README (from llvm-objdump and llvm-nm).
struct KernelCacheTests {
    private static let cache = TestPaths.fixture("hostile/macho/kernel-cache")
    private static let images =
        [
            ("4C4C44AE-5555-3144-A184-56D59686CAF7", 0xffff_ff80_0020_0000),
            ("4C4C445D-5555-3144-A169-B1178D46EDD8", 0xffff_ff80_0030_0000),
        ] as [(String, UInt64)]

    private func search(_ request: ImageRequest, _ path: String, force: Bool = false) -> FoundSymbolFiles {
        let check = SymbolFileSearch(
            force: force, SymbolFileCache { path throws(ObjectFileError) in try ObjectFiles.openAll(path: path) })
        return check.search(for: request, among: [SymbolFileCandidate(path: path, origin: .given)])
    }

    @Test(arguments: images)
    func `the entry with the log's identity is used`(uuid: String, base: UInt64) throws {
        let found = search(ImageRequest(name: "mach_kernel", id: ImageID(text: uuid)), Self.cache)
        #expect(found.accepted.map(\.file.baseAddress.value) == [base])
        #expect(found.accepted.map(\.proof) == [.identity])
    }

    @Test(arguments: images)
    func `a directory has it under its identity, as the file is or in an archive`(uuid: String, base: UInt64) throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/kc", try readFile(Self.cache))
            let request = ImageRequest(name: "mach_kernel", id: ImageID(text: uuid))
            let tree = DirectoryTree(root: folder) { path throws(ObjectFileError) in try ObjectFiles.openAll(path: path) }
            #expect(tree.candidates(for: request).map(\.path) == [folder + "/kc"])
            // The first bytes of other deflated Mach-O files are enough.
            try run("zip", ["-q", "-9", "caches.zip", "kc"], directory: folder).requireSuccess()
            let packed = ArchivedFiles(archive: folder + "/caches.zip", cache: nil) { path throws(ObjectFileError) in
                try ObjectFiles.openAll(path: path)
            }
            #expect(packed.candidates(for: request).map(\.path) == [folder + "/caches.zip!/kc"])
        }
    }

    /// All images of a cache have one architecture: the first would be a guess.
    @Test func `without an identity no entry is taken for the image, whatever the file is called`() {
        let request = ImageRequest(name: "kernel-cache", architecture: .x86_64)
        #expect(search(request, Self.cache).accepted.isEmpty)
        let other = ImageRequest(name: "kernel-cache", architecture: .x86_64, id: ImageID(bytes: [UInt8](1...16)))
        #expect(search(other, Self.cache, force: true).accepted.isEmpty)
    }
}
