import BinaryPrimitives
import TestSupport
import Testing

@testable import SymbolFiles

/// Paths of a file of one identity in the stores' layouts, as the layouts' documents have them.
struct StoreTests {
    private func found(_ locator: (String) -> any DebugFileLocator, _ request: ImageRequest, among files: [String]) throws -> [String] {
        try withTemporaryFolder { folder in
            for file in files {
                try makeFolders(Path.directory(of: folder + "/" + file))
                try writeFile(folder + "/" + file, [])
            }
            return locator(folder).candidates(for: request).map { String($0.path.dropFirst(folder.count + 1)) }
        }
    }

    private let elf = ImageRequest(
        name: "libFoo.so", path: "/usr/lib/libFoo.so", id: ImageID(text: "ABcdef0123456789abcdef0123456789abcdef01"))
    private let machO = ImageRequest(name: "App", id: ImageID(text: "8F528C10-3E80-3DD6-B0BE-5D558F64F7AB"))

    @Test func `LLDB's mapped paths`() throws {
        let old = "8F52/8C10/3E80/3DD6/B0BE/5D55/8F64F7AB"
        let file = "8F52/8C10/3E80/3DD6/B0BE/5D558F64F7AB"
        #expect(try found({ MappedUUIDFolder(root: $0) }, machO, among: [file, old]) == [file, old])
        #expect(try found({ MappedUUIDFolder(root: $0) }, elf, among: [file]) == [])
        // The link may lead to a bundle.
        try withTemporaryFolder { folder in
            let member = "App.dSYM/Contents/Resources/DWARF/App"
            for path in [member, file] { try makeFolders(Path.directory(of: folder + "/" + path)) }
            try writeFile(folder + "/" + member, [])
            _ = try run("ln", ["-s", folder + "/App.dSYM", folder + "/" + file])
            let paths = MappedUUIDFolder(root: folder).candidates(for: machO).map(\.path)
            #expect(paths == [folder + "/" + file + "/Contents/Resources/DWARF/App"])
        }
    }

