/// Declarations, what they are declared in, and their names.
extension SwiftBefore4Parser {
    /// ```
    /// <entity> ::= <nominal-type>
    ///          ::= [Z] <entity-kind> <context> <entity-name>
    /// ```
    mutating func entity() throws(Malformed) -> ID {
        try enter()
        defer { leave() }
        let isStatic = cursor.consume("Z")
        let basic: SwiftBefore4Tree.Kind
        switch cursor.next {
        case "F": basic = .function
        case "v": basic = .variable
        case "I": basic = .variableInitializer
        case "i": basic = .subscripted
        default: return try nominalType()
        }
        cursor.skip()
        let context = try context()
        let entity = try namedEntity(basic, in: context)
        return isStatic ? add(.isStatic, [entity]) : entity
    }

    /// `<entity-name>`: which function of a declaration it is, its name and its type.
    private mutating func namedEntity(_ basic: SwiftBefore4Tree.Kind, in context: ID) throws(Malformed) -> ID {
        let letter = cursor.next
        switch letter {
        case "D", "d", "e", "E":
            cursor.skip()
            return add(
                letter == "D" ? .deallocator : letter == "d" ? .destructor : letter == "e" ? .ivarInitializer : .ivarDestroyer, [context])
        case "C", "c":
            cursor.skip()
            return add(letter == "C" ? .allocator : .constructor, [context, try type()])
        case "a", "l":
            guard let kind = addressor(cursor.peek(1), isMutable: letter == "a") else { throw Malformed() }
            cursor.skip(2)
            return try accessor(kind, in: context)
        case "g", "G", "s", "m", "w", "W", "r", "M":
            cursor.skip()
            return try accessor(accessor(letter), in: context)
        case "U", "u":
            cursor.skip()
            let number = try index()
            return add(letter == "U" ? .explicitClosure : .implicitClosure, [context, try type()], number: number)
        default:
            break
        }
        if basic == .variableInitializer {
            if cursor.consume("A") { return add(.defaultArgument, [context], number: try index()) }
            guard cursor.consume("i") else { throw Malformed() }
            return add(.variableInitializer, [context])
        }
        let name = try declarationName()
        return add(basic, [context, name, try type()])
    }

    private func accessor(_ letter: Unicode.Scalar) -> String {
        switch letter {
        case "s": "setter"
        case "m": "materializeForSet"
        case "w": "willset"
        case "W": "didset"
        case "r": "read"
        case "M": "modify"
        default: "getter"
        }
    }

    private func addressor(_ letter: Unicode.Scalar, isMutable: Bool) -> String? {
        let addressor = isMutable ? "MutableAddressor" : "Addressor"
        switch letter {
        case "O": return "owning" + addressor
        case "o": return "nativeOwning" + addressor
        case "p": return "nativePinning" + addressor
        case "u": return "unsafe" + addressor
        default: return nil
        }
    }

    /// An accessor's child is the variable or subscript that it accesses. Subscripts have no name
    /// of their own.
    private mutating func accessor(_ text: String, in context: ID) throws(Malformed) -> ID {
        let name = try declarationName()
        let node = tree[name]
        let plainName = node.kind == .privateName ? tree[node.children[1]].text : node.kind == .identifier ? node.text : ""
        let type = try type()
        let storage: ID
        if plainName == "subscript" {
            storage = add(
                .subscripted, node.kind == .privateName ? [context, type, add(.privateName, [node.children[0]])] : [context, type])
        } else {
            storage = add(.variable, [context, name, type])
        }
        return add(.accessor, [storage], text: text)
    }

    /// ```
    /// <context> ::= <module> | <entity> | <substitution> | G <bound generic type>
    ///           ::= E <module> <context>                            # an extension in another module
    ///           ::= e <module> <generic-signature> <context>        # one with constraints
    /// ```
    mutating func context() throws(Malformed) -> ID {
        try enter()
        defer { leave() }
        switch cursor.next {
        case "E":
            cursor.skip()
            let module = try module()
            return add(.extensionContext, [module, try context()])
        case "e":
            cursor.skip()
            let module = try module()
            let signature = try genericSignature()
            return add(.extensionContext, [module, try context(), signature])
        case "S":
            cursor.skip()
            return try substitution()
        case "s":
            cursor.skip()
            return add(.module, text: "Swift")
        case "G":
            cursor.skip()
            return try boundGenericType()
        case "F", "I", "v", "P", "i", "C", "V", "O", "Z":
            return try entity()
        default:
            return try module()
        }
    }

