import BinaryPrimitives
import CrashLogModel
import Serving
import TestSupport
import Testing

/// Mozilla's symbolication API against what LLVM's tools say about the fixtures' binaries.
struct MozillaSymbolicationTests {
    /// The ids are those of the `.sym` files (made of llvm-symbolizer's answers, by a script), and
    /// of `INDEX.tsv`: a build ID whose first numbers are swapped, a UUID as it is.
    static let programs: [(name: String, id: String, symbols: String, table: String, base: UInt64)] = [
        (
            "cxx-gcc-dwarf5-O2", "DC968DABDEC97A62CE64EA0173E42ADB0", "binaries/CXX/out/cxx-gcc-dwarf5-O2",
            "binaries/CXX/out/cxx-gcc-dwarf5-O2", 0
        ),
        ("cxx-gcc-dwarf5-O2", "dc968dabdec97a62ce64ea0173e42adb0", "symbols", "binaries/CXX/out/cxx-gcc-dwarf5-O2", 0),
        (
            "shapes-x86_64", "4C4C443955553144A135D9F42186694D0", "binaries/MachOCXX/out", "binaries/MachOCXX/out/shapes-x86_64",
            0x1_0000_0000
        ),
    ]

    @Test(arguments: programs)
    func `frames have the functions, files and lines that llvm-symbolizer finds`(
        name: String, id: String, symbols: String, table: String, base: UInt64
    ) throws {
        let expectedRows = expectedResults(table + ".expected.tsv")
        #expect(expectedRows.count > 20)
        let rows = expectedRows.map { "[0,\($0.address - base)]" }.joined(separator: ",")
        let response = Service.over(fixture: symbols).post(
            "/symbolicate/v5", #"{"memoryMap":[["\#(name)","\#(id)"]],"stacks":[[\#(rows)]]}"#)
        #expect(response.status == 200)
        let results = try #require(response.json?["results"]?.elements)
        #expect(results.count == 1 && results[0]["module_errors"] == nil)
        #expect(results[0]["found_modules"]?.members.map(\.key) == ["\(name)/\(id)"])
        #expect(results[0]["found_modules"]?["\(name)/\(id)"]?.isTrue == true)
        let frames = try #require(results[0]["stacks"]?.elements.first?.elements)
        #expect(frames.count == expectedRows.count)
        for (number, (frame, expectedRow)) in zip(frames, expectedRows).enumerated() {
            let address = "0x" + String(expectedRow.address, radix: 16)
            #expect(frame["frame"]?.int == number)
            #expect(frame["module"]?.string == name)
            #expect(frame["module_offset"]?.string == "0x" + String(expectedRow.address - base, radix: 16))
            let shown = (frame["inlines"]?.elements ?? []) + [frame]
            #expect(
                shown.map { $0["function"]?.string ?? "" } == expectedRow.functions.map { Self.llvm($0["function"] ?? "") }, "\(address)")
            #expect(shown.map { $0["file"]?.string ?? "" } == expectedRow.functions.map { $0["file"] ?? "" }, "\(address)")
            #expect(shown.map { $0["line"]?.int.map(String.init) ?? "" } == expectedRow.functions.map { $0["line"] ?? "" }, "\(address)")
            #expect((frame["inlines"] == nil) == (expectedRow.functions.count == 1))
        }
    }

    /// The table has the names as GNU's demangler spells them, `risky(int) [clone .cold]` and
    /// `{lambda(int)#1}`: LLVM's has `risky(int) (.cold)` and `'lambda'(int)`.
    private static func llvm(_ name: String) -> String {
        var name = name
        for (old, new) in [("[clone .cold]", "(.cold)"), ("{lambda(int)#1}", "'lambda'(int)")] {
            name = name.split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
        }
        return name
    }

