/// References to earlier parts of the name (5.1.10).
extension ItaniumParser {
    /// ```
    /// <substitution> ::= S [<number in base 36>] _
    ///                ::= Sa | Sb | Ss | Si | So | Sd     # of the standard library
    /// ```
    /// `St`, which is only ever a prefix, is read where prefixes are.
    mutating func substitution() throws(Malformed) -> ID {
        guard cursor.take("S") else { throw Malformed() }
        if cursor.take("_") {
            guard let first = substitutions.first else { throw Malformed() }
            return first
        }
        if let word = standardName(cursor.next) {
            cursor.skip()
            let name = add(.standardName, word)
            // With a tag it is a name of its own, and may be referred to again.
            let tagged = try abiTags(on: name)
            if tagged != name { substitutions.append(tagged) }
            return tagged
        }
        let index = try sequenceNumber() + 1
        guard cursor.take("_"), index < substitutions.count else { throw Malformed() }
        return substitutions[index]
    }

    private func standardName(_ letter: Unicode.Scalar) -> ItaniumWord? {
        switch letter {
        case "a": .allocator
        case "b": .basicString
        case "s": .string
        case "i": .inputStream
        case "o": .outputStream
        case "d": .inputOutputStream
        default: nil
        }
    }

    /// `<seq-id> ::= <0-9A-Z>+`, in base 36.
    mutating func sequenceNumber() throws(Malformed) -> Int {
        var value = 0
        var count = 0
        while true {
            switch cursor.next {
            case "0"..."9": value = value * 36 + Int(cursor.next.value - 48)
            case "A"..."Z": value = value * 36 + Int(cursor.next.value - 55)
            default:
                guard count > 0 else { throw Malformed() }
                return value
            }
            guard value <= 1 << 30 else { throw Malformed() }
            cursor.skip()
            count += 1
        }
    }
}
