import BinaryPrimitives
import SecondOpinion
import Testing

@testable import DwarfdumpCommand

/// Text that `cairn verify` prints for two readers that do not agree.
struct ComparisonTextTests {
    private func function(_ name: String, line: Int) -> AddressResult {
        AddressResult(
            functions: [.init(name: name, isInlined: false, entry: LinkAddress(0x1000), callSite: nil)],
            location: SourceLocation(file: "/src/a.c", line: line, column: 3))
    }

    @Test func `each difference is a block with both answers, and the counts follow`() {
        var inlined = function("outer", line: 7)
        inlined.functions.insert(
            .init(name: "inner", isInlined: true, entry: nil, callSite: SourceLocation(file: "/src/a.c", line: 20, column: 5)), at: 0)
        let comparison = Comparison(
            AddressSample([0x1000, 0x1004, 0x1008, 0x100c, 0x1010].map { LinkAddress($0) }),
            ours: [
                (function("f", line: 1), nil), (function("f", line: 2), nil), (inlined, nil),
                (AddressResult(), ".debug_line at 0x10: cut short"),
                (function("twin", line: 5), nil),
            ],
            theirs: [
                ReferenceResult(function("f", line: 1)), ReferenceResult(function("f", line: 4)),
                ReferenceResult(function("outer", line: 7)),
                ReferenceResult(AddressResult(), gaps: [.unreadable("DW_DLE_LINE_SET_ADDR_ERROR")]),
                ReferenceResult(function("f", line: 5), alternatives: [function("twin", line: 5)]),
            ])
        #expect(!comparison.summary.isAgreement)
        #expect(
            comparison.text("FILE") == """
                0x1004: the lines differ
                  cairn:
                    f at /src/a.c:2:3, which begins at 0x1000
                  libdwarf:
                    f at /src/a.c:4:3, which begins at 0x1000
                0x1008: the inlined calls differ
                  cairn:
                    inner at /src/a.c:7:3, inlined into
                    outer at /src/a.c:20:5, which begins at 0x1000
                  libdwarf:
                    outer at /src/a.c:7:3, which begins at 0x1000
                0x1010: both results are allowed
                  cairn:
                    twin at /src/a.c:5:3, which begins at 0x1000
                  libdwarf:
                    f at /src/a.c:5:3, which begins at 0x1000
                FILE: 5 addresses: 2 agree, 2 differ
                  the inlined calls differ: 1
                  the lines differ: 1
                  several results are allowed, and the readers chose different ones: 1

                """)
    }

    @Test func `what libdwarf refuses is told once, in its own words`() {
        let refused = ReferenceResult(gaps: [.unreadable("the unit at 0x0: DW_DLE_UNKNOWN_FORM")])
        let comparison = Comparison(
            AddressSample([LinkAddress(1), LinkAddress(2)]), ours: [(function("f", line: 1), nil), (function("f", line: 2), nil)],
            theirs: [refused, refused])
        #expect(!comparison.summary.isAgreement)
        #expect(
            comparison.text("FILE") == """
                FILE: 2 addresses: 0 agree, 0 differ
                  not compared, because libdwarf could not read them: 2
                  libdwarf: the unit at 0x0: DW_DLE_UNKNOWN_FORM

                """)
    }
}
