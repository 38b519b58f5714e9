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
        if cursor.take("q") { parts.append(add(.serialized)) }
        // Which optimiser pass it was: one character.
        guard !cursor.isAtEnd else { throw Malformed() }
        cursor.skip()
        switch letter {
        case "g", "r":
            while !cursor.take("_") {
                var argument = [try type()]
                while !cursor.take("_") { argument.append(try conformance()) }
                parts.append(add(.genericArgument, argument))
            }
            return add(
                .specialization, parts, text: letter == "g" ? "generic specialization" : "generic not re-abstracted specialization")
        case "f":
            while !cursor.take("_") { parts.append(add(.argument, try argumentChange())) }
            return add(.specialization, parts, text: "function signature specialization")
        default:
            throw Malformed()
        }
    }

    /// `n` for no change, `cp…` for a constant, `cl…` for a closure, single letters for others.
    private mutating func argumentChange() throws(Malformed) -> [ID] {
        if cursor.take("n", "_") { return [] }
        if cursor.take("c", "p") { return try constant() }
        if cursor.take("c", "l") {
            var parts = [add(.change, text: "Closure Propagated"), add(.payload, text: try identifierText())]
            while cursor.next != "_" { parts.append(try type()) }
            guard cursor.take("_") else { throw Malformed() }
            return parts
        }
        if cursor.take("i", "_") { return [add(.change, text: "Value Promoted from Box")] }
        if cursor.take("k", "_") { return [add(.change, text: "Stack Promoted from Box")] }
        if cursor.take("r", "_") { return [add(.change, text: "InOut Converted to Out")] }
        var changes: [String] = []
        if cursor.take("d") { changes.append("Dead") }
        if cursor.take("g") { changes.append("Owned To Guaranteed") }
        if cursor.take("o") { changes.append("Guaranteed To Owned") }
        if cursor.take("s") { changes.append("Exploded") }
        guard !changes.isEmpty, cursor.take("_") else { throw Malformed() }
        return [add(.change, text: changes.joined(separator: " and "))]
    }

    private mutating func constant() throws(Malformed) -> [ID] {
        if cursor.take("f", "r") { return try constant("Function", .payload) }
        if cursor.take("f", "l") { return try constant("Float", .identifier) }
        if cursor.take("g") { return try constant("Global", .payload) }
        if cursor.take("i") { return try constant("Integer", .identifier) }
        guard cursor.take("s", "e"), cursor.next == "0" || cursor.next == "1" else { throw Malformed() }
        let encoding = cursor.take("0") ? "u8" : "u16"
        if encoding == "u16" { cursor.skip() }
        guard cursor.take("v") else { throw Malformed() }
        let text = try identifierText()
        guard cursor.take("_") else { throw Malformed() }
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
        guard cursor.take("_") else { throw Malformed() }
        return [add(.change, text: "Constant Propagated " + what), add(kind, text: text)]
    }
}
