import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

@testable import DWARF

/// Units of sections that are inflated as they are read, against the same sections inflated whole:
/// the same result for every address.
struct StreamedUnitsTests {
    static let files = [
        "Stripped/out/shapes-zlib", "Stripped/out/shapes-clang-zlib", "Stripped/out/shapes-zstd", "RustCrash/out/tank.debug",
        "GoCrash/out/tank.debug", "GoCrash/out/libspill.so.debug",
    ]

    /// Some thousand addresses all over the code, and a byte outside of it, which no unit covers
    /// and all are looked through for.
    private func addresses(_ object: ObjectFile) -> [LinkAddress] {
        var found: [UInt64] = [1]
        for section in object.description.sections where section.isExecutable {
            let step = max(3, section.size / 2000)
            found += stride(from: section.address.value, to: section.address.value + section.size, by: Int(step))
        }
        return Set(found).sorted().map { LinkAddress($0) }
    }

    private func text(_ result: DWARFResult) -> String { "\(result)" }

    @Test(arguments: files)
    func `an answer is the same from a section that is streamed`(file: String) throws {
        let object = try ObjectFiles.open(path: TestPaths.fixture("binaries/" + file))
        let whole = try #require(DWARFSections(object: object, streamsFrom: .max))
        let streamed = try #require(DWARFSections(object: object, streamsFrom: 0))
        #expect(try streamed.contents(.info)?.isStreamed == true)
        let wanted = addresses(object)
        let expected = DWARFReader(whole).results(for: wanted)
        #expect(expected.contains { !$0.functions.isEmpty })
        let results = DWARFReader(streamed).results(for: wanted)
        #expect(zip(results, expected).allSatisfy { text($0) == text($1) })
        // One by one: each from a section that nobody has read yet.
        for index in stride(from: 0, to: wanted.count, by: max(1, wanted.count / 8)) {
            let fresh = try #require(DWARFSections(object: object, streamsFrom: 0))
            #expect(text(try #require(DWARFReader(fresh).results(for: [wanted[index]]).first)) == text(expected[index]))
        }
    }

    @Test func `functions are enumerated alike`() throws {
        for file in Self.files.prefix(3) {
            let object = try ObjectFiles.open(path: TestPaths.fixture("binaries/" + file))
            var found: [[String]] = []
            // Streamed with the line programs, by one thread; with those in a file, by several; and
            // not streamed.
            for (least, keepsOnDisk) in [(0, false), (0, true), (Int.max, false)] {
                var units: [String] = []
                let sections = try #require(DWARFSections(object: object, streamsFrom: least, keepsOnDisk: keepsOnDisk))
                #expect(try sections.contents(.info)?.isStreamed == (least == 0))
                #expect(try sections.contents(.line)?.isStreamed == (least == 0 && !keepsOnDisk))
                let enumeration = FunctionEnumeration(DWARFReader(sections))
                let problems = enumeration.forEachUnit(.everything, make: { "\($0)" }) { units.append($0) }
                #expect(problems.isEmpty)
                found.append(units)
            }
            #expect(!found[0].isEmpty)
            #expect(found[0] == found[1] && found[0] == found[2], "\(file)")
        }
    }
}
