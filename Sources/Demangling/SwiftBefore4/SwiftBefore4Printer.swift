internal import BinaryPrimitives

/// Writes the tree of a Swift 1 to 3 name.
///
/// In full it is spelled as `swift-demangle -compact` spells it. Simplified as
/// `swift-demangle -simplified` does, with one difference: the methods of Swift 1 and 2 were
/// functions of `self` that gave functions of the arguments, and these are shown by the labels of
/// their arguments, `Foo.bar(_:baz:)`, not as functions of one argument.
struct SwiftBefore4Printer {
    typealias ID = SwiftBefore4Tree.ID

    let tree: SwiftBefore4Tree
    let isFull: Bool
    private let limits: Limits

    private(set) var output = ""
    private(set) var isExcessive = false
    /// In the short form “specialized” occurs once, however many times a function was.
    private var saysSpecialized = false
    private var depth = 0
    private var steps = 0

    init(_ tree: SwiftBefore4Tree, isFull: Bool, limits: Limits) {
        self.tree = tree
        self.isFull = isFull
        self.limits = limits
    }

    /// The whole name; `nil` if it is excessive.
    mutating func text(of root: ID) -> String? {
        print(root)
        return isExcessive ? nil : output
    }

    mutating func put(_ text: String) { output += text }

    /// Prints a node.
    /// - Parameter asPrefix: it is what another declaration is in, and comes before it.
    /// - Returns: the node itself if it cannot come before, because spaces or a type would part it
    ///   from the name. It is then printed after the name, after “in”.
    @discardableResult
    mutating func print(_ id: ID, asPrefix: Bool = false) -> ID? {
        depth += 1
        steps += 1
        defer { depth -= 1 }
        if depth > limits.demanglingDepth || output.utf8.count > limits.nameLength || steps > limits.nameLength { isExcessive = true }
        if isExcessive { return nil }
        let node = tree[id]
        switch node.kind {
        case .global, .attribute, .suffix, .specialization, .serialized, .genericArgument, .argument, .change, .payload, .prefixed,
            .valueWitness,
            .reabstractionThunk, .partialApply, .protocolWitness, .lazyAccessor, .associatedAccessor, .conformance:
            global(node)
            return nil
        case .function, .variable, .subscripted, .accessor, .explicitClosure, .implicitClosure, .variableInitializer, .defaultArgument,
            .allocator,
            .constructor, .deallocator, .destructor, .ivarInitializer, .ivarDestroyer, .isStatic, .classType, .structure, .enumeration,
            .protocolType, .typeAlias, .module, .extensionContext:
            return declaration(id, node, asPrefix: asPrefix)
        case .identifier, .prefixOperator, .postfixOperator, .infixOperator, .localName, .privateName, .number:
            name(node)
            return nil
        default:
            type(node)
            return nil
        }
    }

    mutating func list(_ ids: some Sequence<ID>, _ separator: String = ", ") {
        var isFirst = true
        for id in ids {
            if !isFirst { put(separator) }
            isFirst = false
            print(id)
        }
    }

    private mutating func name(_ node: SwiftBefore4Tree.Node) {
        switch node.kind {
        case .prefixOperator: put(node.text + " prefix")
        case .postfixOperator: put(node.text + " postfix")
        case .infixOperator: put(node.text + " infix")
        case .localName:
            list(node.children)
            put(" #\(node.number + 1)")
        case .privateName:
            // A private subscript has only the file.
            if node.children.count == 1 {
                if isFull {
                    put("(in ")
                    list(node.children)
                    put(")")
                }
            } else if isFull {
                put("(")
                print(node.children[1])
                put(" in ")
                print(node.children[0])
                put(")")
            } else {
                print(node.children[1])
            }
        default: put(node.text)
        }
    }

    private mutating func global(_ node: SwiftBefore4Tree.Node) {
        switch node.kind {
        case .global: list(node.children, "")
        case .attribute: put(node.text)
        case .suffix: if isFull { put(" with unmangled suffix \"" + node.text + "\"") }
        case .specialization: specialization(node)
        case .serialized: put("serialized")
        case .genericArgument:
            print(node.children[0])
            put(node.children.count > 1 ? " with " : "")
            list(node.children.dropFirst(), " and ")
        case .prefixed:
            put(node.text)
            list(node.children, "")
        case .valueWitness:
            put(node.text + (isFull ? " value witness for " : " for "))
            list(node.children)
        case .partialApply:
            put(isFull ? (node.number == 1 ? "partial apply ObjC forwarder" : "partial apply forwarder") : "partial apply")
            if !node.children.isEmpty { put(" for ") }
            list(node.children)
        case .reabstractionThunk: reabstractionThunk(node)
        case .protocolWitness:
            put("protocol witness for ")
            print(node.children[1])
            put(" in conformance ")
            print(node.children[0])
        case .lazyAccessor:
            put("lazy protocol witness table \(node.text) for type ")
            list(node.children, " and conformance ")
        case .associatedAccessor:
            put(node.children.count == 2 ? "associated type metadata accessor for " : "associated type witness table accessor for ")
            list(node.children.dropFirst(), " : ")
            put(" in ")
            print(node.children[0])
        case .conformance:
            print(node.children[0])
            guard isFull else { return }
            put(" : ")
            print(node.children[1])
            put(" in ")
            print(node.children[2])
        default: break
        }
    }

    /// From the last type to the one before; the compiler's optimiser makes such functions to
    /// change how arguments are passed.
    private mutating func reabstractionThunk(_ node: SwiftBefore4Tree.Node) {
        guard isFull else {
            put("thunk for ")
            return list(node.children.suffix(1))
        }
        put(node.number == 1 ? "reabstraction thunk helper " : "reabstraction thunk ")
        if node.children.count == 3 {
            print(node.children[0])
            put(" ")
        }
        put("from ")
        list(node.children.suffix(2).reversed(), " to ")
    }

    // MARK: - Specialisations

    private mutating func specialization(_ node: SwiftBefore4Tree.Node) {
        guard isFull else {
            if !saysSpecialized { put("specialized ") }
            saysSpecialized = true
            return
        }
        put(node.text + " <")
        var isFirst = true
        var number = 0
        for id in node.children {
            let part = tree[id]
            if part.kind == .serialized || !part.children.isEmpty {
                if !isFirst { put(", ") }
                isFirst = false
            }
            switch part.kind {
            case .argument:
                if !part.children.isEmpty {
                    put("Arg[\(number)] = ")
                    argument(part.children)
                }
                number += 1
            default:
                print(id)
            }
        }
        put("> of ")
    }

    private mutating func argument(_ parts: [ID]) {
        guard parts.count > 1 else { return put(tree[parts[0]].text) }
        put("[" + tree[parts[0]].text + " : ")
        let payload = tree[parts[1]]
        put(payload.kind == .payload ? Self.plain(payload.text, limits: limits, depth: depth) : payload.text)
        guard tree[parts[0]].text == "Closure Propagated" else { return put("]") }
        // The outer bracket stays open, as it does in what `swift-demangle` prints.
        put(", Argument Types : [")
        list(parts.dropFirst(2), "")
        put("]")
    }

    /// A mangled name inside of a name.
    private static func plain(_ name: String, limits: Limits, depth: Int) -> String {
        // Names in names in names: each level is a fresh start for the depth, so the levels are
        // counted here.
        guard depth < 8 else { return name }
        return demangleSwiftBefore4(Array(name.utf8), from: 0, isFull: true, limits: limits) ?? name
    }
}
