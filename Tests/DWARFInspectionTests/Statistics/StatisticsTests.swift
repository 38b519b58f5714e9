import TestSupport
import Testing

@testable import DWARFInspection

/// `--statistics`, `--show-section-sizes` and `--show-sources` of a unit that is small enough to be
/// counted by hand.
struct StatisticsTests {
    /// A function of 0x20 bytes with a parameter that is in a register in all of it, one that has
    /// no location, and a variable that is in the frame.
    private static let object = MadeObject(
        [
            MadeEntry(
                0x11, "",
                [.name("a.c"), .init(name: 0x1b, form: 0x08, value: .text("/src"))] + MadeEntry.Attribute.code(0x1000, size: 0x20),
                [
                    MadeEntry(0x24, "int", [.name("int"), .byte(0x3e, 5), .byte(0x0b, 4)]),
                    MadeEntry(
                        0x2e, "", [.name("f"), .byte(0x3a, 1), .byte(0x3b, 7)] + MadeEntry.Attribute.code(0x1000, size: 0x20),
                        [
                            MadeEntry(0x05, "", [.name("x"), .byte(0x3a, 1), .byte(0x3b, 7), .type("int"), .location([0x55])]),
                            MadeEntry(0x05, "", [.name("y"), .type("int")]), MadeEntry(0x34, "", [.name("z"), .location([0x91, 0x6c])]),
                        ]),
                ])
        ], sections: [(".debug_str", Array("unused\0".utf8))])

    @Test(arguments: [
        ("#functions", 1), ("#functions with location", 1), ("#inlined functions", 0), ("#unique source variables", 3),
        ("#source variables", 3),
        ("#source variables with location", 2), ("#bytes within functions", 0x20),
        // Three variables' scope is the function; two of them have a location in all of it.
        ("sum_all_variables(#bytes in parent scope)", 0x60), ("sum_all_variables(#bytes in parent scope covered by DW_AT_location)", 0x40),
        ("sum_all_params(#bytes in parent scope)", 0x40), ("sum_all_params(#bytes in parent scope covered by DW_AT_location)", 0x20),
        ("sum_all_local_vars(#bytes in parent scope)", 0x20), ("#params", 2), ("#params with source location", 1), ("#params with type", 2),
        ("#params with binary location", 1), ("#local vars", 1), ("#local vars with source location", 0), ("#local vars with type", 0),
        ("#local vars with binary location", 1), ("#bytes in .debug_str", 7), ("#variables processed by location statistics", 3),
        ("#variables with 0% of parent scope covered by DW_AT_location", 1),
        ("#variables with 100% of parent scope covered by DW_AT_location", 2),
        ("#line entries", 0),
    ])
    func `a count is that of the entries`(key: String, count: Int) throws {
        let text = try Self.object.dump { $0.showsStatistics = true }.text
        #expect(text.contains("  \"\(key)\": \(count)"), "\(text)")
    }

    @Test(.enabled(if: MadeObject.isPeerThere, MadeObject.absence)) func `LLVM counts the same`() throws {
        #expect(try Self.object.dump { $0.showsStatistics = true }.text == Self.object.peer(["--statistics"]))
        #expect(try Self.object.dump { $0.showsSectionSizes = true }.text == Self.object.peer(["--show-section-sizes"]))
        #expect(try Self.object.dump { $0.showsSources = true }.text == Self.object.peer(["--show-sources"]))
    }

    @Test func `a section's part of the file is in hundredths of a percent`() throws {
        let size = Self.object.bytes.count
        let text = try Self.object.dump { $0.showsSectionSizes = true }.text
        let hundredths = Int((Double(7) / Double(size) * 10_000).rounded())
        let part = "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)%"
        #expect(text.split(separator: "\n").contains { $0.hasPrefix(".debug_str ") && $0.hasSuffix("7 (\(part))") }, "\(text)")
        #expect(text.contains(" Total File Size: \(size)\n"))
    }

    /// A unit without lines is its own source.
    @Test func `the sources are the units' where there are no lines`() throws {
        #expect(try Self.object.dump { $0.showsSources = true }.text == "/src/a.c\n")
    }
}
