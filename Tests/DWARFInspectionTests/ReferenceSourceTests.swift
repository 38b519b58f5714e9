import BinaryPrimitives
import ObjectFiles
import SecondOpinion
import TestSupport
import Testing

/// Results that are made of libdwarf's, beside those of llvm-symbolizer 21: the second opinion is
/// worth something only if it is right by itself.
struct ReferenceSourceTests {
    private func results(_ path: String, _ addresses: [UInt64], architecture: String? = nil) throws -> [AddressResult] {
        let choice = architecture.map { SliceChoice.architecture(Architecture($0)) } ?? .only
        let object = try ObjectFiles.open(path: TestPaths.fixture("binaries/" + path), choosing: choice)
        return try ReferenceSource(object).results(for: addresses.map { LinkAddress($0) }).map(\.result)
    }

    /// Functions innermost first, each with where it was called from, as llvm-symbolizer prints
    /// them.
    private func frames(_ result: AddressResult) -> [String] {
        var location = result.location
        return result.functions.map { function in
            defer { location = function.callSite }
            return "\(function.name ?? "??") \(location.map { "\($0.file):\($0.line):\($0.column)" } ?? "??:0:0")"
        }
    }

    /// `llvm-symbolizer --no-demangle -e cxx-gcc-dwarf5-O2 0x110e 0x14c4 0x1680`; the outermost
    /// name of the first is the entry's own, which the symbol table calls the same.
    @Test func `calls inlined into one another, through abstract origins and specifications`() throws {
        let results = try results("CXX/out/cxx-gcc-dwarf5-O2", [0x110e, 0x14c4, 0x1680])
        #expect(
            frames(results[0]) == [
                "_ZN6StairsILi4EE5climbEi /src/main.cpp:16:57", "_ZN7StarterC4Ev /src/main.cpp:42:33",
                "__static_initialization_and_destruction_0 /src/main.cpp:44:3", "_GLOBAL__sub_I_main /src/main.cpp:69:1",
            ])
        #expect(
            frames(results[1]) == [
                "keep /src/shapes.cpp:8:12", "add /src/shapes.cpp:13:22", "grow /src/shapes.cpp:17:21",
                "_ZNK5Shape7measureEi /src/shapes.cpp:69:16",
            ])
        #expect(frames(results[2]) == ["grow /src/shapes.cpp:18:5", "_ZN5south4areaEii /src/shapes.cpp:37:33"])
        // `nm` has `_ZNK5Shape7measureEi` at 0x14b0.
        #expect(results[1].functions.map(\.entry) == [nil, nil, nil, LinkAddress(0x14b0)])
    }

    /// `llvm-symbolizer --no-demangle -e shapes:arm64 0x1000008a8`, and
    /// `-e machine-powerpc64-be 0x10010324`, where the compiler gives no line.
    @Test func `Mach-O and the other byte order`() throws {
        let apple = try results("MachOCXX/out/shapes.dSYM/Contents/Resources/DWARF/shapes", [0x1_0000_08a8], architecture: "arm64")
        #expect(
            apple.map(frames) == [
                [
                    "_ZN12_GLOBAL__N_14keepEi /src/shapes.cpp:7:18", "_ZN12_GLOBAL__N_13addEii /src/shapes.cpp:13:18",
                    "_ZN12_GLOBAL__N_14growEii /src/shapes.cpp:17:18", "_ZN5north4areaEii /src/shapes.cpp:29:12",
                ]
            ])
        let power = try results("Freestanding/out/machine-powerpc64-be", [0x1001_0324])
        #expect(power.map(frames) == [["limited /src/machine.c:0:0", "measure /src/machine.c:16:22"]])
    }

    /// The padding after `_GLOBAL__sub_I_main`, which ends at 0x111c (`DW_AT_ranges` of the unit):
    /// llvm-symbolizer prints `??`.
    @Test func `a row that goes on behind the unit's ranges is no answer`() throws {
        #expect(try results("CXX/out/cxx-gcc-dwarf5-O2", [0x111f]).first?.isKnown == false)
    }

    /// clang marks where `main`'s epilogue begins, at 0x792; the row covers 0x793 too
    /// (`llvm-symbolizer -e c-clang-dwarf5-O2 0x793`: main.c:19:1).
    @Test func `a row that begins an epilogue goes on`() throws {
        let result = try #require(try results("C/out/c-clang-dwarf5-O2", [0x793]).first)
        #expect(frames(result) == ["main /src/main.c:19:1"])
    }

    /// `llvm-dwarfdump --debug-info` lists three subprograms with code, and `DW_AT_low_pc` of each.
    @Test(.enabled(if: Installed.has("llvm-dwarfdump-19"), "llvm-dwarfdump-19 (package llvm-19) is not installed"))
    func `function starts are those of the subprograms with code`() throws {
        let path = TestPaths.fixture("binaries/Freestanding/out/machine-s390x")
        let listing = try run("llvm-dwarfdump-19", ["--debug-info", path]).lines
        var expected: Set<UInt64> = []
        var isSubprogram = false
        for line in listing {
            if line.contains("DW_TAG_") { isSubprogram = line.contains("DW_TAG_subprogram") }
            guard isSubprogram, line.contains("DW_AT_low_pc"), let digits = line.split(separator: "x").last?.dropLast() else {
                continue
            }
            if let start = UInt64(digits, radix: 16) { expected.insert(start) }
        }
        #expect(!expected.isEmpty)
        let starts = try ReferenceSource(try ObjectFiles.open(path: path)).functionStarts()
        #expect(starts.map(\.value) == expected.sorted())
    }

    @Test func `a file without debug information is refused`() throws {
        let object = try ObjectFiles.open(path: TestPaths.fixture("binaries/Stripped/out/shapes-stripped"))
        #expect(throws: InspectionError.self) { try ReferenceSource(object).results(for: [LinkAddress(0x1100)]) }
    }
}
