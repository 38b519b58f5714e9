import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

@testable import SymbolSources

/// What a look-up of one address passes over changes no result.
struct SymbolWindowTests {
    /// Around every symbol's bounds, in every fixture: nested, overlapping, without a size, of both
    /// byte orders and classes.
    @Test func `one address alone has the symbol that it has among others`() throws {
        let paths = try CorpusPair.table(TestPaths.fixture("binaries/INDEX.tsv")).map { $0[0] }
        var (compared, found) = (0, 0)
        for path in Set(paths).sorted() {
            for object in try ObjectFiles.openAll(path: TestPaths.fixture("binaries/" + path)) {
                var bounds: Set<UInt64> = []
                try object.forEachSymbol { symbol in
                    for bound in [symbol.address.value, symbol.address.value &+ symbol.size] {
                        bounds.formUnion([bound &- 1, bound, bound &+ 1])
                    }
                    return bounds.count < 600
                }
                let wanted = bounds.sorted().map(LinkAddress.init)
                let together = SymbolNames(object, wanted: wanted)
                for (index, address) in wanted.enumerated() {
                    let (one, other) = (text(SymbolNames(object, wanted: [address])[0]), text(together[index]))
                    #expect(one == other, "\(path) at \(address)")
                    compared += 1
                    found += one.hasPrefix("found") ? 1 : 0
                }
            }
        }
        #expect(compared > 10_000 && found > compared / 4, "\(compared) compared, \(found) found")
    }

    private func text(_ result: SymbolNames.Result) -> String {
        switch result {
        case .found(let found): "found \(found.name) \(found.symbol)"
        case .linked(let linked): "linked \(linked.address)"
        case .unresolved(let reason): "\(reason)"
        }
    }

    @Test func `a symbol that cannot be nearest and does not reach the first address is passed over`() {
        var window = SymbolWindow(first: LinkAddress(0x100), last: LinkAddress(0x120))
        #expect(window.mayHold(0x80, 0))  // none is nearer so far
        window.pass(0x80)
        #expect(!window.mayHold(0x7f, 0x81))  // ends at 0x100, which is past its last byte
        #expect(window.mayHold(0x7f, 0x82))
        #expect(window.mayHold(0x80, 0))  // as near as the nearest: the larger or later one is taken
        window.pass(0x110)
        #expect(window.mayHold(0x90, 0))  // after the first, so that it is not the first's nearest
        #expect(window.mayHold(0x120, 0) && !window.mayHold(0x121, 1))
        #expect(window.mayHold(0, .max) && !window.mayHold(0, 0x100))
    }
}
