import BinaryPrimitives
import CrashLogModel
import SymbolFiles
import SymbolSources
import Testing

@testable import Symbolication

struct NamedNeighboursTests {
    /// Functions at places of our own.
    private struct Table: SymbolSource {
        var functions: [(String, Range<UInt64>)]

        func frames(at offsets: [ImageOffset]) -> [SymbolResult] { offsets.map { _ in .unresolved(.noSymbol) } }
        func forEachFunction(_ body: (_ name: String, _ extent: Range<LinkAddress>) -> Void) {
            for (name, extent) in functions { body(name, LinkAddress(extent.lowerBound)..<LinkAddress(extent.upperBound)) }
        }
    }

    private static let table = Table(functions: [
        ("fill", 0x1100..<0x1180), ("pour", 0x1280..<0x12c0), ("main", 0x2040..<0x2100), ("_ZN4Tank5drainEi", 0x2200..<0x2280),
        ("loose", 0x5000..<0x25000),
    ])
    private static let bias: UInt64 = 0x5555_5555_4000

    private func finding(_ rows: (String, UInt64, UInt64?)..., isReturn: Bool = true, in table: Table = table) -> NamedNeighbours.Finding? {
        NamedNeighbours(
            rows.map { NamedNeighbours.Row(address: RuntimeAddress($0.1), isReturnAddress: isReturn, name: $0.0, offset: $0.2) }
        ).finding(in: table)
    }

    /// 0x555555555150 − 0x1150 and 0x5555555562a0 − … : each is in its function 0x555555554000
    /// above where it is linked, and under no other multiple of 0x1000.
    @Test func `two functions that agree tell the bias`() {
        let fill = Self.bias + 0x1150
        let main = Self.bias + 0x20ff
        #expect(finding(("fill", fill, nil), ("main", main, nil)) == NamedNeighbours.Finding(bias: Self.bias, functions: 2))
        #expect(finding(("fill", fill, nil)) == nil)
        // One function twice is one function.
        #expect(finding(("fill", fill, nil), ("fill", fill + 4, nil)) == nil)
        // Demangled and mangled, with and without parameters.
        for name in ["Tank::drain(int)", "Tank::drain", "_ZN4Tank5drainEi"] {
            #expect(finding(("fill", fill, nil), (name, Self.bias + 0x2201, nil))?.bias == Self.bias, "\(name)")
        }
    }

    /// A return address after a function's last instruction is the next one's first byte; a program
    /// counter there is not in the function.
    @Test func `a return address lies in the function by the byte before`() {
        #expect(finding(("fill", Self.bias + 0x1180, nil), ("main", Self.bias + 0x2100, nil))?.bias == Self.bias)
        #expect(finding(("fill", Self.bias + 0x1180, nil), ("main", Self.bias + 0x2100, nil), isReturn: false) == nil)
        #expect(finding(("fill", Self.bias + 0x1100, nil), ("main", Self.bias + 0x2040, nil)) == nil)
        #expect(finding(("fill", Self.bias + 0x1100, nil), ("main", Self.bias + 0x2040, nil), isReturn: false)?.bias == Self.bias)
    }

    /// 0x1100 + 0x50 = 0x1150; Swift's backtracer counts to the byte before the return address,
    /// 0x4f.
    @Test(arguments: [UInt64(0x50), 0x4f]) func `one function with its offset is enough`(offset: UInt64) {
        #expect(finding(("fill", Self.bias + 0x1150, offset)) == NamedNeighbours.Finding(bias: Self.bias, functions: 1))
        #expect(finding(("fill", Self.bias + 0x1150, offset + 2)) == nil)
    }

    @Test func `what contradicts is no proof`() {
        let fill = ("fill", Self.bias + 0x1150, UInt64?.none)
        // Two against two.
        #expect(
            finding(fill, ("main", Self.bias + 0x2050, nil), ("pour", Self.bias + 0x9290, nil), ("Tank::drain", Self.bias + 0xa210, nil))
                == nil)
        // One of three that the file has agrees with no other: another module's function of that
        // name.
        #expect(finding(fill, ("pour", Self.bias + 0x1290, nil), ("main", 0x7fff_0000_2050, nil))?.bias == Self.bias)
        #expect(
            finding(fill, ("pour", Self.bias + 0x1290, nil), ("main", 0x7fff_0000_2050, nil), ("Tank::drain", 0x7eee_0000_2210, nil)) == nil
        )
        // Functions that the file does not have say nothing.
        #expect(finding(fill, ("pour", Self.bias + 0x1290, nil), ("a", 0x10, nil), ("b", 0x20, nil), ("c", 0x30, nil))?.bias == Self.bias)
        // A function of 32 pages fits everywhere.
        #expect(finding(fill, ("loose", Self.bias + 0x6000, nil)) == nil)
        // Another build: its functions lie elsewhere.
        let other = Table(functions: [("fill", 0x1180..<0x1200), ("main", 0x2440..<0x2500)])
        #expect(finding(fill, ("main", Self.bias + 0x20a0, nil), in: other) == nil)
    }

    @Test func `hostile numbers`() {
        let table = Table(functions: [("f", 0..<1), ("g", UInt64.max - 1..<UInt64.max), ("h", 0..<UInt64.max), ("f", 5..<5)])
        for address in [0, 1, 0xfff, 0x1000, UInt64.max] {
            for offset in [nil, 0, UInt64.max] as [UInt64?] {
                _ = finding(("f", address, offset), ("g", address, offset), ("h", address, offset), in: table)
            }
        }
        let many = Table(functions: (0..<1000).map { ("f", $0 * 16..<$0 * 16 + 16) } + [("g", 0x1000..<0x1010)])
        #expect(finding(("f", 0x10008, nil), ("g", 0x11008, nil), in: many) == nil)
    }

    @Test(arguments: [
        ("main", "main"), ("sail.constprop.0", "sail"), ("f [clone .isra.0]", "f"), ("main::fill::h17d3b5a2c0ffee01", "main::fill"),
        ("std[e28293b1aa0f68bd]::rt::start", "std::rt::start"),
        ("a::f(int) const", "a::f"), ("(anonymous namespace)::f(int)", "(anonymous namespace)::f"), ("a::operator()(int)", "a::operator()"),
        ("Tank.fill(_:)", "Tank.fill"),
        ("-[NSObject(Extra) foo:]", "-[NSObject"), ("closure #1 in board(_:)", "closure #1 in board"), ("v1.2", "v1.2"), ("", ""),
        ("(", "("), ("[", "["), ("a[0123456789abcde]", "a[0123456789abcde]"),
    ])
    func `what is the same in all spellings of a name`(name: String, key: String) { #expect(FunctionNameKey.key(name) == key) }
}
