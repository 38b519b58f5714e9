/// Types, lifetimes and binders of RFC 2603.
extension RustV0Reader {
    /// ```
    /// <type> ::= <basic-type> | <path>
    ///        ::= A <type> <const>                        # [T; N]
    ///        ::= S <type>                                # [T]
    ///        ::= T <type>* E                             # (T1, T2)
    ///        ::= R [L <lifetime>] <type>                 # &T
    ///        ::= Q [L <lifetime>] <type>                 # &mut T
    ///        ::= P <type> | O <type>                     # *const T, *mut T
    ///        ::= F <fn-sig>                              # fn(…) -> …
    ///        ::= D <dyn-bounds> L <lifetime>             # dyn Trait<Assoc = X> + Send + 'a
    ///        ::= W <type> <pattern>                      # since 2025: T is 1..=9
    ///        ::= <backref>
    /// ```
    mutating func type() throws(Malformed) {
        let letter = cursor.next
        if let basic = basicType(letter) {
            cursor.skip()
            return put(basic)
        }
        try enter()
        defer { leave() }
        switch letter {
        case "R", "Q":
            cursor.skip()
            put("&")
            if cursor.consume("L") {
                let index = try base62Number()
                if index != 0 {
                    try lifetime(index)
                    put(" ")
                }
            }
            if letter == "Q" { put("mut ") }
            try type()
        case "P", "O":
            cursor.skip()
            put(letter == "P" ? "*const " : "*mut ")
            try type()
        case "A", "S":
            cursor.skip()
            put("[")
            try type()
            if letter == "A" {
                put("; ")
                try constant(inValue: true)
            }
            put("]")
        case "T":
            cursor.skip()
            put("(")
            let count = try list { reader throws(Malformed) in try reader.type() }
            put(count == 1 ? ",)" : ")")
        case "F":
            cursor.skip()
            try inBinder { reader throws(Malformed) in try reader.functionSignature() }
        case "D":
            cursor.skip()
            put("dyn ")
            try inBinder { reader throws(Malformed) in
                _ = try reader.list(" + ") { reader throws(Malformed) in try reader.dynamicTrait() }
            }
            guard cursor.consume("L") else { throw Malformed() }
            let index = try base62Number()
            if index != 0 {
                put(" + ")
                try lifetime(index)
            }
        case "W":
            cursor.skip()
            try type()
            put(" is ")
            try pattern()
        case "B":
            cursor.skip()
            try backReference { reader throws(Malformed) in try reader.type() }
        default:
            try path(inValue: false)
        }
    }

    private func basicType(_ letter: Unicode.Scalar) -> String? {
        switch letter {
        case "b": "bool"
        case "c": "char"
        case "e": "str"
        case "u": "()"
        case "z": "!"
        case "p": "_"
        case "v": "..."
        case "f": "f32"
        case "d": "f64"
        default: RustV0Reader.integerType(letter)
        }
    }

    static func integerType(_ letter: Unicode.Scalar) -> String? {
        switch letter {
        case "a": "i8"
        case "s": "i16"
        case "l": "i32"
        case "x": "i64"
        case "n": "i128"
        case "i": "isize"
        case "h": "u8"
        case "t": "u16"
        case "m": "u32"
        case "y": "u64"
        case "o": "u128"
        case "j": "usize"
        default: nil
        }
    }

    /// `<fn-sig> ::= [U] [K <abi>] <type>* E <type>`: U is `unsafe`, the ABI is C or an identifier
    /// with `_` for `-`. The result `()` does not show.
    private mutating func functionSignature() throws(Malformed) {
        if cursor.consume("U") { put("unsafe ") }
        if cursor.consume("K") {
            let abi = cursor.consume("C") ? "C" : try identifier()
            guard !abi.isEmpty else { throw Malformed() }
            put("extern \"" + String(decoding: abi.utf8.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }, as: UTF8.self) + "\" ")
        }
        put("fn(")
        _ = try list { reader throws(Malformed) in try reader.type() }
        put(")")
        if cursor.consume("u") { return }
        put(" -> ")
        try type()
    }

    /// `<dyn-trait> ::= <path> (p <identifier> <type>)*`: the associated types are among the
    /// trait's arguments, `Iterator<Item = u8>`.
    private mutating func dynamicTrait() throws(Malformed) {
        var isOpen = try openPath()
        while cursor.consume("p") {
            put(isOpen ? ", " : "<")
            isOpen = true
            put(try identifier() + " = ")
            try type()
        }
        if isOpen { put(">") }
    }

    /// A trait's path without the `>` of its arguments.
    /// - Returns: whether there were arguments.
    private mutating func openPath() throws(Malformed) -> Bool {
        try enter()
        defer { leave() }
        if cursor.consume("B") {
            var isOpen = false
            try backReference { reader throws(Malformed) in isOpen = try reader.openPath() }
            return isOpen
        }
        guard cursor.consume("I") else {
            try path(inValue: false)
            return false
        }
        try path(inValue: false)
        put("<")
        _ = try list { reader throws(Malformed) in try reader.genericArgument() }
        return true
    }

    /// `<pattern> ::= R <const> <const> | O <pattern>* E | N`: a range, alternatives, not null.
    private mutating func pattern() throws(Malformed) {
        try enter()
        defer { leave() }
        let letter = cursor.next
        cursor.skip()
        switch letter {
        case "R":
            try constant(inValue: false)
            put("..=")
            try constant(inValue: false)
        case "O":
            try pattern()
            while !cursor.consume("E") {
                put(" | ")
                try pattern()
            }
        case "N":
            put("!null")
        default:
            throw Malformed()
        }
    }

    /// `<binder> ::= G <base-62-number>`: `for<'a, 'b>`, around what `read` reads.
    private mutating func inBinder(_ read: (inout Self) throws(Malformed) -> Void) throws(Malformed) {
        let count = try optionalNumber("G")
        // No function has thousands of lifetimes; a hostile name must not make us write them.
        guard count <= 1024 else { throw Malformed() }
        let saved = boundLifetimes
        if count > 0 {
            put("for<")
            for index in 0..<count {
                if index > 0 { put(", ") }
                boundLifetimes += 1
                try lifetime(1)
            }
            put("> ")
        }
        try read(&self)
        boundLifetimes = saved
    }

    /// A lifetime by its distance outwards: 0 is `'_`, 1 the innermost bound one. The outermost is
    /// called `'a`, the 27th `'_26`.
    mutating func lifetime(_ index: Int) throws(Malformed) {
        if index == 0 { return put("'_") }
        let number = boundLifetimes - index
        guard number >= 0 else { throw Malformed() }
        if number < 26, let letter = Unicode.Scalar(97 + number) {
            put("'" + String(Character(letter)))
        } else {
            put("'_" + String(number))
        }
    }
}
