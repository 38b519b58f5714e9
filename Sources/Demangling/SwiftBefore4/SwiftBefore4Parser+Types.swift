/// Types.
extension SwiftBefore4Parser {
    mutating func type() throws(Malformed) -> ID { add(.type, [try bareType()]) }

    /// `<type>` without a node of its own around it.
    private mutating func bareType() throws(Malformed) -> ID {
        try enter()
        defer { leave() }
        let letter = cursor.next
        cursor.skip()
        switch letter {
        case "B": return try builtinType()
        case "a": return try declaration(.typeAlias)
        case "b": return try functionType(.blockType)
        case "c": return try functionType(.cFunctionType)
        case "D": return add(.dynamicSelf, [try type()])
        case "E":
            guard cursor.consume("R", "R") else { throw Malformed() }
            return add(.errorType)
        case "F": return try functionType(.functionType)
        case "f": return try functionType(.uncurriedFunctionType)
        case "G": return try boundGenericType()
        case "K": return try functionType(.autoclosureType)
        case "M": return add(.metatype, [try type()])
        case "P": return cursor.consume("M") ? add(.existentialMetatype, [try type()]) : try protocolList()
        case "Q": return try archetype()
        case "q": return try dependentType()
        case "x": return add(.genericParameter)
        case "w": return try associatedType()
        case "W": return try associatedTypePath()
        case "R": return add(.inoutType, [try bareType()])
        case "S": return try substitution()
        case "T": return try tuple(isVariadic: false)
        case "t": return try tuple(isVariadic: true)
        case "u":
            let signature = try genericSignature()
            return add(.genericType, [signature, try type()])
        case "X": return try extendedType()
        case "C": return try declaration(.classType)
        case "O": return try declaration(.enumeration)
        case "V": return try declaration(.structure)
        default: throw Malformed()
        }
    }

    private mutating func builtinType() throws(Malformed) -> ID {
        let letter = cursor.next
        cursor.skip()
        let name: String
        switch letter {
        case "b": name = "BridgeObject"
        case "B": name = "UnsafeValueBuffer"
        case "O": name = "UnknownObject"
        case "o": name = "NativeObject"
        case "p": name = "RawPointer"
        case "t": name = "SILToken"
        case "w": name = "Word"
        case "f": name = "FPIEEE\(try builtinSize())"
        case "i": name = "Int\(try builtinSize())"
        case "v":
            let count = try cursor.readDecimal()
            guard cursor.consume("B") else { throw Malformed() }
            if cursor.consume("i") {
                name = "Vec\(count)xInt\(try builtinSize())"
            } else if cursor.consume("f") {
                name = "Vec\(count)xFPIEEE\(try builtinSize())"
            } else {
                guard cursor.consume("p") else { throw Malformed() }
                name = "Vec\(count)xRawPointer"
            }
        default: throw Malformed()
        }
        return add(.builtin, text: "Builtin." + name)
    }

    private mutating func builtinSize() throws(Malformed) -> Int {
        let size = try cursor.readDecimal()
        guard cursor.consume("_") else { throw Malformed() }
        return size
    }

    /// Types after `X`: representations of metatypes, ownership, thin functions, boxes, and
    /// functions as the compiler's own language has them.
    private mutating func extendedType() throws(Malformed) -> ID {
        let letter = cursor.next
        cursor.skip()
        switch letter {
        case "b": return add(.box, [try type()])
        case "B": return try boxWithLayout()
        case "M":
            let representation = try metatypeRepresentation()
            return add(.metatype, [representation, try type()])
        case "P":
            guard cursor.consume("M") else { return try protocolList() }
            let representation = try metatypeRepresentation()
            return add(.existentialMetatype, [representation, try type()])
        case "f": return try functionType(.thinFunctionType)
        case "o": return add(.unowned, [try type()])
        case "u": return add(.unmanaged, [try type()])
        case "w": return add(.weak, [try type()])
        case "F": return try implementationFunctionType()
        default: throw Malformed()
        }
    }

    private mutating func metatypeRepresentation() throws(Malformed) -> ID {
        if cursor.consume("t") { return add(.representation, text: "@thin") }
        if cursor.consume("T") { return add(.representation, text: "@thick") }
        guard cursor.consume("o") else { throw Malformed() }
        return add(.representation, text: "@objc_metatype")
    }