    /// `FUNC 1100 13 0 _GLOBAL__sub_I_main` and the like of the `.sym` file.
    @Test func `a function's offset counts from its first byte`() throws {
        let lines = String(decoding: TestPaths.bytes(of: TestPaths.fixture("symbols/cxx-gcc-dwarf5-O2.sym")), as: UTF8.self).split(
            separator: "\n")
        let functions = lines.compactMap { line -> (start: UInt64, size: UInt64)? in
            let fields = line.split(separator: " ")
            guard fields[0] == "FUNC", let start = UInt64(fields[1], radix: 16), let size = UInt64(fields[2], radix: 16) else { return nil }
            return (start, size)
        }
        #expect(functions.count > 5)
        let rows = functions.map { "[0,\($0.start + $0.size - 1)]" }.joined(separator: ",")
        let response = Service.over(fixture: "binaries/CXX/out").post(
            "/symbolicate/v5", #"{"memoryMap":[["cxx-gcc-dwarf5-O2","DC968DABDEC97A62CE64EA0173E42ADB0"]],"stacks":[[\#(rows)]]}"#)
        let frames = try #require(response.json?["results"]?.elements.first?["stacks"]?.elements.first?.elements)
        #expect(frames.map { $0["function_offset"]?.string } == functions.map { "0x" + String($0.size - 1, radix: 16) })
    }

    /// The Firefox Profiler takes each library's job by its place, wants every stack as long as it
    /// sent it, and refuses `null` (`src/profile-logic/mozilla-symbolication-api.ts`).
    @Test func `every job has a result, every frame a place, and what is unknown is left out`() throws {
        let id = "DC968DABDEC97A62CE64EA0173E42ADB0"
        let body = """
            {"version":5,"jobs":[
              {"memoryMap":[["cxx-gcc-dwarf5-O2","\(id)"],["unused.so","\(id)"]],"stacks":[[[0,4352],[-1,7],[0,-1],[0,1]],[]]},
              {"memoryMap":[["libmissing.so","000102030405060708090A0B0C0D0E0F0"]],"stacks":[[[0,18446744073709551615]]]},
              {"memoryMap":[["",""],["short.so","ab"]],"stacks":[[[0,1],[1,2]]]}]}
            """
        let response = Service.over(fixture: "binaries/CXX/out").post("/symbolicate/v5", body)
        let results = try #require(response.json?["results"]?.elements)
        #expect(results.map { $0["stacks"]?.elements.map(\.elements.count) } == [[4, 0], [1], [2]])
        func text(_ value: JSONValue?) -> String { value.map { String(decoding: response.bytes[$0.range], as: UTF8.self) } ?? "" }
        let frames = results.flatMap { $0["stacks"]?.elements.flatMap(\.elements) ?? [] }.map(text)
        // 0x1100 is the entry of a function that the compiler wrote.
        #expect(
            frames[0]
                == #"{"frame":0,"module":"cxx-gcc-dwarf5-O2","module_offset":"0x1100","function":"_GLOBAL__sub_I_main","function_offset":"0x0","file":"/src/main.cpp","line":69}"#
        )
        #expect(frames[1] == #"{"frame":1,"module":"<unknown>","module_offset":"0x7"}"#)
        #expect(frames[2] == #"{"frame":2,"module":"cxx-gcc-dwarf5-O2","module_offset":"-0x1"}"#)
        #expect(frames[3] == #"{"frame":3,"module":"cxx-gcc-dwarf5-O2","module_offset":"0x1"}"#)
        #expect(frames[4] == #"{"frame":0,"module":"libmissing.so","module_offset":"0xffffffffffffffff"}"#)
        #expect(frames[5] == #"{"frame":0,"module":"<unknown>","module_offset":"0x1"}"#)
        // Found, not needed; not found; nothing to look for.
        #expect(text(results[0]["found_modules"]) == #"{"cxx-gcc-dwarf5-O2/\#(id)":true,"unused.so/\#(id)":null}"#)
        #expect(text(results[1]["found_modules"]) == #"{"libmissing.so/000102030405060708090A0B0C0D0E0F0":false}"#)
        #expect(text(results[2]["found_modules"]) == #"{"/":null,"short.so/ab":false}"#)
        let error = try #require(results[1]["module_errors"]?["libmissing.so/000102030405060708090A0B0C0D0E0F0"]?.elements.first)
        #expect(error["message"]?.string?.contains("libmissing.so") == true)
        #expect(results[2]["module_errors"]?.members.map(\.key) == ["short.so/ab"])
    }

