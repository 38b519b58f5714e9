/// Generic parameters and constraints, and functions as SIL, the compiler's own language, has them.
extension SwiftBefore4Parser {
    /// `Q (Q… | S… | s) <identifier>`: an associated type of an archetype. Archetypes themselves
    /// (`Q_`) are not read.
    mutating func archetype() throws(Malformed) -> ID {
        try enter()
        defer { leave() }
        let root: ID
        if cursor.consume("Q") {
            root = try archetype()
        } else if cursor.consume("S") {
            root = try substitution()
        } else {
            guard cursor.consume("s") else { throw Malformed() }
            root = add(.module, text: "Swift")
        }
        let associated = add(.associatedType, [root, try identifier()])
        substitutions.append(associated)
        return associated
    }

    /// Reads the part after `q`: a generic parameter, or a type and the name of its associated
    /// type.
    mutating func dependentType() throws(Malformed) -> ID {
        if cursor.next == "d" || cursor.next == "_" || cursor.digitIsNext { return try genericParameter() }
        let base = try type()
        return try member(of: base)
    }

    /// `<generic-param-index> ::= x | <index> | d <index> <index>`: the first, another of the
    /// innermost level, one of another level.
    private mutating func genericParameter() throws(Malformed) -> ID {
        if cursor.consume("x") { return add(.genericParameter) }
        if cursor.consume("d") {
            let level = try index() + 1
            return genericParameter(level: level, number: try index())
        }
        return genericParameter(level: 0, number: try index() + 1)
    }

    /// The level is kept as text, since it is printed after the letter.
    private mutating func genericParameter(level: Int, number: Int) -> ID {
        add(.genericParameter, text: level == 0 ? "" : String(level), number: number)
    }

    mutating func associatedType() throws(Malformed) -> ID {
        let base = add(.type, [try genericParameter()])
        return try member(of: base)
    }

    mutating func associatedTypePath() throws(Malformed) -> ID {
        var base = try genericParameter()
        while !cursor.consume("_") { base = try member(of: add(.type, [base])) }
        return base
    }

    /// `<assoc-type-name> ::= <substitution> | [P <protocol>] <identifier>`
    private mutating func member(of base: ID) throws(Malformed) -> ID {
        if cursor.consume("S") {
            let found = try substitution()
            guard kind(of: found) == .dependentName else { throw Malformed() }
            return add(.dependentMember, [base, found])
        }
        let conformed = cursor.consume("P") ? [try protocolName()] : []
        let name = add(.dependentName, [try identifier()] + conformed)
        substitutions.append(name)
        return add(.dependentMember, [base, name])
    }

    /// `<generic-signature> ::= (z | <index>)* (r | R <requirement>* r)`: how many parameters each
    /// level has, and what they must fulfil.
    mutating func genericSignature() throws(Malformed) -> ID {
        try enter()
        defer { leave() }
        var parts: [ID] = []
        while cursor.next != "R", cursor.next != "r" {
            parts.append(add(.parameterCount, number: cursor.consume("z") ? 0 : try index() + 1))
        }
        if parts.isEmpty { parts.append(add(.parameterCount, number: 1)) }
        if cursor.consume("r") { return add(.genericSignature, parts) }
        guard cursor.consume("R") else { throw Malformed() }
        while !cursor.consume("r") { parts.append(try requirement()) }
        return add(.genericSignature, parts)
    }

    private mutating func requirement() throws(Malformed) -> ID {
        let constrained: ID
        if cursor.consume("w") {
            constrained = try associatedType()
        } else if cursor.consume("W") {
            constrained = try associatedTypePath()
        } else {
            constrained = try genericParameter()
        }
        let type = add(.type, [constrained])
        if cursor.consume("z") { return add(.sameTypeRequirement, [type, try self.type()]) }
        if cursor.consume("l") { return add(.layoutRequirement, [type], text: try layout()) }
        switch cursor.next {
        case "C":
            return add(.conformanceRequirement, [type, try self.type()])
        case "S":
            cursor.skip()
            let found = try protocolOrModule()
            guard kind(of: found) == .protocolType || kind(of: found) == .classType else { throw Malformed() }
            return add(.conformanceRequirement, [type, add(.type, [found])])
        default:
            return add(.conformanceRequirement, [type, try protocolName()])
        }
    }

    private mutating func layout() throws(Malformed) -> String {
        let letter = cursor.next
        cursor.skip()
        switch letter {
        case "U": return "_UnknownLayout"
        case "R": return "_RefCountedObject"
        case "N": return "_NativeRefCountedObject"
        case "T": return "_Trivial"
        case "E", "M":
            let size = try cursor.readDecimal()
            guard cursor.consume("_") else { throw Malformed() }
            return (letter == "E" ? "_Trivial" : "_TrivialAtMost") + "(\(size), \(try cursor.readDecimal()))"
        case "e": return "_Trivial(\(try cursor.readDecimal()))"
        case "m": return "_TrivialAtMost(\(try cursor.readDecimal()))"
        default: throw Malformed()
        }
    }

    /// `<impl-function-type> ::= <callee-convention> [C <letter>] [G <generic-signature>] _
    /// <parameter>* _ <result>* _`
    mutating func implementationFunctionType() throws(Malformed) -> ID {
        var parts: [ID] = []
        if cursor.consume("t") {
            parts.append(add(.convention, text: "@convention(thin)"))
        } else {
            parts.append(add(.convention, text: try calleeConvention()))
        }
        if cursor.consume("C") {
            let name: String
            switch cursor.next {
            case "b": name = "block"
            case "c": name = "c"
            case "m": name = "method"
            case "O": name = "objc_method"
            case "w": name = "witness_method"
            default: throw Malformed()
            }
            cursor.skip()
            parts.append(add(.convention, text: "@convention(\(name))"))
        }
        if cursor.consume("G") || cursor.consume("g") { parts.append(try genericSignature()) }
        guard cursor.consume("_") else { throw Malformed() }
        while !cursor.consume("_") {
            let convention = add(.convention, text: try parameterConvention())
            parts.append(add(.implementationParameter, [convention, try type()]))
        }
        while !cursor.consume("_") {
            let isError = cursor.consume("z")
            let convention = add(.convention, text: try resultConvention())
            parts.append(add(isError ? .implementationError : .implementationResult, [convention, try type()]))
        }
        return add(.implementationFunction, parts)
    }

    private mutating func calleeConvention() throws(Malformed) -> String {
        defer { cursor.skip() }
        switch cursor.next {
        case "d": return "@callee_unowned"
        case "g": return "@callee_guaranteed"
        case "o": return "@callee_owned"
        default: throw Malformed()
        }
    }

    private mutating func parameterConvention() throws(Malformed) -> String {
        defer { cursor.skip() }
        switch cursor.next {
        case "d": return "@unowned"
        case "g": return "@guaranteed"
        case "e": return "@deallocating"
        case "i": return "@in"
        case "l": return "@inout"
        case "o": return "@owned"
        default: throw Malformed()
        }
    }

    private mutating func resultConvention() throws(Malformed) -> String {
        defer { cursor.skip() }
        switch cursor.next {
        case "a": return "@autoreleased"
        case "d": return "@unowned"
        case "D": return "@unowned_inner_pointer"
        case "i": return "@out"
        case "o": return "@owned"
        default: throw Malformed()
        }
    }
}
