import BinaryPrimitives
import CrashLogModel
import Serving
import TestSupport
import Testing

/// The text of source files, as the Firefox Profiler requests it from samply's server
/// (`src/utils/fetch-source.ts`), and the ways to another file.
struct SourceTextTests {
    private static let id = "DC968DABDEC97A62CE64EA0173E42ADB0"

    /// A service with a source root that has the file which the debug information calls
    /// `/src/main.cpp`.
    private static func withService(_ body: (Service, _ folder: String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            try makeFolders(folder + "/sources/src", folder + "/sources-of-another")
            try writeFile(folder + "/sources/src/main.cpp", Array("int main() { return \"ä\"; }\n".utf8))
            try writeFile(folder + "/secret", Array("secret".utf8))
            try body(.over(fixture: "binaries/CXX/out") { $0.sourceRoots = SourceRoots([folder + "/sources"]) }, folder)
        }
    }

    private static func request(
        file: String = "/src/main.cpp", offset: String = "0x10a0", id: String = id, name: String = "cxx-gcc-dwarf5-O2"
    ) -> String {
        var bytes: [UInt8] = []
        WrittenJSON.object([
            ("debugName", .string(name)), ("debugId", .string(id)), ("moduleOffset", .string(offset)), ("file", .string(file)),
        ]).write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// 0x10a0 is in `risky(int)` of `/src/main.cpp` (`expected.tsv`).
    @Test func `a file that the debug information names is read below a source root`() throws {
        try Self.withService { service, _ in
            let response = service.post("/source/v1", Self.request())
            #expect(response.status == 200)
            #expect(
                response.text
                    == #"{"symbolsLastModified":null,"sourceLastModified":null,"file":"/src/main.cpp","source":"int main() { return \"ä\"; }\n"}"#
            )
        }
    }

    @Test func `a file that is not named at that offset is refused`() throws {
        try Self.withService { service, folder in
            // shapes.h is a file of the program, and not at this offset.
            for file in [
                "/src/shapes.h", "/etc/passwd", folder + "/secret", "src/main.cpp", "/src/../src/main.cpp", "/src/main.cpp\u{0}", "", ".",
            ] {
                let response = service.post("/source/v1", Self.request(file: file))
                #expect(response.status == 403 && response.title == response.json?["error"]?.string, "\(file)")
            }
            #expect(service.post("/source/v1", Self.request(offset: "0x1")).status == 403)
        }
    }

    @Test func `a link in a source root leads to no file outside`() throws {
        try Self.withService { service, folder in
            _ = try run("ln", ["-sf", folder + "/secret", folder + "/sources/src/main.cpp"])
            #expect(service.post("/source/v1", Self.request()).status == 404)
            // A folder whose name begins like the root's is another one.
            try writeFile(folder + "/sources-of-another/main.cpp", [])
            _ = try run("ln", ["-sf", folder + "/sources-of-another/main.cpp", folder + "/sources/src/main.cpp"])
            #expect(service.post("/source/v1", Self.request()).status == 404)
            // One that stays inside is followed.
            try writeFile(folder + "/sources/other.cpp", Array("x".utf8))
            _ = try run("ln", ["-sf", "../other.cpp", folder + "/sources/src/main.cpp"])
            #expect(service.post("/source/v1", Self.request()).json?["source"]?.string == "x")
            // No file: a folder, a pipe.
            _ = try run("rm", [folder + "/sources/src/main.cpp"])
            _ = try run("mkfifo", [folder + "/sources/src/main.cpp"])
            #expect(service.post("/source/v1", Self.request()).status == 404)
        }
    }

    @Test func `without source roots no file is read`() {
        let response = Service.over(fixture: "binaries/CXX/out").post("/source/v1", Self.request())
        #expect(response.status == 404)
    }

    @Test func `a file larger than the limit is refused`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/main.cpp", [1, 2, 3, 4])
            var limits = Limits()
            limits.sourceFile = 3
            // `/src` is looked for below the root.
            try makeFolders(folder + "/src")
            _ = try run("mv", [folder + "/main.cpp", folder + "/src/main.cpp"])
            let service = Service.over([TestPaths.fixture("binaries/CXX/out")], limits: limits) { $0.sourceRoots = SourceRoots([folder]) }
            #expect(service.post("/source/v1", Self.request()).status == 413)
        }
    }

    @Test(arguments: [
        ("{}", 400), (#"{"debugName":1}"#, 400), ("[", 400), (request(offset: "4096"), 400), (request(offset: "0x"), 400),
        (request(offset: "0x+1"), 400), (request(offset: "0x-1"), 400), (request(offset: "0x10000000000000000"), 400),
        (request(id: "../.."), 400), (request(name: "../a"), 400), (request(id: "000102030405060708090A0B0C0D0E0F0"), 404),
        (request(id: ""), 404),
    ])
    func `what is malformed or unknown has its status, and both keys`(body: String, status: Int) {
        let response = Service.over(fixture: "binaries/CXX/out").post("/source/v1", body)
        #expect(response.status == status)
        #expect(response.json?["error"]?.string?.isEmpty == false && response.title == response.json?["error"]?.string)
    }

    /// Any page that is open in a browser on the server's machine can send requests to it.
    @Test func `only listed pages may read source files`() {
        let service = Service.over([])
        func allowed(_ origin: String, _ method: String) -> String? {
            service.respond(to: Request(method, "/source/v1", headers: [("Origin", origin)])).header("Access-Control-Allow-Origin")
        }
        for method in ["OPTIONS", "POST"] {
            #expect(allowed("https://profiler.firefox.com", method) == "https://profiler.firefox.com")
            #expect(allowed("https://profiler.firefox.com.example.org", method) == nil)
            #expect(allowed("null", method) == nil)
        }
    }
}
