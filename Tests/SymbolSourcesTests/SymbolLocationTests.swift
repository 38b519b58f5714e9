import BinaryPrimitives
import ObjectFiles
import SymbolSources
import TestSupport
import Testing

/// Places that are given otherwise than by an offset into the image. Addresses and sizes are those
/// that `nm -S` and `readelf -l` give of the files.
struct SymbolLocationTests {
    private func source(_ names: String...) throws -> ObjectSource {
        ObjectSource(try names.map { try ObjectFiles.open(path: TestPaths.fixture("binaries/" + $0)) })
    }

    private func located(_ source: ObjectSource, _ location: ImageLocation) -> LocateResult { source.locate([location])[0] }

    private func symbol(_ name: String, _ offset: UInt64, _ size: UInt64? = nil) -> ImageLocation {
        .symbol(SymbolLocation(name: name, offset: offset, size: size))
    }

    /// `0000000000000700 0000000000000069 T main`
    @Test func `a symbol's place is its address and the offset`() throws {
        let program = try source("C/out/c-clang-dwarf4-O0")
        #expect(located(program, symbol("main", 0x1a)) == .found([LinkAddress(0x71a)]))
        #expect(located(program, symbol("main", 0x1a, 0x69)) == .found([LinkAddress(0x71a)]))
        // The place may be the first byte after the function: a return address whose call is its
        // last instruction.
        #expect(located(program, symbol("main", 0x69, 0x69)) == .found([LinkAddress(0x769)]))
        #expect(located(program, symbol("mai", 0)) == .unresolved(.noSuchSymbol("mai")))
        #expect(located(program, symbol("", 0)) == .unresolved(.noSuchSymbol("")))
    }

    /// The size that Linux' kernel prints reaches to the next symbol: `check` is at 0x830, has 0x4f
    /// bytes, and `rounded` follows at 0x880.
    @Test func `a size is the symbol's own or the distance to the next symbol`() throws {
        let program = try source("C/out/c-clang-dwarf4-O0")
        #expect(located(program, symbol("check", 8, 0x4f)) == .found([LinkAddress(0x838)]))
        #expect(located(program, symbol("check", 8, 0x50)) == .found([LinkAddress(0x838)]))
        #expect(located(program, symbol("check", 8, 0x30)) == .found([LinkAddress(0xa48)]))
        #expect(located(program, symbol("main", 8, 0x6a)) == .unresolved(.symbolSizeDiffers(name: "main", log: 0x6a, file: [0x69, 0x70])))
    }

    /// `check` is a function of ledger.c at 0x830 and another of report.c at 0xa40.
    @Test func `all functions of a name are found`() throws {
        let program = try source("C/out/c-clang-dwarf4-O0")
        #expect(located(program, symbol("check", 4)) == .found([LinkAddress(0x834), LinkAddress(0xa44)]))
    }

    /// In a relocatable file each function here has a section of its own, so that an offset alone
    /// is ambiguous; the symbol's address is not.
    @Test func `symbols of a relocatable file lie in their sections`() throws {
        let object = try source("Relocatable/out/gauge-function-sections.o")
        guard case .found(let measure) = located(object, symbol("measure", 1)), case .found(let run) = located(object, symbol("run", 1))
        else {
            Issue.record("not found")
            return
        }
        let found = object.frames(at: (measure + run).sorted()).map { symbolResult in
            guard case .found(let frames) = symbolResult, let last = frames.last else { return "\(symbolResult)" }
            return "\(last.name) \(last.entry?.value ?? .max)"
        }
        #expect(Set(found) == ["measure 0", "run 0"])
        #expect((measure + run).map { object.offset(of: $0)?.value } == [1, 1])
    }

