import BinaryPrimitives
import ObjectFiles
import SymbolFiles
import TestSupport
import Testing

/// Identities are those that `Fixtures/binaries/INDEX.tsv` records (from readelf).
struct CandidateCheckTests {
    private let plain = TestPaths.fixture("binaries/SwiftCrash/out/SwiftCrash")
    private let optimised = TestPaths.fixture("binaries/SwiftCrash/out/SwiftCrash-O")

    private func search(_ request: ImageRequest, _ paths: [String], force: Bool = false, origin: SymbolFileCandidate.Origin = .given)
        -> SymbolFileSearch
    {
        let check = CandidateCheck(force: force) { path throws(ObjectFileError) in try ObjectFiles.openAll(path: path) }
        return check.search(for: request, among: paths.map { SymbolFileCandidate(path: $0, origin: origin) })
    }

    private func recordedID(of path: String) throws -> ImageID {
        let rows = String(decoding: try readFile(TestPaths.fixture("binaries/INDEX.tsv")), as: UTF8.self).split(separator: "\n")
        let row = try #require(rows.first { $0.hasPrefix(path + "\t") })
        return try #require(ImageID(text: row.split(separator: "\t", omittingEmptySubsequences: false)[5]))
    }

    @Test func `the file of the log's identity is used, whatever it is called and wherever it stands in the list`() throws {
        let id = try recordedID(of: "SwiftCrash/out/SwiftCrash")
        let found = search(ImageRequest(name: "Renamed", id: id), [optimised, plain])
        #expect(found.accepted.map(\.path) == [plain])
        #expect(found.accepted.map(\.proof) == [.identity])
        #expect(found.refusals == [])
    }

    /// Breakpad's GUIDs hold 16 of a build ID's 20 bytes; a shorter beginning, or one of a UUID, is none.
    @Test func `the first sixteen bytes of a longer identity are one`() throws {
        let whole = try recordedID(of: "SwiftCrash/out/SwiftCrash")
        let cut = try #require(ImageID(bytes: Array(whole.bytes.prefix(16))))
        #expect(search(ImageRequest(name: "Renamed", id: cut), [optimised, plain]).accepted.map(\.path) == [plain])
        let shorter = try #require(ImageID(bytes: Array(whole.bytes.prefix(15))))
        #expect(search(ImageRequest(name: "SwiftCrash", id: shorter), [plain]).accepted.isEmpty)
        #expect(!whole.tells(cut) && whole.tells(whole) && cut.tells(whole) && cut.tells(cut))
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
            // The optimised build under the plain one's name stands in front.
            #expect(try run("cp", [optimised, folder + "/SwiftCrash"]).status == 0)
            let id = try recordedID(of: "SwiftCrash/out/SwiftCrash")
            let found = search(ImageRequest(name: "SwiftCrash", id: id), [folder + "/SwiftCrash", plain], force: true)
            #expect(found.accepted.map(\.path) == [plain])
        }
    }

    @Test func `without an identity in the log the name decides, except at the image's own path`() {
        #expect(search(ImageRequest(name: "SwiftCrash"), [optimised, plain]).accepted.map(\.proof) == [.name])
        let local = search(ImageRequest(name: "SwiftCrash", path: plain), [plain], origin: .imagePath)
        #expect(local.accepted.isEmpty)
        #expect(local.refusals.map(\.reason) == [.logHasNoIdentity])
    }

    @Test func `another architecture is refused`() {
        let found = search(ImageRequest(name: "SwiftCrash", architecture: .arm64), [plain])
        #expect(found.refusals.map(\.reason) == [.otherArchitecture(wanted: .arm64, file: [.x86_64])])
    }

    @Test func `a file without identity is refused where the log has one`() throws {
        try withTemporaryFolder { folder in
            let bare = folder + "/SwiftCrash"
            #expect(try run("llvm-objcopy", ["--remove-section=.note.gnu.build-id", plain, bare]).status == 0)
            let id = try recordedID(of: "SwiftCrash/out/SwiftCrash")
            #expect(search(ImageRequest(name: "SwiftCrash", id: id), [bare]).refusals.map(\.reason) == [.fileHasNoIdentity(log: id)])
        }
    }

    @Test func `what is no object file is refused in words, if it is called like the image`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/App", Array("hello".utf8))
            let found = search(ImageRequest(name: "App"), [folder + "/App"])
            #expect(found.accepted.isEmpty)
            #expect(found.refusals.map(\.description) == ["\(folder)/App: not an object file, expected ELF, Mach-O or a dSYM bundle"])
            #expect(search(ImageRequest(name: "Other"), [folder + "/App"]).refusals == [])
        }
    }

    @Test func `a file without debug information does not end the search, and comes after the one that has it`() throws {
        try withTemporaryFolder { folder in
            let stripped = folder + "/SwiftCrash"
            #expect(try run("llvm-objcopy", ["--strip-debug", plain, stripped]).status == 0)
            let id = try recordedID(of: "SwiftCrash/out/SwiftCrash")
            #expect(search(ImageRequest(name: "SwiftCrash", id: id), [stripped, plain]).accepted.map(\.path) == [plain, stripped])
        }
    }
}
