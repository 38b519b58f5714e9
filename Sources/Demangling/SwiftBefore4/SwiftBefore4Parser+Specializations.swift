/// Reads the changes that the optimiser made in a copy of a function (`TS`).
extension SwiftBefore4Parser {
    /// ```
    /// <specializationinfo> ::= g [q] <pass> (<type> <protocol-conformance>* _)+ _       # generic; r: not reabstracted
    ///                      ::= f [q] <pass> (<argument change> _)+ _
    /// ```
    mutating func specialization() throws(Malformed) -> ID {
        let letter = cursor.next
        cursor.skip()
        var parts: [ID] = []
        if cursor.consume("q") { parts.append(add(.serialized)) }
        // Which optimiser pass it was: one character.
        guard !cursor.isAtEnd else { throw Malformed() }
        cursor.skip()
        switch letter {
        case "g", "r":
            while !cursor.consume("_") {
                var argument = [try type()]
                while !cursor.consume("_") { argument.append(try conformance()) }
                parts.append(add(.genericArgument, argument))
            }
            return add(
                .specialization, parts, text: letter == "g" ? "generic specialization" : "generic not re-abstracted specialization")
        case "f":
            while !cursor.consume("_") { parts.append(add(.argument, try argumentChange())) }
            return add(.specialization, parts, text: "function signature specialization")
        default:
            throw Malformed()
        }
    }

    /// `n` for no change, `cp…` for a constant, `cl…` for a closure, single letters for others.
    private mutating func argumentChange() throws(Malformed) -> [ID] {
        if cursor.consume("n", "_") { return [] }
        if cursor.consume("c", "p") { return try constant() }
        if cursor.consume("c", "l") {
            var parts = [add(.change, text: "Closure Propagated"), add(.payload, text: try identifierText())]
            while cursor.next != "_" { parts.append(try type()) }
            guard cursor.consume("_") else { throw Malformed() }
            return parts
        }
        if cursor.consume("i", "_") { return [add(.change, text: "Value Promoted from Box")] }
        if cursor.consume("k", "_") { return [add(.change, text: "Stack Promoted from Box")] }
        if cursor.consume("r", "_") { return [add(.change, text: "InOut Converted to Out")] }
        var changes: [String] = []
        if cursor.consume("d") { changes.append("Dead") }
        if cursor.consume("g") { changes.append("Owned To Guaranteed") }
        if cursor.consume("o") { changes.append("Guaranteed To Owned") }
        if cursor.consume("s") { changes.append("Exploded") }
        guard !changes.isEmpty, cursor.consume("_") else { throw Malformed() }
        return [add(.change, text: changes.joined(separator: " and "))]
    }

    private mutating func constant() throws(Malformed) -> [ID] {
        if cursor.consume("f", "r") { return try constant("Function", .payload) }
        if cursor.consume("f", "l") { return try constant("Float", .identifier) }
        if cursor.consume("g") { return try constant("Global", .payload) }
        if cursor.consume("i") { return try constant("Integer", .identifier) }
        guard cursor.consume("s", "e"), cursor.next == "0" || cursor.next == "1" else { throw Malformed() }
        let encoding = cursor.consume("0") ? "u8" : "u16"
        if encoding == "u16" { cursor.skip() }
        guard cursor.consume("v") else { throw Malformed() }
        let text = try identifierText()
        guard cursor.consume("_") else { throw Malformed() }
        return [add(.change, text: "Constant Propagated String"), add(.identifier, text: "\(encoding)'\(text)'")]
    }

    /// - Parameter kind: a payload is a mangled name after its length, an identifier is the number
    ///   as written.
    private mutating func constant(_ what: String, _ kind: SwiftBefore4Tree.Kind) throws(Malformed) -> [ID] {
        var text = ""
        if kind == .payload {
            text = try identifierText()
        } else {
            while !cursor.isAtEnd, cursor.next != "_" {
                text.unicodeScalars.append(cursor.next)
                cursor.skip()
            }
        }
        guard cursor.consume("_") else { throw Malformed() }
        return [add(.change, text: "Constant Propagated " + what), add(kind, text: text)]
    }
}
