internal import BinaryPrimitives

/// Properties that all parts of one recipe share.
struct RecipeShape {
    var order: ByteOrder
    /// DWARF's version, 2 to 5.
    var version: UInt16
    /// The 64-bit format of DWARF.
    var isWide: Bool
    var addressSize: Int

    init(_ decisions: inout Decisions) {
        let first = decisions.byte()
        order = first & 1 == 0 ? .littleEndian : .bigEndian
        isWide = first & 2 != 0
        addressSize = first & 4 == 0 ? 8 : 4
        version = 5 - UInt16(first >> 3 & 3)
    }

    static let names = [
        "main", "f", "", "a.c", "/src", "..", "_ZN1a1bIiEEvv", "$s4main1fyyF", "_RNvC1a1b", "lib/b.h", "\u{1b}[31mred",
        String(repeating: "long", count: 70),
    ]

    /// Mostly between 0x1000 and 0x2000, where the recipes' code is.
    func address(_ decisions: inout Decisions) -> UInt64 {
        decisions.isOne(in: 24) ? decisions.number() : 0x1000 + UInt64(decisions.byte()) * 16
    }
}
