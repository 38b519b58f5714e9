import BinaryPrimitives
import CrashLogModel
import ObjectFiles
import SymbolFiles
import Symbolication
import TestSupport
import Testing

@testable import Serving

/// `PUT /v1/symbols`. Identities are those of `binaries/INDEX.tsv`, which readelf printed.
struct SymbolUploadTests {
    private static let library = "binaries/Android/out/arm64-v8a/libshop.so.debug"
    private static let id = "b8d4805eb85072adc63839f3e9055e11751026cd"
    private static let storedPath = ".build-id/b8/d4805eb85072adc63839f3e9055e11751026cd.debug"

    private func put(_ body: [UInt8], _ query: String = "", to service: Service) -> Response {
        service.respond(to: Request("PUT", "/v1/symbols" + query, body: body))
    }

    private func withStore(_ limits: Limits = .standard, _ body: (Service, String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let store = folder + "/store"
            try body(Service.over([store], limits: limits) { $0.uploadStore = store }, store)
        }
    }

    /// The files of a store, each with its place, without the list of names.
    private func files(_ store: String) -> [String] {
        TestPaths.files(under: store).map { String($0.dropFirst(store.count + 1)) }.filter {
            !$0.hasPrefix("names/") && !$0.hasPrefix(".cairn-differing/")
        }
    }

    private func list(_ response: Response, _ key: String) -> [String] {
        response.json?[key]?.elements.map { "\($0["kind"]?.string ?? "") \($0["id"]?.string ?? "")" } ?? []
    }

    @Test func `a debug file is kept by its build ID`() throws {
        try withStore { service, store in
            let response = put(bytes(Self.library), "?name=libshop.so.debug", to: service)
            #expect(response.status == 201)
            #expect(list(response, "added") == ["debug " + Self.id] && list(response, "known") == [])
            #expect(!response.text.contains(store))
            #expect(files(store) == [Self.storedPath])
            let kept = try readFile(store + "/" + Self.storedPath)
            #expect(kept == bytes(Self.library))
            #expect(ImageID(text: Self.id).flatMap { SymbolStore(root: store).name(of: $0) } == "libshop.so")
        }
    }

