/// Go: `main.(*Dispatcher).add.func1.2` is `main.(*Dispatcher).add`, `main.share[...]` is
/// `main.share`, `main.(*T).Run-fm` is `main.(*T).Run`.
enum GoName {
    static func normalize(_ name: inout NameText) -> Bool {
        if name.drop(prefix: "created by ") {}
        if let creator = name.first(" in goroutine "), creator > 0 { name.keep(first: creator) }
        name.fold(UInt8(ascii: "["), UInt8(ascii: "]"))
        // Arguments, but not the receiver's parentheses: they follow a dot.
        if name.hasSuffix(")"), let open = name.opening(of: name.count - 1, UInt8(ascii: "("), UInt8(ascii: ")")), open > 0,
            name.bytes[open - 1] != UInt8(ascii: ".")
        {
            name.keep(first: open)
        }
        _ = name.drop(suffix: "-fm")
        if let wrap = name.first("·dwrap·"), wrap > 0 { name.keep(first: wrap - (name.bytes[wrap - 1] == UInt8(ascii: ".") ? 1 : 0)) }
        var isClosure = false
        while true {
            var rest = name
            if rest.drop(suffix: ".func", andDigits: true) || rest.drop(suffix: ".gowrap", andDigits: true)
                || rest.drop(suffix: ".deferwrap", andDigits: true)
            {
                name = rest
                isClosure = true
                continue
            }
            // `func1.2` is the second function in the first; a package's version (`v1.2`) is never
            // at the end of a name.
            if name.last(".func").map({ at in name.bytes[(at + 5)...].allSatisfy { $0 &- 0x30 < 10 || $0 == UInt8(ascii: ".") } }) == true,
                rest.drop(suffix: ".", andDigits: true)
            {
                name = rest
                continue
            }
            break
        }
        return isClosure
    }
}
