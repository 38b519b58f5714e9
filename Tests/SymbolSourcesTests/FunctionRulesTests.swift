import BinaryPrimitives
import ObjectFiles
import SymbolSources
import TestSupport
import Testing

/// The start of a function, which llvm-symbolizer does not print: an offset counts from there. The programs are
/// those of the case `Functions`.
struct FunctionRulesTests {
    private func open(_ name: String) throws -> ObjectFile {
        try ObjectFiles.open(path: TestPaths.fixture("binaries/Functions/out/" + name))
    }

    private func addresses(of names: [String], in object: ObjectFile) throws -> [UInt64] {
        let found = try symbolAddresses(object)
        return try names.map { try #require(found[$0], "\($0)").value }
    }

    private func entries(_ object: ObjectFile, at addresses: [UInt64]) -> [String] {
        ObjectSource([object]).frames(at: addresses.map { ImageOffset($0 - object.baseAddress.value) }).map { symbolResult in
            guard case .found(let frames) = symbolResult, let last = frames.last, let entry = last.entry else { return "\(symbolResult)" }
            return "\(last.name) \(entry.value + object.baseAddress.value)"
        }
    }

    /// A part that gcc split off is a symbol of its own. Without symbols it is the function, whose
    /// first range (DWARF 5, section 2.17) is its main part's.
    @Test func `a cold part counts from its own symbol, without symbols from the function's entry`() throws {
        let whole = try open("cold")
        let starts = try addresses(of: ["check.cold", "check"], in: whole)
        #expect(starts[0] < starts[1])
        #expect(entries(whole, at: starts) == ["check.cold \(starts[0])", "check \(starts[1])"])
        let stripped = try open("cold-stripped")
        #expect(entries(stripped, at: starts) == ["check \(starts[1])", "check \(starts[1])"])
    }

    /// A nested function is a function of its own, not a call inlined into the one around it.
    @Test func `a nested function has its own entry`() throws {
        let whole = try open("nested")
        let starts = try addresses(of: ["basket.1", "stall.0", "market"], in: whole)
        let middles = starts.map { $0 + 4 }
        #expect(entries(whole, at: middles) == ["basket.1 \(starts[0])", "stall.0 \(starts[1])", "market \(starts[2])"])
        #expect(entries(try open("nested-stripped"), at: middles) == ["basket \(starts[0])", "stall \(starts[1])", "market \(starts[2])"])
    }

    /// As musl's library is: the unwind tables describe a few functions, and assembly far from them has a symbol without a size,
    /// followed by functions without symbols.
    @Test func `a symbol without a size names only its own address where the unwind tables have nothing near`() throws {
        try withTemporaryFolder { folder in
            let assembly = """
                .text
                .fill 8192, 1, 0x90
                .globl visible
                .type visible, @function
                visible: .fill 64, 1, 0x90
                ret
                hidden: .fill 64, 1, 0x90
                ret
                .section .note.GNU-stack, "", @progbits
                """
            try writeFile(folder + "/a.s", Array(assembly.utf8))
            try writeFile(folder + "/f.c", Array("int described(int n) { return n + 1; }\n".utf8))
            try run("gcc", ["-O1", "-shared", "-nostdlib", "-s", "f.c", "a.s", "-o", "lib.so"], directory: folder).requireSuccess()
            let library = try ObjectFiles.open(path: folder + "/lib.so")
            let start = try #require(try symbolAddresses(library)["visible"]).value
            let found = entries(library, at: [start - 4096, start, start + 66])
            #expect(found[1] == "visible \(start)")
            #expect(found[0].hasPrefix("unresolved"))
            #expect(found[2] == "unresolved(SymbolSources.Unresolved.unboundedSymbol)")
        }
    }
}

/// Addresses by the names of the symbols; the last one where several have a name.
func symbolAddresses(_ object: ObjectFile) throws -> [String: LinkAddress] {
    Dictionary(try elements { try object.forEachSymbol($0) }.map { ($0.name.text(in: object), $0.address) }) { $1 }
}
