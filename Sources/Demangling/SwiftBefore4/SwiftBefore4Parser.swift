internal import BinaryPrimitives

/// Reads a name of Swift 1 to 3 (`_T…`) into a tree. Methods are named after the productions of
/// `docs/ABI/OldMangling.rst`.
///
/// Not read, so that the name stays mangled: the generic functions and archetypes of Swift 1 and
/// 2.1 (`U…`, `Q_`), which later compilers' own demanglers do not read either.
struct SwiftBefore4Parser {
    typealias ID = SwiftBefore4Tree.ID

    var cursor: NameCursor
    var tree = SwiftBefore4Tree()
    var substitutions: [ID] = []

    private var depth = 0
    private let depthLimit: Int

    /// - Parameter cursor: at `_T`.
    init(_ cursor: NameCursor, limits: Limits) {
        self.cursor = cursor
        depthLimit = limits.demanglingDepth
    }

    mutating func add(_ kind: SwiftBefore4Tree.Kind, _ children: [ID] = [], text: String = "", number: Int = 0) -> ID {
        tree.add(kind, children, text: text, number: number)
    }

    func kind(of id: ID) -> SwiftBefore4Tree.Kind { tree[id].kind }

    /// Each production that may contain itself is read between `enter` and `leave`.
    mutating func enter() throws(Malformed) {
        depth += 1
        guard depth <= depthLimit else { throw Malformed() }
    }

    mutating func leave() { depth -= 1 }

    /// `<mangled-name> ::= _T <global>`, perhaps with specialisations or one thunk's letters before
    /// it, and with what a compiler appended.
    mutating func mangledName() throws(Malformed) -> ID {
        guard cursor.consume("_", "T") else { throw Malformed() }
        var parts: [ID] = []
        if cursor.consume("T", "S") {
            repeat {
                parts.append(try specialization())
                // A specialisation refers to nothing after it.
                substitutions = []
            } while cursor.consume(text: "_TTS")
            guard cursor.consume("_", "T") else { throw Malformed() }
        } else if let attribute = attribute() {
            parts.append(add(.attribute, text: attribute))
        }
        parts.append(try global())
        if !cursor.isAtEnd {
            // `.11`, `.llvm.123`, `_merged`. Other letters mean that the name was not understood.
            guard cursor.next == "." || cursor.next == "_" else { throw Malformed() }
            let rest = try cursor.readBytes(cursor.left)
            parts.append(add(.suffix, text: String(decoding: cursor.slice(rest), as: UTF8.self)))
        }
        return add(.global, parts)
    }

    private mutating func attribute() -> String? {
        guard cursor.next == "T" else { return nil }
        let text: String
        switch cursor.peek(1) {
        case "o": text = "@objc "
        case "O": text = "@nonobjc "
        case "D": text = "dynamic "
        case "d": text = "super "
        case "V": text = "override "
        default: return nil
        }
        cursor.skip(2)
        return text
    }

    /// `<global>`: metadata (`M`), partial applications (`PA`), a type alone (`t`), witnesses (`w`,
    /// `W`), thunks (`T`), or an entity.
    mutating func global() throws(Malformed) -> ID {
        try enter()
        defer { leave() }
        switch cursor.next {
        case "M":
            cursor.skip()
            return try metadata()
        case "P" where cursor.peek(1) == "A":
            cursor.skip(2)
            let isObjectiveC = cursor.consume("o")
            let inner = cursor.consume(text: "__T") ? [try global()] : []
            return add(.partialApply, inner, number: isObjectiveC ? 1 : 0)
        case "t":
            cursor.skip()
            return try type()
        case "w":
            guard let witness = valueWitness(cursor.peek(1), cursor.peek(2)) else { throw Malformed() }
            cursor.skip(3)
            return add(.valueWitness, [try type()], text: witness)
        case "W":
            cursor.skip()
            return try witness()
        case "T":
            cursor.skip()
            return try thunk()
        default:
            return try entity()
        }
    }

