import BinaryPrimitives
import ObjectFiles
import SymbolFiles
import TestSupport
import Testing

/// Debug files split off by the toolchain's own llvm-objcopy.
struct CompanionsTests {
    private let binary = TestPaths.fixture("binaries/SwiftCrash/out/SwiftCrash")

    /// `folder/App`, stripped, with a link to `App.debug`; the debug file is at `path`.
    private func split(into folder: String, debugAt path: String, withoutBuildID: Bool = false) throws -> ObjectFile {
        let remove = withoutBuildID ? " --remove-section=.note.gnu.build-id" : ""
        let script = """
            mkdir -p "$(dirname "\(path)")" && llvm-objcopy --only-keep-debug\(remove) '\(binary)' App.debug &&
            llvm-objcopy --strip-debug\(remove) --add-gnu-debuglink=App.debug '\(binary)' App &&
            if [ App.debug != '\(path)' ]; then mv App.debug '\(path)'; fi
            """
        try Toolchain.shell(script, directory: folder).requireSuccess()
        return try ObjectFiles.open(path: folder + "/App")
    }

    private func companion(of object: ObjectFile, debugFolder: String = "/nowhere") -> String? {
        Companions(debugFolders: [debugFolder]).find(for: object) { path throws(ObjectFileError) in try ObjectFiles.openAll(path: path) }?
            .path
    }

    @Test(arguments: ["App.debug", ".debug/App.debug"])
    func `the debuglink is followed beside the binary and into .debug`(path: String) throws {
        try withTemporaryFolder { folder in
            let object = try split(into: folder, debugAt: path)
            #expect(companion(of: object) == folder + "/" + path)
        }
    }

    @Test func `a build ID's place among the debug packages comes first`() throws {
        try withTemporaryFolder { folder in
            let id = try #require(try ObjectFiles.open(path: binary).identity?.hexadecimal)
            let path = "packages/.build-id/\(id.prefix(2))/\(id.dropFirst(2)).debug"
            let object = try split(into: folder, debugAt: path)
            #expect(companion(of: object, debugFolder: folder + "/packages") == folder + "/" + path)
        }
    }

    @Test func `what LLVM's tools have fetched comes last`() throws {
        try withTemporaryFolder { folder in
            let object = try split(into: folder, debugAt: "elsewhere.debug")
            let cache = LLVMDebuginfodCache(folder: folder)
            let fetched = try #require(try object.identity.flatMap { cache.expectedPaths(for: $0).first })
            #expect(try run("cp", [folder + "/elsewhere.debug", fetched]).status == 0)
            func found(_ companions: Companions) -> String? {
                companions.find(for: object) { path throws(ObjectFileError) in try ObjectFiles.openAll(path: path) }?.path
            }
            #expect(found(Companions()) == nil)
            #expect(found(Companions(fetched: cache)) == fetched)
            #expect(try run("mv", [folder + "/elsewhere.debug", folder + "/App.debug"]).status == 0)
            #expect(found(Companions(fetched: cache)) == folder + "/App.debug")
        }
    }

    /// It is called otherwise than the binary, and is used by its identity alone.
    @Test(arguments: [("CrashExample/out/CrashExample.dSYM", true), ("HiddenNames/out/hidden.dSYM", false)])
    func `a dSYM bundle that is named is looked into`(bundle: String, fits: Bool) throws {
        try withTemporaryFolder { folder in
            let binaries = TestPaths.fixture("binaries")
            let script = """
                cp '\(binaries)/CrashExample/out/CrashExample' App && mkdir -p X.dSYM/Contents/Resources/DWARF &&
                cp '\(binaries)/\(bundle)/Contents/Resources/DWARF/'* X.dSYM/Contents/Resources/DWARF/App
                """
            try Toolchain.shell(script, directory: folder).requireSuccess()
            let object = try #require(try ObjectFiles.openAll(path: folder + "/App").first)
            let found = Companions(bundles: [folder + "/X.dSYM"]).find(for: object) { path throws(ObjectFileError) in
                try ObjectFiles.openAll(path: path)
            }
            #expect((found?.path == folder + "/X.dSYM/Contents/Resources/DWARF/App") == fits)
        }
    }

    @Test func `without build IDs the link's checksum decides`() throws {
        try withTemporaryFolder { folder in
            let object = try split(into: folder, debugAt: "App.debug", withoutBuildID: true)
            #expect(object.identity == nil)
            #expect(companion(of: object) == folder + "/App.debug")
            var bytes = try readFile(folder + "/App.debug")
            bytes[bytes.count - 1] ^= 1
            try writeFile(folder + "/App.debug", bytes)
            #expect(companion(of: object) == nil)
        }
    }

    @Test func `another build's debug file is not used`() throws {
        try withTemporaryFolder { folder in
            let object = try split(into: folder, debugAt: "App.debug")
            let other = TestPaths.fixture("binaries/SwiftCrash/out/SwiftCrash-O")
            #expect(try run("cp", [other, folder + "/App.debug"]).status == 0)
            #expect(companion(of: object) == nil)
        }
    }
}
