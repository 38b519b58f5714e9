import BinaryPrimitives
import ObjectFiles
import SymbolFiles
import TestSupport
import Testing

/// Identities are those that `Fixtures/binaries/INDEX.tsv` records (from readelf).
struct SymbolFileSearchTests {
    private let plain = TestPaths.fixture("binaries/SwiftCrash/out/SwiftCrash")
    private let optimised = TestPaths.fixture("binaries/SwiftCrash/out/SwiftCrash-O")

    /// A locator that returns given paths.
    private struct FileList: DebugFileLocator {
        let paths: [String]
        let origin: SymbolFileCandidate.Origin
        var location: String { "a place" }
        func expectedPaths(for request: ImageRequest) -> [String] { paths }
        func candidates(for request: ImageRequest) -> [SymbolFileCandidate] {
            paths.map { SymbolFileCandidate(path: $0, origin: origin) }
        }
    }

    /// - Parameter paths: paths of files that are judged by their paths.
    private func judged(
        _ request: ImageRequest, _ paths: [[String]], origin: SymbolFileCandidate.Origin = .given,
        _ verdict: @escaping (String) -> CodeVerdict
    ) -> FoundSymbolFiles {
        let check = SymbolFileSearch(SymbolFileCache { path throws(ObjectFileError) in try ObjectFiles.openAll(path: path) })
        return check.search(for: request, in: paths.map { FileList(paths: $0, origin: origin) }) { files in verdict(files[0].path) }
    }

    private func search(_ request: ImageRequest, _ paths: [String], force: Bool = false, origin: SymbolFileCandidate.Origin = .given)
        -> FoundSymbolFiles
    {
        let check = SymbolFileSearch(
            force: force, SymbolFileCache { path throws(ObjectFileError) in try ObjectFiles.openAll(path: path) })
        return check.search(for: request, among: paths.map { SymbolFileCandidate(path: $0, origin: origin) })
    }

    @Test func `the file of the log's identity is used, whatever it is called and wherever it stands in the list`() throws {
        let id = try recordedID(of: "SwiftCrash/out/SwiftCrash")
        let found = search(ImageRequest(name: "Renamed", id: id), [optimised, plain])
        #expect(found.accepted.map(\.path) == [plain])
        #expect(found.accepted.map(\.proof) == [.identity])
        #expect(found.refusals == [])
    }

    /// Breakpad's GUIDs hold 16 of a build ID's 20 bytes; a shorter prefix, or a prefix of a UUID,
    /// is not an identity.
    @Test func `the first sixteen bytes of a longer identity are one`() throws {
        let whole = try recordedID(of: "SwiftCrash/out/SwiftCrash")
        let cut = try #require(ImageID(bytes: Array(whole.bytes.prefix(16))))
        #expect(search(ImageRequest(name: "Renamed", id: cut), [optimised, plain]).accepted.map(\.path) == [plain])
        let shorter = try #require(ImageID(bytes: Array(whole.bytes.prefix(15))))
        #expect(search(ImageRequest(name: "SwiftCrash", id: shorter), [plain]).accepted.isEmpty)
    }

