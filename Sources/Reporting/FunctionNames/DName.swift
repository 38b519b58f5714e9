/// D: `pure @safe int shop.Order.add!(int).add(int).__lambda3(int)` is `shop.Order.add.add`, without
/// attributes, result, arguments and the literals in it.
enum DName {
    static func normalize(_ name: inout NameText) -> Bool {
        guard !name.hasPrefix("_D"), !name.hasPrefix("D main") else { return false }
        if let suffix = name.last(" (."), suffix > 0 { name.keep(first: suffix) }
        name.fold(UInt8(ascii: "("), UInt8(ascii: ")"))
        name.replace("!")
        if let space = name.last(" ") { name.keep(from: space + 1) }
        var isClosure = false
        while let dot = name.last("."), dot > 0, isLiteral(NameText(name.bytes[(dot + 1)...])) {
            name.keep(first: dot)
            isClosure = true
        }
        return isClosure
    }

    /// Names that the compiler gives to function literals and to bodies of `foreach`.
    private static func isLiteral(_ part: NameText) -> Bool {
        ["__lambda", "__dgliteral", "__funcliteral", "__foreachbody"].contains(where: part.hasPrefix)
    }
}
