import BinaryPrimitives
import CrashLogModel
import Serving
import SymbolFiles
import TestSupport
import Testing

/// Symbolicator's `/symbolicate`, against what LLVM's tools say about the fixtures' binaries, and
/// the rules of its source (`crates/symbolicator-native/src/symbolication/symbolicate.rs`).
struct SentrySymbolicationTests {
    /// `INDEX.tsv`: the build ID, and the same as a debug ID, the first numbers swapped.
    private static let elf =
        #"{"type":"elf","code_id":"ab8d96dcc9de627ace64ea0173e42adb457cb353","code_file":"/opt/app","image_addr":"0x7f0000000000","image_size":65536}"#
    private static let elfByDebugID =
        #"{"type":"elf","debug_id":"dc968dab-dec9-7a62-ce64-ea0173e42adb","code_file":"/opt/app","image_addr":139637976727552,"image_size":65536}"#
    private static let machO =
        #"{"type":"macho","debug_id":"4c4c4439-5555-3144-a135-d9f42186694d","debug_file":"shapes","image_addr":"0x100000000","image_size":65536}"#
    private static let json = [(name: "Content-Type", value: "application/json")]

    private static func post(
        _ body: String, symbols: [String] = ["binaries/CXX/out/cxx-gcc-dwarf5-O2", "binaries/MachOCXX/out"],
        headers: [(name: String, value: String)] = json,
        _ change: (inout Service.Settings) -> Void = { _ in }
    ) -> Response {
        Service.over(symbols.map { TestPaths.fixture($0) }, change).post("/symbolicate", body, headers: headers)
    }

    private static func request(_ frames: String, modules: String = elf, more: String = "", stack: String = "") -> String {
        #"{"stacktraces":[{\#(stack)"frames":[\#(frames)]}],"modules":[\#(modules)]\#(more)}"#
    }

    private static func frames(_ response: Response) -> [JSONValue] {
        response.json?["stacktraces"]?.elements.first?["frames"]?.elements ?? []
    }

    private static func texts(_ name: String, _ response: Response) -> [String?] { frames(response).map { $0[name]?.string } }

    @Test(arguments: [
        (elf, "binaries/CXX/out/cxx-gcc-dwarf5-O2", UInt64(0x7f00_0000_0000), UInt64(0)),
        (elfByDebugID, "binaries/CXX/out/cxx-gcc-dwarf5-O2", 0x7f00_0000_0000, 0),
        (machO, "binaries/MachOCXX/out/shapes-x86_64", 0x1_0000_0000, 0x1_0000_0000),
    ])
    func `inlined calls are frames of their own`(module: String, table: String, base: UInt64, link: UInt64) throws {
        let expectedRows = expectedResults(table + ".expected.tsv")
        let rows = expectedRows.map {
            #"{"instruction_addr":"0x\#(String($0.address - link + base, radix: 16))","adjust_instruction_addr":false}"#
        }
        let response = Self.post(Self.request(rows.joined(separator: ","), modules: module))
        #expect(response.status == 200 && response.json?["status"]?.string == "completed")
        let frames = Self.frames(response)
        let expected = expectedRows.enumerated().flatMap { index, expectedRow in
            expectedRow.functions.map { (index, expectedRow.address - link + base, $0) }
        }
        #expect(expected.count > expectedRows.count)
        #expect(frames.map { $0["original_index"]?.int } == expected.map { $0.0 })
        #expect(frames.map { $0["instruction_addr"]?.unsigned } == expected.map { $0.1 })
        #expect(frames.allSatisfy { $0["status"]?.string == "symbolicated" })
        #expect(frames.map { $0["abs_path"]?.string ?? "" } == expected.map { $0.2["file"] ?? "" })
        #expect(frames.map { $0["filename"]?.string } == expected.map { $0.2["file"]?.split(separator: "/").last.map(String.init) })
        #expect(frames.map { $0["lineno"]?.int } == expected.map { Int($0.2["line"] ?? "") ?? 0 })
        #expect(frames.map { $0["symbol"]?.string } == expected.map { $0.2["linkage_name"] })
        // Only the function that has the code has an address.
        let last = zip(expected, expected.dropFirst().map { $0.0 } + [-1]).map { $0.0 != $1 }
        #expect(frames.map { $0["sym_addr"] != nil } == last)
        let shown = try #require(response.json?["modules"]?.elements.first)
        #expect(shown["debug_status"]?.string == "found" && shown["arch"]?.string == "x86_64")
        #expect(shown["features"]?["has_debug_info"]?.isTrue == true && shown["features"]?["has_symbols"]?.isTrue == true)
    }

