/// Literals (5.1.6.1).
extension ItaniumParser {
    /// ```
    /// <expr-primary> ::= L <type> <value number> E     # integer
    ///                ::= L <type> <value float> E      # floating point: the bytes in hexadecimal, high byte first
    ///                ::= L <string type> E
    ///                ::= L Dn [0] E                    # nullptr
    ///                ::= L <lambda type> E
    ///                ::= L <mangled-name> E            # a function or variable
    /// ```
    mutating func primaryExpression() throws(Malformed) -> ID {
        guard cursor.consume("L") else { throw Malformed() }
        let letter = cursor.next
        if let type = integerType(letter) {
            cursor.skip()
            let value = number()
            guard !value.isEmpty, cursor.consume("E") else { throw Malformed() }
            return tree.add(ItaniumNode(kind: .integer, word: type, b: value.start, c: value.count))
        }
        switch letter {
        case "b":
            let isTrue = cursor.peek(1) == "1"
            guard isTrue || cursor.peek(1) == "0" else { throw Malformed() }
            cursor.skip(2)
            guard cursor.consume("E") else { throw Malformed() }
            return add(.boolean, detail: isTrue ? 1 : 0)
        case "f": return try floatingPoint(.float)
        case "d": return try floatingPoint(.double)
        case "e": return try floatingPoint(.longDouble)
        case "_":
            guard cursor.consume("_", "Z") else { throw Malformed() }
            let name = try encoding()
            guard cursor.consume("E") else { throw Malformed() }
            return name
        case "A":
            let type = try type()
            guard cursor.consume("E") else { throw Malformed() }
            return add(.stringLiteral, type)
        case "D":
            guard cursor.consume("D", "n") else { throw Malformed() }
            _ = cursor.consume("0")
            guard cursor.consume("E") else { throw Malformed() }
            return add(fixed: .nullPointer)
        case "T":
            throw Malformed()
        case "U":
            guard cursor.peek(1) == "l" else { throw Malformed() }
            let closure = try unnamedTypeName(ofEncoding: false)
            guard cursor.consume("E") else { throw Malformed() }
            return add(.lambda, closure)
        default:
            let type = try type()
            let value = number()
            guard !value.isEmpty, cursor.consume("E") else { throw Malformed() }
            return add(.enumerator, type, value)
        }
    }

    /// How an integer literal of the builtin type with this letter shows its type: nothing or a
    /// suffix for the usual ones, else a cast.
    private func integerType(_ letter: Unicode.Scalar) -> ItaniumWord? {
        switch letter {
        case "i": .nothing
        case "j": .u
        case "l": .l
        case "m": .ul
        case "x": .ll
        case "y": .ull
        case "w", "c", "a", "h", "s", "t", "n", "o": ItaniumWord.builtin(letter)
        default: nil
        }
    }

    private mutating func floatingPoint(_ type: ItaniumWord) throws(Malformed) -> ID {
        cursor.skip()
        let start = cursor.position
        while true {
            switch cursor.next {
            case "0"..."9", "a"..."f":
                cursor.skip()
                continue
            default: break
            }
            break
        }
        let value = cursor.range(from: start)
        guard HexadecimalFloat.Format(type, digits: Int(value.count)) != nil, cursor.consume("E") else { throw Malformed() }
        return tree.add(ItaniumNode(kind: .floatingPoint, word: type, b: value.start, c: value.count))
    }
}
