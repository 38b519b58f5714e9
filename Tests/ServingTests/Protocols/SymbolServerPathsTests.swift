import BinaryPrimitives
import Serving
import TestSupport
import Testing

/// Symbol files by the paths that dotnet/symstore's “SSQP Key Conventions” and Breakpad's
/// `SimpleSymbolSupplier` give them, from any of the places that symbols come from.
struct SymbolServerTests {
    /// `INDEX.tsv`: a stripped program and its debug file; a program with debug information; a
    /// program of macOS and its dSYM.
    private static let split = "7d9a086952e8b5a74832578b47aa06f399e74cee"
    private static let whole = "ab8d96dcc9de627ace64ea0173e42adb457cb353"
    private static let uuid = "4c4c443955553144a135d9f42186694d"

    private static let service = Service.over(["Ferry", "CXX", "MachOCXX"].map { TestPaths.fixture("binaries/\($0)/out") })

    @Test(arguments: [
        ("_.debug/elf-buildid-sym-\(split)/_.debug", "Ferry/out/ferry-pie.debug"),
        ("ferry-pie/elf-buildid-\(split)/ferry-pie", "Ferry/out/ferry-pie"),
        ("any-name/elf-buildid-\(split)/any-name", "Ferry/out/ferry-pie"),
        ("_.DEBUG/ELF-BUILDID-SYM-\(split.uppercased())/_.debug", "Ferry/out/ferry-pie.debug"),
        ("_.debug/elf-buildid-sym-\(whole)/_.debug", "CXX/out/cxx-gcc-dwarf5-O2"),
        ("a%20b/elf-buildid-\(whole)/a%20b", "CXX/out/cxx-gcc-dwarf5-O2"),
        // symstore with `index2.txt`.
        ("_./_.debug/elf-buildid-sym-\(split)/_.debug", "Ferry/out/ferry-pie.debug"),
        ("FE/ferry-pie/elf-buildid-\(split)/ferry-pie", "Ferry/out/ferry-pie"),
        ("shapes/mach-uuid-\(uuid)/shapes", "MachOCXX/out/shapes-x86_64"),
    ])
    func `a build's files are served`(path: String, file: String) {
        let bytes = TestPaths.bytes(of: TestPaths.fixture("binaries/" + file))
        for prefix in ["/symbols/", "/proxy/", "/try/"] + (path.split(separator: "/").count == 3 ? ["/"] : []) {
            let response = Self.service.get(prefix + path)
            #expect(response.status == 200)
            #expect(response.bytes == bytes)
            #expect(response.header("Content-Type") == "application/octet-stream" && response.header("Content-Length") == "\(bytes.count)")
        }
        let part = Self.service.get("/symbols/" + path, headers: [("Range", "bytes=1-3")])
        #expect(part.status == 206 && part.bytes == Array(bytes[1...3]))
        #expect(part.header("Content-Range") == "bytes 1-3/\(bytes.count)")
        let head = Self.service.respond(to: Request("HEAD", "/symbols/" + path))
        #expect(head.status == 200 && head.body.count == 0 && head.header("Content-Length") == "\(bytes.count)")
    }

    /// A universal file is served as the slice that the UUID means: the entry of `CPU_TYPE_X86_64`
    /// in the file's header (`mach-o/fat.h`), each a processor, its kind, a position, a size and an
    /// alignment.
    @Test func `a dSYM's slice is served`() throws {
        let file = TestPaths.bytes(of: TestPaths.fixture("binaries/MachOCXX/out/shapes.dSYM/Contents/Resources/DWARF/shapes"))
        func word(_ position: Int) -> Int { file[position..<position + 4].reduce(0) { $0 << 8 | Int($1) } }
        let entry = try #require((0..<word(4)).map { 8 + 20 * $0 }.first { word($0) == 0x0100_0007 })
        let response = Self.service.get("/symbols/_.dwarf/mach-uuid-sym-\(Self.uuid)/_.dwarf")
        #expect(response.status == 200)
        #expect(response.bytes == Array(file[word(entry + 8)..<word(entry + 8) + word(entry + 12)]))
    }

