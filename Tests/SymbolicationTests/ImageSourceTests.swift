import BinaryPrimitives
import ObjectFiles
import SymbolFiles
import SymbolSources
import Symbolication
import TestSupport
import Testing

/// A real dSYM with hidden names, and what dsymutil 14, the last that knew such maps, makes of it.
@Suite(
    .enabled(if: TestPaths.corpus != nil, "the corpus is absent: set CAIRN_CORPUS to its folder"),
    .enabled(if: TestPaths.isReadable("/usr/bin/dsymutil-14"), "dsymutil-14 (package llvm-14) is not installed"))
struct ImageSourceTests {
    @Test func `a dSYM with hidden names answers as one in which dsymutil put the names back`() throws {
        let folder = try #require(TestPaths.corpus) + "/objects/symbolic-bcsymbolmap/"
        let hidden = folder + "2d10c42f-591d-3265-b147-78ba0868073f.dwarf-hidden"
        try withTemporaryFolder { scratch in
            let member = scratch + "/H.dSYM/Contents/Resources/DWARF/H"
            try makeFolders(Path.directory(of: member))
            _ = try run("cp", [hidden, member])
            _ = try run("chmod", ["u+w", member])
            let map = "--symbol-map=" + folder + "c8374b6d-6e96-34d8-ae38-efaa5fec424f.bcsymbolmap"
            try run("/usr/bin/dsymutil-14", [map, scratch + "/H.dSYM"]).requireSuccess()

            let object = try ObjectFiles.open(path: hidden)
            var starts: Set<LinkAddress> = []
            try object.forEachSymbol { symbol in
                if symbol.kind == .function { starts.insert(symbol.address) }
                return true
            }
            let offsets = starts.flatMap { start in [UInt64(0), 6].map { ImageOffset(start.value - object.baseAddress.value + $0) } }
                .sorted()
            let ours = ImageSource.open([object], hiddenNames: BCSymbolMapSearch()).frames(at: offsets)
            let theirs = ObjectSource([try ObjectFiles.open(path: member)]).frames(at: offsets)
            let different = zip(offsets, zip(ours, theirs)).filter { $0.1.0 != $0.1.1 }
            #expect(different.isEmpty, "\(different.count) of \(offsets.count), the first: \(different.prefix(3))")
            #expect(offsets.count > 1000)
            let stillHidden = ours.filter {
                if case .found(let frames) = $0 { frames.contains { $0.name.contains("hidden#") } } else { false }
            }
            #expect(stillHidden.isEmpty)
        }
    }
}

/// A program as it was written, and as the store gave it back: `__hidden#N_` for its names, and the
/// map beside it.
struct HiddenNamesTests {
    @Test func `a program with hidden names answers as the one that it was`() throws {
        let folder = TestPaths.fixture("binaries/HiddenNames/out/")
        let objects = try ["named", "hidden"].map { name in
            [
                try ObjectFiles.open(path: folder + "\(name).dSYM/Contents/Resources/DWARF/\(name)"),
                try ObjectFiles.open(path: folder + name),
            ]
        }
        let text = try #require(objects[0][1].section(named: "__text"))
        let start = text.address.value - objects[0][1].baseAddress.value
        let offsets = (start..<start + text.size).map(ImageOffset.init)
        let results = objects.map { ImageSource.open($0, hiddenNames: BCSymbolMapSearch()).frames(at: offsets) }
        #expect(results[0] == results[1])
        // Not because neither says anything: without the map, the names are numbers.
        #expect(ObjectSource(objects[1]).frames(at: offsets) != results[1])
        guard case .found(let frames) = results[1][0] else { return #expect(Bool(false), "\(results[1][0])") }
        #expect(frames.map(\.name) == ["fill_a_tank"] && frames[0].location?.file == "/src/tanks1/tank_app1.c", "\(frames)")
        // The stripped program alone, and its dSYM's map does not matter: the map is beside it
        // too.
        let alone = ImageSource.open([objects[1][1]], hiddenNames: BCSymbolMapSearch()).frames(at: [offsets[0]])[0]
        guard case .found(let names) = alone else { return #expect(Bool(false), "\(alone)") }
        #expect(names.map(\.name) == ["fill_a_tank"])
    }
}