    @Test func `the unified layout`() throws {
        let folder = "ab/cdef0123456789abcdef0123456789abcdef01/"
        #expect(
            try found({ UnifiedStore(root: $0) }, elf, among: [folder + "executable", folder + "debuginfo", folder + "meta"])
                == [folder + "debuginfo", folder + "executable"])
        let uuid = "8f/528c103e803dd6b0be5d558f64f7ab/debuginfo"
        #expect(try found({ UnifiedStore(root: $0) }, machO, among: [uuid]) == [uuid])
        #expect(try found({ UnifiedStore(root: $0) }, ImageRequest(name: "App"), among: [uuid]) == [])
    }

    /// `abcdef01 2345 6789` of a build ID is the GUID's numbers 01efcdab, 4523, 8967; the rest
    /// stays, up to 16 bytes. A UUID stays as it is.
    @Test func `Breakpad's layout`() throws {
        let file = "libFoo.so/01EFCDAB45238967ABCDEF01234567890/libFoo.so.sym"
        #expect(try found({ BreakpadStore(root: $0) }, elf, among: [file]) == [file])
        let plain = "App/8F528C103E803DD6B0BE5D558F64F7AB0/App.sym"
        let swapped = "App/108C528F803ED63DB0BE5D558F64F7AB0/App.sym"
        #expect(try found({ BreakpadStore(root: $0) }, machO, among: [swapped, plain]) == [plain, swapped])
        #expect(try found({ BreakpadStore(root: $0) }, ImageRequest(name: "App"), among: [plain]) == [])
        #expect(BreakpadStore(root: "/s").expectedPaths(for: ImageRequest(name: "..", id: machO.id)) == [])
    }

    @Test func `symbol servers' keys`() throws {
        let id = "abcdef0123456789abcdef0123456789abcdef01"
        let files = ["_.debug/elf-buildid-sym-\(id)/_.debug", "libfoo.so/elf-buildid-\(id)/libfoo.so"]
        #expect(try found({ SymbolServerStore(root: $0) }, elf, among: files.reversed()) == files)
        let uuid = "8f528c103e803dd6b0be5d558f64f7ab"
        let apple = ["_.dwarf/mach-uuid-sym-\(uuid)/_.dwarf", "app/mach-uuid-\(uuid)/app"]
        #expect(try found({ SymbolServerStore(root: $0) }, machO, among: apple) == apple)
        let twoTier = ["_./_.debug/elf-buildid-sym-\(id)/_.debug", "li/libfoo.so/elf-buildid-\(id)/libfoo.so"]
        #expect(try found({ SymbolServerStore(root: $0) }, elf, among: twoTier + ["index2.txt"]) == twoTier)
        #expect(try found({ SymbolServerStore(root: $0) }, elf, among: twoTier) == [])
    }

    @Test func `what debuginfod's client keeps, and where`() throws {
        let id = "abcdef0123456789abcdef0123456789abcdef01"
        try withTemporaryFolder { folder in
            let cache = DebuginfodCache(root: folder)
            try makeFolders(folder + "/" + id)
            try writeFile("\(folder)/\(id)/debuginfo", [1])
            try writeFile("\(folder)/\(id)/source##a.c", [1])
            // debuginfod-find leaves an empty file where no server had one.
            try writeFile("\(folder)/\(id)/executable", [])
            #expect(cache.candidates(for: elf).map(\.path) == ["\(folder)/\(id)/debuginfo"])
            #expect(cache.remarks(for: elf) == ["\(folder)/\(id)/executable records that no server had it"])
        }
        func root(_ variables: [String: String]) -> String? { DebuginfodCache.standard { variables[$0] }?.root }
        #expect(root(["DEBUGINFOD_CACHE_PATH": "/c", "HOME": "/h"]) == "/c")
        #expect(root(["XDG_CACHE_HOME": "/x", "HOME": "/h"]) == "/x/debuginfod_client")
        #expect(root(["HOME": "/h"]) == "/h/.cache/debuginfod_client")
        #expect(root([:]) == nil)
        try withTemporaryFolder { home in
            try makeFolders(home + "/.debuginfod_client_cache")
            #expect(root(["HOME": home, "XDG_CACHE_HOME": "/x"]) == home + "/.debuginfod_client_cache")
        }
    }

    @Test func `downloads without a home go to a folder of the user's own`() throws {
        #expect(try DebuginfodCache.forDownloads { ["HOME": "/h"][$0] }.root == "/h/.cache/debuginfod_client")
        try withTemporaryFolder { folder in
            func made() throws -> DebuginfodCache { try DebuginfodCache.forDownloads { ["TMPDIR": folder][$0] } }
            let path = try made().root
            #expect(try Path.directory(of: path) == folder && made().root == path)
            #expect(try run("stat", ["-c", "%a", path]).output == "700\n")
            // Others may write there, or it leads to somebody's folder.
            try run("chmod", ["777", path]).requireSuccess()
            #expect(throws: FileError.self) { try made() }
            try run("sh", ["-c", "rmdir '\(path)'; mkdir -m 700 '\(folder)/other'; ln -s '\(folder)/other' '\(path)'"]).requireSuccess()
            #expect(throws: FileError.self) { try made() }
        }
    }

    @Test func `another machine's file system`() throws {
        let files = [
            "usr/lib/libFoo.so", "usr/lib/debug/usr/lib/libFoo.so.debug",
            "usr/lib/debug/.build-id/ab/cdef0123456789abcdef0123456789abcdef01.debug",
        ]
        #expect(try found({ SystemRoot(root: $0) }, elf, among: files) == files.reversed())
        #expect(try found({ SystemRoot(root: $0) }, ImageRequest(name: "libFoo.so"), among: files) == [])
        // A path that leads out of the root is not used.
        #expect(try found({ SystemRoot(root: $0 + "/usr") }, ImageRequest(name: "x", path: "/../usr/lib/libFoo.so"), among: files) == [])
    }
}

struct LLVMDebuginfodCacheTests {
    /// The name that LLVM 19's own test (`debuginfod.test`) gives a file.
    @Test func `a debug file is called by a hash of the server's path`() throws {
        let id = try #require(ImageID(text: "127da749021c1fc1a58cba734a1f542cbe2b7ce4"))
        #expect(LLVMDebuginfodCache(folder: "/cache").expectedPaths(for: id).first == "/cache/llvmcache-1165050469834211050")
    }

    /// xxHash computes short inputs with other functions; a hash of them here would match no file.
    @Test func `a build ID that makes a shorter path than the hash is defined for has no name`() {
        #expect(XXH3.hash(Array("buildid".utf8)) == 0)
        #expect(XXH3.hash([UInt8](repeating: 0, count: 129)) == 0)
    }
}
