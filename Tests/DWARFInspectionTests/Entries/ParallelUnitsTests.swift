import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

@testable import DWARFInspection

/// Several threads write the same bytes of a file as one, and the same problems at the same positions.
struct ParallelUnitsTests {
    /// Rust's and Go's have 57 MB of text.
    static let paths = FixtureAgreementTests.fixtures.map { TestPaths.fixture("binaries/" + $0.path) }
        .filter { TestPaths.bytes(of: $0).count < 200_000 }

    @Test func `there are files to write`() { #expect(Self.paths.count > 30) }

    /// Nothing waits for its turn, or everything.
    @Test(arguments: paths) func `threads write what one writes`(path: String) throws {
        let impatient = DumpThreads(3, minBytes: 0, maxKept: 0)
        let patient = DumpThreads(3, minBytes: 0)
        for object in (try? ObjectFiles.openAll(try MappedFile(path: path))) ?? [] {
            for choose in Self.choices {
                let alone = Self.dump(object, nil, choose)
                for threads in [impatient, patient] { #expect(Self.dump(object, threads, choose) == alone) }
            }
        }
    }

    /// A file of many units, each of which shares lists: the allowance ends in the middle of them.
    @Test func `what may be read of lists ends at the same entry`() throws {
        // One list of 2,000 ranges (DWARF 5, section 7.25: DW_RLE_start_length, an address, a
        // length): 20,001 bytes, of which `Limits.listReading` times 65,536 may be read. That is
        // 209 times. Twelve units refer to it 480 times. Without addresses the ranges are read and
        // not written.
        var list = ByteWriter()
        for _ in 0..<2000 {
            list.put(UInt8(7))
            list.put(UInt64(0x1000))
            list.put(UInt8(1))
        }
        list.put(UInt8(0))
        // DW_TAG_subprogram with DW_AT_ranges, in DW_TAG_compile_unit.
        let functions = (0..<40).map { MadeEntry(0x2e, "", [.name("f\($0)"), .offset(0x55, 0)]) }
        let units = (0..<12).map { MadeEntry(0x11, "", [.name("unit\($0).c")], functions) }
        let made = MadeObject(units, sections: [(".debug_rnglists", list.bytes)])
        let bytes = made.bytes
        let object = try ObjectFiles.openAll(try MappedFile(bytes: bytes.span.rawBytes, name: "made"))[0]
        let alone = Self.dump(object, nil) { ($0.sections, $0.showsAddresses) = ([.info], false) }
        #expect(alone.problems.count == 1 && alone.problems[0].contains("entries share lists of ranges"))
        for maxKept in [0, 1 << 30] {
            let threads = DumpThreads(3, minBytes: 0, maxKept: maxKept)
            #expect(Self.dump(object, threads) { ($0.sections, $0.showsAddresses) = ([.info], false) } == alone)
        }
        // The section that is written after that (another one of the same file; here the same once more) has nothing left to read.
        let read = DumpedObject(object, name: "made") { _ in }
        let context = try #require(read.main)
        var options = DumpOptions()
        (options.sections, options.showsChildren, options.showsAddresses) = ([.info], true, false)
        _ = Dumper(read, options, DumpOutput { _ in }, threads: DumpThreads(3, minBytes: 0)).run()
        #expect(!context.allows(context.listsRead))
    }

    private static let choices: [@Sendable (inout DumpOptions) -> Void] = [
        { ($0.sections, $0.isVerbose, $0.showsForms) = ([.info, .types], true, true) },
        { ($0.sections, $0.isJSON) = ([.info, .types], true) },
    ]

    /// The text, and each problem with the length of the text before it.
    private struct Dumped: Equatable {
        var text: [UInt8] = []
        var problems: [String] = []
    }

    private static func dump(_ object: ObjectFile, _ threads: DumpThreads?, _ choose: (inout DumpOptions) -> Void) -> Dumped {
        var options = DumpOptions()
        options.showsChildren = true
        choose(&options)
        var dumped = Dumped()
        var known: Set<String> = []
        let output = DumpOutput { dumped.text += $0 }
        let dumper = Dumper(
            DumpedObject(object, name: "made") { problem in
                // As `DumpProblems` has it.
                guard known.insert(problem).inserted else { return }
                output.flush()
                dumped.problems.append("\(dumped.text.count): \(problem)")
            }, options, output, threads: threads)
        _ = dumper.run()
        output.flush()
        return dumped
    }
}