    /// Symbol servers name a program of Windows by its timestamp and its size; minidumps have both. The headers have the timestamp
    /// 8 bytes and the size 80 bytes after their beginning, which byte 60 has.
    @Test func `a program of Windows is matched by its timestamp and size`() throws {
        var bytes = try readFile(TestPaths.root + "/Fixtures/hostile/pe/functions-x86_64")
        let start = Int(bytes[60]) | Int(bytes[61]) << 8
        for (index, byte) in [0x9c, 0xb2, 0xa9, 0x4b].enumerated() { bytes[start + 8 + index] = UInt8(byte) }
        let size = (0..<4).reduce(0) { $0 | Int(bytes[start + 80 + $1]) << ($1 * 8) }
        try withTemporaryFolder { folder in
            let path = folder + "/renamed"
            try writeFile(path, bytes)
            var request = ImageRequest(name: "App.exe")
            request.codeIdentifier = "4BA9B29C" + String(size, radix: 16)
            #expect(search(request, [plain, path]).accepted.map(\.path) == [path])
            #expect(search(request, [path]).accepted.map(\.proof) == [.identity])
            // Another link of the program.
            request.codeIdentifier = "4BA9B29D" + String(size, radix: 16)
            #expect(search(request, [path]).accepted.isEmpty)
            let named = folder + "/APP.EXE"
            try writeFile(named, bytes)
            #expect(
                search(request, [named]).refusals.map(\.description) == [
                    "timestamp or size differs: the log has \(request.codeIdentifier ?? ""), \(named) has 4BA9B29C\(String(size, radix: 16))"
                ])
            #expect(search(request, [named], force: true).accepted.map(\.proof) == [.forced])
        }
    }

    @Test func `a file of the right name and another identity is refused, and the reason names both`() throws {
        let log = try #require(ImageID(text: "00112233445566778899aabbccddeeff00112233"))
        let file = try recordedID(of: "SwiftCrash/out/SwiftCrash")
        let found = search(ImageRequest(name: "SwiftCrash", id: log), [plain])
        #expect(found.accepted.isEmpty)
        #expect(
            found.refusals.map(\.description) == [
                "build ID differs: the log has 00112233445566778899aabbccddeeff00112233, \(plain) has \(file.hexadecimal)"
            ])
    }

    @Test func `force uses it, but only where nothing matches, and never a file of another name`() throws {
        let log = try #require(ImageID(text: "00112233445566778899aabbccddeeff00112233"))
        #expect(search(ImageRequest(name: "SwiftCrash", id: log), [plain], force: true).accepted.map(\.proof) == [.forced])
        #expect(search(ImageRequest(name: "Other", id: log), [plain], force: true).accepted.isEmpty)
        try withTemporaryFolder { folder in
            // The optimised build under the plain one's name comes first.
            #expect(try run("cp", [optimised, folder + "/SwiftCrash"]).status == 0)
            let id = try recordedID(of: "SwiftCrash/out/SwiftCrash")
            let found = search(ImageRequest(name: "SwiftCrash", id: id), [folder + "/SwiftCrash", plain], force: true)
            #expect(found.accepted.map(\.path) == [plain])
        }
    }

    @Test func `of several files that force would use the one with debug information is used`() throws {
        let log = try #require(ImageID(text: "00112233445566778899aabbccddeeff00112233"))
        try withTemporaryFolder { folder in
            let stripped = folder + "/SwiftCrash"
            try Toolchain.run("llvm-objcopy", ["--strip-debug", plain, stripped]).requireSuccess()
            for order in [[stripped, plain], [plain, stripped]] {
                #expect(search(ImageRequest(name: "SwiftCrash", id: log), order, force: true).accepted.map(\.path) == [plain])
            }
            #expect(search(ImageRequest(name: "SwiftCrash", id: log), [stripped], force: true).accepted.map(\.path) == [stripped])
        }
    }

    @Test func `without an identity in the log the name decides, except at the image's own path`() {
        #expect(search(ImageRequest(name: "SwiftCrash"), [optimised, plain]).accepted.map(\.proof) == [.name])
        let local = search(ImageRequest(name: "SwiftCrash", path: plain), [plain], origin: .imagePath)
        #expect(local.accepted.isEmpty)
        #expect(local.refusals.map(\.reason) == [.logHasNoIdentity])
    }

    @Test func `the file at the image's own path is used without an identity where its code is compared`() {
        let request = ImageRequest(name: "SwiftCrash", path: plain)
        let found = judged(request, [[plain]], origin: .imagePath) { _ in .fits(addresses: 3) }
        #expect(found.accepted.map(\.proof) == [.path])
        #expect(judged(request, [[plain]], origin: .imagePath) { _ in .unknown }.accepted.map(\.path) == [plain])
        let refused = judged(request, [[plain]], origin: .imagePath) { _ in .refused(.modifiedSince) }
        #expect(refused.accepted.isEmpty)
        #expect(refused.refusals.map(\.reason) == [.modifiedSince])
    }

    @Test func `of several builds of one name the one whose code fits is used, and another build does not hide it`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/SwiftCrash", readFile(optimised))
            let other = folder + "/SwiftCrash"
            let request = ImageRequest(name: "SwiftCrash")
            let reason = SymbolFileRefusal.Reason.noCallReturnsTo(LinkAddress(0x1234), fitting: 1, addresses: 3)
            let sideBySide = judged(request, [[other, plain]]) { $0 == other ? .refused(reason) : .fits(addresses: 3) }
            #expect(sideBySide.accepted.map(\.path) == [plain])
            #expect(sideBySide.refusals.map(\.path) == [other])
            // Found by another locator, before the right one.
            #expect(judged(request, [[other], [plain]]) { $0 == other ? .refused(reason) : .unknown }.accepted.map(\.path) == [plain])
            // One that fits goes before one of which nothing is known.
            #expect(judged(request, [[other, plain]]) { $0 == other ? .unknown : .fits(addresses: 1) }.accepted.map(\.path) == [plain])
            // Nothing is known of either: none.
            #expect(judged(request, [[other, plain]]) { _ in .unknown }.accepted.isEmpty)
        }
    }

    @Test func `another architecture is refused`() {
        let found = search(ImageRequest(name: "SwiftCrash", architecture: .arm64), [plain])
        #expect(found.refusals.map(\.reason) == [.otherArchitecture(wanted: .arm64, file: [.x86_64])])
    }

    /// armv7 runs on the processors of armv7s and armv7k, and a log of armv7 does not show which of
    /// the two it means.
    @Test func `of a universal file the log's own slice is chosen, else the only one of its family`() {
        func choose(_ wanted: Architecture?, _ slices: [Architecture]) -> Int? { SymbolFileSearch.choose(wanted, among: slices) }
        #expect(choose(.armv7s, [.armv7, .armv7s]) == 1)
        #expect(choose(.armv7, [.arm64, .armv7s]) == 1)
        #expect(choose(.armv7, [.armv7s, .armv7k]) == nil)
        #expect(choose(.x86_64, [.armv7s, .arm64]) == nil)
        #expect(choose(nil, [.arm64]) == 0)
        #expect(choose(nil, [.armv7s, .arm64]) == nil)
    }

    @Test func `a file without identity is refused where the log has one`() throws {
        try withTemporaryFolder { folder in
            let bare = folder + "/SwiftCrash"
            #expect(try Toolchain.run("llvm-objcopy", ["--remove-section=.note.gnu.build-id", plain, bare]).status == 0)
            let id = try recordedID(of: "SwiftCrash/out/SwiftCrash")
            #expect(search(ImageRequest(name: "SwiftCrash", id: id), [bare]).refusals.map(\.reason) == [.fileHasNoIdentity(log: id)])
        }
    }

    @Test func `what is no object file is refused in words, if it is called like the image`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/App", Array("hello".utf8))
            let found = search(ImageRequest(name: "App"), [folder + "/App"])
            #expect(found.accepted.isEmpty)
            let expected = "not an object file, expected ELF, Mach-O, PE, WebAssembly or a dSYM bundle"
            #expect(found.refusals.map(\.description) == ["\(folder)/App: \(expected)"])
            #expect(search(ImageRequest(name: "Other"), [folder + "/App"]).refusals == [])
        }
    }

    @Test func `a file without debug information does not end the search, and comes after the one that has it`() throws {
        try withTemporaryFolder { folder in
            let stripped = folder + "/SwiftCrash"
            #expect(try Toolchain.run("llvm-objcopy", ["--strip-debug", plain, stripped]).status == 0)
            let id = try recordedID(of: "SwiftCrash/out/SwiftCrash")
            #expect(search(ImageRequest(name: "SwiftCrash", id: id), [stripped, plain]).accepted.map(\.path) == [plain, stripped])
        }
    }

    @Test func `the binary is taken beside its debug file, in whichever order they come`() throws {
        try withTemporaryFolder { folder in
            let (binary, debug) = (folder + "/SwiftCrash", folder + "/SwiftCrash.debug")
            try Toolchain.run("llvm-objcopy", ["--strip-debug", plain, binary]).requireSuccess()
            try Toolchain.run("llvm-objcopy", ["--only-keep-debug", plain, debug]).requireSuccess()
            let id = try recordedID(of: "SwiftCrash/out/SwiftCrash")
            for order in [[debug, binary], [binary, debug]] {
                #expect(search(ImageRequest(name: "SwiftCrash", id: id), order).accepted.map(\.path) == [debug, binary])
                #expect(search(ImageRequest(name: "SwiftCrash"), order).accepted.map(\.path) == [debug, binary])
            }
        }
    }

    /// Two builds of one name; only the folders can show which one the log means.
    @Test func `without an identity several builds of one name are a choice that is not made, unless the folders make it`() throws {
        try withTemporaryFolder { folder in
            let (new, old) = (folder + "/new/SwiftCrash", folder + "/old/SwiftCrash")
            for (source, target) in [(plain, new), (optimised, old)] {
                try run("sh", ["-c", "mkdir -p $(dirname \(target)) && cp \(source) \(target)"]).requireSuccess()
            }
            let found = search(ImageRequest(name: "SwiftCrash"), [new, old])
            #expect(found.accepted.isEmpty)
            #expect(found.refusals.map(\.reason) == [.severalOfThatName([old]), .severalOfThatName([new])])
            #expect(search(ImageRequest(name: "SwiftCrash", path: "/srv/old/SwiftCrash"), [new, old]).accepted.map(\.path) == [old])
            // A copy is the same build.
            try run("cp", [plain, old]).requireSuccess()
            #expect(search(ImageRequest(name: "SwiftCrash"), [new, old]).accepted.map(\.path) == [new])
        }
    }

    /// The log had an identity, in a line that cannot be read.
    @Test func `where the list of images is damaged no file is taken by its name`() throws {
        var request = ImageRequest(name: "SwiftCrash")
        request.hasUnreadID = true
        #expect(search(request, [plain]).refusals.map(\.reason) == [.identityNotRead(image: "SwiftCrash")])
        request.givenPath = plain
        #expect(search(request, [plain]).accepted.map(\.path) == [plain])
    }

    @Test func `without an identity a file that maps less than the log's image is another build`() throws {
        // The last PT_LOAD of the fixture ends below 1 MB (readelf -lW).
        let object = try ObjectFiles.open(path: plain)
        let size = try #require(object.imageSize)
        let segments = try run("readelf", ["-lW", plain]).output.split(separator: "\n").filter { $0.contains(" LOAD ") }
        let ends = segments.map { row -> UInt64 in
            let fields = row.split(separator: " ")
            return (UInt64(fields[2].dropFirst(2), radix: 16) ?? 0) + (UInt64(fields[5].dropFirst(2), radix: 16) ?? 0)
        }
        #expect(ends.max() == size)
        #expect(search(ImageRequest(name: "SwiftCrash", size: size + 4096), [plain]).accepted.count == 1)
        #expect(
            search(ImageRequest(name: "SwiftCrash", size: size + (1 << 20)), [plain]).refusals.map(\.reason)
                == [.smallerThanImage(log: size + (1 << 20), file: size)])
    }

    @Test func `without identities the checksum of the debug link decides which debug file is the binary's`() throws {
        try withTemporaryFolder { folder in
            let script = """
                llvm-objcopy --only-keep-debug --remove-section=.note.gnu.build-id '\(plain)' App.debug &&
                llvm-objcopy --strip-debug --remove-section=.note.gnu.build-id --add-gnu-debuglink=App.debug '\(plain)' App
                """
            try Toolchain.shell(script, directory: folder).requireSuccess()
            let paths = [folder + "/App", folder + "/App.debug"]
            #expect(search(ImageRequest(name: "App"), paths).accepted.map(\.path) == [folder + "/App.debug", folder + "/App"])
            // Another build's debug file under that name.
            let other = ["--only-keep-debug", "--remove-section=.note.gnu.build-id", optimised, paths[1]]
            try Toolchain.run("llvm-objcopy", other).requireSuccess()
            let found = search(ImageRequest(name: "App"), paths)
            #expect(found.accepted.map(\.path) == [folder + "/App"])
            guard case .checksumDiffers? = found.refusals.first?.reason else { Issue.record("\(found.refusals)"); return }
        }
    }
}

/// The identity that `Fixtures/binaries/INDEX.tsv` has for a file.
func recordedID(of path: String) throws -> ImageID {
    let rows = String(decoding: try readFile(TestPaths.fixture("binaries/INDEX.tsv")), as: UTF8.self).split(separator: "\n")
    let row = try #require(rows.first { $0.hasPrefix(path + "\t") })
    return try #require(ImageID(text: row.split(separator: "\t", omittingEmptySubsequences: false)[5]))
}
