import BinaryPrimitives
import DWARF
import ObjectFiles
import TestSupport
import Testing

/// Small files whose debug information requires far more work than its size
/// (`Fixtures/hostile/dwarf`). They are read in a fraction of a second.
struct SlowFilesTests {
    private func answer(_ name: String, _ address: UInt64) throws -> DWARFResult {
        let object = try ObjectFiles.open(path: TestPaths.fixture("hostile/dwarf/" + name))
        let reader = try #require(DWARFReader(object))
        return try #require(reader.answers(for: [LinkAddress(address)]).first)
    }

    /// 20,000 units with 20,000 abbreviations each would be 400 million; all of them say to cover
    /// the address, and none has a function.
    @Test(.timeLimit(.minutes(5))) func `a long table of abbreviations is read once for the units that share it`() throws {
        let answer = try answer("many-units", 0x1000)
        #expect(answer.unit != nil && answer.problem == nil && !answer.isKnown)
    }

    /// The first unit is harmless.
    @Test(.timeLimit(.minutes(5))) func `many functions with one long list of ranges do not keep the others waiting`() throws {
        #expect(try answer("many-ranges", 0x1000).functions.map(\.name) == ["first"])
        #expect(try answer("many-ranges", 0x1010).functions.isEmpty)
    }
}
