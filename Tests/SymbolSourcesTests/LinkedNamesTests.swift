import BinaryPrimitives
import ObjectFiles
import SymbolSources
import TestSupport
import Testing

/// Names that the symbol table does not have: stubs, and what a stripped binary exports. The
/// addresses are those of `llvm-objdump --macho --indirect-symbols`, `--exports-trie` and
/// `--function-starts`; `DYLD-STUB$$` is how atos calls a stub.
struct LinkedNamesTests {
    private func names(in file: String, at addresses: [UInt64]) throws -> [String] {
        let object = try ObjectFiles.open(path: TestPaths.fixture("binaries/" + file))
        let offsets = addresses.map { ImageOffset($0 - object.baseAddress.value) }
        return zip(offsets, ObjectSource([object]).frames(at: offsets)).map { offset, symbolResult in
            switch symbolResult {
            case .found(let frames): "\(frames[0].name) + \(frames[0].entry.flatMap { offset.distance(from: $0) } ?? .max)"
            case .unresolved(let reason): "\(reason)"
            }
        }
    }

    /// Twelve bytes a stub; `__stub_helper` follows them at 0x100000cac.
    @Test(arguments: ["MachOCXX/out/shapes-arm64", "MachOCXX/out/shapes-arm64-stripped"])
    func `an address in a stub is the stub of its function`(file: String) throws {
        let found = try names(in: file, at: [0x1_0000_0c64, 0x1_0000_0c6f, 0x1_0000_0c70, 0x1_0000_0ca4, 0x1_0000_0cac])
        #expect(
            found == [
                "DYLD-STUB$$_Unwind_Resume + 0", "DYLD-STUB$$_Unwind_Resume + 11", "DYLD-STUB$$__cxa_end_catch + 0",
                "DYLD-STUB$$_ZdlPvm + 4", "betweenSymbols",
            ])
    }

    /// `_main` is exported at 0x100000600; the function starts show where the next function begins,
    /// which is not exported. The table still has `__mh_execute_header`, which begins before all of
    /// them.
    @Test func `a stripped binary names the functions that it exports, up to the next function's start`() throws {
        let starts = try ObjectFiles.open(path: TestPaths.fixture("binaries/MachOCXX/out/shapes-arm64-stripped")).description.functionStarts
        let main = try #require(starts.firstIndex(of: LinkAddress(0x1_0000_0600)))
        let next = starts[main + 1].value
        let found = try names(
            in: "MachOCXX/out/shapes-arm64-stripped", at: [0x1_0000_0000, 0x1_0000_0600, next - 1, next])
        #expect(found == ["betweenSymbols", "main + 0", "main + \(next - 1 - 0x1_0000_0600)", "betweenSymbols"])
    }

    /// The numbers of `ppc.yaml`: main at 0x1180, fill at 0x1190 up to the section's end at 0x1198,
    /// stubs of 32 bytes from 0x11a0 on for the symbols 3 and 2.
    @Test func `a big-endian program for PowerPC`() throws {
        let found = try names(
            in: "MachOArchitectures/out/tiny-ppc", at: [0x1180, 0x118f, 0x1190, 0x1197, 0x1198, 0x11a0, 0x11bf, 0x11c8, 0x11e0])
        #expect(
            found == [
                "main + 0", "main + 15", "fill + 0", "fill + 7", "betweenSymbols", "DYLD-STUB$$exit + 0", "DYLD-STUB$$exit + 31",
                "DYLD-STUB$$printf + 8", "betweenSymbols",
            ])
    }

    @Test func `gdb's name for an address in a stub is the stub`() throws {
        let object = try ObjectFiles.open(path: TestPaths.fixture("binaries/MachOCXX/out/shapes-arm64"))
        guard case .found(let frames)? = ObjectSource([object]).frames(at: [ImageOffset(0xc68)]).first else {
            Issue.record("no answer")
            return
        }
        #expect(frames.last?.name == "DYLD-STUB$$_Unwind_Resume")
        #expect(frames.last?.entry == ImageOffset(0xc64))
    }
}
