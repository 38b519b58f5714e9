import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

@testable import DWARF

/// Debug sections of real programs, cut off and overwritten: every address has a result or a
/// reason, and nothing traps or hangs.
struct DamageTests {
    static let programs = [
        "C/out/c-gcc-dwarf2-O1", "C/out/c-gcc-dwarf5-O2", "C/out/c-gcc-dwarf5-64bit-O2", "CXX/out/cxx-clang-dwarf5-O2",
        "CXX/out/cxx-gcc-types",
        "CXX/out/cxx-gcc-lto", "Signatures/out/gauge-dwarf4", "Signatures/out/gauge-dwarf5", "Forms/out/forms",
    ]

    /// A program's debug sections as ranges of its file.
    private struct Program {
        var file: MappedFile
        var order: ByteOrder
        var ranges: [DWARFSections.Name: Range<Int>] = [:]
        var addresses: [LinkAddress] = []

        init(_ name: String) throws {
            let object = try ObjectFiles.open(path: TestPaths.fixture("binaries/" + name))
            file = object.file
            order = object.description.byteOrder
            for name in DWARFSections.Name.allCases { ranges[name] = object.section(named: name.elfName)?.fileRange }
            for section in object.description.sections where section.isExecutable && section.size > 0 {
                for step in 0..<16 { addresses.append(LinkAddress(section.address.value + section.size / 16 * UInt64(step))) }
            }
            addresses.sort()
        }

        /// How many of the addresses have a function or a line, in a file with other bytes or other
        /// ranges.
        func known(in file: MappedFile? = nil, ranges: [DWARFSections.Name: Range<Int>]? = nil) -> Int {
            let sections = DWARFSections(file ?? self.file, ranges ?? self.ranges, order)
            let results = DWARFReader(sections).results(for: addresses)
            #expect(results.count == addresses.count)
            return results.count { $0.isKnown }
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: programs)
    func `sections that end early`(name: String) throws {
        let program = try Program(name)
        let whole = program.known()
        #expect(whole > 0)
        for (section, range) in program.ranges {
            for part in stride(from: 0, to: 24, by: Repeats.step(5)) {
                var ranges = program.ranges
                ranges[section] = range.lowerBound..<range.lowerBound + range.count * part / 24
                #expect(program.known(ranges: ranges) <= whole, "\(section) cut to \(part)/24")
            }
            var without = program.ranges
            without[section] = nil
            #expect(program.known(ranges: without) <= whole, "without \(section)")
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: programs)
    func `sections with bytes that were overwritten`(name: String) throws {
        let program = try Program(name)
        let original = program.file.bytes(in: 0..<program.file.size)
        var numbers = SeededNumbers(seed: 0x5eed)
        let places = program.ranges.values.filter { !$0.isEmpty }.sorted { $0.lowerBound < $1.lowerBound }
        for _ in 0..<150 / Repeats.step(5) {
            var bytes = original
            for _ in 0..<Int.random(in: 1...6, using: &numbers) {
                guard let place = places.randomElement(using: &numbers) else { break }
                // Values that lengths, forms and counts turn on, and any other.
                bytes[Int.random(in: place, using: &numbers)] =
                    [0, 1, 0x7f, 0x80, 0xff, UInt8.random(in: 0...255, using: &numbers)][
                        Int.random(in: 0..<6, using: &numbers)]
            }
            _ = program.known(in: try MappedFile(bytes: bytes.span.rawBytes, name: name))
        }
    }
}

/// Small files whose debug information requires far more work than its size
/// (`Fixtures/hostile/dwarf`). They are read in a fraction of a second.
struct SlowFilesTests {
    private func result(_ name: String, _ address: UInt64) throws -> DWARFResult {
        let object = try ObjectFiles.open(path: TestPaths.fixture("hostile/dwarf/" + name))
        let reader = try #require(DWARFReader(object))
        return try #require(reader.results(for: [LinkAddress(address)]).first)
    }

    /// 20,000 units with 20,000 abbreviations each would be 400 million; all of them say to cover
    /// the address, and none has a function.
    @Test(.timeLimit(.minutes(5))) func `a long table of abbreviations is read once for the units that share it`() throws {
        let result = try result("many-units", 0x1000)
        #expect(result.unit != nil && result.problem == nil && !result.isKnown)
    }

    /// The first unit is harmless.
    @Test(.timeLimit(.minutes(5))) func `many functions with one long list of ranges do not keep the others waiting`() throws {
        #expect(try result("many-ranges", 0x1000).functions.map(\.name) == ["first"])
        #expect(try result("many-ranges", 0x1010).functions.isEmpty)
    }
}
