import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

@testable import SymbolFiles

/// Identities are those that `Fixtures/binaries/INDEX.tsv` records (from readelf and llvm-objdump).
struct ArchivedFilesTests {
    /// A thin Mach-O file and an ELF file.
    private static let meter = "DebugMap/out/arm64/linked.dSYM/Contents/Resources/DWARF/meter"
    private static let library = "Android/out/x86_64/libshop.so"

    /// Puts both files into an archive in `folder` by the command.
    private func pack(_ script: String, in folder: String) throws {
        let fixtures = TestPaths.fixture("binaries")
        let files =
            "mkdir -p x.dSYM/Contents/Resources/DWARF lib; cp \(fixtures)/\(Self.meter) x.dSYM/Contents/Resources/DWARF; cp \(fixtures)/\(Self.library) lib"
        try run("sh", ["-c", "set -e; \(files); \(script)"], directory: folder).requireSuccess()
    }

    private func archive(_ path: String, cache: String?, opened: Counter = Counter()) -> ArchivedFiles {
        ArchivedFiles(archive: path, cache: cache) { path throws(ObjectFileError) in
            opened.count(path)
            guard let member = try OpenArchives.shared.contents(at: path) else { return [] }
            return try ObjectFiles.openAll(member)
        }
    }

    private func paths(_ archive: ArchivedFiles, _ request: ImageRequest) -> [String] {
        archive.candidates(for: request).map { String($0.path.dropFirst(archive.archive.count)) }
    }

    @Test(arguments: ["zip -q -9 -r a x.dSYM lib; mv a.zip a", "tar -czf a x.dSYM lib"])
    func `identities are read once, and kept for the next run`(script: String) throws {
        try withTemporaryFolder { folder in
            try pack(script, in: folder)
            let (meter, library) = (try recordedID(of: Self.meter), try recordedID(of: Self.library))
            let member = "!/x.dSYM/Contents/Resources/DWARF/meter"
            let first = Counter()
            let files = archive(folder + "/a", cache: folder + "/cache", opened: first)
            #expect(paths(files, ImageRequest(name: "other", id: meter)) == [member])
            #expect(paths(files, ImageRequest(name: "other", id: library)) == ["!/lib/libshop.so"])
            #expect(paths(files, ImageRequest(name: "meter")) == [member])
            #expect(files.remarks(for: ImageRequest(name: "meter")) == ["2 files that may hold symbols"])
            // The first bytes of a deflated Mach-O file that is not universal suffice.
            #expect(
                first.paths.sorted()
                    == (script.hasPrefix("zip") ? ["!/lib/libshop.so"] : ["!/lib/libshop.so", member]).map { folder + "/a" + $0 })
            let second = Counter()
            #expect(
                paths(archive(folder + "/a", cache: folder + "/cache", opened: second), ImageRequest(name: "x", id: library)) == [
                    "!/lib/libshop.so"
                ])
            #expect(second.paths == [])
            // Another archive in its place is read anew.
            try pack("rm a; printf x >> lib/libshop.so; \(script.replacing("x.dSYM lib", with: "lib"))", in: folder)
            let third = Counter()
            let again = archive(folder + "/a", cache: folder + "/cache", opened: third)
            #expect(paths(again, ImageRequest(name: "x", id: meter)) == [])
            #expect(third.paths == [folder + "/a!/lib/libshop.so"])
        }
    }

    @Test func `an archive in a folder of its kind of name, and two deep`() throws {
        try withTemporaryFolder { folder in
            try makeFolders(folder + "/odd!")
            try pack("zip -q -r inner.apk lib; zip -q 'odd!/outer.zip' inner.apk", in: folder)
            let files = archive(folder + "/odd!/outer.zip", cache: nil)
            let found = paths(files, ImageRequest(name: "x", id: try recordedID(of: Self.library)))
            #expect(found == ["!/inner.apk!/lib/libshop.so"])
            let contents = try OpenArchives.shared.contents(at: files.archive + found[0])
            let plain = try readFile(TestPaths.fixture("binaries/" + Self.library))
            #expect(contents?.bytes(in: 0..<plain.count + 1) == plain)
        }
    }

    @Test func `a file that is called like a member has precedence`() throws {
        try withTemporaryFolder { folder in
            try pack("zip -q a.zip lib/libshop.so; mkdir 'b.zip!'; cp lib/libshop.so 'b.zip!/x'", in: folder)
            let member = try OpenArchives.shared.contents(at: folder + "/a.zip!/lib/libshop.so")
            #expect(member != nil)
            let file = try OpenArchives.shared.contents(at: folder + "/b.zip!/x")
            #expect(file == nil)
            #expect(throws: ObjectFileError.self) { try OpenArchives.shared.contents(at: folder + "/a.zip!/lib/none.so") }
            #expect(!OpenArchives.shared.hasMember(at: folder + "/a.zip!/lib/none.so"))
            #expect(OpenArchives.shared.hasMember(at: folder + "/a.zip!/lib/libshop.so"))
        }
    }

    @Test func `what is no archive or damaged is told`() throws {
        try withTemporaryFolder { folder in
            try pack("zip -q a.zip lib/libshop.so; head -c 900 a.zip > b.zip", in: folder)
            let said = archive(folder + "/b.zip", cache: nil).remarks(for: ImageRequest(name: "x"))
            #expect(
                said == ["0 files that may hold symbols", "\(folder)/b.zip: the ZIP file has no directory at its end: it is cut short"])
        }
    }

    @Test(arguments: [
        ("lib/arm64-v8a/libfoo.so", true), ("x/libfoo.so.1.2", true), ("obj/libfoo.so.dbg", true),
        ("App.dSYM/Contents/Resources/DWARF/App.debug.dylib", true),
        ("App.dSYM/Contents/Info.plist", false), ("Payload/App.app/App", true), ("Payload/App.app/Info.plist", false),
        ("usr/lib/debug/boot/vmlinux-6.1.0", true),
        ("lib/modules/x.ko", true), ("res/icon.png", false), ("classes.dex", false), ("__MACOSX/x/._App", false), ("x/._App", false),
        ("app.sym", true),
        ("app.gsym", true), ("libx.DYLIB", true), ("folder/", false), ("", false),
    ])
    func `which members may hold symbols is told by their names`(name: String, expected: Bool) {
        #expect(MemberName.mayHoldSymbols(name) == expected)
    }
}
