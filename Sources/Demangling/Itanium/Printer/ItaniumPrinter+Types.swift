/// Types, template arguments and parameters.
extension ItaniumPrinter {
    @inline(never)
    mutating func typeLeft(_ id: ID, _ node: ItaniumNode) {
        switch node.kind {
        case .qualified:
            left(node.a)
            put(ItaniumQualifiers(rawValue: node.detail))
        case .pointer:
            // `objc_object<P>*` is how clang mangles `id<P>`.
            if isObjectiveCObject(node.a) {
                put("id<")
                put(tree[node.a].range)
                put(">")
                return
            }
            left(node.a)
            openDeclarator(node.a)
            put("*")
        case .reference:
            guard let (target, isRvalue) = collapsed(id, node) else { return }
            tree[id].c = 1
            left(target)
            openDeclarator(target)
            put(isRvalue ? "&&" : "&")
            tree[id].c = ItaniumTree.none
        case .memberPointer:
            left(node.b)
            put(isArray(node.b) || isFunction(node.b) ? "(" : " ")
            print(node.a)
            put("::*")
        case .array:
            left(node.a)
        case .function:
            left(tree.member(node.range, 0))
            put(" ")
        case .vector:
            print(node.a)
            put(" vector[")
            print(node.b)
            put("]")
        case .pixelVector:
            put("pixel vector[")
            put(node.range)
            put("]")
        case .binaryFloat:
            put("_Float")
            put(node.range)
        case .bitInteger:
            put(node.detail == 1 ? "unsigned _BitInt" : "_BitInt")
            open()
            operand(node.a)
            close()
        case .fixedPoint:
            if node.detail & 2 != 0 { put("_Sat ") }
            switch Unicode.Scalar(UInt32(bitPattern: node.a)) {
            case "s": put("short ")
            case "t": put("unsigned short ")
            case "j": put("unsigned ")
            case "l": put("long ")
            case "m": put("unsigned long ")
            default: break
            }
            put(node.detail & 1 != 0 ? "_Fract" : "_Accum")
        case .elaborated:
            put(node.word.text)
            print(node.a)
        case .transformed:
            put(node.range)
            put("(")
            print(node.a)
            put(")")
        case .vendorQualified:
            print(node.a)
            put(" ")
            put(node.range)
        case .vendorArguments:
            print(node.a)
            print(node.b)
        case .protocolQualified:
            print(node.a)
            put("<")
            put(node.range)
            put(">")
        case .suffixedType:
            left(node.a)
            put(node.word.text)
        case .noexceptIf:
            put("noexcept")
            open()
            operand(node.a)
            close()
        case .throwing:
            put("throw")
            open()
            list(node.range)
            close()
        default:
            templatePart(id, node)
        }
    }

    @inline(never)
    private mutating func templatePart(_ id: ID, _ node: ItaniumNode) {
        switch node.kind {
        case .templateArguments:
            let saved = angles
            angles = Angles(isInside: true)
            put("<")
            list(node.range)
            put(">")
            angles = saved
        case .pack:
            if let member = currentMember(of: node) { left(member) }
        case .argumentPack:
            list(node.range)
        case .expansion:
            expansion(of: node.a)
        case .declaredArgument:
            print(node.a)
        case .forwardReference:
            guard node.detail == 0 else { return noteCycle() }
            tree[id].detail = 1
            left(node.b)
            tree[id].detail = 0
        case .inventedParameter:
            put(node.word.text)
            if node.a > 0 { put(text: String(node.a - 1)) }
        case .typeParameter:
            put("typename ")
        case .constrainedParameter:
            print(node.b)
            put(" ")
        case .valueParameter:
            left(node.b)
            if !hasRight(node.b) { put(" ") }
        case .templateParameter:
            let saved = angles
            angles = Angles(isInside: true)
            put("template<")
            list(node.range, from: 2)
            put("> typename ")
            angles = saved
        case .packParameter:
            left(node.a)
            put("...")
        default:
            break
        }
    }

