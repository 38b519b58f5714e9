import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

@testable import SymbolSources

/// Symbols that the lookup of one address skips change no result.
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

    /// Finds the symbols that a lookup needs by checking each symbol for each address.
    @Test func `of several addresses, whatever can be theirs is given`() throws {
        let object = try ObjectFiles.open(path: TestPaths.fixture("binaries/RustCrash/out/tank.debug"))
        var symbols = try elements { try object.forEachSymbol($0) }.filter { $0.kind != .file }
            .map { (address: $0.address.value, size: $0.size) }
        try #require(symbols.count > 100)
        var random = SplitMix64(seed: 7)
        var passedOver = 0
        for round in 0..<40 {
            // In the table's order, and in others.
            if round % 2 == 1 { symbols.shuffle(using: &random) }
            let wanted = (0..<Int.random(in: 1...40, using: &random)).map { _ in
                symbols[Int.random(in: symbols.indices, using: &random)].address &+ UInt64.random(in: 0...64, using: &random)
            }.sorted()
            var window = SymbolWindow(SortedAddresses(wanted))
            var given: [Bool] = []
            for symbol in symbols {
                given.append(window.mayHold(symbol.address, symbol.size))
                if given[given.count - 1] { window.pass(symbol.address) }
            }
            for address in wanted {
                let before = symbols.lazy.map(\.address).filter { $0 <= address }.max()
                for (symbol, isGiven) in zip(symbols, given) where symbol.address <= address {
                    let isNeeded = symbol.address == before || address - symbol.address < symbol.size
                    #expect(!isNeeded || isGiven, "\(symbol) for \(address)")
                }
            }
            passedOver += given.filter { !$0 }.count
        }
        #expect(passedOver > 40 * symbols.count / 2, "\(passedOver) of \(40 * symbols.count)")
    }

    /// The table looks at some records ahead. What the nearest and those that reach an address are
    /// is found here among all symbols.
    @Test(arguments: ["RustCrash/out/tank.debug", "CXX/out/cxx-gcc-dwarf5-O2", "GoCrash/out/tank.debug"])
    func `a table gives whatever can be an address's symbol`(path: String) throws {
        let object = try ObjectFiles.open(path: TestPaths.fixture("binaries/" + path))
        let symbols = try elements { try object.forEachSymbol($0) }.filter { $0.kind != .file }
        var random = SplitMix64(seed: 11)
        var least = Int.max
        for round in 0..<200 {
            let wanted = (0..<(round % 2 == 0 ? 1 : 5)).map { _ in
                symbols[Int.random(in: symbols.indices, using: &random)].address.value &+ UInt64.random(in: 0...64, using: &random)
            }.sorted()
            var given: Set<String> = []
            try object.forEachSymbol(around: SymbolWindow(SortedAddresses(wanted))) { symbol in
                given.insert("\(symbol)")
                return true
            }
            for address in wanted {
                let before = symbols.lazy.map(\.address.value).filter { $0 <= address }.max()
                for symbol in symbols where symbol.address.value <= address {
                    let isNeeded = symbol.address.value == before || address - symbol.address.value < symbol.size
                    #expect(!isNeeded || given.contains("\(symbol)"), "\(symbol) for \(address)")
                }
            }
            least = min(least, given.count)
        }
        #expect(least < symbols.count / 2, "\(least) of \(symbols.count)")
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
