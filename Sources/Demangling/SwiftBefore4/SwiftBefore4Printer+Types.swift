/// Types.
extension SwiftBefore4Printer {
    mutating func type(_ node: SwiftBefore4Tree.Node) {
        switch node.kind {
        case .type: list(node.children, "")
        case .builtin, .label, .convention, .representation: put(node.text)
        case .boundGeneric: boundGeneric(node)
        case .tuple:
            put("(")
            list(node.children)
            put(")")
        case .tupleElement:
            for child in node.children {
                switch tree[child].kind {
                case .label: put(tree[child].text + ": ")
                case .variadic: put("...")
                default: print(child)
                }
            }
        case .functionType, .uncurriedFunctionType: function(node)
        case .thinFunctionType:
            put("@convention(thin) ")
            function(node)
        case .cFunctionType:
            put("@convention(c) ")
            function(node)
        case .blockType:
            put("@convention(block) ")
            function(node)
        case .autoclosureType:
            put("@autoclosure ")
            function(node)
        case .metatype, .existentialMetatype: metatype(node)
        case .protocolList:
            if node.children.isEmpty { put("Any") } else { list(node.children, " & ") }
        case .inoutType:
            put("inout ")
            list(node.children)
        case .weak:
            put("weak ")
            list(node.children)
        case .unowned:
            put("unowned ")
            list(node.children)
        case .unmanaged:
            put("unowned(unsafe) ")
            list(node.children)
        case .dynamicSelf: put("Self")
        case .errorType: put("<ERROR TYPE>")
        case .box:
            put("@box ")
            list(node.children)
        case .boxWithLayout: box(node)
        case .mutableField:
            put("var ")
            list(node.children)
        case .immutableField:
            put("let ")
            list(node.children)
        default: generic(node)
        }
    }

    private mutating func generic(_ node: SwiftBefore4Tree.Node) {
        switch node.kind {
        case .associatedType, .dependentMember: list(node.children, ".")
        case .dependentName:
            // The protocol that it is declared in comes before it.
            list(node.children.reversed(), ".")
        case .genericParameter: put(parameterName(node.number) + node.text)
        case .genericType:
            print(node.children[0])
            let type = tree.strippingType(node.children[1])
            switch tree[type].kind {
            case .functionType, .uncurriedFunctionType, .genericType: break
            default: put(" ")
            }
            print(type)
        case .genericSignature: signature(node)
        case .conformanceRequirement: list(node.children, ": ")
        case .sameTypeRequirement: list(node.children, " == ")
        case .layoutRequirement:
            list(node.children)
            put(": " + node.text)
        case .implementationFunction: implementationFunction(node)
        case .implementationParameter, .implementationResult: list(node.children, " ")
        case .implementationError:
            put("@error ")
            list(node.children, " ")
        default: break
        }
    }

    /// `(arguments) throws -> result`; in the short form only the arguments' labels.
    private mutating func function(_ node: SwiftBefore4Tree.Node) {
        let arguments = tree.strippingType(node.children[node.children.count - 2])
        let isTuple = tree[arguments].kind == .tuple
        guard isFull else {
            guard isTuple else { return put("(_:)") }
            put("(")
            for element in tree[arguments].children {
                let label = tree.child(element, 0).map { tree[$0] }
                put(label?.kind == .label ? (label?.text ?? "") + ":" : "_:")
            }
            return put(")")
        }
        if !isTuple { put("(") }
        print(arguments)
        if !isTuple { put(")") }
        put(tree[node.children[0]].kind == .throwing ? " throws -> " : " -> ")
        print(node.children[node.children.count - 1])
    }

    private mutating func metatype(_ node: SwiftBefore4Tree.Node) {
        if node.children.count == 2 {
            print(node.children[0])
            put(" ")
        }
        let type = tree.strippingType(node.children[node.children.count - 1])
        guard node.kind == .metatype else {
            print(type)
            return put(".Type")
        }
        parenthesized(type)
        switch tree[type].kind {
        case .existentialMetatype, .protocolList: put(".Protocol")
        default: put(".Type")
        }
    }