    @inline(never)
    mutating func typeRight(_ id: ID, _ node: ItaniumNode) {
        switch node.kind {
        case .qualified:
            right(node.a)
        case .pointer:
            if !isObjectiveCObject(node.a) { closeDeclarator(node.a) }
        case .reference:
            guard let (target, _) = collapsed(id, node) else { return }
            tree[id].c = 1
            closeDeclarator(target)
            tree[id].c = ItaniumTree.none
        case .memberPointer:
            closeDeclarator(node.b)
        case .array:
            if output.last != UInt8(ascii: "]") { put(" ") }
            put("[")
            print(node.b)
            put("]")
            right(node.a)
        case .function:
            open()
            list(node.range, from: 2)
            close()
            right(tree.member(node.range, 0))
            put(ItaniumQualifiers(rawValue: node.detail))
            let exceptions = tree.member(node.range, 1)
            if exceptions != ItaniumTree.none {
                put(" ")
                print(exceptions)
            }
        case .encoding:
            open()
            list(node.range, from: 4)
            close()
            right(tree.member(node.range, 0))
            put(ItaniumQualifiers(rawValue: node.detail))
            print(tree.member(node.range, 2))
            let constraint = tree.member(node.range, 3)
            if constraint != ItaniumTree.none {
                put(" requires ")
                print(constraint)
            }
        case .pack:
            if let member = currentMember(of: node) { right(member) }
        case .forwardReference:
            guard node.detail == 0 else { return noteCycle() }
            tree[id].detail = 1
            right(node.b)
            tree[id].detail = 0
        case .typeParameter, .constrainedParameter:
            print(node.a)
        case .valueParameter:
            print(node.a)
            right(node.b)
        case .templateParameter:
            print(tree.member(node.range, 0))
            let constraint = tree.member(node.range, 1)
            if constraint != ItaniumTree.none {
                put(" requires ")
                print(constraint)
            }
        case .packParameter:
            right(node.a)
        default:
            break
        }
    }

    private mutating func put(_ qualifiers: ItaniumQualifiers) {
        if qualifiers.isEmpty { return }
        if qualifiers.contains(.const) { put(" const") }
        if qualifiers.contains(.volatile) { put(" volatile") }
        if qualifiers.contains(.restrict) { put(" restrict") }
        if qualifiers.contains(.lvalue) { put(" &") } else if qualifiers.contains(.rvalue) { put(" &&") }
    }

    /// `int (*)[3]`, `int (*)(char)`: the text between the target's left part and the `*` or `&`.
    private mutating func openDeclarator(_ target: ID) {
        if isArray(target) { put(" (") } else if isFunction(target) { put("(") }
    }

    private mutating func closeDeclarator(_ target: ID) {
        if isArray(target) || isFunction(target) { put(")") }
        right(target)
    }

    private func isObjectiveCObject(_ id: ID) -> Bool {
        guard id != ItaniumTree.none, tree[id].kind == .protocolQualified, case let base = tree[tree[id].a], base.kind == .identifier else {
            return false
        }
        return cursor.slice(base.range).elementsEqual("objc_object".utf8)
    }

    /// Final target of a reference: `&` to `&&` is `&`, only `&&` to `&&` is `&&`.
    /// References to references arise from template arguments.
    /// - Returns: `nil` if the reference is inside of itself, as only a hostile name's can be.
    private mutating func collapsed(_ id: ID, _ node: ItaniumNode) -> (target: ID, isRvalue: Bool)? {
        guard node.c == ItaniumTree.none else {
            noteCycle()
            return nil
        }
        var isRvalue = node.detail == 1
        var target = node.a
        for _ in 0..<32 {
            let found = syntax(of: target)
            guard found != ItaniumTree.none, tree[found].kind == .reference else { return (target, isRvalue) }
            isRvalue = isRvalue && tree[found].detail == 1
            target = tree[found].a
        }
        return nil
    }

    /// The type itself, without packs and forward references around it.
    private mutating func syntax(of id: ID) -> ID {
        var id = id
        for _ in 0..<32 {
            guard id != ItaniumTree.none else { return id }
            let node = tree[id]
            switch node.kind {
            case .pack:
                guard let member = currentMember(of: node) else { return id }
                id = member
            case .forwardReference:
                guard node.detail == 0 else {
                    noteCycle()
                    return id
                }
                id = node.b
            default:
                return id
            }
        }
        return id
    }
}