    @Test func `no job has no result`() { #expect(Service.over([]).post("/symbolicate/v5", #"{"jobs":[]}"#).text == #"{"results":[]}"#) }

    /// A file of the module's name with another build ID: ab8d96dc… in `INDEX.tsv`.
    @Test func `the reason names the file that was refused, unless the operator hides it`() throws {
        let body = #"{"memoryMap":[["cxx-gcc-dwarf5-O2","000102030405060708090A0B0C0D0E0F0"]],"stacks":[[[0,4352]]]}"#
        let result = try #require(Service.over(fixture: "binaries/CXX/out").post("/symbolicate/v5", body).json?["results"]?.elements.first)
        let message = try #require(result["module_errors"]?.members.first?.value.elements.first?["message"]?.string)
        #expect(message.contains("build ID") && message.contains("ab8d96dcc9de627ace64ea0173e42adb457cb353"))
        // The request's id as a build ID: the first three numbers swapped.
        #expect(message.contains("03020100050407060809"))
        let silent = Service.over(fixture: "binaries/CXX/out") { $0.includesReasons = false }.post("/symbolicate/v5", body)
        #expect(silent.json?["results"]?.elements.first?["module_errors"] == nil)
        #expect(!silent.text.contains(TestPaths.root))
    }

    @Test func `a debug header brings the time and the modules`() throws {
        let body = #"{"memoryMap":[["a","00"],["b","00"]],"stacks":[[[0,1]]]}"#
        let debug = try #require(Service.over([]).post("/symbolicate/v5", body, headers: [("debug", "true")]).json?["debug"])
        #expect(debug["modules"]?["count"]?.int == 1)
        #expect(debug["modules"]?["stacks_per_module"]?["a/00"]?.int == 1)
        #expect(Double(debug["time"]?.text ?? "").map { $0 >= 0 && $0 < 60 } == true)
        #expect(Service.over([]).post("/symbolicate/v5", body).json?["debug"] == nil)
    }

    @Test func `version 4 has the names alone`() {
        let id = "DC968DABDEC97A62CE64EA0173E42ADB0"
        let body = #"{"memoryMap":[["cxx-gcc-dwarf5-O2","\#(id)"],["b","00"],["c","00"]],"stacks":[[[0,4352],[1,16],[-1,-1]]],"version":4}"#
        #expect(
            Service.over(fixture: "binaries/CXX/out").post("/symbolicate/v4", body).text
                == #"{"symbolicatedStacks":[["_GLOBAL__sub_I_main (in cxx-gcc-dwarf5-O2)","0x10 (in b)","-0x1 (in <unknown>)"]],"knownModules":[true,false,null]}"#
        )
    }

    /// Windows: the id is the PDB's, and the `.sym` names the file that was loaded
    /// (`get_module_filename` of `eliot/libsymbolic.py`).
    @Test func `a module of Windows has the name of its file`() throws {
        try withTemporaryFolder { folder in
            let id = "44E4EC8C2F41492B9369D6B9A059577C2"
            try makeFolders("\(folder)/app.pdb/\(id)")
            let symbols = """
                MODULE windows x86 \(id) app.pdb
                INFO CODE_ID 4B5FDA0B12000 app.exe
                FILE 1 c:\\src\\app.cc
                FUNC 1000 10 0 main
                1000 10 7 1

                """
            try writeFile("\(folder)/app.pdb/\(id)/app.sym", Array(symbols.utf8))
            let body = #"{"memoryMap":[["app.pdb","\#(id.lowercased())"]],"stacks":[[[0,4097]]]}"#
            let result = try #require(Service.over([folder]).post("/symbolicate/v5", body).json?["results"]?.elements.first)
            let frame = try #require(result["stacks"]?.elements.first?.elements.first)
            #expect(frame["module"]?.string == "app.exe")
            #expect(frame["function"]?.string == "main" && frame["function_offset"]?.string == "0x1")
            #expect(frame["file"]?.string == #"c:\src\app.cc"# && frame["line"]?.int == 7)
            #expect(result["found_modules"]?["app.pdb/\(id.lowercased())"]?.isTrue == true)
        }
    }

    /// GUID and age together are a build of Windows (symsrv, Tecken, Eliot): here of two links of one program the one, or both.
    @Test(arguments: [["1"], ["2"], ["1", "2"], ["1", "a"]]) func `a PDB of another age is another build`(stored: [String]) throws {
        try withTemporaryFolder { folder in
            let guid = "0185139C8F04FFC94C4C44205044422E"
            for age in stored {
                try makeFolders("\(folder)/xul.pdb/\(guid)\(age)")
                let symbols = "MODULE windows x86_64 \(guid)\(age) xul.pdb\nFUNC 5380 44 0 function\(age)\n"
                try writeFile("\(folder)/xul.pdb/\(guid)\(age)/xul.sym", Array(symbols.utf8))
            }
            for symbols in [[folder], ["\(folder)/xul.pdb"]] {
                let service = Service.over(symbols)
                for age in ["1", "2", "a", "7"] {
                    let body = #"{"memoryMap":[["xul.pdb","\#(guid)\#(age)"]],"stacks":[[[0,21380]]]}"#
                    let frame = try #require(
                        service.post("/symbolicate/v5", body).json?["results"]?.elements.first?["stacks"]?.elements.first?.elements.first)
                    #expect(frame["function"]?.string == (stored.contains(age) ? "function\(age)" : nil))
                    #expect(service.get("/symbols/xul.pdb/\(guid)\(age)/xul.sym").status == (stored.contains(age) ? 200 : 404))
                }
            }
        }
    }
}