    /// `XB [G <generic-signature>] ((m | i) <type>)* _ [<type>* _]`
    private mutating func boxWithLayout() throws(Malformed) -> ID {
        let signature = cursor.consume("G") ? try genericSignature() : nil
        var parts: [ID] = []
        while !cursor.consume("_") {
            let isMutable = cursor.consume("m")
            guard isMutable || cursor.consume("i") else { throw Malformed() }
            parts.append(add(isMutable ? .mutableField : .immutableField, [try type()]))
        }
        guard let signature else { return add(.boxWithLayout, parts, number: parts.count) }
        let fieldCount = parts.count
        parts.append(signature)
        while !cursor.consume("_") { parts.append(try type()) }
        return add(.boxWithLayout, parts, number: fieldCount)
    }

    /// `[z] <arguments> <result>`: z is `throws`. The node's children: `throwing` perhaps,
    /// arguments, result.
    private mutating func functionType(_ kind: SwiftBefore4Tree.Kind) throws(Malformed) -> ID {
        var parts = cursor.consume("z") ? [add(.throwing)] : []
        parts.append(try type())
        parts.append(try type())
        return add(kind, parts)
    }

    private mutating func tuple(isVariadic: Bool) throws(Malformed) -> ID {
        var elements: [ID] = []
        while !cursor.consume("_") {
            var parts: [ID] = []
            if cursor.digitIsNext || cursor.next == "X" && isDigit(cursor.peek(1)) { parts.append(add(.label, text: try identifierText())) }
            parts.append(try type())
            // The last element of a variadic tuple is the one that may be repeated.
            if isVariadic, cursor.next == "_" { parts.append(add(.variadic)) }
            elements.append(add(.tupleElement, parts))
        }
        return add(.tuple, elements)
    }

    private mutating func protocolList() throws(Malformed) -> ID {
        var protocols: [ID] = []
        while !cursor.consume("_") { protocols.append(try protocolName()) }
        return add(.protocolList, protocols)
    }

    /// `G <nominal-type> (<type>* _)+`: arguments for each type around the type itself, outermost
    /// first.
    mutating func boundGenericType() throws(Malformed) -> ID { try bindingArguments(of: try nominalType()) }

    private mutating func bindingArguments(of nominal: ID) throws(Malformed) -> ID {
        try enter()
        defer { leave() }
        guard let parent = tree.child(nominal, 0) else { throw Malformed() }
        var nominal = nominal
        switch kind(of: parent) {
        case .module, .function, .extensionContext: break
        default:
            let bound = try bindingArguments(of: parent)
            nominal = add(kind(of: nominal), [bound] + tree[nominal].children.dropFirst())
        }
        var arguments: [ID] = []
        while !cursor.consume("_") { arguments.append(try type()) }
        if arguments.isEmpty { return nominal }
        switch kind(of: nominal) {
        case .classType, .structure, .enumeration: return add(.boundGeneric, [nominal] + arguments)
        default: throw Malformed()
        }
    }

    /// `S` and a letter for a type of the standard library, or an index in the list of earlier
    /// parts.
    mutating func substitution() throws(Malformed) -> ID {
        let known: (SwiftBefore4Tree.Kind, String)
        switch cursor.next {
        case "o", "C":
            let isObjectiveC = cursor.consume("o")
            if !isObjectiveC { cursor.skip() }
            return add(.module, text: isObjectiveC ? "__C" : "__C_Synthesized")
        case "a": known = (.structure, "Array")
        case "b": known = (.structure, "Bool")
        case "c": known = (.structure, "UnicodeScalar")
        case "d": known = (.structure, "Double")
        case "f": known = (.structure, "Float")
        case "i": known = (.structure, "Int")
        case "V": known = (.structure, "UnsafeRawPointer")
        case "v": known = (.structure, "UnsafeMutableRawPointer")
        case "P": known = (.structure, "UnsafePointer")
        case "p": known = (.structure, "UnsafeMutablePointer")
        case "q": known = (.enumeration, "Optional")
        case "Q": known = (.enumeration, "ImplicitlyUnwrappedOptional")
        case "R": known = (.structure, "UnsafeBufferPointer")
        case "r": known = (.structure, "UnsafeMutableBufferPointer")
        case "S": known = (.structure, "String")
        case "u": known = (.structure, "UInt")
        default:
            let number = try index()
            guard number < substitutions.count else { throw Malformed() }
            return substitutions[number]
        }
        cursor.skip()
        return add(known.0, [add(.module, text: "Swift"), add(.identifier, text: known.1)])
    }
}
