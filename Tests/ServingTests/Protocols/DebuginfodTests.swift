import BinaryPrimitives
import Serving
import TestSupport
import Testing

/// Files by build ID: statuses and headers as Debian's debuginfod 0.188 gives them, and what it
/// does not do: `HEAD`, ranges.
struct DebuginfodTests {
    /// `INDEX.tsv`: a stripped program and its debug file; a program with debug information.
    private static let split = "7d9a086952e8b5a74832578b47aa06f399e74cee"
    private static let whole = "ab8d96dcc9de627ace64ea0173e42adb457cb353"

    private static let service = Service.over([TestPaths.fixture("binaries/Ferry/out"), TestPaths.fixture("binaries/CXX/out")])

    @Test(arguments: [
        (split + "/debuginfo", "binaries/Ferry/out/ferry-pie.debug"), (split + "/executable", "binaries/Ferry/out/ferry-pie"),
        (whole + "/debuginfo", "binaries/CXX/out/cxx-gcc-dwarf5-O2"), (whole + "/executable", "binaries/CXX/out/cxx-gcc-dwarf5-O2"),
    ])
    func `a build's files are served`(path: String, file: String) {
        let response = Self.service.get("/buildid/" + path)
        let bytes = TestPaths.bytes(of: TestPaths.fixture(file))
        #expect(response.status == 200)
        #expect(response.bytes == bytes)
        #expect(response.header("Content-Type") == "application/octet-stream")
        #expect(response.header("Content-Length") == "\(bytes.count)")
        #expect(response.header("Cache-Control") == "public")
        #expect(response.header("X-DEBUGINFOD-SIZE") == "\(bytes.count)")
        #expect(response.header("X-DEBUGINFOD-FILE") == file.split(separator: "/").last.map(String.init))
        #expect(response.header("X-DEBUGINFOD-ARCHIVE") == nil)
        // A page of another server has no business here.
        #expect(response.header("Access-Control-Allow-Origin") == nil)
    }

    /// As `objcopy --dump-section` writes it.
    @Test(arguments: [(split, ".debug_line", "binaries/Ferry/out/ferry-pie.debug"), (split, ".text", "binaries/Ferry/out/ferry-pie")])
    func `a section is served from the file that has it`(id: String, section: String, file: String) throws {
        try withTemporaryFolder { folder in
            try run("objcopy", ["--dump-section", "\(section)=\(folder)/section", TestPaths.fixture(file), folder + "/copy"])
                .requireSuccess()
            let response = Self.service.get("/buildid/\(id)/section/\(section)")
            #expect(response.status == 200)
            #expect(response.bytes == TestPaths.bytes(of: folder + "/section"))
            #expect(response.header("X-DEBUGINFOD-SIZE") == "\(response.bytes.count)")
        }
    }

    /// debuginfod sends 77 bytes where `readelf -S` says that `.debug_info` has 0x4d, 24 of them
    /// the header that `readelf -t` shows: the bytes as they are in the file.
    @Test(arguments: ["zlib", "zlib-gnu"])
    func `a compressed section is served with its header`(kind: String) throws {
        try withTemporaryFolder { folder in
            let source = TestPaths.fixture("binaries/CXX/out/cxx-gcc-dwarf5-O2")
            let packed = try run("objcopy", ["--compress-debug-sections=" + kind, source, folder + "/packed"]).requireSuccess()
            let name = kind == "zlib" ? ".debug_info" : ".zdebug_info"
            let table = try run("readelf", ["-SW", folder + "/packed"]).lines
            let row = try #require(table.first { $0.contains(" \(name) ") }).split(separator: " ")
            let column = try #require(row.firstIndex { $0 == name[...] })
            let start = try #require(Int(row[column + 3], radix: 16))
            let size = try #require(Int(row[column + 4], radix: 16))
            let response = Service.over([folder]).get("/buildid/\(Self.whole)/section/\(name)")
            #expect(response.status == 200)
            #expect(response.bytes == Array(TestPaths.bytes(of: folder + "/packed")[start..<start + size]))
        }
    }

    @Test(arguments: [
        "aabb/debuginfo", "AB8D96DCC9DE627ACE64EA0173E42ADB457CB353/debuginfo", "\(whole)0/debuginfo", "\(whole)00/debuginfo",
        "-\(whole)/debuginfo", "\(whole.prefix(32))/debuginfo", "dc968dabdec97a62ce64ea0173e42adb/debuginfo", "/debuginfo", "\(whole)",
        "\(whole)/", "\(whole)/other", "\(whole)/debuginfo/", "\(whole)/debuginfo/x", "\(whole)/section", "\(whole)/section/",
        "\(whole)/section/.nope", "\(whole)/section/%2", "\(whole)/section/.bss", "\(whole)/source", "\(whole)/source/", "..", "",
    ])
    func `what is not there is not found`(path: String) {
        let response = Self.service.get("/buildid/" + path)
        #expect(response.status == 404)
        #expect(response.text == "not found")
        #expect(response.header("Content-Type")?.hasPrefix("text/plain") == true)
    }

    @Test func `a file with more bytes than the client takes is refused`() {
        let response = Self.service.get("/buildid/\(Self.whole)/debuginfo", headers: [("X-DEBUGINFOD-MAXSIZE", "100")])
        #expect(response.status == 406)
        #expect(response.text == "File too large, max size=100")
        let size = TestPaths.bytes(of: TestPaths.fixture("binaries/CXX/out/cxx-gcc-dwarf5-O2")).count
        #expect(Self.service.get("/buildid/\(Self.whole)/debuginfo", headers: [("x-debuginfod-maxsize", "\(size)")]).status == 200)
    }