    private mutating func metadata() throws(Malformed) -> ID {
        let text: String
        switch cursor.next {
        case "P": text = "generic type metadata pattern for "
        case "a": text = "type metadata accessor for "
        case "L": text = "lazy cache variable for type metadata for "
        case "m": text = "metaclass for "
        case "n": text = "nominal type descriptor for "
        case "f": text = "full type metadata for "
        case "p":
            cursor.skip()
            return add(.prefixed, [try protocolName()], text: "protocol descriptor for ")
        default:
            return add(.prefixed, [try type()], text: "type metadata for ")
        }
        cursor.skip()
        return add(.prefixed, [try type()], text: text)
    }

    private mutating func witness() throws(Malformed) -> ID {
        let letter = cursor.next
        cursor.skip()
        switch letter {
        case "V": return add(.prefixed, [try type()], text: "value witness table for ")
        case "v":
            let isDirect = cursor.consume("d")
            guard isDirect || cursor.consume("i") else { throw Malformed() }
            return add(.prefixed, [try entity()], text: isDirect ? "direct field offset for " : "indirect field offset for ")
        case "P": return add(.prefixed, [try conformance()], text: "protocol witness table for ")
        case "G": return add(.prefixed, [try conformance()], text: "generic protocol witness table for ")
        case "I":
            return add(.prefixed, [try conformance()], text: "instantiation function for generic protocol witness table for ")
        case "a": return add(.prefixed, [try conformance()], text: "protocol witness table accessor for ")
        case "l", "L":
            let type = try type()
            return add(.lazyAccessor, [type, try conformance()], text: letter == "l" ? "accessor" : "cache variable")
        case "t":
            let conformance = try conformance()
            return add(.associatedAccessor, [conformance, try declarationName()])
        case "T":
            let conformance = try conformance()
            let name = try declarationName()
            return add(.associatedAccessor, [conformance, name, try protocolName()])
        default: throw Malformed()
        }
    }

    private mutating func thunk() throws(Malformed) -> ID {
        let letter = cursor.next
        cursor.skip()
        switch letter {
        case "R", "r":
            var parts: [ID] = []
            if cursor.consume("G") { parts.append(try genericSignature()) }
            parts.append(try type())
            parts.append(try type())
            return add(.reabstractionThunk, parts, number: letter == "R" ? 1 : 0)
        case "W":
            let conformance = try conformance()
            return add(.protocolWitness, [conformance, try entity()])
        default: throw Malformed()
        }
    }

    /// `<protocol-conformance> ::= <type> <protocol> <context>`: a type, what it conforms to, and
    /// the module that says so.
    mutating func conformance() throws(Malformed) -> ID {
        let type = try type()
        let conformed = try protocolName()
        return add(.conformance, [type, conformed, try context()])
    }

    /// Names of the functions that every type has for its values (`ValueWitnessMangling.def`), by
    /// their letters.
    private func valueWitness(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> String? {
        switch (first, second) {
        case ("a", "l"): "allocateBuffer"
        case ("c", "a"): "assignWithCopy"
        case ("t", "a"): "assignWithTake"
        case ("d", "e"): "deallocateBuffer"
        case ("x", "x"): "destroy"
        case ("X", "X"): "destroyBuffer"
        case ("X", "x"): "destroyArray"
        case ("C", "P"): "initializeBufferWithCopyOfBuffer"
        case ("C", "p"): "initializeBufferWithCopy"
        case ("c", "p"): "initializeWithCopy"
        case ("C", "c"): "initializeArrayWithCopy"
        case ("T", "K"): "initializeBufferWithTakeOfBuffer"
        case ("T", "k"): "initializeBufferWithTake"
        case ("t", "k"): "initializeWithTake"
        case ("T", "t"): "initializeArrayWithTakeFrontToBack"
        case ("t", "T"): "initializeArrayWithTakeBackToFront"
        case ("p", "r"): "projectBuffer"
        case ("x", "s"): "storeExtraInhabitant"
        case ("x", "g"): "getExtraInhabitantIndex"
        case ("u", "g"): "getEnumTag"
        case ("u", "p"): "destructiveProjectEnumData"
        case ("u", "i"): "destructiveInjectEnumTag"
        case ("e", "t"): "getEnumTagSinglePayload"
        case ("s", "t"): "storeEnumTagSinglePayload"
        default: nil
        }
    }
}
