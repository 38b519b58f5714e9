import BinaryPrimitives
import SecondOpinion
import Testing

/// Comparison of two readers' results for one address, on results made by hand.
struct ResultComparisonTests {
    /// `inner` inlined into `outer`, called at `a.c:20:3`.
    private let result = AddressResult(
        functions: [
            .init(name: "inner", isInlined: true, entry: nil, callSite: SourceLocation(file: "/src/a.c", line: 20, column: 3)),
            .init(name: "outer", isInlined: false, entry: LinkAddress(0x1000), callSite: nil),
        ],
        location: SourceLocation(file: "/src/a.h", line: 7, column: 9))

    /// The same result with one thing changed.
    private func changed(_ change: (inout AddressResult) -> Void) -> AddressResult {
        var other = result
        change(&other)
        return other
    }

    @Test func `equal answers agree`() {
        #expect(ComparisonVerdict(result, ReferenceResult(result)) == .agree)
        #expect(ComparisonVerdict(AddressResult(), ReferenceResult()) == .agree)
    }

    @Test func `the first attribute that differs names the difference`() {
        let cases: [(ComparisonVerdict.Difference, AddressResult)] = [
            (.knowledge, AddressResult()),
            (.inlining, changed { $0.functions.removeFirst() }),
            (.name, changed { $0.functions[0].name = "other" }),
            (.name, changed { $0.functions[1].name = nil }),
            (.entry, changed { $0.functions[1].entry = LinkAddress(0x1010) }),
            (.file, changed { $0.location?.file = "/src/b.h" }),
            (.file, changed { $0.location = nil }),
            (.file, changed { $0.functions[0].callSite?.file = "/src/b.c" }),
            (.line, changed { $0.location?.line = 8 }),
            (.line, changed { $0.functions[0].callSite?.line = 21 }),
            (.column, changed { $0.location?.column = 0 }),
            (.column, changed { $0.functions[0].callSite?.column = 4 }),
        ]
        for (difference, theirs) in cases {
            #expect(ComparisonVerdict(result, ReferenceResult(theirs)) == .differ(difference))
            #expect(ComparisonVerdict(theirs, ReferenceResult(result)) == .differ(difference))
        }
    }

    @Test func `an answer that the debug information allows as well is no difference`() {
        let folded = changed { $0.functions[1].name = "twin" }
        #expect(ComparisonVerdict(folded, ReferenceResult(result, alternatives: [folded])) == .bothAllowed)
        let third = changed { $0.functions[1].name = "stranger" }
        #expect(ComparisonVerdict(third, ReferenceResult(result, alternatives: [folded])) == .differ(.name))
    }

    @Test func `what libdwarf is not given is left out of the comparison, and nothing else is`() {
        let skeleton = AddressResult(location: result.location)
        #expect(ComparisonVerdict(result, ReferenceResult(skeleton, gaps: [.splitUnit])) == .notCompared(.splitUnit))
        let moved = AddressResult(location: SourceLocation(file: "/src/a.h", line: 8, column: 9))
        #expect(ComparisonVerdict(result, ReferenceResult(moved, gaps: [.splitUnit])) == .differ(.inlining))

        let nameless = changed { $0.functions[0].name = nil }
        #expect(ComparisonVerdict(result, ReferenceResult(nameless, gaps: [.supplementaryFile])) == .notCompared(.supplementaryFile))
        let line = changed { $0.location?.line = 8 }
        #expect(ComparisonVerdict(result, ReferenceResult(line, gaps: [.supplementaryFile])) == .differ(.line))

        let refused = ReferenceResult(gaps: [.unreadable("DW_DLE_ATTR_FORM_BAD")])
        #expect(ComparisonVerdict(result, refused) == .notCompared(.unreadable("DW_DLE_ATTR_FORM_BAD")))
    }

    @Test func `what neither reader is given is no agreement`() {
        let skeleton = AddressResult(location: result.location)
        #expect(ComparisonVerdict(skeleton, ReferenceResult(skeleton, gaps: [.splitUnit])) == .notCompared(.splitUnit))
        #expect(ComparisonVerdict(skeleton, ReferenceResult(skeleton, gaps: [.typeUnit])) == .agree)
    }

    @Test func `a name in a type unit is left out, and nothing else is`() {
        let nameless = changed { $0.functions[0].name = nil }
        #expect(ComparisonVerdict(result, ReferenceResult(nameless, gaps: [.typeUnit])) == .notCompared(.typeUnit))
        let elsewhere = changed { $0.location?.file = "/src/b.h" }
        #expect(ComparisonVerdict(result, ReferenceResult(elsewhere, gaps: [.typeUnit])) == .differ(.file))
    }

    @Test func `a function beyond its unit's ranges is excused only where ours is unknown`() {
        #expect(ComparisonVerdict(AddressResult(), ReferenceResult(result, gaps: [.outsideUnit])) == .notCompared(.outsideUnit))
        let other = changed { $0.functions[0].name = "other" }
        #expect(ComparisonVerdict(other, ReferenceResult(result, gaps: [.outsideUnit])) == .differ(.name))
    }

    @Test func `the file with which libdwarf begins a sequence is excused only where ours is the right one`() {
        let zero = changed { $0.location?.file = "/src/a.c" }
        #expect(ComparisonVerdict(result, ReferenceResult(zero, gaps: [.firstFile("/src/a.h")])) == .notCompared(.firstFile("/src/a.h")))
        #expect(ComparisonVerdict(result, ReferenceResult(zero, gaps: [.firstFile("/src/c.h")])) == .differ(.file))
    }

    @Test func `several lacks may come together`() {
        let skeleton = AddressResult(location: SourceLocation(file: "/src/a.c", line: 7, column: 9))
        let reference = ReferenceResult(skeleton, gaps: [.splitUnit, .firstFile("/src/a.h")])
        #expect(ComparisonVerdict(result, reference) == .notCompared(.splitUnit))
        // The first file may also be the one that the table means.
        #expect(ComparisonVerdict(changed { $0.location?.file = "/src/a.c" }, reference) == .notCompared(.splitUnit))
        #expect(ComparisonVerdict(changed { $0.location?.line = 8 }, reference) == .differ(.inlining))
    }

    @Test func `a summary is an agreement until something differs or could not be read`() {
        var summary = ComparisonSummary()
        for verdict in [ComparisonVerdict.agree, .agree, .bothAllowed, .notCompared(.splitUnit), .notCompared(.firstFile("/a"))] {
            summary.add(verdict)
        }
        #expect(summary.isAgreement)
        #expect((summary.agreements, summary.bothAllowed, summary.splitUnits, summary.firstFiles) == (2, 1, 1, 1))
        var refused = summary
        refused.add(.notCompared(.unreadable("no")))
        #expect(!refused.isAgreement)
        summary.add(.differ(.line))
        summary.add(.differ(.line))
        #expect(!summary.isAgreement)
        #expect(summary.differing == 2 && summary.differences[.line] == 2)
    }
}