    /// `<module> ::= s | <substitution> | <identifier>`
    private mutating func module() throws(Malformed) -> ID {
        if cursor.consume("s") { return add(.module, text: "Swift") }
        if cursor.consume("S") {
            let found = try substitution()
            guard kind(of: found) == .module else { throw Malformed() }
            return found
        }
        let module = add(.module, text: try identifierText())
        substitutions.append(module)
        return module
    }

    /// `<nominal-type> ::= <substitution> | (C | O | V | P) <context> <decl-name>`
    mutating func nominalType() throws(Malformed) -> ID {
        let kind: SwiftBefore4Tree.Kind
        switch cursor.next {
        case "S":
            cursor.skip()
            return try substitution()
        case "C": kind = .classType
        case "O": kind = .enumeration
        case "V": kind = .structure
        case "P": kind = .protocolType
        default: throw Malformed()
        }
        cursor.skip()
        return try declaration(kind)
    }

    mutating func declaration(_ kind: SwiftBefore4Tree.Kind) throws(Malformed) -> ID {
        let context = try context()
        return try declaration(kind, in: context)
    }

    private mutating func declaration(_ kind: SwiftBefore4Tree.Kind, in context: ID) throws(Malformed) -> ID {
        let declaration = add(kind, [context, try declarationName()])
        substitutions.append(declaration)
        return declaration
    }

    /// A protocol by name: a substitution is the protocol or the module that it is in.
    mutating func protocolName() throws(Malformed) -> ID {
        let found: ID
        if cursor.consume("S") {
            found = try protocolOrModule()
        } else if cursor.consume("s") {
            found = try declaration(.protocolType, in: add(.module, text: "Swift"))
        } else {
            found = try declaration(.protocolType)
        }
        guard kind(of: found) == .protocolType else { throw Malformed() }
        return add(.type, [found])
    }

    /// Reads the target of `S`; if it is a module, the protocol in it whose name follows.
    mutating func protocolOrModule() throws(Malformed) -> ID {
        let found = try substitution()
        return kind(of: found) == .module ? try declaration(.protocolType, in: found) : found
    }

    // MARK: - Names

    /// `<decl-name> ::= <identifier> | L <index> <identifier> | P <file> <identifier>`: plain,
    /// local to a function, private to a file.
    mutating func declarationName() throws(Malformed) -> ID {
        if cursor.consume("L") {
            let number = try index()
            return add(.localName, [try identifier()], number: number)
        }
        if cursor.consume("P") {
            let file = try identifier()
            return add(.privateName, [file, try identifier()])
        }
        return try identifier()
    }

    /// `<identifier> ::= [X] <natural> <text>`, in Punycode after `X`; `o` and `p`, `P` or `i` come
    /// before the letters that represent an operator's characters.
    mutating func identifier() throws(Malformed) -> ID {
        let isPunycode = cursor.consume("X")
        guard cursor.consume("o") else { return add(.identifier, text: try plainText(isPunycode: isPunycode)) }
        let kind: SwiftBefore4Tree.Kind
        switch cursor.next {
        case "p": kind = .prefixOperator
        case "P": kind = .postfixOperator
        case "i": kind = .infixOperator
        default: throw Malformed()
        }
        cursor.skip()
        // From `a` on; a space means that there is no operator.
        let characters = Array("& @/= >    <*!|+?%-~   ^ .")
        var text = ""
        for scalar in try plainText(isPunycode: isPunycode).unicodeScalars {
            if scalar.value >= 0x80 {
                text.unicodeScalars.append(scalar)
            } else {
                guard case "a"..."z" = scalar, case let character = characters[Int(scalar.value) - 97], character != " " else {
                    throw Malformed()
                }
                text.append(character)
            }
        }
        return add(kind, text: text)
    }

    /// An identifier that is no operator.
    mutating func identifierText() throws(Malformed) -> String { try plainText(isPunycode: cursor.consume("X")) }

    private mutating func plainText(isPunycode: Bool) throws(Malformed) -> String {
        let text = cursor.slice(try cursor.readBytes(try cursor.readDecimal()))
        guard !text.isEmpty else { throw Malformed() }
        if !isPunycode { return String(decoding: text, as: UTF8.self) }
        guard let decoded = Punycode.decodedSwift(text), !decoded.isEmpty else { throw Malformed() }
        return decoded
    }

    /// `<index> ::= _ | <natural> _`: 0, or one more than the number.
    mutating func index() throws(Malformed) -> Int {
        if cursor.consume("_") { return 0 }
        let number = try cursor.readDecimal()
        guard cursor.consume("_") else { throw Malformed() }
        return number + 1
    }
}