    /// With Swift's own short forms for the standard library's containers.
    private mutating func boundGeneric(_ node: SwiftBefore4Tree.Node) {
        let nominal = tree[node.children[0]]
        let arguments = node.children.dropFirst()
        if nominal.kind != .classType, let context = tree.child(node.children[0], 0), tree[context].kind == .module,
            tree[context].text == "Swift",
            let name = tree.child(node.children[0], 1).map({ tree[$0].text })
        {
            switch (nominal.kind, name, arguments.count) {
            case (.enumeration, "Optional", 1):
                parenthesized(tree.strippingType(arguments[1]))
                return put("?")
            case (.enumeration, "ImplicitlyUnwrappedOptional", 1):
                parenthesized(tree.strippingType(arguments[1]))
                return put("!")
            case (.structure, "Array", 1):
                put("[")
                print(arguments[1])
                return put("]")
            case (.structure, "Dictionary", 2):
                put("[")
                list(arguments, " : ")
                return put("]")
            default: break
            }
        }
        print(node.children[0])
        put("<")
        list(arguments)
        put(">")
    }

    /// In parentheses if something after the type could be taken for a part of it.
    private mutating func parenthesized(_ type: ID) {
        let isSimple: Bool
        switch tree[type].kind {
        case .functionType, .uncurriedFunctionType, .thinFunctionType, .cFunctionType, .blockType, .autoclosureType,
            .implementationFunction, .inoutType,
            .weak, .unowned, .unmanaged, .genericType:
            isSimple = false
        case .protocolList: isSimple = tree[type].children.count <= 1
        default: isSimple = true
        }
        if !isSimple { put("(") }
        print(type)
        if !isSimple { put(")") }
    }

    private mutating func box(_ node: SwiftBefore4Tree.Node) {
        let fields = node.children.prefix(node.number)
        let rest = node.children.dropFirst(node.number)
        if let signature = rest.first {
            print(signature)
            put(" ")
        }
        put("{")
        if !fields.isEmpty { put(" ") }
        list(fields)
        put(" }")
        if !rest.isEmpty {
            put(" <")
            list(rest.dropFirst())
            put(">")
        }
    }

    /// `<A, B><A1 where A: P>`: levels of parameters, then constraints, which the short form leaves
    /// out.
    private mutating func signature(_ node: SwiftBefore4Tree.Node) {
        put("<")
        var level = 0
        var requirements: [ID] = []
        for child in node.children {
            guard tree[child].kind == .parameterCount else {
                requirements.append(child)
                continue
            }
            if level > 0 { put("><") }
            let count = tree[child].number
            for index in 0..<min(count, 128) {
                if index > 0 { put(", ") }
                put(parameterName(index) + (level == 0 ? "" : String(level)))
            }
            if count > 128 { put(", ...") }
            level += 1
        }
        if isFull, !requirements.isEmpty {
            put(" where ")
            list(requirements)
        }
        put(">")
    }

    /// A, B, … Z, AB, BB, …: the digits of the number in base 26, lowest first.
    private func parameterName(_ number: Int) -> String {
        var name = ""
        var rest = number
        repeat {
            name.unicodeScalars.append(Unicode.Scalar(UInt8(65 + rest % 26)))
            rest /= 26
        } while rest > 0
        return name
    }

    private mutating func implementationFunction(_ node: SwiftBefore4Tree.Node) {
        var parameters: [ID] = []
        var results: [ID] = []
        for child in node.children {
            switch tree[child].kind {
            case .implementationParameter: parameters.append(child)
            case .implementationResult, .implementationError: results.append(child)
            default:
                print(child)
                put(" ")
            }
        }
        put("(")
        list(parameters)
        put(") -> (")
        list(results)
        put(")")
    }
}
