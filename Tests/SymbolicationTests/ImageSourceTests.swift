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
            _ = try run("mkdir", ["-p", Path.directory(of: member)])
            _ = try run("cp", [hidden, member])
            _ = try run("chmod", ["u+w", member])
            let map = "--symbol-map=" + folder + "c8374b6d-6e96-34d8-ae38-efaa5fec424f.bcsymbolmap"
            let result = try run("/usr/bin/dsymutil-14", [map, scratch + "/H.dSYM"])
            try #require(result.status == 0, "\(result.errors)")

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
