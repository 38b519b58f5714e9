/// Rust, by both manglings and by debug information: `<ledger::Rate<i64>>::share`,
/// `ledger::Rate<T>::share::h17d3b5a2c0ffee01` and `ledger::Rate<i64>::share<i64>` are
/// `ledger::Rate::share`.
///
/// For an implementation of a trait both names stay: `<Copper as Wire>::send`. Closures, and the
/// shims that call them, get the name of the function that they are in.
enum RustName {
    static func normalize(_ name: inout NameText) -> Bool {
        CloneSuffix.remove(from: &name)
        dropHashes(&name)
        var isClosure = false
        for part in ["::{{closure}}", "::{closure", "::{{vtable.shim}}", "::{shim:", "::{closure_env"] {
            // The rest of the name belongs to the closure, unless the closure is only an argument
            // of a type.
            while let found = topLevel(part, in: name) {
                name.keep(first: found)
                isClosure = true
            }
        }
        unwrapTypes(&name)
        foldGenerics(&name)
        if let open = name.first("("), open > 0 { name.keep(first: open) }
        while name.drop(suffix: "::") {}
        return isClosure
    }

    /// `::h` and 16 hexadecimal digits at the end; `[e28293b1aa0f68bd]` after a crate's name.
    private static func dropHashes(_ name: inout NameText) {
        func isHexadecimal(_ bytes: some Sequence<UInt8>) -> Bool { bytes.allSatisfy { $0 &- 0x30 < 10 || $0 &- 0x61 < 6 } }
        if name.count > 19, name.bytes.suffix(19).starts(with: "::h".utf8), isHexadecimal(name.bytes.suffix(16)) {
            name.bytes.removeLast(19)
        }
        var index = 0
        while let open = name.first("[", from: index) {
            guard let close = name.first("]", from: open), (9...17).contains(close - open), isHexadecimal(name.bytes[(open + 1)..<close])
            else {
                index = open + 1
                continue
            }
            name.bytes.removeSubrange(open...close)
            index = open
        }
    }

    private static func topLevel(_ part: String, in name: NameText) -> Int? {
        var depth = 0
        let wanted = Array(part.utf8)
        for (index, byte) in name.bytes.enumerated() {
            if depth == 0, byte == wanted[0], name.bytes[index...].starts(with: wanted) { return index }
            if byte == UInt8(ascii: "<") { depth += 1 }
            if byte == UInt8(ascii: ">"), index == 0 || name.bytes[index - 1] != UInt8(ascii: "-") { depth = max(0, depth - 1) }
        }
        return nil
    }

    /// `<T>::f` is `T::f`, `a::b::<impl W for C>::f` is `<C as W>::f`; `<C as W>::f` stays.
    private static func unwrapTypes(_ name: inout NameText) {
        if let found = name.first("<impl "), let end = closing(of: found, in: name) {
            let inside = NameText(name.bytes[(found + 6)..<end])
            let rest = name.bytes[(end + 1)...]
            if let split = inside.first(" for ") {
                var trait = NameText(inside.bytes[..<split])
                var type = NameText(inside.bytes[(split + 5)...])
                foldGenerics(&trait)
                foldGenerics(&type)
                name.bytes = Array("<".utf8) + type.bytes + Array(" as ".utf8) + trait.bytes + Array(">".utf8) + rest
            } else {
                name.bytes = home(of: inside) + inside.bytes + rest
            }
            return
        }
        guard name.hasPrefix("<"), let end = closing(of: 0, in: name) else { return }
        var inside = NameText(name.bytes[1..<end])
        let rest = name.bytes[(end + 1)...]
        if let split = topLevel(" as ", in: inside) {
            var trait = NameText(inside.bytes[(split + 4)...])
            inside.keep(first: split)
            foldGenerics(&trait)
            foldGenerics(&inside)
            name.bytes = Array("<".utf8) + inside.bytes + Array(" as ".utf8) + trait.bytes + Array(">".utf8) + rest
        } else {
            name.bytes = home(of: inside) + inside.bytes + rest
        }
    }

    /// Types without a path (`i64`, `[T]`, `*const T`) have their functions in `core`.
    private static func home(of type: NameText) -> [UInt8] {
        type.contains("::") && !type.hasPrefix("*") && !type.hasPrefix("[") ? [] : Array("core::".utf8)
    }

    private static func closing(of start: Int, in name: NameText) -> Int? {
        var depth = 0
        for index in start..<name.count {
            let byte = name.bytes[index]
            if byte == UInt8(ascii: "<") { depth += 1 }
            if byte == UInt8(ascii: ">"), index == 0 || name.bytes[index - 1] != UInt8(ascii: "-") {
                depth -= 1
                if depth == 0 { return index }
            }
        }
        return nil
    }

    /// Type arguments, but not the `<C as W>` that a name may begin with.
    private static func foldGenerics(_ name: inout NameText) {
        var head: [UInt8] = []
        if name.hasPrefix("<"), let end = closing(of: 0, in: name), name.first(" as ").map({ $0 < end }) == true {
            head = Array(name.bytes[...end])
            name.keep(from: end + 1)
        }
        name.replace("->", with: "-")
        name.fold(UInt8(ascii: "<"), UInt8(ascii: ">"))
        name.replace("::::", with: "::")
        while name.drop(suffix: "::") {}
        name.bytes = head + name.bytes
    }
}