    /// The program's second segment is mapped at 0x1dc0 from the file's byte 0xdc0; `.text` is at
    /// 0x610.
    @Test func `file offsets go through the segments, and text offsets count from the section`() throws {
        let program = try source("C/out/c-clang-dwarf4-O0")
        #expect(located(program, .fileOffset(0x71a)) == .found([LinkAddress(0x71a)]))
        #expect(located(program, .fileOffset(0xdc8)) == .found([LinkAddress(0x1dc8)]))
        #expect(located(program, .fileOffset(0x10_0000)) == .unresolved(.fileOffsetNotMapped))
        #expect(located(program, .textOffset(0x10a)) == .found([LinkAddress(0x71a)]))
        #expect(located(program, .linkAddress(LinkAddress(0x71a))) == .found([LinkAddress(0x71a)]))
        #expect(located(program, .offset(ImageOffset(0x71a))) == .found([LinkAddress(0x71a)]))
    }

    /// The arm64 library's code is at 0x11704, mapped from the file's byte 0x1704; the x86_64
    /// library's only executable segment maps the file's first byte to 0x20000.
    @Test func `Android 10's relative pc is an address or a position in the file, as the segments say`() throws {
        let library = try source("Android/out/arm64-v8a/libshop.so")
        #expect(located(library, .relativePC(0x1710)) == .found([LinkAddress(0x11710)]))
        #expect(located(library, .relativePC(0x10_0000)) == .unresolved(.fileOffsetNotMapped))
        #expect(located(try source("Android/out/x86_64/libshop.so"), .relativePC(0x21710)) == .found([LinkAddress(0x21710)]))
        // A debug file has lost its segments' positions.
        #expect(located(try source("Android/out/arm64-v8a/libshop.so.debug"), .relativePC(0x1710)) == .unresolved(.fileOffsetNotMapped))
    }

    /// `LOAD 0x000000 0x0000000000000000 … 0x000db8 R E`: one page.
    /// `LOAD 0x001000 0x0000000000001000 … 0x000123 R E` of the library: one page, from 0x1000 on.
    /// The size distinguishes them from another build's.
    @Test func `a place in the mapping of the code`() throws {
        func mapping(_ offset: UInt64, _ size: UInt64) -> ImageLocation { .mapping(MappingLocation(offset: offset, size: size)) }
        let program = try source("C/out/c-clang-dwarf4-O0")
        #expect(located(program, mapping(0x71a, 0x1000)) == .found([LinkAddress(0x71a)]))
        #expect(located(program, mapping(0x71a, 0x2000)) == .unresolved(.mappingSizeDiffers(log: 0x2000, file: [0x1000])))
        let library = try source("SharedLibrary/out/libqueue-mini.so.1")
        #expect(located(library, mapping(0x10a, 0x1000)) == .found([LinkAddress(0x110a)]))
        // With pages of 16 KB, as arm64 may have them, the segment is in one that begins with the
        // file.
        #expect(located(library, mapping(0x110a, 0x4000)) == .found([LinkAddress(0x110a)]))
    }

    /// The exported names come from the stripped library, the hidden ones from what is packed in
    /// it.
    @Test func `a stripped library's packed symbols are asked too`() throws {
        let whole = try source("SharedLibrary/out/libqueue.so.1")
        let mini = try source("SharedLibrary/out/libqueue-mini.so.1")
        let stripped = try source("SharedLibrary/out/libqueue-stripped.so.1")
        let hidden = symbol("queue_is_full", 2)
        let expected = located(whole, hidden)
        guard case .found = expected else {
            Issue.record("the fixture has no such symbol")
            return
        }
        #expect(located(mini, hidden) == expected)
        #expect(located(stripped, hidden) == .unresolved(.noSuchSymbol("queue_is_full")))
    }

    @Test func `Mach-O's underscore is no part of a name`() throws {
        let program = try source("MachOCXX/out/shapes-arm64")
        guard case .found(let addresses) = located(program, symbol("main", 0)) else {
            Issue.record("main is not found")
            return
        }
        #expect(addresses.count == 1)
    }
}
