internal import BinaryPrimitives

/// Reads a C++ name by the grammar of the Itanium C++ ABI (section 5.1), with the extensions of
/// clang and gcc, into a tree. A method is named after the production that it reads. As in every
/// demangler nothing is ever tried twice: the next letters determine which production follows.
///
/// If the ABI's text, compilers and LLVM's demangler differ, this follows LLVM's; with `readsMore`
/// it also reads names that gcc's demangler reads and LLVM's does not: dependent names as gcc
/// writes them, local templates whose parameters are of their own arguments' types, transaction
/// clones.
struct ItaniumParser {
    typealias ID = ItaniumTree.ID

    var cursor: NameCursor
    var tree = ItaniumTree()

    /// `S_`, `S0_` and so on: parts of the name that may be referred to again, in the order of
    /// their appearance.
    var substitutions: [ItaniumSubstitution] = []
    /// How many template parameters of the encoding were read so far, in it and not in names inside
    /// of it.
    var read = ParameterCount()
    /// Bytes that were read once more, because they were referred to where their template
    /// parameters mean something else.
    var readAgainBytes = 0
    /// Members of the lists that are being read; each list removes its own from the end.
    var pending: [ID] = []
    /// `T_` and so on.
    var scopes = ItaniumTemplateScopes()
    /// References in a conversion operator's type to template arguments after it, to be resolved at
    /// the end of the name.
    var forwardReferences: [ID] = []

    /// Off in the type of a conversion operator, where `I` begins the operator's own arguments.
    var templateArgumentsMayFollow = true
    var forwardReferencesAllowed = false
    var inConstraint = false
    /// The level at which `auto` parameters of the lambda that is being read count as template
    /// parameters; -1 outside lambdas.
    var lambdaLevel = -1
    /// How many `$T`, `$N` and `$TT` were invented so far.
    var invented = (types: Int32(0), values: Int32(0), templates: Int32(0))

    let readsMore: Bool
    private var depth = 0
    private let depthLimit: Int
    let textLimit: Int

    init(_ cursor: NameCursor, limits: Limits, readsMore: Bool = false) {
        self.cursor = cursor
        self.readsMore = readsMore
        depthLimit = limits.demanglingDepth
        textLimit = limits.nameLength
        tree.nodes.reserveCapacity(cursor.left / 2 + 8)
        tree.lists.reserveCapacity(32)
        substitutions.reserveCapacity(32)
        pending.reserveCapacity(16)
    }

    /// Hands the tree over, so that whoever changes it does not copy it.
    mutating func removeTree() -> ItaniumTree {
        defer { tree = ItaniumTree() }
        return tree
    }

    // MARK: - Nodes and lists

    @inline(__always)
    mutating func add(_ node: ItaniumNode) -> ID { tree.add(node) }

    @inline(__always)
    mutating func add(
        _ kind: ItaniumNode.Kind, _ a: ID = ItaniumTree.none, _ b: ID = ItaniumTree.none, _ c: ID = ItaniumTree.none, detail: UInt8 = 0,
        shape: ItaniumNode.Shape = .plain
    ) -> ID {
        tree.add(ItaniumNode(kind: kind, detail: detail, shape: shape, a: a, b: b, c: c))
    }

    @inline(__always)
    mutating func add(
        _ kind: ItaniumNode.Kind, _ a: ID = ItaniumTree.none, _ range: NameRange, detail: UInt8 = 0, shape: ItaniumNode.Shape = .plain
    ) -> ID {
        tree.add(ItaniumNode(kind: kind, detail: detail, shape: shape, a: a, b: range.start, c: range.count))
    }

    @inline(__always)
    mutating func add(_ kind: ItaniumNode.Kind, _ word: ItaniumWord, _ a: ID = ItaniumTree.none, _ b: ID = ItaniumTree.none) -> ID {
        tree.add(ItaniumNode(kind: kind, word: word, a: a, b: b))
    }

    @inline(__always)
    mutating func add(fixed word: ItaniumWord) -> ID { tree.add(ItaniumNode(kind: .fixed, word: word)) }

    mutating func add(
        expression kind: ItaniumNode.Kind, _ precedence: ItaniumPrecedence, _ a: ID, _ b: ID = ItaniumTree.none,
        _ c: ID = ItaniumTree.none, detail: UInt8 = 0
    ) -> ID {
        tree.add(ItaniumNode(kind: kind, precedence: precedence, detail: detail, a: a, b: b, c: c))
    }

    /// Moves the pending members since `start` into the tree, as one list.
    mutating func movePending(from start: Int) -> NameRange {
        let list = NameRange(start: Int32(truncatingIfNeeded: tree.lists.count), count: Int32(truncatingIfNeeded: pending.count &- start))
        tree.lists.append(contentsOf: pending[start...])
        pending.removeLast(pending.count - start)
        return list
    }

