/// Expressions (5.1.6.1), which occur in the signatures of templates.
extension ItaniumParser {
    /// `<expression>`: an operator and its operands, a literal, a parameter, or a name that depends
    /// on one.
    mutating func expression() throws(Malformed) -> ID {
        try enter()
        defer { leave() }
        let isGlobal = cursor.consume("g", "s")
        if let index = ItaniumOperator.index(cursor.next, cursor.peek(1)) {
            cursor.skip(2)
            return try operation(index, isGlobal: isGlobal)
        }
        guard cursor.left >= 2 else { throw Malformed() }
        switch (cursor.next, cursor.peek(1)) {
        case ("L", _):
            return try primaryExpression()
        case ("T", _):
            return try templateParameter()
        case ("f", "p"):
            return try functionParameter()
        case ("f", "L") where isDigit(cursor.peek(2)):
            return try functionParameter()
        case ("f", _):
            return try foldExpression()
        case ("i", "l"):
            cursor.skip(2)
            return add(.initializerList, ItaniumTree.none, try list(.braced))
        case ("t", "l"):
            cursor.skip(2)
            let type = try type()
            return add(.initializerList, type, try list(.braced))
        case ("m", "c"):
            return try memberPointerConversion()
        case ("n", "x"):
            cursor.skip(2)
            let operand = try expression()
            return tree.add(ItaniumNode(kind: .enclosing, precedence: .unary, word: .noexceptOperator, a: operand))
        case ("r", "q"), ("r", "Q"):
            return try requiresExpression()
        case ("s", "o"):
            return try subobject()
        case ("s", "p"):
            cursor.skip(2)
            return add(.expansion, try expression())
        case ("s", "Z"):
            cursor.skip(2)
            if cursor.next == "T" { return add(.sizeofPack, try templateParameter()) }
            return add(.enclosing, .sizeOfPack, try functionParameter())
        case ("s", "P"):
            cursor.skip(2)
            let members = try list(.arguments)
            return add(.enclosing, .sizeOfPack, add(.sequence, ItaniumTree.none, members))
        case ("t", "r"):
            cursor.skip(2)
            return add(fixed: .throw)
        case ("t", "w"):
            cursor.skip(2)
            return add(.thrown, try expression())
        case ("u", _):
            return try vendorExpression()
        default:
            return try unresolvedName(isGlobal: isGlobal)
        }
    }

    /// Kind of the members of a list that ends with `E`.
    private enum ListMembers { case expressions, braced, arguments }

    private mutating func list(_ members: ListMembers) throws(Malformed) -> NameRange {
        let start = pending.count
        while !cursor.consume("E") {
            switch members {
            case .expressions: pending.append(try expression())
            case .braced: pending.append(try bracedExpression())
            case .arguments: pending.append(try templateArgument())
            }
        }
        return movePending(from: start)
    }

    /// The operands of the operator whose letters were just read.
    private mutating func operation(_ index: Int, isGlobal: Bool) throws(Malformed) -> ID {
        let found = ItaniumOperator.table[index]
        let tableIndex = UInt8(truncatingIfNeeded: index)
        let precedence = found.precedence
        switch found.form {
        case .binary:
            let left = try expression()
            return add(expression: .binary, precedence, left, try expression(), detail: tableIndex)
        case .prefix:
            return add(expression: .prefix, precedence, try expression(), detail: tableIndex)
        case .postfix:
            // `pp_` and `mm_` are the prefix forms.
            if cursor.consume("_") { return add(expression: .prefix, precedence, try expression(), detail: tableIndex) }
            return add(expression: .postfix, precedence, try expression(), detail: tableIndex)
        case .subscripted:
            let base = try expression()
            return add(expression: .subscripted, precedence, base, try expression())
        case .member, .unnamedMember:
            let left = try expression()
            return add(expression: .memberAccess, precedence, left, try expression(), detail: tableIndex)
        case .conditional:
            let condition = try expression()
            let first = try expression()
            return add(expression: .conditional, precedence, condition, first, try expression())
        case .new:
            return try newExpression(found, isGlobal: isGlobal)
        case .delete:
            let operand = try expression()
            return add(expression: .delete, precedence, operand, detail: (isGlobal ? 1 : 0) | (found.isArray ? 2 : 0))
        case .call, .parenthesizedCall:
            // `cp` is a call without argument-dependent lookup: `(f)(x)`.
            let callee = try expression()
            let arguments = try list(.expressions)
            return add(
                expression: .call, precedence, callee, arguments.start, arguments.count, detail: found.form == .parenthesizedCall ? 1 : 0)
        case .conversion:
            return try conversionExpression(precedence)
        case .namedCast:
            let type = try type()
            return add(expression: .cast, precedence, type, try expression(), detail: tableIndex)
        case .ofType, .ofExpression:
            let operand = found.form == .ofType ? try type() : try expression()
            let word: ItaniumWord = found.symbol == "sizeof " ? .sizeOf : found.symbol == "typeid " ? .typeID : .alignOf
            return tree.add(ItaniumNode(kind: .enclosing, precedence: precedence, word: word, a: operand))
        case .nameOnly:
            throw Malformed()
        }
    }

    /// `[gs] nw <expression>* _ <type> [pi <expression>*] E`
    ///
    /// The node's list: type, count of placement arguments, these, initialisers.
    private mutating func newExpression(_ found: ItaniumOperator, isGlobal: Bool) throws(Malformed) -> ID {
        let start = pending.count
        while !cursor.consume("_") { pending.append(try expression()) }
        let placementCount = pending.count - start
        let type = try type()
        let hasInitializer = cursor.consume("p", "i")
        while !cursor.consume("E") {
            guard hasInitializer else { throw Malformed() }
            pending.append(try expression())
        }
        pending.insert(contentsOf: [type, Int32(truncatingIfNeeded: placementCount)], at: start)
        let members = movePending(from: start)
        return add(
            expression: .new, found.precedence, ItaniumTree.none, members.start, members.count,
            detail: (isGlobal ? 1 : 0) | (found.isArray ? 2 : 0))
    }

