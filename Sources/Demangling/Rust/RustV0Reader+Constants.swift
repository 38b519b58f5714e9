/// Constants of RFC 2603: values of const generics and lengths of arrays.
extension RustV0Reader {
    /// ```
    /// <const> ::= <integer type> [n] <hexadecimal digits> _           # n is minus
    ///         ::= b 0_ | b 1_ | c <hexadecimal digits> _              # bool, char
    ///         ::= e <hexadecimal digits> _                            # str: UTF-8
    ///         ::= R <const> | Q <const>                               # &c, &mut c
    ///         ::= A <const>* E | T <const>* E                         # [c, …], (c, …)
    ///         ::= V <path> U                                          # a constant of a structure or enumeration: Unit
    ///         ::= V <path> T <const>* E                               # Tuple(c, …)
    ///         ::= V <path> S (<identifier> <const>)* E                # Struct { field: c, … }
    ///         ::= p                                                   # _
    ///         ::= <backref>
    /// ```
    /// - Parameter inValue: whether it is inside of another value; a composed one needs braces
    ///   elsewhere.
    mutating func constant(inValue: Bool) throws(Malformed) {
        try enter()
        defer { leave() }
        let letter = cursor.next
        cursor.skip()
        if let type = RustV0Reader.integerType(letter) { return try integer(letter, type) }
        switch letter {
        case "p":
            put("_")
        case "b":
            switch value(of: try hexadecimalDigits()) {
            case 0: put("false")
            case 1: put("true")
            default: throw Malformed()
            }
        case "c":
            guard let number = value(of: try hexadecimalDigits()), let character = UInt32(exactly: number).flatMap(Unicode.Scalar.init)
            else {
                throw Malformed()
            }
            put("'" + escaped(character, in: "'") + "'")
        case "R" where cursor.consume("e"):
            // `&str`, which a string literal is.
            try string()
        case "B":
            try backReference { reader throws(Malformed) in try reader.constant(inValue: inValue) }
        default:
            if !inValue { put("{") }
            try composedConstant(letter)
            if !inValue { put("}") }
        }
    }

    private mutating func composedConstant(_ letter: Unicode.Scalar) throws(Malformed) {
        switch letter {
        case "e":
            put("*")
            try string()
        case "R", "Q":
            put(letter == "R" ? "&" : "&mut ")
            try constant(inValue: true)
        case "A":
            put("[")
            _ = try list { reader throws(Malformed) in try reader.constant(inValue: true) }
            put("]")
        case "T":
            put("(")
            let count = try list { reader throws(Malformed) in try reader.constant(inValue: true) }
            put(count == 1 ? ",)" : ")")
        case "V":
            try path(inValue: true)
            if cursor.consume("U") { return }
            if cursor.consume("T") {
                put("(")
                _ = try list { reader throws(Malformed) in try reader.constant(inValue: true) }
                put(")")
                return
            }
            guard cursor.consume("S") else { throw Malformed() }
            put(" { ")
            _ = try list { reader throws(Malformed) in
                _ = try reader.disambiguator()
                reader.put(try reader.identifier() + ": ")
                try reader.constant(inValue: true)
            }
            put(" }")
        default:
            throw Malformed()
        }
    }

    /// In decimal; in hexadecimal above 64 bits.
    private mutating func integer(_ letter: Unicode.Scalar, _ type: String) throws(Malformed) {
        switch letter {
        case "a", "s", "l", "x", "n", "i": if cursor.consume("n") { put("-") }
        default: break
        }
        let digits = try hexadecimalDigits()
        if let value = value(of: digits) {
            put(String(value))
        } else {
            put("0x")
            put(digits)
        }
        if isFull { put(type) }
    }

    /// `<hexadecimal digits> _`, in small letters, with no digits for 0.
    private mutating func hexadecimalDigits() throws(Malformed) -> NameRange {
        let start = cursor.position
        while true {
            switch cursor.next {
            case "0"..."9", "a"..."f": cursor.skip()
            default:
                let digits = cursor.range(from: start)
                guard cursor.consume("_") else { throw Malformed() }
                return digits
            }
        }
    }

    /// `nil` above 64 bits.
    private func value(of digits: NameRange) -> UInt64? {
        let significant = cursor.slice(digits).drop { $0 == UInt8(ascii: "0") }
        return significant.isEmpty ? 0 : UInt64(String(decoding: significant, as: UTF8.self), radix: 16)
    }

    private mutating func string() throws(Malformed) {
        let digits = cursor.slice(try hexadecimalDigits())
        guard digits.count % 2 == 0 else { throw Malformed() }
        var bytes: [UInt8] = []
        var index = digits.startIndex
        while index < digits.endIndex {
            guard let byte = UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) else { throw Malformed() }
            bytes.append(byte)
            index += 2
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Malformed() }
        put("\"" + text.unicodeScalars.map { escaped($0, in: "\"") }.joined() + "\"")
    }

    /// A character as Rust's `escape_debug` writes it inside of quotation marks of one kind.
    private func escaped(_ character: Unicode.Scalar, in quote: Unicode.Scalar) -> String {
        switch character {
        case "\0": return "\\0"
        case "\t": return "\\t"
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\\": return "\\\\"
        case "'", "\"": return (character == quote ? "\\" : "") + String(Character(character))
        case " "..."~": return String(Character(character))
        default: break
        }
        let properties = character.properties
        let isHidden =
            switch properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator, .spaceSeparator: true
            default: properties.isGraphemeExtend
            }
        return isHidden ? "\\u{" + String(character.value, radix: 16) + "}" : String(Character(character))
    }
}