    func shape(of id: ID) -> ItaniumNode.Shape { tree[id].shape }
    func kind(of id: ID) -> ItaniumNode.Kind { tree[id].kind }

    // MARK: - Depth

    /// Each production that may contain itself is read between `enter` and `leave`.
    @inline(__always)
    mutating func enter() throws(Malformed) {
        depth &+= 1
        guard depth <= depthLimit else { throw Malformed() }
    }

    @inline(__always)
    mutating func leave() { depth &-= 1 }

    // MARK: - The whole name

    /// `<mangled-name> ::= _Z <encoding>`, and `___Z <encoding> _block_invoke [_] <number>` for
    /// clang's blocks inside of C++ functions; possibly with what a compiler appended to it after a
    /// dot.
    mutating func mangledName() throws(Malformed) -> ID {
        if cursor.consume("_", "Z") {
            var name = try encoding()
            if cursor.next == "." { name = add(.suffixed, name, try cursor.readBytes(cursor.left)) }
            guard cursor.isAtEnd else { throw Malformed() }
            return name
        }
        guard cursor.consume(text: "___Z") else { throw Malformed() }
        let name = try encoding()
        guard cursor.consume(text: "_block_invoke") else { throw Malformed() }
        let numbered = cursor.consume("_")
        if cursor.readDigits().isEmpty && numbered { throw Malformed() }
        guard cursor.isAtEnd || cursor.next == "." else { throw Malformed() }
        return add(.special, .blockInvocation, name)
    }

    /// ```
    /// <encoding> ::= <function name> <bare-function-type> [Q <requires-clause>]
    ///            ::= <data name>
    ///            ::= <special-name>
    /// ```
    mutating func encoding() throws(Malformed) -> ID {
        try enter()
        defer { leave() }
        // A name inside of a name has template parameters of its own.
        let outer = scopes.open()
        let outerRead = read
        defer {
            scopes.close(outer)
            read = outerRead
        }

        if cursor.next == "G" || cursor.next == "T" { return try specialName() }
        var state = NameState(ofEncoding: true)
        let firstForward = forwardReferences.count
        let name = try self.name(&state)
        try resolveForwardReferences(from: firstForward)
        if encodingEnds { return name }

        var attributes = ItaniumTree.none
        if cursor.consume(text: "Ua9enable_ifI") {
            let start = pending.count
            while !cursor.consume("E") { pending.append(try templateArgument()) }
            attributes = add(.enableIf, ItaniumTree.none, movePending(from: start))
        }
        // Constructors, destructors, conversions and plain functions are mangled without the
        // result's type; template instances with it.
        var result = ItaniumTree.none
        if !state.hasNoResult && state.endsWithTemplateArguments { result = try type() }

        let start = pending.count
        if !cursor.consume("v") {
            repeat {
                var parameter = try type()
                if state.hasObjectParameter && pending.count == start { parameter = add(.objectParameter, parameter) }
                pending.append(parameter)
            } while !encodingEnds && cursor.next != "Q"
        }
        let constraint = cursor.consume("Q") ? try constraintExpression() : ItaniumTree.none

        // result, name, attributes, constraint, parameters…
        let list = NameRange(
            start: Int32(truncatingIfNeeded: tree.lists.count), count: Int32(truncatingIfNeeded: pending.count &- start &+ 4))
        tree.lists.append(result)
        tree.lists.append(name)
        tree.lists.append(attributes)
        tree.lists.append(constraint)
        _ = movePending(from: start)
        return add(.encoding, ItaniumTree.none, list, detail: state.qualifiers.rawValue, shape: [.right, .function])
    }

    /// None of the letters that may follow an encoding begins a type, so nothing needs to be tried.
    private var encodingEnds: Bool {
        switch cursor.next {
        case "E", ".", "_": true
        default: cursor.isAtEnd
        }
    }

    private mutating func resolveForwardReferences(from start: Int) throws(Malformed) {
        for reference in forwardReferences[start...] {
            guard let argument = scopes.parameter(level: 0, index: Int(tree[reference].a)) else { throw Malformed() }
            tree[reference].b = argument
        }
        forwardReferences.removeLast(forwardReferences.count - start)
    }

    /// Properties of a name that are found while it is read.
    struct NameState {
        /// Whether the name belongs to a function or variable whose template arguments `T_` and so
        /// on mean, rather than to a type within it.
        let ofEncoding: Bool
        /// Constructors, destructors and conversion operators have no mangled result type.
        var hasNoResult = false
        var endsWithTemplateArguments = false
        var qualifiers: ItaniumQualifiers = []
        var hasObjectParameter = false
    }
}
