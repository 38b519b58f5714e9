import BinaryPrimitives
import ObjectFiles
import SymbolSources
import TestSupport
import Testing

/// Programs whose debug information is in other files. llvm-symbolizer reads packages, and the
/// differential test compares those; debug files that it does not find are compared with those that
/// it finds, of the same program byte for byte.
struct SplitUnitTests {
    private func open(_ name: String) throws -> ObjectFile {
        try ObjectFiles.open(path: TestPaths.fixture("binaries/SplitUnits/out/" + name))
    }

    /// The first, a middle and the last byte of every function.
    private func functionAddresses(_ object: ObjectFile) throws -> [ImageOffset] {
        var addresses: Set<UInt64> = []
        try object.forEachSymbol { symbol in
            guard symbol.kind == .function, symbol.size > 0 else { return true }
            addresses.formUnion([0, symbol.size / 2, symbol.size - 1].map { symbol.address.value + $0 - object.baseAddress.value })
            return true
        }
        return addresses.sorted().map(ImageOffset.init)
    }

    @Test(arguments: ["gcc4", "clang5", "clang4"])
    func `split units beside the program answer as those in a package`(variant: String) throws {
        let split = try open("split-" + variant)
        let package = try open("package-" + variant)
        let addresses = try functionAddresses(split)
        #expect(split.identity == package.identity)
        #expect(addresses.count > 30)
        let results = ObjectSource([split]).frames(at: addresses)
        #expect(results == ObjectSource([package]).frames(at: addresses))
        #expect(results.contains { $0.frames.count > 3 }, "no inlined calls: the split units were not read")
    }

    @Test func `a unit whose file is missing is answered by its skeleton and the symbols, the other one in full`() throws {
        let program = try open("split-missing")
        let addresses = try functionAddresses(program)
        let results = ObjectSource([program]).frames(at: addresses)
        let full = ObjectSource([try open("split-clang5")]).frames(at: addresses)
        for (offset, (result, whole)) in zip(addresses, zip(results, full)) {
            // The innermost line is in the linked file's line program, the outermost name in its
            // symbol table: neither depends on the missing file.
            #expect(result.frames.first?.location?.line == whole.frames.first?.location?.line, "\(offset)")
            #expect(result.frames.last?.name == whole.frames.last?.name, "\(offset)")
        }
        // Each function of that unit has a note about the missing file.
        let notes = Set(results.compactMap { $0.frames.last?.note })
        #expect(notes.count == 1 && notes.allSatisfy { $0.contains("the split unit split-missing-shapes.dwo (ID 0x") }, "\(notes)")
    }

    /// DWARF 5's form of the same (`.debug_sup`), which llvm-symbolizer does not read either.
    @Test func `names are read from the supplementary file of DWARF 5`() throws {
        func open(_ name: String) throws -> ObjectFile {
            try ObjectFiles.open(path: TestPaths.fixture("binaries/Supplementary/out/" + name))
        }
        let program = try open("sup-one")
        let addresses = try functionAddresses(program)
        let results = ObjectSource([program]).frames(at: addresses)
        #expect(results == ObjectSource([try open("sup-before")]).frames(at: addresses))
        // Without the file, inlined calls whose names are only there have no names; a note of the
        // frame gives the reason.
        try withTemporaryFolder { folder in
            _ = try run("cp", [program.path, folder])
            let alone = ObjectSource([try ObjectFiles.open(path: folder + "/sup-one")]).frames(at: addresses)
            let nameless = alone.filter { $0.frames.contains { $0.name.isEmpty } }
            #expect(!nameless.isEmpty)
            for result in nameless {
                #expect(result.frames.last?.note?.contains("its supplementary file, sup-common") == true, "\(result)")
            }
            // Another program's file is not used.
            _ = try run("cp", [TestPaths.fixture("binaries/SplitUnits/out/dwz-common"), folder + "/sup-common"])
            #expect(ObjectSource([try ObjectFiles.open(path: folder + "/sup-one")]).frames(at: addresses) == alone)
        }
    }

    /// llvm-symbolizer leaves names empty that are in the supplementary file. `dwz` only moves what
    /// gcc wrote, so the program's results are those of before `dwz`, which the differential test
    /// compares with the peer.
    @Test func `names are read from the supplementary file`() throws {
        let program = try open("dwz-one")
        let addresses = try functionAddresses(program)
        #expect(ObjectSource([program]).frames(at: addresses) == ObjectSource([try open("dwz-before")]).frames(at: addresses))
    }
}

extension SymbolResult {
    fileprivate var frames: [SourceFrame] {
        guard case .found(let frames) = self else { return [] }
        return frames
    }
}