    @Test(arguments: [
        "_.debug/elf-buildid-sym-\(split)0/_.debug", "_.debug/elf-buildid-sym-\(split)00/_.debug", "_.debug/elf-buildid-sym-/_.debug",
        "_.debug/elf-buildid-sym-\(split)/other", "_.debug/elf-buildid-sym-\(split)", "x/_.debug/elf-buildid-sym-\(split)/_.debug",
        "_.dwarf/mach-uuid-sym-\(split)/_.dwarf", "shapes/mach-uuid-\(uuid)00/shapes", "_.dwarf/mach-uuid-sym-\(whole)/_.dwarf",
        "a.pdb/44E4EC8C2F41492B9369D6B9A059577C2/a.pdb", "../elf-buildid-\(whole)/..", "%2e%2e/elf-buildid-\(whole)/%2e%2e",
        "a%2fb/elf-buildid-\(whole)/a%2fb", "a%00/elf-buildid-\(whole)/a%00", "a%/elf-buildid-\(whole)/a%", "a/xyz/a.sym", "a/a/a.sym",
        "../44E4EC8C2F41492B9369D6B9A059577C2/...sym", "/elf-buildid-\(whole)/", "", "/", "a", "a/b", "a/b/c/d/e", "index2.txt",
    ])
    func `what is not there is not found`(path: String) {
        let response = Self.service.get("/symbols/" + path)
        #expect(response.status == 404)
        #expect(response.text == "not found" && response.header("Content-Type")?.hasPrefix("text/plain") == true)
    }

    /// The binary with debug information is there as well, and is looked into first.
    @Test(arguments: [true, false])
    func `a Breakpad file is served as it is`(isAlone: Bool) throws {
        // The debug ID of the build ID above: its first numbers swapped, and the age.
        let id = "DC968DABDEC97A62CE64EA0173E42ADB0"
        let text = "MODULE Linux x86_64 \(id) app\nINFO CODE_ID \(Self.whole.uppercased())\nFUNC 1000 10 0 main\n"
        try withTemporaryFolder { folder in
            try makeFolders("\(folder)/app/\(id)")
            try writeFile("\(folder)/app/\(id)/app.sym", Array(text.utf8))
            let symbols = isAlone ? [folder] : [TestPaths.fixture("binaries/CXX/out"), folder]
            let service = Service.over(symbols)
            let response = service.get("/symbols/app/\(id)/app.sym")
            #expect(response.status == 200 && response.text == text)
            #expect(service.get("/symbols/ap/app/\(id)/app.sym").text == text)
            #expect(service.get("/symbols/app/\(id.lowercased())/app.sym").text == text)
            for other in ["app/\(id)/other.sym", "app/\(id)/app", "app/1\(id.dropFirst())/app.sym", "xx/app/\(id)/app.sym"] {
                #expect(service.get("/symbols/" + other).status == 404)
            }
        }
    }

    /// `INFO CODE_ID` has the timestamp and the size of the image (Breakpad's documentation, "symbol_files.md"); Mozilla's symbol server
    /// answers so.
    @Test func `a path by the image's timestamp and size leads to the one by the debug ID`() throws {
        let id = "5A9832E5287241C1838ED98914E9B7FF1"
        let text = "MODULE windows x86 \(id) test_app.pdb\nINFO CODE_ID 5A9832E57000 test app.exe\nFUNC 1000 10 0 main\n"
        try withTemporaryFolder { folder in
            try makeFolders("\(folder)/anywhere")
            try writeFile("\(folder)/anywhere/test_app.sym", Array(text.utf8))
            let service = Service.over([folder])
            for code in ["5A9832E57000", "5a9832e57000"] {
                let response = service.get("/test%20app.exe/\(code)/test%20app.sym")
                #expect(response.status == 302 && response.header("Location") == "/test_app.pdb/\(id)/test_app.sym")
            }
            #expect(
                service.get("/symbols/test%20app.exe/5A9832E57000/test%20app.sym").header("Location")
                    == "/symbols/test_app.pdb/\(id)/test_app.sym")
            #expect(service.get("/test_app.pdb/\(id)/test_app.sym").text == text)
            for other in ["5A9832E57001", "5A9832E67000"] { #expect(service.get("/test%20app.exe/\(other)/test%20app.sym").status == 404) }
        }
    }

    @Test func `a Breakpad file of Windows has the PDB's name`() throws {
        let id = "5A9832E5287241C1838ED98914E9B7FF1"
        let text = "MODULE windows x86 \(id) test_app.pdb\nFUNC 1000 10 0 main\n"
        try withTemporaryFolder { folder in
            try makeFolders("\(folder)/test_app.pdb/\(id)")
            try writeFile("\(folder)/test_app.pdb/\(id)/test_app.sym", Array(text.utf8))
            #expect(Service.over([folder]).get("/symbols/test_app.pdb/\(id)/test_app.sym").text == text)
        }
    }
}