    /// `cv <type> <expression>` or `cv <type> _ <expression>* E`
    private mutating func conversionExpression(_ precedence: ItaniumPrecedence) throws(Malformed) -> ID {
        let saved = templateArgumentsMayFollow
        templateArgumentsMayFollow = false
        let type = try type()
        templateArgumentsMayFollow = saved
        if cursor.consume("_") {
            let operands = try list(.expressions)
            return add(expression: .converted, precedence, type, operands.start, operands.count)
        }
        let start = pending.count
        pending.append(try expression())
        let operands = movePending(from: start)
        return add(expression: .converted, precedence, type, operands.start, operands.count)
    }

    /// `<function-param> ::= fp [<CV-qualifiers>] [<number>] _ | fL <level> p [<CV-qualifiers>]
    /// [<number>] _ | fpT`, the last being `this`.
    private mutating func functionParameter() throws(Malformed) -> ID {
        if cursor.consume(text: "fpT") { return add(fixed: .this) }
        if cursor.consume("f", "L") {
            guard !cursor.readDigits().isEmpty, cursor.consume("p") else { throw Malformed() }
        } else {
            guard cursor.consume("f", "p") else { throw Malformed() }
        }
        _ = cvQualifiers()
        let number = cursor.readDigits()
        guard cursor.consume("_") else { throw Malformed() }
        return add(.parameterReference, ItaniumTree.none, number)
    }

    /// `fl`, `fr <operator> <pack>`; `fL <operator> <initial> <pack>`,
    /// `fR <operator> <pack> <initial>`
    private mutating func foldExpression() throws(Malformed) -> ID {
        let letter = cursor.peek(1)
        let isLeft = letter == "l" || letter == "L"
        guard isLeft || letter == "r" || letter == "R" else { throw Malformed() }
        cursor.skip(2)
        guard let index = ItaniumOperator.index(cursor.next, cursor.peek(1)), ItaniumOperator.table[index].folds else { throw Malformed() }
        cursor.skip(2)
        var pack = try expression()
        var initial = letter == "L" || letter == "R" ? try expression() : ItaniumTree.none
        if letter == "L" { swap(&pack, &initial) }
        return add(.fold, pack, initial, isLeft ? 1 : 0, detail: UInt8(truncatingIfNeeded: index))
    }

    /// `mc <type> <expression> [<offset>] E`: a pointer to a member of a base as one to a member of
    /// the derived class, in a template argument.
    private mutating func memberPointerConversion() throws(Malformed) -> ID {
        cursor.skip(2)
        let type = try type()
        let operand = try expression()
        _ = number()
        guard cursor.consume("E") else { throw Malformed() }
        return add(expression: .memberPointerConversion, .unary, type, operand)
    }

    /// `so <type> <expression> [<offset>] (_ [<number>])* [p] E`: the address of a part of an
    /// object, in a template argument.
    ///
    /// The node's list: expression, type, the offset's start and length.
    private mutating func subobject() throws(Malformed) -> ID {
        cursor.skip(2)
        let type = try type()
        let object = try expression()
        let offset = number()
        while cursor.consume("_") { _ = cursor.readDigits() }
        _ = cursor.consume("p")
        guard cursor.consume("E") else { throw Malformed() }
        let start = pending.count
        pending += [object, type, offset.start, offset.count]
        return add(.subobject, ItaniumTree.none, movePending(from: start))
    }

    /// `<number> ::= [n] <digits>`, with its sign's letter; empty if there is no number.
    mutating func number() -> NameRange {
        let start = cursor.position
        _ = cursor.consume("n")
        if cursor.readDigits().isEmpty { return NameRange() }
        return cursor.range(from: start)
    }

    /// ```
    /// <braced-expression> ::= di <field> <braced-expression>                  # .field = …
    ///                     ::= dx <index> <braced-expression>                  # [index] = …
    ///                     ::= dX <first> <last> <braced-expression>           # [first ... last] = …
    ///                     ::= <expression>
    /// ```
    private mutating func bracedExpression() throws(Malformed) -> ID {
        try enter()
        defer { leave() }
        if cursor.consume("d", "i") {
            let field = try sourceName()
            return add(.designated, field, try bracedExpression())
        }
        if cursor.consume("d", "x") {
            let index = try expression()
            return add(.designated, index, try bracedExpression(), detail: 1)
        }
        if cursor.consume("d", "X") {
            let first = try expression()
            let last = try expression()
            return add(.designatedRange, first, last, try bracedExpression())
        }
        return try expression()
    }

    /// `u <source-name> <template-arg>* E`: a vendor's expression; `__uuidof` has one type after
    /// `t` or one expression after `z`.
    private mutating func vendorExpression() throws(Malformed) -> ID {
        cursor.skip()
        let name = try sourceName()
        if kind(of: name) == .identifier, cursor.slice(tree[name].range).elementsEqual("__uuidof".utf8),
            cursor.next == "t" || cursor.next == "z"
        {
            let hasTypeArgument = cursor.consume("t")
            if !hasTypeArgument { cursor.skip() }
            let start = pending.count
            pending.append(hasTypeArgument ? try type() : try expression())
            let operands = movePending(from: start)
            return add(expression: .call, .postfix, name, operands.start, operands.count)
        }
        let operands = try list(.arguments)
        return add(expression: .call, .postfix, name, operands.start, operands.count)
    }
}