    /// As in the folders of symbol servers.
    @Test func `two links of one program for Windows are both kept`() throws {
        try withStore { service, store in
            let guid = "0185139C8F04FFC94C4C44205044422E"
            for age in ["1", "2", "1f"] {
                let symbols = "MODULE windows x86_64 \(guid)\(age) xul.pdb\nFUNC 5380 44 0 function\(age)\n"
                #expect(put(Array(symbols.utf8), "?name=xul.sym", to: service).status == 201)
            }
            #expect(files(store) == ["1", "1f", "2"].map { "other/\(guid.lowercased())\($0)/xul.sym" })
            for age in ["1", "2", "1f", "3"] {
                let body = #"{"memoryMap":[["xul.pdb","\#(guid)\#(age)"]],"stacks":[[[0,21380]]]}"#
                let frame = try #require(
                    service.post("/symbolicate/v5", body).json?["results"]?.elements.first?["stacks"]?.elements.first?.elements.first)
                #expect(frame["function"]?.string == (age == "3" ? nil : "function\(age)"))
            }
        }
    }

    /// As `cairn symbols add` keeps it.
    @Test(arguments: [
        "binaries/Android/out/arm64-v8a/libshop.so", "binaries/CrashExample/out/CrashExample",
        "binaries/CrashExample/out/CrashExample.dSYM/Contents/Resources/DWARF/CrashExample", "symbols/cxx-gcc-dwarf5-O2.sym",
    ])
    func `every kind of file is kept where a build would keep it`(file: String) throws {
        try withStore { service, store in
            let name = Path.name(of: file)
            let response = put(bytes(file), "?name=" + name, to: service)
            #expect(response.status == 201)
            try withTemporaryFolder { other in
                let path = TestPaths.fixture(file)
                _ = try SymbolStore(root: other).add(path, try SymbolFileReader.openAll(path: path))
                #expect(TestPaths.files(under: other).count == TestPaths.files(under: store).count)
                for own in TestPaths.files(under: other) {
                    let kept = try readFile(store + own.dropFirst(other.count))
                    #expect(try readFile(own) == kept)
                }
            }
        }
    }

    @Test func `what the store has is known, and stays`() throws {
        try withStore { service, store in
            #expect(put(bytes(Self.library), to: service).status == 201)
            let again = put(bytes(Self.library), to: service)
            #expect(again.status == 200 && list(again, "known") == ["debug " + Self.id] && list(again, "added") == [])
            // Another file of that identity: bytes after the end of what is read.
            let other = put(bytes(Self.library) + [1, 2, 3], to: service)
            #expect(other.status == 409 && list(other, "different") == ["debug " + Self.id])
            #expect(other.json?["error"]?.string?.contains("keeps it") == true)
            let path = try #require(other.json?["different"]?.elements.first?["file"]?.string)
            #expect(path.hasPrefix(".cairn-differing/\(Self.id)/"))
            let beside = try readFile(store + "/" + path)
            #expect(beside == bytes(Self.library) + [1, 2, 3])
            // It is there once, and four of them at most.
            #expect(put(bytes(Self.library) + [1, 2, 3], to: service).json?["different"]?.elements.first?["file"]?.string == path)
            let more = (4...8).map { put(bytes(Self.library) + [$0], to: service).json?["different"]?.elements.first?["file"] != nil }
            #expect(more == [true, true, true, false, false])
            let kept = try readFile(store + "/" + Self.storedPath)
            #expect(kept == bytes(Self.library))
            #expect(files(store) == [Self.storedPath])
        }
    }

    @Test(arguments: [("gzip", ".gz"), ("zstd", ".zst"), ("xz", ".xz")])
    func `a compressed file is kept decompressed`(program: String, ending: String) throws {
        try withStore { service, store in
            try withTemporaryFolder { folder in
                try writeFile(folder + "/libshop.so.debug", bytes(Self.library))
                guard try run(program, ["-k", folder + "/libshop.so.debug"]).status == 0 else { return }
                let packed = try readFile(folder + "/libshop.so.debug" + ending)
                #expect(put(packed, "?name=libshop.so.debug" + ending, to: service).status == 201)
            }
            let kept = try readFile(store + "/" + Self.storedPath)
            #expect(kept == bytes(Self.library))
            #expect(ImageID(text: Self.id).flatMap { SymbolStore(root: store).name(of: $0) } == "libshop.so")
        }
    }

    @Test(arguments: ["tar", "tar.gz", "zip"])
    func `the files of an archive are kept`(kind: String) throws {
        try withStore { service, store in
            try withTemporaryFolder { folder in
                _ = try run("cp", ["-r", TestPaths.fixture("binaries/Android/out/arm64-v8a"), folder + "/lib"])
                let archive = folder + "/symbols." + kind
                let made =
                    try kind == "zip"
                    ? run("python3", ["-m", "zipfile", "-c", archive, "lib"], directory: folder)
                    : run("tar", [kind == "tar" ? "-cf" : "-czf", archive, "lib"], directory: folder)
                guard made.status == 0 else { return }
                let response = put(try readFile(archive), "?name=symbols." + kind, to: service)
                #expect(response.status == 201, "\(response.text)")
                #expect(list(response, "added").sorted() == ["debug " + Self.id, "symbols " + Self.id])
                #expect(files(store).sorted() == [String(Self.storedPath.dropLast(".debug".count)), Self.storedPath])
                #expect(put(try readFile(archive), to: service).status == 200)
            }
        }
    }

    @Test func `what has no identity is refused with what was expected`() throws {
        try withStore { service, store in
            for body in [Array("hello".utf8), [], bytes("binaries/C/main.c"), Array(bytes(Self.library).prefix(100))] {
                let response = put(body, to: service)
                #expect(response.status == 422 && response.title?.contains("expected an ELF, Mach-O, Breakpad or GSYM file") == true)
            }
            #expect(files(store) == [])
        }
    }

    @Test(arguments: ["..", ".hidden", "a%2Fb", "%2Fetc%2Fpasswd", "", "a%0Ab", "%00"])
    func `a name is no path`(name: String) throws {
        try withStore { service, store in
            #expect(put(bytes(Self.library), "?name=" + name, to: service).status == 400)
            #expect(files(store) == [])
        }
    }

    @Test func `without a store there are no uploads, and with one a token is needed`() {
        #expect(put([1], to: .over([])).status == 404)
        let plan = Service.over([]).plan(for: Request("PUT", "/v1/symbols?name=a"))
        #expect(plan.needsToken && plan.isWork && plan.maxBodyBytes == Limits.standard.uploadedFile)
    }

    @Test func `an upload has so many bytes, and so many images`() throws {
        var limits = Limits()
        let file = bytes(Self.library)
        limits.uploadedFile = file.count - 1
        try withStore(limits) { service, store in
            let response = put(file, to: service)
            #expect(response.status == 413 && response.title?.contains("<= \(file.count - 1) bytes") == true)
            #expect(files(store) == [])
        }
        // Decompressed it is larger than it was sent.
        let packed = try run("gzip", ["-9"], input: file).standardOutput
        limits.uploadedFile = packed.count
        try withStore(limits) { service, store in
            #expect(put(packed, to: service).status == 413)
            #expect(files(store) == [])
        }
        // A universal file with two architectures.
        limits = Limits()
        limits.uploadedImages = 1
        try withStore(limits) { service, _ in
            let response = put(bytes("binaries/CrashExample/out/CrashExample"), to: service)
            #expect(response.status == 413 && response.title?.contains("<= 1") == true)
        }
    }

    /// One of many simultaneous uploads with different bytes is stored, and it is complete.
    @Test func `uploads at the same time do not mix`() throws {
        try withStore { service, store in
            let bodies = (0..<8).map { number in bytes(Self.library) + [UInt8](repeating: UInt8(number), count: 100_000) }
            let other = Service.over([store]) { $0.uploadStore = store }
            let statuses = Parallel.map(Array(bodies.indices)) { number in
                put(bodies[number], to: number % 2 == 0 ? service : other).status
            }
            #expect(statuses.sorted() == [201] + [Int](repeating: 409, count: 7))
            let kept = try readFile(store + "/" + Self.storedPath)
            #expect(bodies.firstIndex(of: kept) == statuses.firstIndex(of: 201))
            #expect(files(store) == [Self.storedPath])
        }
    }

    /// A killed process leaves a folder that no process has locked.
    @Test func `what killed servers left is removed, and what others write is not`() throws {
        try withStore { service, store in
            try makeFolders(store + "/.cairn-aBcD12")
            try writeFile(store + "/.cairn-aBcD12/libshop.so.debug", Array(bytes(Self.library).prefix(5000)))
            let other = try WorkFolder(in: store)
            _ = try other.write("a", MappedFile(path: TestPaths.fixture(Self.library)).pieces())
            service.removeStaleData()
            #expect(files(store) == ["\(Path.name(of: other.path))/a"])
            _ = consume other
            #expect(files(store) == [])
        }
    }

    /// Neither is a file that is still being written used as symbols.
    @Test func `unfinished files are not found`() throws {
        try withStore { service, store in
            let folder = try WorkFolder(in: store)
            _ = try folder.write("cxx", MappedFile(path: TestPaths.fixture("binaries/CXX/out/cxx-gcc-dwarf5-O2")).pieces())
            let response = service.post("/symbolicate/v5", Self.question)
            #expect(response.text.contains(#""cxx/DC968DABDEC97A62CE64EA0173E42ADB0":false"#))
        }
    }

    static let question = #"{"memoryMap":[["cxx","DC968DABDEC97A62CE64EA0173E42ADB0"]],"stacks":[[[0,4352]]]}"#

    /// `_GLOBAL__sub_I_main` at 0x1100: `cxx-gcc-dwarf5-O2.expected.tsv`.
    @Test func `what was missing is found at once after an upload`() throws {
        try withStore { service, _ in
            #expect(!service.post("/symbolicate/v5", Self.question).text.contains("_GLOBAL__sub_I_main"))
            #expect(put(bytes("binaries/CXX/out/cxx-gcc-dwarf5-O2"), to: service).status == 201)
            #expect(service.post("/symbolicate/v5", Self.question).text.contains("_GLOBAL__sub_I_main"))
        }
    }

    @Test func `a full disk is said in a line`() {
        // ENOSPC of Linux and macOS.
        let refusal = Refusal(storing: FileError(path: "/srv/store/a", errorNumber: 28))
        #expect(refusal.status == 507 && !refusal.message.contains("/srv") && !refusal.message.contains("\n"))
        // EACCES.
        #expect(Refusal(storing: FileError(path: "/srv/store/a", errorNumber: 13)).status == 500)
    }
}
