import BinaryPrimitives
import ObjectFiles
import SymbolFiles
import TestSupport
import Testing

/// The binary beside a debug file, in folders of libraries.
struct LibraryFoldersTests {
    /// Makes `packages/.build-id/…debug` of a library, and the library, in which no debug information is left.
    private func withLibrary(_ body: (_ folder: String, _ id: ImageID) throws -> Void) throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/a.c", Array("int load(int *p) { return *p; }".utf8))
            let script = """
                mkdir -p sysroot/usr/lib/x86_64-linux-gnu && gcc -g -O1 -shared -fPIC -Wl,--build-id a.c -o whole.so &&
                objcopy --strip-all whole.so sysroot/usr/lib/x86_64-linux-gnu/libload.so.1 && objcopy --only-keep-debug whole.so only.debug
                """
            try run("sh", ["-c", script], directory: folder).requireSuccess()
            let id = try #require(try ObjectFiles.open(path: folder + "/whole.so").identity)
            let target = folder + "/packages/.build-id/\(id.hexadecimal.prefix(2))"
            try run(
                "sh", ["-c", "mkdir -p '\(target)' && mv only.debug '\(target)/\(id.hexadecimal.dropFirst(2)).debug'"], directory: folder
            )
            .requireSuccess()
            try body(folder, id)
        }
    }

    private func found(_ request: ImageRequest, _ locations: SearchLocations) -> FoundSymbolFiles {
        @Sendable func open(_ path: String) throws(ObjectFileError) -> [any SymbolFile] { try ObjectFiles.openAll(path: path) }
        let check = SymbolFileSearch(SymbolFileCache(open: open))
        return check.search(for: request, in: locations.locators(open: open).locators)
    }

    private static let tools = ["gcc", "objcopy"].allSatisfy { TestPaths.isReadable("/usr/bin/" + $0) }

    /// Crashpad has a library's own name instead of its path.
    @Test(.enabled(if: tools, "gcc or objcopy is not installed"), arguments: [false, true])
    func `a library of the debug file's build ID is found by its name below a root`(usesImagePaths: Bool) throws {
        try withLibrary { folder, id in
            var locations = SearchLocations(symbols: [folder + "/packages"])
            locations.systemRoots = [folder + "/sysroot"]
            locations.usesImagePaths = usesImagePaths
            let found = found(ImageRequest(name: "libload.so.1", architecture: .x86_64, id: id), locations)
            #expect(found.accepted.map(\.file.holdsCode) == [false, true])
            #expect(found.accepted.last?.path == folder + "/sysroot/usr/lib/x86_64-linux-gnu/libload.so.1")
            #expect(found.accepted.last?.candidate.origin.description == "library-folder")
            #expect(found.accepted.map(\.proof) == [.identity, .identity])
        }
    }

    @Test(.enabled(if: tools, "gcc or objcopy is not installed"))
    func `another build of the same name is neither used nor mentioned`() throws {
        try withLibrary { folder, _ in
            let other = try #require(ImageID(buildID: [UInt8](repeating: 0xab, count: 20)))
            var locations = SearchLocations()
            locations.systemRoots = [folder + "/sysroot"]
            let found = found(ImageRequest(name: "libload.so.1", architecture: .x86_64, id: other), locations)
            #expect(found.accepted.isEmpty && found.refusals.isEmpty)
            // Without a build ID no name is enough.
            #expect(self.found(ImageRequest(name: "libload.so.1", architecture: .x86_64), locations).accepted.isEmpty)
        }
    }

    static let cLibrary = ["/usr/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib64/libc.so.6"].first(where: TestPaths.isReadable)

    /// `--no-local` alone has no file of this machine that only its name leads to.
    @Test(.enabled(if: cLibrary != nil, "the C library is elsewhere"))
    func `this machine's libraries are found by build ID, or only complete a debug file`() throws {
        let path = try #require(Self.cLibrary)
        let id = try ObjectFiles.open(path: path).identity
        let request = ImageRequest(name: "libc.so.6", architecture: .x86_64, id: id)
        let anywhere = found(request, SearchLocations()).accepted.map(\.file.holdsCode)
        #expect(anywhere.contains(true))
        var locations = SearchLocations()
        locations.usesImagePaths = false
        let found = found(request, locations).accepted
        let (code, information) = (found.map(\.file.holdsCode), found.map(\.file.hasDebugInformation))
        #expect(code.contains(true) == information.contains(true))
    }
}
