import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

/// The debug map as linkers write it (`mach-o/stab.h`), record by record.
struct DebugMapTests {
    private func map(_ symbols: [MachOBuilder.Symbol], cpu: (UInt32, UInt32) = (0x0100_000c, 0), is64Bit: Bool = true) throws
        -> (map: DebugMap, names: [String])?
    {
        var builder = MachOReaderTests.program(is64Bit ? .little64 : .little32)
        builder.cpu = cpu
        builder.symbols = symbols
        let bytes = builder.build()
        let object = try #require(try ObjectFiles.openAll(MappedFile(bytes: bytes.span.rawBytes, name: "program")).first)
        return try object.debugMap().map { map in (map, map.functions.map { $0.name.text(in: object) }) }
    }

    /// The records of one function.
    private func function(_ name: String, at address: UInt64, size: UInt64) -> [MachOBuilder.Symbol] {
        [
            .init(name: "", type: 0x2e, section: 1, value: address), .init(name: name, type: 0x24, section: 1, value: address),
            .init(name: "", type: 0x24, section: 0, value: size), .init(name: "", type: 0x4e, section: 1, value: address),
        ]
    }

    /// The records of one object file.
    private func object(_ path: String, time: UInt64, _ functions: [MachOBuilder.Symbol]) -> [MachOBuilder.Symbol] {
        [
            .init(name: "/src/", type: 0x64, section: 0, value: 0), .init(name: "main.c", type: 0x64, section: 0, value: 0),
            .init(name: path, type: 0x66, section: 3, descriptor: 1, value: time),
        ] + functions + [
            .init(name: "_static", type: 0x26, section: 1, value: 0x1808), .init(name: "_global", type: 0x20, section: 0, value: 0),
            .init(name: "", type: 0x64, section: 1, value: 0),
        ]
    }

    @Test func `object files and their functions, ascending by address`() throws {
        let symbols =
            object("/b/main.o", time: 1_712_019_028, function("_late", at: 0x1808, size: 8) + function("_main", at: 0x1800, size: 6))
            + object("lib(1).a(part.o)", time: 5, function("_part", at: 0x1806, size: 2))
        let (map, names) = try #require(try map(symbols))
        #expect(map.objects.map(\.path) == ["/b/main.o", "lib(1).a"])
        #expect(map.objects.map(\.member) == [nil, "part.o"])
        #expect(map.objects.map(\.modificationTime) == [1_712_019_028, 5])
        #expect(map.objects.map(\.recorded) == ["/b/main.o", "lib(1).a(part.o)"])
        #expect(names == ["_main", "_part", "_late"])
        #expect(map.functions.map(\.object) == [0, 1, 0])
        #expect(map.functions.map(\.size) == [6, 2, 8])
    }

    @Test func `an address is in the function whose size covers it`() throws {
        let (map, _) = try #require(
            try map(object("m.o", time: 0, function("_a", at: 0x1800, size: 4) + function("_b", at: 0x1808, size: 4))))
        let starts = [0x17ff, 0x1800, 0x1803, 0x1804, 0x1808, 0x180c].map { map.function(containing: LinkAddress($0))?.address.value }
        #expect(starts == [nil, 0x1800, 0x1800, nil, 0x1808, nil])
    }

    /// Two names for one function: the linker folded identical code, or the compiler wrote an
    /// alias.
    @Test func `of several functions at an address the first that covers it is taken`() throws {
        let (map, names) = try #require(
            try map(object("m.o", time: 0, function("_short", at: 0x1800, size: 2) + function("_long", at: 0x1800, size: 4))))
        #expect(names == ["_short", "_long"])
        #expect(map.function(containing: LinkAddress(0x1801)) == map.functions[0])
        #expect(map.function(containing: LinkAddress(0x1803)) == map.functions[1])
    }

    @Test func `functions outside of an object file, without a name or of no size are none`() throws {
        let end = MachOBuilder.Symbol(name: "", type: 0x24, section: 0, value: 4)
        let symbols =
            function("_before", at: 0x1800, size: 4) + object("m.o", time: 0, [end] + function("_empty", at: 0x1804, size: 0))
            + function("_after", at: 0x1808, size: 4)
        #expect(try map(symbols)?.names == [])
    }

    @Test func `the Thumb bit is no part of an address`() throws {
        let (map, _) = try #require(try map(object("m.o", time: 0, function("_f", at: 0x1801, size: 4)), cpu: (12, 9), is64Bit: false))
        #expect(map.functions.map(\.address) == [LinkAddress(0x1800)])
    }

    @Test func `a file without debugging symbols has no map`() throws {
        #expect(try map([.init(name: "_main", type: 0x0f, section: 1, value: 0x1800)]) == nil)
        let library = try ObjectFiles.open(path: TestPaths.fixture("binaries/SharedLibrary/out/libqueue.so.1"))
        #expect(try library.debugMap() == nil)
    }

    /// `llvm-nm -ap` prints every record: value, section, descriptor, kind, name.
    @Test(.enabled(if: TestPaths.isReadable("/usr/bin/llvm-nm-19"), "llvm-nm-19 (package llvm-19) is not installed"))
    func `a real program has the functions that llvm-nm lists`() throws {
        let path = TestPaths.fixture("binaries/DebugMap/out/arm64/meter")
        let object = try ObjectFiles.open(path: path)
        let map = try #require(try object.debugMap())
        let rows = try run("/usr/bin/llvm-nm-19", ["-ap", path]).lines.map { $0.split(separator: " ").map(String.init) }
        #expect(map.objects.map(\.recorded) == rows.filter { $0.count == 6 && $0[4] == "OSO" }.map { $0[5] })
        let named = rows.filter { $0.count == 6 && $0[4] == "FUN" }.map { "\($0[0]) \($0[5])" }.sorted()
        let found = map.functions.map { function in
            let digits = String(function.address.value, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits + " " + function.name.text(in: object)
        }
        #expect(found == named)
    }
}
