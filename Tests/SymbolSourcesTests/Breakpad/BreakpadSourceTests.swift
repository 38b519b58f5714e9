import BinaryPrimitives
import SymbolSources
import TestSupport
import Testing

/// Lookups in Breakpad's text files. The records are those of "symbol_files.md" and of the dumpers'
/// real output; what a result must be follows from the records beside it.
struct BreakpadSourceTests {
    private static let module = "MODULE Linux x86_64 20AD60B0B4C68177552708AA192E77390 basic\n"

    private func source(_ text: String, base: LinkAddress? = nil) throws -> BreakpadSource {
        let file = try MappedFile(bytes: Array(text.utf8).span.rawBytes, name: "basic.sym")
        return BreakpadSource(try #require(BreakpadFile(file)), base: base)
    }

    private func symbolResult(_ text: String, at address: UInt64) throws -> SymbolResult {
        try source(Self.module + text).frames(at: [ImageOffset(address)])[0]
    }

    /// `function+offset file:line` for each frame, innermost first; `inlined` instead of an offset.
    private func frameTexts(_ symbolResult: SymbolResult, at address: UInt64) -> [String] {
        guard case .found(let frames) = symbolResult else { return ["\(symbolResult)"] }
        return frames.map { frame in
            let location = frame.location.map { " \($0.file):\($0.line)" } ?? ""
            let offset = frame.entry.map { "+\(address - $0.value)" } ?? " inlined"
            return frame.name + offset + location
        }
    }

    /// `FILE` is in the first bytes of a file that has lines; here it begins that many bytes after
    /// the first.
    @Test(arguments: [(Limits.standard.breakpadHead - 5, true), (Limits.standard.breakpadHead - 4, false)])
    func `what a file is stands in so many bytes`(position: Int, hasLines: Bool) throws {
        let filling = "INFO " + String(repeating: "x", count: position - Self.module.utf8.count - 6) + "\n"
        let bytes = Array((Self.module + filling + "FILE 0 /src/basic.cpp\n").utf8)
        try #require(bytes[position...].starts(with: Array("FILE".utf8)))
        let file = try #require(BreakpadFile(MappedFile(bytes: bytes.span.rawBytes, name: "basic.sym")))
        #expect(file.hasDebugInformation == hasLines && file.module.name == "basic")
    }

    /// Functions of Mozilla's dump of a real program; `foo` calls `inline_4` in line 26, which
    /// calls `inline_3` in line 20, and so on down; 0x1265 is in the second range of some of them.
    private let inlined = """
        FILE 0 /src/basic.cpp
        INLINE_ORIGIN 0 inline_4(int)
        INLINE_ORIGIN 1 inline_3(int)
        INLINE_ORIGIN 2 inline_2(int)
        INLINE_ORIGIN 3 inline_1(int)
        FUNC 11e4 d9 0 foo(int)
        INLINE 0 26 0 0 120e 20
        INLINE 1 20 0 1 120e 1f 1265 1f
        INLINE 2 15 0 2 120e 1e 1265 1e
        INLINE 3 10 0 3 120e 1d 1265 1d
        INLINE 0 29 0 0 1265 20
        INLINE 0 29 0 2 1292 1e
        INLINE 1 10 0 3 1292 1d
        11e4 7 24 0
        120e 9 3 0
        122b 1 10 0
        1265 9 3 0
        1292 9 3 0
        """

    @Test func `a line is the innermost call's, and each call stands where its record says`() throws {
        #expect(try frameTexts(symbolResult(inlined, at: 0x11e4), at: 0x11e4) == ["foo(int)+0 /src/basic.cpp:24"])
        #expect(
            try frameTexts(symbolResult(inlined, at: 0x1210), at: 0x1210) == [
                "inline_1(int) inlined /src/basic.cpp:3", "inline_2(int) inlined /src/basic.cpp:10",
                "inline_3(int) inlined /src/basic.cpp:15",
                "inline_4(int) inlined /src/basic.cpp:20", "foo(int)+44 /src/basic.cpp:26",
            ])
        // After 0x120e + 0x1d inline_1 has ended, and the others have not.
        #expect(
            try frameTexts(symbolResult(inlined, at: 0x122b), at: 0x122b) == [
                "inline_2(int) inlined /src/basic.cpp:10", "inline_3(int) inlined /src/basic.cpp:15",
                "inline_4(int) inlined /src/basic.cpp:20",
                "foo(int)+71 /src/basic.cpp:26",
            ])
        #expect(
            try frameTexts(symbolResult(inlined, at: 0x1292), at: 0x1292) == [
                "inline_1(int) inlined /src/basic.cpp:3", "inline_2(int) inlined /src/basic.cpp:10", "foo(int)+174 /src/basic.cpp:29",
            ])
        // Inside of the function, between its lines.
        #expect(try frameTexts(symbolResult(inlined, at: 0x12bc), at: 0x12bc) == ["foo(int)+216"])
    }

    /// 0x1265 is in the second range of calls whose records come before that of `inline_4` there,
    /// which they are nested in.
    @Test func `the records of nested calls may come in any order`() throws {
        #expect(
            try frameTexts(symbolResult(inlined, at: 0x1265), at: 0x1265) == [
                "inline_1(int) inlined /src/basic.cpp:3", "inline_2(int) inlined /src/basic.cpp:10",
                "inline_3(int) inlined /src/basic.cpp:15", "inline_4(int) inlined /src/basic.cpp:20", "foo(int)+129 /src/basic.cpp:29",
            ])
        let text = "FILE 0 a.c\nINLINE_ORIGIN 0 a\nINLINE_ORIGIN 1 b\nFUNC 10 10 0 f\nINLINE 1 7 0 1 10 8\nINLINE 0 5 0 0 10 8\n10 10 3 0\n"
        #expect(try frameTexts(symbolResult(text, at: 0x10), at: 0x10) == ["b inlined a.c:3", "a inlined a.c:7", "f+0 a.c:5"])
    }

    @Test func `a deeper call needs the one that it is nested in`() throws {
        let text = "FILE 0 a.c\nINLINE_ORIGIN 0 a\nINLINE_ORIGIN 1 b\nFUNC 10 10 0 f\nINLINE 1 7 0 1 10 8\nINLINE 0 5 0 0 18 8\n10 10 3 0\n"
        #expect(try frameTexts(symbolResult(text, at: 0x10), at: 0x10) == ["f+0 a.c:3"])
    }

    /// `Limits.inlineDepth`: the line is the innermost call's, so that without it the line would be
    /// said of another function.
    @Test func `calls that are nested too deeply are no answer`() throws {
        func text(_ count: Int) -> String {
            let calls = (0..<count).map { "INLINE \($0) 5 0 0 10 8\n" }.joined()
            return "FILE 0 a.c\nINLINE_ORIGIN 0 a\nFUNC 10 10 0 f\n" + calls + "10 10 3 0\n"
        }
        let maxDepth = Limits.standard.inlineDepth
        let whole = try frameTexts(symbolResult(text(maxDepth), at: 0x10), at: 0x10)
        #expect(whole.count == maxDepth + 1 && whole.last == "f+0 a.c:5")
        #expect(try symbolResult(text(maxDepth + 1), at: 0x10) == .unresolved(.corrupt("inlined calls are nested deeper than \(maxDepth)")))
        #expect(try frameTexts(symbolResult(text(maxDepth + 1), at: 0x18), at: 0x18) == ["f+8 a.c:3"])
    }

    /// Dumpers of 2021 did not write the file of a call.
    @Test func `a call without a file has no place`() throws {
        let text = "FILE 0 a.c\nINLINE_ORIGIN 4 a\nFUNC 10 10 0 f\nINLINE 0 5 4 10 8\n10 10 3 0\n"
        #expect(try frameTexts(symbolResult(text, at: 0x10), at: 0x10) == ["a inlined a.c:3", "f+0"])
    }

    /// "A function with no line number data", and one with `m`; names and paths may contain spaces.
    @Test func `records as Breakpad's documentation has them`() throws {
        let text =
            "FILE 4 /home/jim b/in.cpp\r\nFUNC m c184 30 0 nsQuery::operator()(nsID const&, void**) const\r\nc184 7 59 4\r\n"
            + "PUBLIC m 2160 0 Public2_1\r\nFUNC d000 10 0 plain\r\n"
        #expect(
            try frameTexts(symbolResult(text, at: 0xc184), at: 0xc184) == [
                "nsQuery::operator()(nsID const&, void**) const+0 /home/jim b/in.cpp:59"
            ])
        #expect(try frameTexts(symbolResult(text, at: 0xc18b), at: 0xc18b) == ["nsQuery::operator()(nsID const&, void**) const+7"])
        #expect(try frameTexts(symbolResult(text, at: 0xd00f), at: 0xd00f) == ["plain+15"])
        #expect(try symbolResult(text, at: 0xd010) == .unresolved(.betweenSymbols))
        #expect(try frameTexts(symbolResult(text, at: 0x2170), at: 0x2170) == ["Public2_1+16"])
    }

    @Test func `a function that begins inside of another covers its own, and functions without a size nothing`() throws {
        let text = "FUNC 100 100 0 outer\nFUNC 140 10 0 inner\nFUNC 180 0 0 empty\nFUNC 300 10 0 first\nFUNC 300 10 0 second\n"
        for (address, name) in [
            (0x13f, "outer+63"), (0x140, "inner+0"), (0x14f, "inner+15"), (0x150, "outer+80"), (0x180, "outer+128"), (0x305, "first+5"),
        ] {
            #expect(try frameTexts(symbolResult(text, at: UInt64(address)), at: UInt64(address)) == [name])
        }
        #expect(try symbolResult(text, at: 0x200) == .unresolved(.noSymbol))
    }

    /// Symbols of 0x1000, 0x1040 and 0x1344 have no size.
    @Test func `a symbol without a size reaches to the next address that the file mentions`() throws {
        let text = "PUBLIC 1000 0 _init\nPUBLIC 1040 0 _start\nFUNC 1100 20 0 main\nPUBLIC 1344 0 _fini\n"
        #expect(try frameTexts(symbolResult(text, at: 0x103f), at: 0x103f) == ["_init+63"])
        #expect(try frameTexts(symbolResult(text, at: 0x1040), at: 0x1040) == ["_start+0"])
        #expect(try frameTexts(symbolResult(text, at: 0x10ff), at: 0x10ff) == ["_start+191"])
        // The last has no end, but its first byte is its own.
        #expect(try frameTexts(symbolResult(text, at: 0x1344), at: 0x1344) == ["_fini+0"])
        // After a function that ended; after everything; before everything.
        #expect(try symbolResult(text, at: 0x1120) == .unresolved(.betweenSymbols))
        #expect(try symbolResult(text, at: 0x1345) == .unresolved(.unboundedSymbol))
        #expect(try symbolResult(text, at: 0xfff) == .unresolved(.noSymbol))
    }

    /// A stripped library's exports and unwind records: the function at 0x2000 has no name.
    @Test func `the unwinder's records bound a symbol`() throws {
        let text =
            "PUBLIC 1000 0 open\nPUBLIC 3000 0 close\nSTACK CFI INIT 1000 40 .cfa: $rsp 8 +\nSTACK CFI 1004 .cfa: $rsp 16 +\nSTACK CFI INIT 2000 80 .cfa: $rsp 8 +\n"
        #expect(try frameTexts(symbolResult(text, at: 0x103f), at: 0x103f) == ["open+63"])
        #expect(try symbolResult(text, at: 0x1040) == .unresolved(.unboundedSymbol))
        #expect(try symbolResult(text, at: 0x2010) == .unresolved(.betweenSymbols))
        #expect(try frameTexts(symbolResult(text, at: 0x3000), at: 0x3000) == ["close+0"])
        #expect(try symbolResult(text, at: 0x3001) == .unresolved(.unboundedSymbol))
    }

    @Test func `a function whose name the dumper did not know has a line`() throws {
        #expect(try frameTexts(symbolResult("FILE 0 a.c\nFUNC 10 10 0 <name omitted>\n10 10 7 0\n", at: 0x14), at: 0x14) == ["+4 a.c:7"])
    }

    /// Cut short, out of range, or no numbers: such a record says nothing, and the others stay.
    @Test(arguments: [
        "FUNC 1000", "FUNC 1000 10 0", "FUNC zz 10 0 f", "FUNC 10000000000000000 1 0 f", "PUBLIC", "FILE", "FILE x y", "INLINE 0 1",
        "INLINE_ORIGIN",
        "STACK CFI INIT ffffffffffffffff ffffffffffffffff x", "STACK CFI INIT", "1000 10", "FUNC fffffffffffffff0 ffffffffffffffff 0 last",
        "", "m",
    ])
    func `damaged records say nothing`(record: String) throws {
        let text =
            "FILE 0 a.c\n\(record)\nFUNC 2000 10 0 sound\nINLINE 99999999999999999999 1 0 0 2000 10\nINLINE 1 1 0 0 2000 10\n2000 10 5 0\n\(record)"
        #expect(try frameTexts(symbolResult(text, at: 0x2001), at: 0x2001) == ["sound+1 a.c:5"])
    }

    @Test func `link addresses need the base that another file tells`() throws {
        let text = Self.module + "FUNC 10 10 0 f\n"
        #expect(try source(text).locate([.linkAddress(LinkAddress(0x400014))]) == [.unresolved(.unknownImageBase)])
        let fixed = try source(text, base: LinkAddress(0x400000))
        #expect(fixed.locate([.linkAddress(LinkAddress(0x400014))]) == [.found([LinkAddress(0x400014)])])
        #expect(frameTexts(fixed.frames(at: [LinkAddress(0x400014)])[0], at: 0x14) == ["f+4"])
        #expect(fixed.offset(of: LinkAddress(0x400014)) == ImageOffset(0x14))
    }

    @Test func `the file tells its image's identity, and whether it has lines`() throws {
        func file(_ text: String) throws -> BreakpadFile? { BreakpadFile(try MappedFile(bytes: Array(text.utf8).span.rawBytes, name: "x")) }
        let whole = try #require(
            try file(Self.module + "INFO CODE_ID B060AD20C6B47781552708AA192E7739FAC7C84A\nINFO GENERATOR x\nFILE 0 a.c\n"))
        #expect(whole.identity?.hexadecimal == "b060ad20c6b47781552708aa192e7739fac7c84a")
        #expect(whole.hasDebugInformation && !whole.holdsCode && whole.machine == .x86_64 && whole.module.name == "basic")
        let cut = try #require(try file(Self.module + "PUBLIC 10 0 f\nFILE 0 a.c\n"))
        #expect(cut.identity?.hexadecimal == "b060ad20c6b47781552708aa192e7739" && !cut.hasDebugInformation)
        // No build ID: the GUID is a hash of the code, and an id that does not begin like it is
        // another file's.
        let odd = try #require(try file(Self.module + "INFO CODE_ID 0011223344556677889900112233445566778899\n"))
        #expect(odd.identity == cut.identity)
        let apple = try #require(try file("MODULE mac x86 67E9247C814E392BA027DBDE6748FCBF0 My App\n"))
        #expect(apple.identity?.uuid == "67E9247C-814E-392B-A027-DBDE6748FCBF" && apple.machine == .i386 && apple.module.name == "My App")
        #expect(try file("MODULE\n") == nil)
        #expect(try file("MODULE Linux\n") == nil)
        #expect(try file("module Linux x86 0 a\n") == nil)
        #expect(try #require(try file("MODULE Linux unknown 0 a\n")).identity == nil)
    }
}
