/// Declarations and what they are declared in.
extension SwiftBefore4Printer {
    /// How a declaration shows its type.
    private enum TypeForm { case none, behindColon, asFunction }

    mutating func declaration(_ id: ID, _ node: SwiftBefore4Tree.Node, asPrefix: Bool) -> ID? {
        switch node.kind {
        case .module:
            if isFull { put(node.text) }
            return nil
        case .extensionContext:
            extensionContext(node)
            return nil
        case .isStatic:
            put("static ")
            list(node.children)
            return nil
        case .classType, .structure, .enumeration, .protocolType, .typeAlias:
            return entity(id, node, asPrefix, .none, name: tree.child(id, 1))
        case .function:
            return entity(id, node, asPrefix, .asFunction, name: tree.child(id, 1))
        case .variable:
            return entity(id, node, asPrefix, .behindColon, name: tree.child(id, 1))
        case .subscripted:
            return entity(id, node, asPrefix, .asFunction, fixedName: "subscript")
        case .accessor:
            let storage = node.children[0]
            if tree[storage].kind == .variable {
                return entity(storage, tree[storage], asPrefix, .behindColon, name: tree.child(storage, 1), extra: node.text)
            }
            return entity(storage, tree[storage], asPrefix, .behindColon, fixedName: "subscript", extra: node.text)
        case .explicitClosure:
            return entity(id, node, asPrefix, isFull ? .asFunction : .none, extra: "closure #\(node.number + 1)")
        case .implicitClosure:
            return entity(id, node, asPrefix, isFull ? .asFunction : .none, extra: "implicit closure #\(node.number + 1)")
        case .variableInitializer:
            return entity(id, node, asPrefix, .none, extra: "variable initialization expression")
        case .defaultArgument:
            return entity(id, node, asPrefix, .none, extra: "default argument \(node.number)")
        case .allocator:
            return entity(id, node, asPrefix, .asFunction, extra: isInClass(node) ? "__allocating_init" : "init")
        case .constructor:
            return entity(id, node, asPrefix, .asFunction, extra: "init")
        case .deallocator:
            return entity(id, node, asPrefix, .none, extra: isInClass(node) ? "__deallocating_deinit" : "deinit")
        case .destructor:
            return entity(id, node, asPrefix, .none, extra: "deinit")
        case .ivarInitializer:
            return entity(id, node, asPrefix, .none, extra: "__ivar_initializer")
        case .ivarDestroyer:
            return entity(id, node, asPrefix, .none, extra: "__ivar_destroyer")
        default:
            return nil
        }
    }

    private func isInClass(_ node: SwiftBefore4Tree.Node) -> Bool { tree[node.children[0]].kind == .classType }

    private mutating func extensionContext(_ node: SwiftBefore4Tree.Node) {
        if isFull {
            put("(extension in ")
            print(node.children[0], asPrefix: true)
            put("):")
        }
        list(node.children.dropFirst(), "")
    }

    /// `context.name.extra : type`; `extra in context` where words part it from the context.
    /// - Parameters:
    ///   - name: the declaration's own name.
    ///   - fixedName: A keyword that replaces the name.
    ///   - extra: Name of the accessor or other function of the declaration.
    private mutating func entity(
        _ id: ID, _ node: SwiftBefore4Tree.Node, _ asPrefix: Bool, _ form: TypeForm, name: ID? = nil, fixedName: String = "",
        extra: String = ""
    ) -> ID? {
        let hasSpaces = extra.contains(" ") || name.map { tree[$0].kind == .localName } ?? false
        // A type after the context would be taken for one of the name's.
        if asPrefix && (form != .none || hasSpaces) { return id }

        let context = node.children[0]
        var contextBehind: ID?
        if hasSpaces {
            contextBehind = context
        } else {
            let length = output.utf8.count
            contextBehind = print(context, asPrefix: true)
            if output.utf8.count != length { put(".") }
        }

        if let name { print(name) }
        put(fixedName)
        if tree[node.children[node.children.count - 1]].kind == .privateName, name == nil { print(node.children[node.children.count - 1]) }
        if !extra.isEmpty {
            if name != nil || !fixedName.isEmpty { put(".") }
            put(extra)
        }

        let type = node.children.first { tree[$0].kind == .type }
        if form != .none, let type {
            let bare = tree.strippingType(type)
            if form == .asFunction && isFunction(bare) {
                if hasSpaces || needsSpace(bare) { put(" ") }
                if isFull { print(type) } else { labels(of: bare, in: context) }
            } else if isFull {
                put(" : ")
                print(type)
            }
        }

        guard !asPrefix, let behind = contextBehind else { return contextBehind }
        switch node.kind {
        case .defaultArgument, .variableInitializer: put(" of ")
        default: put(" in ")
        }
        print(behind)
        return nil
    }

    private func isFunction(_ id: ID) -> Bool {
        var id = id
        while tree[id].kind == .genericType { id = tree.strippingType(tree[id].children[1]) }
        switch tree[id].kind {
        case .functionType, .uncurriedFunctionType, .cFunctionType, .thinFunctionType: return true
        default: return false
        }
    }

    private func needsSpace(_ id: ID) -> Bool {
        switch tree[id].kind {
        case .functionType, .uncurriedFunctionType, .genericType: false
        default: true
        }
    }

    /// The short form of a function's type: `<A>(_:baz:)`.
    private mutating func labels(of type: ID, in context: ID) {
        let node = tree[type]
        if node.kind == .genericType {
            print(node.children[0])
            let function = tree.strippingType(node.children[1])
            if needsSpace(function) { put(" ") }
            return labels(of: function, in: context)
        }
        if let method = methodBehindSelf(type, in: context) { return labels(of: method, in: context) }
        print(type)
    }

    /// Swift 1 and 2 mangled a method as a function of `self`, or of the type for initialisers and
    /// static methods, that gives a function.
    ///
    /// A method of Swift 3 that has one parameter of its own type and returns a function looks the
    /// same, and is treated as a method of Swift 2.
    private func methodBehindSelf(_ type: ID, in context: ID) -> ID? {
        let node = tree[type]
        guard node.kind == .uncurriedFunctionType || node.kind == .functionType else { return nil }
        let result = tree.strippingType(node.children[node.children.count - 1])
        guard tree[result].kind == .functionType else { return nil }
        var receiver = tree.strippingType(node.children[node.children.count - 2])
        while tree[receiver].kind == .inoutType || tree[receiver].kind == .metatype {
            receiver = tree.strippingType(tree[receiver].children[tree[receiver].children.count - 1])
        }
        if tree[receiver].kind == .boundGeneric { receiver = tree[receiver].children[0] }
        var owner = context
        if tree[owner].kind == .extensionContext { owner = tree[owner].children[1] }
        return isSame(receiver, owner) ? result : nil
    }

    /// Whether two nodes are the same nominal type: a reference to an earlier part is that part,
    /// and names of the standard library are compared as text.
    private func isSame(_ left: ID, _ right: ID) -> Bool {
        if left == right { return true }
        let (left, right) = (tree[left], tree[right])
        guard left.kind == right.kind, left.text == right.text, left.children.count == right.children.count else { return false }
        switch left.kind {
        case .classType, .structure, .enumeration, .module, .identifier:
            return zip(left.children, right.children).allSatisfy { isSame($0, $1) }
        default: return false
        }
    }
}