    @Test func `a head is the same without the body`() {
        let path = "/buildid/\(Self.whole)/debuginfo"
        let (head, whole) = (Self.service.respond(to: Request("HEAD", path)), Self.service.get(path))
        #expect(head.status == 200 && head.body.count == 0)
        #expect(head.headers.map(\.name) == whole.headers.map(\.name) && head.headers.map(\.value) == whole.headers.map(\.value))
        let other = Self.service.respond(to: Request("POST", path))
        #expect(other.status == 405 && other.header("Allow") == "GET, HEAD")
    }

    @Test func `a member of an archive has its archive's path`() throws {
        try withTemporaryFolder { folder in
            try run("tar", ["-cf", folder + "/all.tar", "ferry-pie"], directory: TestPaths.fixture("binaries/Ferry/out")).requireSuccess()
            let response = Service.over([folder]).get("/buildid/\(Self.split)/executable")
            #expect(response.bytes == TestPaths.bytes(of: TestPaths.fixture("binaries/Ferry/out/ferry-pie")))
            #expect(response.header("X-DEBUGINFOD-FILE") == "ferry-pie")
            #expect(response.header("X-DEBUGINFOD-ARCHIVE") == folder + "/all.tar")
        }
    }

    /// A library of one source file, whose debug information has its path without the source root; and one with the path on this machine.
    private func build(in folder: String) throws -> (mapped: String, own: String) {
        try makeFolders(folder + "/sources/src/a b", folder + "/out")
        try writeFile(folder + "/sources/src/a b/c+d.c", Array("int x;\n".utf8))
        let ids = try [["-fdebug-prefix-map=\(folder)/sources="], []].enumerated().map { number, flags in
            let program = folder + "/out/\(number).so"
            try run(
                "gcc", ["-g", "-shared", "-Wl,--build-id", "-o", program] + flags + ["src/a b/c+d.c"], environment: ["PWD": nil],
                directory: folder + "/sources"
            ).requireSuccess()
            return try #require(
                try run("readelf", ["--wide", "-n", program]).lines.first { $0.contains("Build ID:") }?.split(separator: " ").last.map(
                    String.init))
        }
        return (ids[0], ids[1])
    }

    @Test func `a source file is served if the build names it, below the source roots alone`() throws {
        try withTemporaryFolder { folder in
            let ids = try build(in: folder)
            try writeFile(folder + "/secret", Array("secret".utf8))
            let service = Service.over([folder + "/out"]) { $0.sourceRoots = SourceRoots([folder + "/sources"]) }
            func get(_ path: String, id: String = ids.mapped) -> Response { service.get("/buildid/\(id)/source/\(path)") }
            #expect(get("src/a%20b/c%2Bd.c").text == "int x;\n")
            #expect(get("src/a%20b/c%2Bd.c").header("X-DEBUGINFOD-FILE") == "c+d.c")
            #expect(get("src/a%20b/c%2Bd.c").header("X-DEBUGINFOD-SIZE") == "7")
            // Dots are not removed by clients.
            #expect(get("src/../src/./a%20b//c%2Bd.c").text == "int x;\n")
            // The path on this machine, of the build that has it.
            let own = "\(folder.dropFirst())/sources/src/a%20b/c%2Bd.c"
            #expect(get(own, id: ids.own).text == "int x;\n")
            #expect(get(own).status == 404 && get("src/a%20b/c%2Bd.c", id: ids.own).status == 404)
            for path in [
                "../secret", "%2e%2e/secret", "..%2fsecret", "src/../../secret", "\(folder.dropFirst())/secret", "etc/passwd",
                "/etc/passwd",
                "%2Fetc%2Fpasswd", "src/a%20b/c%2Bd.c%00", "src/a%20b/", "src", "src/a%20b/c%2Bd.c/..", "%ff", "%", "",
            ] {
                #expect(get(path).status == 404, "\(path)")
            }
            // Whose build is not known here, whose sources are not either.
            #expect(get("src/a%20b/c%2Bd.c", id: "aabbccdd").status == 404)
        }
    }

    @Test(arguments: ["src/.env", "src/a b/.git/config", "src/a b/other.c", "src/a b/c+d.c.orig"])
    func `a file that no debug information names stays here`(path: String) throws {
        try withTemporaryFolder { folder in
            let ids = try build(in: folder)
            try makeFolders(folder + "/sources/src/a b/.git")
            try writeFile(folder + "/sources/" + path, Array("password".utf8))
            let service = Service.over([folder + "/out"]) { $0.sourceRoots = SourceRoots([folder + "/sources"]) }
            let requested = path.replacing(" ", with: "%20").replacing("+", with: "%2B")
            #expect(service.get("/buildid/\(ids.mapped)/source/\(requested)").status == 404)
            #expect(service.get("/buildid/\(ids.own)/source\(folder)/sources/\(requested)").status == 404)
        }
    }

    @Test func `a link to a file elsewhere is not followed`() throws {
        try withTemporaryFolder { folder in
            let ids = try build(in: folder)
            try writeFile(folder + "/secret", Array("secret".utf8))
            _ = try run("ln", ["-sf", folder + "/secret", folder + "/sources/src/a b/c+d.c"])
            let service = Service.over([folder + "/out"]) { $0.sourceRoots = SourceRoots([folder + "/sources"]) }
            #expect(service.get("/buildid/\(ids.mapped)/source/src/a%20b/c%2Bd.c").status == 404)
        }
    }
}
