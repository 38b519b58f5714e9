/// A name of Swift 1 to 3 as the grammar of `docs/ABI/OldMangling.rst` (in Swift's repository) has
/// it: nodes in one array, referred to by their index. Several nodes may refer to one part, since
/// the grammar refers back to earlier parts.
struct SwiftBefore4Tree {
    typealias ID = Int

    struct Node {
        var kind: Kind
        var text = ""
        var number = 0
        var children: [ID] = []
    }

    private(set) var nodes: [Node] = []

    mutating func add(_ kind: Kind, _ children: [ID] = [], text: String = "", number: Int = 0) -> ID {
        nodes.append(Node(kind: kind, text: text, number: number, children: children))
        return nodes.count - 1
    }

    subscript(id: ID) -> Node { nodes[id] }

    /// The child at `index`; `nil` if there are fewer.
    func child(_ id: ID, _ index: Int) -> ID? {
        let children = nodes[id].children
        return index < children.count ? children[index] : nil
    }

    /// The type itself, without the `type` nodes around it.
    func strippingType(_ id: ID) -> ID {
        var id = id
        while nodes[id].kind == .type, let inner = child(id, 0) { id = inner }
        return id
    }

    enum Kind {
        // The whole.
        case global, attribute, suffix

        // Specialisations: text of the description; children parameters.
        case specialization, serialized, genericArgument, argument
        /// number: a bit set of `ArgumentChange`, or text: another change.
        case change
        case payload

        // Prefixes before one child: text.
        case prefixed
        case valueWitness, reabstractionThunk, partialApply, protocolWitness, lazyAccessor, associatedAccessor, conformance

        // Declarations: context, name, type.
        case function, variable, subscripted, accessor, explicitClosure, implicitClosure, variableInitializer, defaultArgument
        case allocator, constructor, deallocator, destructor, ivarInitializer, ivarDestroyer, isStatic
        case classType, structure, enumeration, protocolType, typeAlias
        case module, extensionContext

        // Names.
        case identifier, prefixOperator, postfixOperator, infixOperator, localName, privateName, number

        // Types.
        case type, builtin, boundGeneric, tuple, tupleElement, label, variadic
        case functionType, uncurriedFunctionType, thinFunctionType, cFunctionType, blockType, autoclosureType, throwing
        case metatype, existentialMetatype, representation, protocolList
        case inoutType, weak, unowned, unmanaged, dynamicSelf, errorType, box, boxWithLayout, mutableField, immutableField
        case associatedType, genericParameter, dependentMember, dependentName, genericType
        case genericSignature, parameterCount, conformanceRequirement, sameTypeRequirement, layoutRequirement
        case implementationFunction, convention, implementationParameter, implementationResult, implementationError
    }
}
