/// Expressions.
extension ItaniumPrinter {
    @inline(never)
    mutating func expression(_ node: ItaniumNode) {
        switch node.kind {
        case .binary:
            binary(node)
        case .subscripted:
            operand(node.a, node.precedence)
            open("[")
            operand(node.b)
            close("]")
        case .postfix:
            operand(node.a, node.precedence, orAsTightly: true)
            put(text: symbol(node))
        case .prefix:
            put(text: symbol(node))
            operand(node.a, node.precedence)
        case .conditional:
            operand(node.a, node.precedence)
            put(" ? ")
            operand(node.b)
            put(" : ")
            operand(node.c, .assignment, orAsTightly: true)
        case .memberAccess:
            operand(node.a, node.precedence, orAsTightly: true)
            put(text: symbol(node))
            operand(node.b, node.precedence)
        case .subobject:
            print(tree.member(node.range, 0))
            put(".<")
            print(tree.member(node.range, 1))
            put(" at offset ")
            let offset = NameRange(start: tree.member(node.range, 2), count: tree.member(node.range, 3))
            if offset.isEmpty { put("0") } else { putNumber(offset) }
            put(">")
        case .enclosing:
            put(node.word.text)
            open()
            print(node.a)
            close()
        case .cast:
            put(text: symbol(node))
            let saved = angles
            angles = Angles(isInside: true)
            put("<")
            left(node.a)
            put(">")
            angles = saved
            open()
            operand(node.b)
            close()
        case .sizeofPack:
            put("sizeof...")
            open()
            expansion(of: node.a)
            close()
        case .call:
            if node.detail == 1 { open() }
            print(node.a)
            if node.detail == 1 { close() }
            parenthesized(node.range)
        case .new:
            new(node)
        case .delete:
            if node.detail & 1 != 0 { put("::") }
            put(node.detail & 2 != 0 ? "delete[] " : "delete ")
            print(node.a)
        case .parameterReference:
            put("fp")
            put(node.range)
        case .converted:
            open()
            print(node.a)
            close()
            parenthesized(node.range)
        case .memberPointerConversion:
            open()
            print(node.a)
            close()
            open()
            print(node.b)
            close()
        case .fold:
            fold(node)
        case .thrown:
            put("throw ")
            print(node.a)
        default:
            literal(node)
        }
    }

    private func symbol(_ node: ItaniumNode) -> String { ItaniumOperator.table[Int(node.detail)].symbol }

    mutating func parenthesized(_ members: NameRange, from first: Int = 0, to end: Int? = nil) {
        open()
        list(members, from: first, to: end)
        close()
    }

    private mutating func binary(_ node: ItaniumNode) {
        let symbol = symbol(node)
        // `>` would end the template arguments around it. LLVM's demangler is as careful outside of
        // any.
        let isParenthesized = angles.parentheses == 0 && (symbol == ">" || symbol == ">>")
        if isParenthesized { open() }
        // Assignments group from the right, all others from the left.
        let isAssignment = node.precedence == .assignment
        operand(node.a, isAssignment ? .logicalOr : node.precedence, orAsTightly: !isAssignment)
        put(symbol == "," ? ", " : " ")
        if symbol != "," {
            put(text: symbol)
            put(" ")
        }
        operand(node.b, node.precedence, orAsTightly: isAssignment)
        if isParenthesized { close() }
    }

    /// `(... + pack)`, `(pack + ...)`, `(first + ... + pack)`, `(pack + ... + last)`
    private mutating func fold(_ node: ItaniumNode) {
        let isLeft = node.c == 1
        let hasInitial = node.b != ItaniumTree.none
        let symbol = symbol(node)
        open()
        if !isLeft || hasInitial {
            foldOperand(node, isPack: !isLeft)
            put(" ")
            put(text: symbol)
            put(" ")
        }
        put("...")
        if isLeft || hasInitial {
            put(" ")
            put(text: symbol)
            put(" ")
            foldOperand(node, isPack: isLeft)
        }
        close()
    }

    private mutating func foldOperand(_ node: ItaniumNode, isPack: Bool) {
        guard isPack else { return operand(node.b, .cast, orAsTightly: true) }
        open()
        expansion(of: node.a)
        close()
    }

    private mutating func new(_ node: ItaniumNode) {
        if node.detail & 1 != 0 { put("::") }
        put(node.detail & 2 != 0 ? "new[]" : "new")
        let placementEnd = 2 + Int(tree.member(node.range, 1))
        if placementEnd > 2 { parenthesized(node.range, from: 2, to: placementEnd) }
        put(" ")
        print(tree.member(node.range, 0))
        if Int(node.c) > placementEnd { parenthesized(node.range, from: placementEnd) }
    }
}