    /// Positions of WebAssembly count from the module's first byte, and are those of the calls themselves: the lines are those of the
    /// `FRAME` comments in `crane.c`, whose stack Node printed with these positions.
    @Test func `modules of WebAssembly are symbolicated`() throws {
        let bytes = try readFile(TestPaths.fixture("binaries/WebAssembly/out/optimized.wasm"))
        let mark = Array("build_id".utf8) + [20]
        let start = try #require((0..<bytes.count - mark.count).first { Array(bytes[$0..<$0 + mark.count]) == mark }) + mark.count
        let id = bytes[start..<start + 16].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let frames = [0x7b, 0x89, 0xae, 0xd9].map { #"{"instruction_addr":"0x\#(String($0, radix: 16))","addr_mode":"rel:0"}"# }
        let module = #"{"type":"wasm","debug_id":"\#(id)","code_file":"https://crane.example/app.wasm"}"#
        let response = Self.post(Self.request(frames.joined(separator: ","), modules: module), symbols: ["binaries/WebAssembly/out"])
        let rows = Self.frames(response)
        #expect(rows.map { $0["function"]?.string } == ["share", "weigh", "answer", "ask", "lift"])
        let source = String(decoding: try readFile(TestPaths.fixture("binaries/WebAssembly/crane.c")), as: UTF8.self)
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        for row in rows {
            let comment = "/* FRAME \(row["function"]?.string ?? "") */"
            #expect(row["lineno"]?.int == lines.first { $0.element.contains(comment) }.map { $0.offset + 1 }, "\(comment)")
        }
    }

    /// 0x10bd is in `main.cold`, and the byte before it in `_ZL5riskyi.cold` (`expected.tsv`).
    @Test(arguments: [
        // The first as it is, the others as return addresses.
        ("", "", "", ["main.cold", "_ZL5riskyi.cold"]),
        // The thread's own instruction failed, and the first frame is another one.
        ("", #""registers":{"rip":"0x1"},"#, #","signal":11"#, ["_ZL5riskyi.cold", "_ZL5riskyi.cold"]),
        ("", #""registers":{"rip":"0x7f00000010bd"},"#, #","signal":11"#, ["main.cold", "_ZL5riskyi.cold"]),
        ("", #""registers":{"rip":"0x1"},"#, #","signal":6"#, ["main.cold", "_ZL5riskyi.cold"]),
        ("", "", #","signal":11"#, ["main.cold", "_ZL5riskyi.cold"]),
        // A client that marks one frame marks all that are not return addresses: the others are.
        (#","adjust_instruction_addr":false"#, "", "", ["_ZL5riskyi.cold", "main.cold"]),
        (#","adjust_instruction_addr":true"#, "", "", ["_ZL5riskyi.cold", "_ZL5riskyi.cold"]),
    ])
    func `the address that is looked up is the call's where it is a return address`(
        flag: String, stack: String, more: String, expected: [String]
    ) {
        let address = #"{"instruction_addr":"0x7f00000010bd""#
        let response = Self.post(Self.request("\(address)},\(address)\(flag)}", more: more, stack: stack))
        #expect(Self.frames(response).filter { $0["sym_addr"] != nil }.map { $0["symbol"]?.string } == expected)
        #expect(
            Self.frames(response).filter { $0["sym_addr"] != nil }.map { $0["instruction_addr"]?.string }
                == expected.map { $0 == "_ZL5riskyi.cold" ? "0x7f00000010bc" : "0x7f00000010bd" })
    }

    @Test func `an unresolved frame says why, and keeps what the request said`() {
        let missing =
            #"{"type":"elf","code_id":"000102030405060708090a0b0c0d0e0f","code_file":"/lib/libgone.so","image_addr":"0x1000","image_size":4096}"#
        let unused =
            #"{"type":"pe","debug_id":"ff9f9f78-41db-88f0-cded-a9e1e9bff3b5-1","debug_file":"c:\\a\\wkernel32.pdb","image_addr":"0x5000","image_size":4096}"#
        let frames = [
            #"{"instruction_addr":"0x1234","function":"raw","trust":"cfi","lineno":7,"unknown":1}"#,
            #"{"instruction_addr":"0x2000","symbol":"_Z3foov"}"#,
            #"{"instruction_addr":"0x7f0000000010"}"#,
            #"{"instruction_addr":"0x7f0000000010","trust":"scan"}"#, #"{"instruction_addr":"0x9999","trust":"scan"}"#,
            #"{"instruction_addr":"0x1234","trust":"scan"}"#,
        ]
        let response = Self.post(Self.request(frames.joined(separator: ","), modules: [Self.elf, missing, unused].joined(separator: ",")))
        // Scanned frames are shown only where a file may still be found for them.
        #expect(Self.texts("status", response) == ["missing", "unknown_image", "missing_symbol", "missing"])
        #expect(Self.frames(response).map { $0["original_index"]?.int } == [0, 1, 2, 5])
        #expect(Self.texts("instruction_addr", response) == ["0x1234", "0x2000", "0x7f0000000010", "0x1234"])
        #expect(Self.texts("package", response) == ["/lib/libgone.so", nil, "/opt/app", "/lib/libgone.so"])
        #expect(Self.texts("function", response) == ["raw", "foo()", nil, nil])
        #expect(Self.texts("symbol", response) == [nil, "_Z3foov", nil, nil])
        #expect(Self.frames(response)[0]["lineno"]?.int == 7 && Self.frames(response)[0]["trust"]?.string == "cfi")
        let modules = response.json?["modules"]?.elements ?? []
        #expect(modules.map { $0["debug_status"]?.string } == ["found", "missing", "unused"])
        #expect(modules.map { $0["image_addr"]?.string } == ["0x7f0000000000", "0x1000", "0x5000"])
        #expect(modules.allSatisfy { $0["candidates"] == nil })
        #expect(modules[2]["debug_file"]?.string == #"c:\a\wkernel32.pdb"#)
    }

    /// 0x1100 of the module; `_start` is at 0x1160 (`llvm-nm`).
    @Test func `an offset into a module needs no address`() throws {
        let frames = #"{"instruction_addr":"0x1100","addr_mode":"rel:1"},{"instruction_addr":"0x1100","addr_mode":"rel:2"}"#
        let wasm = Self.elf.replacing("0x7f0000000000", with: "0x0")
        let response = Self.post(Self.request(frames, modules: [Self.machO, wasm].joined(separator: ",")))
        #expect(Self.texts("symbol", response) == ["_GLOBAL__sub_I_main", nil])
        #expect(Self.texts("sym_addr", response) == ["0x1100", nil])
        #expect(Self.texts("addr_mode", response) == ["rel:1", "rel:2"])
        #expect(Self.texts("status", response) == ["symbolicated", "unknown_image"])
    }

    @Test func `frames from caller to callee stay so`() {
        let frames = #"{"instruction_addr":"0x9001"},{"instruction_addr":"0x7f0000001100"}"#
        let response = Self.post(Self.request(frames, more: #","options":{"frame_order":"caller_first"}"#))
        // The last is the innermost, which is looked up as it is.
        #expect(Self.texts("status", response) == ["unknown_image", "symbolicated"])
        #expect(Self.texts("symbol", response) == [nil, "_GLOBAL__sub_I_main"])
    }

    /// The base of a stack has no caller: what a walk finds there is no frame.
    @Test func `an unmapped address after the start of the program is left out`() throws {
        let nm = try Toolchain.run("llvm-nm", [TestPaths.fixture("binaries/CXX/out/cxx-gcc-dwarf5-O2")]).lines
        let start = try #require(nm.first { $0.hasSuffix(" T _start") }.flatMap { UInt64($0.prefix { $0 != " " }, radix: 16) })
        let address = "0x" + String(0x7f00_0000_0000 + start + 4, radix: 16)
        let response = Self.post(Self.request(#"{"instruction_addr":"\#(address)"},{"instruction_addr":"0x9001"}"#))
        #expect(Self.texts("function", response) == ["_start"])
        let more = Self.post(
            Self.request(#"{"instruction_addr":"\#(address)"},{"instruction_addr":"0x9001"},{"instruction_addr":"0x9001"}"#))
        #expect(Self.texts("status", more) == ["symbolicated", "unknown_image", "unknown_image"])
    }

    /// Clients that walk stacks themselves end some with a zero; of a stack of nothing else, one is
    /// left.
    @Test(arguments: [
        (#"{"instruction_addr":"0x9001"},{"instruction_addr":"0x0"}"#, ["0x9001"]),
        (#"{"instruction_addr":"0x9001"},{"instruction_addr":"0xfff"}"#, ["0x9001"]),
        (#"{"instruction_addr":"0x9001"},{"instruction_addr":"0x1000"}"#, ["0x9001", "0x1000"]),
        (#"{"instruction_addr":"0x0"},{"instruction_addr":"0x9001"}"#, ["0x0", "0x9001"]), (#"{"instruction_addr":"0x0"}"#, ["0x0"]),
        (#"{"instruction_addr":"0x9001"},{"instruction_addr":"0x0","addr_mode":"rel:5"}"#, ["0x9001", "0x0"]),
    ])
    func `a zero at the end of a stack is left out`(frames: String, shown: [String]) {
        #expect(Self.texts("instruction_addr", Self.post(Self.request(frames))) == shown)
    }

    @Test func `candidates say which files were looked into`() throws {
        try withTemporaryFolder { folder in
            // A file of the module's name that is damaged after its first bytes.
            try writeFile(folder + "/app", Array("\u{7f}ELF damaged".utf8))
            let options = #","options":{"dif_candidates":true}"#
            let service = Service.over([folder])
            let response = service.post(
                "/symbolicate", Self.request(#"{"instruction_addr":"0x7f0000001100"}"#, more: options), headers: Self.json)
            #expect(Self.texts("status", response) == ["malformed"])
            let module = try #require(response.json?["modules"]?.elements.first)
            #expect(module["debug_status"]?.string == "malformed")
            let candidate = try #require(module["candidates"]?.elements.first)
            #expect(candidate["location"]?.string == folder + "/app")
            #expect(candidate["download"]?["status"]?.string == "malformed" && candidate["download"]?["details"]?.string?.isEmpty == false)
            let silent = Service.over([folder]) { $0.includesReasons = false }
            #expect(
                !silent.post("/symbolicate", Self.request(#"{"instruction_addr":"0x7f0000001100"}"#, more: options), headers: Self.json)
                    .text.contains(folder))
        }
    }

    /// The first source is in each request that Sentry sends (its `sources.py`, `get_internal_source`); an address of it in a response could be
    /// that of a machine behind the server.
    @Test func `Sentry's own sources are skipped, and candidates say so`() throws {
        let sources = """
            ,"sources":[{"type":"sentry","id":"sentry:project","url":"http://sentry:9000/api/0/projects/a/b/files/dsyms/","token":"secret"},
                        {"type":"s3","id":"sentry:ios","bucket":"sentry","prefix":"/ios","layout":{"type":"native"}}]
            """
        let frame = #"{"instruction_addr":"0x7f0000001100"}"#
        for isSilent in [false, true] {
            let service = Service.over([]) { $0.includesReasons = !isSilent }
            let plain = service.post("/symbolicate", Self.request(frame, more: sources), headers: Self.json)
            #expect(plain.status == 200 && Self.texts("status", plain) == ["missing"])
            let response = service.post(
                "/symbolicate", Self.request(frame, more: sources + #","options":{"dif_candidates":true}"#), headers: Self.json)
            let candidates = try #require(response.json?["modules"]?.elements.first?["candidates"]?.elements)
            #expect(candidates.map { $0["source"]?.string } == ["sentry:project", "sentry:ios"])
            #expect(candidates.map { $0["download"]?["status"]?.string } == ["noperm", "noperm"])
            #expect(candidates.allSatisfy { $0["download"]?["details"]?.string?.hasPrefix("skipped") == true })
            #expect(!response.text.contains("9000") && !response.text.contains("secret"))
        }
    }

    /// Sources that the operator allows and cairn cannot use are skipped. A source that would reach another host is refused.
    @Test(arguments: [
        (#"{"type":"http","id":"a","url":"https://a.example/","headers":{"Host":"admin.internal"}}"#, 422, ""),
        (#"{"type":"http","id":"a","url":"https://a.example/","headers":{"Proxy-Authorization":"x"}}"#, 422, ""),
        (#"{"type":"http","id":"a","url":"https://a.example/","headers":{"a":"b\r\nc: d"}}"#, 422, ""),
        (#"{"type":"http","id":"a","url":"ftp://a.example/"}"#, 422, ""), (#"{"type":"http","id":"a"}"#, 422, ""),
        (#"{"type":"s3","id":"a","bucket":"b","region":"x.example.org/","access_key":"k","secret_key":"s"}"#, 422, ""),
        (#"{"type":"s3","id":"a","bucket":"b/c","region":"eu-west-1","access_key":"k","secret_key":"s"}"#, 422, ""),
        (#"{"type":"s3","id":"a","bucket":"b","region":"eu-west-1"}"#, 200, "access_key"),
        (#"{"type":"s3","id":"a","bucket":"b","region":"eu-west-1","access_key":"k","secret_key":"s"}"#, 200, "does not allow s3://b"),
        (#"{"type":"gcs","id":"a","bucket":"b"}"#, 200, "no sources of the type gcs"),
        (#"{"type":"http","id":"a","url":"https://a.example/","layout":{"type":"slashsymbols"}}"#, 200, "does not have the layout"),
        (#"{"type":"http","id":"a","url":"https://b.example/x?token=1"}"#, 200, "does not allow"),
    ])
    func `sources that cannot be used are skipped with a word`(source: String, status: Int, details: String) throws {
        let frame = #"{"instruction_addr":"0x7f0000001100"}"#
        let allowed = AllowedSources([try SymbolServer("https://a.example")])
        let response = Self.post(
            Self.request(frame, more: #","sources":[\#(source)],"options":{"dif_candidates":true}"#), symbols: []
        ) { $0.allowedSources = allowed }
        #expect(response.status == status, "\(response.text)")
        guard status == 200 else { return }
        let candidates = try #require(response.json?["modules"]?.elements.first?["candidates"]?.elements)
        let isSaid = candidates.contains { $0["download"]?["details"]?.string?.contains(details) ?? false }
        #expect(isSaid, "\(response.text)")
    }

    @Test(arguments: [
        ("{", 400), ("[]", 422), (#"{"stacktraces":1}"#, 422), (#"{"stacktraces":[{}]}"#, 422), (#"{"modules":[{}]}"#, 422),
        (request("{}"), 422), (request(#"{"instruction_addr":"xyz"}"#), 422),
        (request(#"{"instruction_addr":1,"addr_mode":"rel:-1"}"#), 422),
        (request(#"{"instruction_addr":1,"addr_mode":"other"}"#), 422), (request("", stack: #""registers":{"rip":"x"},"#), 422),
        (request("", more: #","sources":[{"id":"a"}]"#), 422), (request("", more: #","sources":[{"id":"a","type":"ftp"}]"#), 422),
        (request("", more: #","sources":["a"]"#), 422),
        // Known fields of another type, as serde refuses them; `null` counts as absent.
        (request("", more: #","options":[]"#), 422), (request("", more: #","options":{"frame_order":"other"}"#), 422),
        (request("", more: #","signal":"SIGSEGV""#), 422), (request("", stack: #""thread_id":"a","#), 422),
        (request("", stack: #""is_requesting":1,"#), 422), (request(#"{"instruction_addr":1,"package":1}"#), 422),
        (#"{"modules":[{"type":"elf","code_id":1}]}"#, 422), (request("", more: #","sources":{}"#), 422),
        (request(#"{"instruction_addr":1,"package":null,"lineno":null}"#, stack: #""thread_name":null,"#), 200),
        ("{}", 200), (request("", more: #","sources":[],"unknown":"value""#), 200), (#"{"threads":[{"frames":[]}]}"#, 200),
    ])
    func `what is wrong has Symbolicator's status and keys`(body: String, status: Int) { Self.check(body, status) }

    /// Fields that have a default are not optional (serde): `null` is another type.
    @Test(arguments: [
        request(#"{"instruction_addr":1,"addr_mode":null}"#), request("", stack: #""registers":null,"#),
        request("", stack: #""registers":[],"#),
    ])
    func `null is no value of a field that has a default`(body: String) { Self.check(body, 422) }

    private static func check(_ body: String, _ status: Int) {
        let response = post(body)
        #expect(response.status == status)
        if status != 200 {
            #expect(response.json?["detail"]?.string?.isEmpty == false && response.json?["causes"]?.elements.isEmpty == true)
        }
    }

    @Test func `another type of content is refused`() {
        #expect(Self.post("{}", symbols: [], headers: [("Content-Type", "text/plain")]).status == 415)
        #expect(Self.post("{}", symbols: [], headers: []).status == 415)
        #expect(Self.post("{}", symbols: [], headers: [("content-type", "application/json; charset=utf-8")]).status == 200)
    }

    /// A recorded response of Symbolicator without symbols: the request that its frames and modules
    /// say again gives the same, field by field.
    @Test(.enabled(if: TestPaths.corpus != nil, "the corpus is absent"))
    func `a recorded response is the same`() throws {
        let path = try #require(TestPaths.corpus) + "/expected/upstream/symbolicator_minidump_macos.snap"
        let lines = String(decoding: TestPaths.bytes(of: path), as: UTF8.self).split(separator: "\n").map(String.init)
        let recorded = RecordedResponse(lines)
        #expect(recorded.frames.count == 4 && recorded.modules.count == 43)
        let keys: Set = ["instruction_addr", "trust"]
        let frames = recorded.frames.map { RecordedResponse.json($0.filter { keys.contains($0.key) }) }
        let own: Set = ["type", "code_id", "code_file", "debug_id", "debug_file", "image_addr", "image_size"]
        let modules = recorded.modules.map { RecordedResponse.json($0.filter { own.contains($0.key) }) }
        let response = Self.post(Self.request(frames.joined(separator: ","), modules: modules.joined(separator: ",")))
        let shown = Self.frames(response)
        #expect(shown.count == recorded.frames.count)
        for (frame, expected) in zip(shown, recorded.frames) {
            for (key, value) in expected { #expect(frame[key]?.text == value, "\(key)") }
        }
        let found = response.json?["modules"]?.elements ?? []
        #expect(found.count == recorded.modules.count)
        for (module, expected) in zip(found, recorded.modules) {
            // How stacks were walked, which nothing does here.
            for (key, value) in expected where key != "unwind_status" { #expect(module[key]?.text == value, "\(key) of \(expected)") }
            #expect(module["features"]?.members.count == 4 && module["features"]?.members.allSatisfy { !$0.value.isTrue } == true)
        }
    }
}

/// The frames and modules of a recorded response: YAML of one shape, whose lists of scalars are all
/// that is read.
private struct RecordedResponse {
    private(set) var frames: [[String: String]] = []
    private(set) var modules: [[String: String]] = []

    init(_ lines: [String]) {
        var isInModules = false
        for line in lines {
            if line == "modules:" { isInModules = true }
            let margin = isInModules ? "  " : "      "
            guard line.hasPrefix(margin + "- ") || line.hasPrefix(margin + "  "), !line.hasPrefix(margin + "   ") else { continue }
            let text = line.dropFirst(margin.count + 2)
            guard let colon = text.range(of: ": ") else { continue }
            let key = String(text[..<colon.lowerBound])
            var value = String(text[colon.upperBound...])
            if value.hasPrefix("\"") { value = String(value.dropFirst().dropLast()) }
            let begins = line.hasPrefix(margin + "- ")
            if isInModules {
                if begins { modules.append([:]) }
                if !modules.isEmpty { modules[modules.count - 1][key] = value }
            } else if begins || !frames.isEmpty {
                if begins { frames.append([:]) }
                frames[frames.count - 1][key] = value
            }
        }
    }

    /// An object of the same members; what consists of digits is a number.
    static func json(_ members: [String: String]) -> String {
        var bytes: [UInt8] = []
        WrittenJSON.object(
            members.sorted { $0.key < $1.key }.map { ($0.key, $0.key == "image_size" ? .number(Int($0.value) ?? 0) : .string($0.value)) }
        )
        .write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension String {
    fileprivate func replacing(_ old: String, with new: String) -> String {
        split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
    }

}

extension Substring {
    fileprivate func range(of text: String) -> Range<Index>? {
        indices.first { self[$0...].hasPrefix(text) }.map { $0..<index($0, offsetBy: text.count) }
    }
}
