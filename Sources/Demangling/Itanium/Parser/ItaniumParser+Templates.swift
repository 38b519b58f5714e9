/// Template arguments and parameters, lambdas (5.1.5.8, 5.1.8).
extension ItaniumParser {
    /// `<template-args> ::= I <template-arg>* [Q <requires-clause>] E`
    /// - Parameter ofEncoding: these are the arguments that `T_` and so on mean from now on.
    mutating func templateArguments(ofEncoding: Bool = false) throws(Malformed) -> ID {
        guard cursor.consume("I") else { throw Malformed() }
        if ofEncoding { scopes.beginArguments() }
        // The type of a conversion operator does not end with arguments; within its own arguments
        // types do. (LLVM does not think of that, and leaves such names.)
        let outerArgumentsMayFollow = templateArgumentsMayFollow
        templateArgumentsMayFollow = true
        defer { templateArgumentsMayFollow = outerArgumentsMayFollow }
        let start = pending.count
        while !cursor.consume("E") {
            let argument = try templateArgument()
            pending.append(argument)
            if ofEncoding {
                switch kind(of: argument) {
                case .declaredArgument: scopes.addArgument(tree[argument].a)
                case .argumentPack: scopes.addArgument(pack(of: tree[argument].range))
                default: scopes.addArgument(argument)
                }
            }
            // A constraint is read for its substitutions; LLVM does not print it.
            if cursor.consume("Q") {
                _ = try constraintExpression()
                guard cursor.consume("E") else { throw Malformed() }
                break
            }
        }
        return add(.templateArguments, ItaniumTree.none, movePending(from: start))
    }

    /// The pack that a parameter means. The common shape of its members is known only if they
    /// agree.
    private mutating func pack(of members: NameRange) -> ID {
        var seen: ItaniumNode.Shape = .plain
        for index in 0..<Int(members.count) { seen.formUnion(shape(of: tree.member(members, index))) }
        var shape: ItaniumNode.Shape = .plain
        if !seen.isDisjoint(with: [.right, .rightUnknown]) { shape.insert(.rightUnknown) }
        if !seen.isDisjoint(with: [.array, .arrayUnknown]) { shape.insert(.arrayUnknown) }
        if !seen.isDisjoint(with: [.function, .functionUnknown]) { shape.insert(.functionUnknown) }
        return add(.pack, ItaniumTree.none, members, shape: shape)
    }

    /// ```
    /// <template-arg> ::= <type>
    ///                ::= X <expression> E
    ///                ::= <expr-primary>
    ///                ::= J <template-arg>* E
    ///                ::= LZ <encoding> E                 # gcc before 4.5
    ///                ::= <template-param-decl> <template-arg>
    /// ```
    mutating func templateArgument() throws(Malformed) -> ID {
        try enter()
        defer { leave() }
        switch cursor.next {
        case "X":
            cursor.skip()
            let argument = try expression()
            guard cursor.consume("E") else { throw Malformed() }
            return argument
        case "J":
            cursor.skip()
            let start = pending.count
            while !cursor.consume("E") { pending.append(try templateArgument()) }
            return add(.argumentPack, ItaniumTree.none, movePending(from: start))
        case "L" where cursor.peek(1) == "Z":
            cursor.skip(2)
            let argument = try encoding()
            guard cursor.consume("E") else { throw Malformed() }
            return argument
        case "L":
            return try primaryExpression()
        case "T" where templateParameterDeclarationIsNext:
            let declaration = try templateParameterDeclaration(in: nil)
            return add(.declaredArgument, try templateArgument(), declaration)
        default:
            return try type()
        }
    }

    /// ```
    /// <template-param> ::= T [<number>] _
    ///                  ::= TL <level> _ [<number>] _
    /// ```
    mutating func templateParameter() throws(Malformed) -> ID {
        let start = cursor.position
        guard cursor.consume("T") else { throw Malformed() }
        var level = 0
        if cursor.consume("L") {
            level = try cursor.readDecimal() + 1
            guard cursor.consume("_") else { throw Malformed() }
        }
        var index = 0
        if !cursor.consume("_") {
            index = try cursor.readDecimal() + 1
            guard cursor.consume("_") else { throw Malformed() }
        }
        // Enclosing templates' parameters, which a constraint may use, are not all known: LLVM
        // prints the reference itself, without its last underscore.
        if inConstraint {
            var text = cursor.range(from: start)
            text.count -= 1
            return add(.identifier, ItaniumTree.none, text)
        }
        if forwardReferencesAllowed && level == 0 {
            let reference = add(.forwardReference, Int32(truncatingIfNeeded: index), shape: .unknown)
            forwardReferences.append(reference)
            return reference
        }
        if let argument = scopes.parameter(level: level, index: index) {
            if level == 0 { read.parameters &+= 1 }
            return argument
        }
        // In a generic lambda's parameters, `auto` is mangled as the template parameter that it
        // amounts to.
        guard lambdaLevel == level, level <= scopes.levelCount else { throw Malformed() }
        if level == scopes.levelCount { scopes.addUnlistedLevel() }
        read.lambdaParameters &+= 1
        return add(fixed: .auto)
    }

    var templateParameterDeclarationIsNext: Bool {
        guard cursor.next == "T" else { return false }
        switch cursor.peek(1) {
        case "y", "p", "t", "n", "k": return true
        default: return false
        }
    }

    /// ```
    /// <template-param-decl> ::= Ty                            # type
    ///                       ::= Tk <concept>                  # constrained type
    ///                       ::= Tn <type>                     # value
    ///                       ::= Tt <template-param-decl>* E   # template
    ///                       ::= Tp <template-param-decl>      # pack
    /// ```
    /// Parameters have no names in a mangled name; they are called `$T`, `$T0`, `$N`, `$TT` and so
    /// on.
    /// - Parameter level: the lambda's or template's parameters that it belongs to.
    mutating func templateParameterDeclaration(in level: ItaniumTemplateScopes.Mark?) throws(Malformed) -> ID {
        try enter()
        defer { leave() }
        guard cursor.consume("T") else { throw Malformed() }
        let letter = cursor.next
        cursor.skip()
        switch letter {
        case "y":
            return add(.typeParameter, invent(.inventedType, in: level), shape: .right)
        case "k":
            // As in a constraint, what parameters mean here is not known.
            let saved = inConstraint
            inConstraint = true
            let constraint = try name()
            inConstraint = saved
            return add(.constrainedParameter, invent(.inventedType, in: level), constraint, shape: .right)
        case "n":
            let name = invent(.inventedValue, in: level)
            return add(.valueParameter, name, try type(), shape: .right)
        case "t":
            let name = invent(.inventedTemplate, in: level)
            let inner = scopes.beginParameters()
            let start = pending.count
            var constraint = ItaniumTree.none
            while !cursor.consume("E") {
                pending.append(try templateParameterDeclaration(in: inner))
                if cursor.consume("Q") {
                    constraint = try constraintExpression()
                    guard cursor.consume("E") else { throw Malformed() }
                    break
                }
            }
            scopes.close(inner)
            pending.insert(contentsOf: [name, constraint], at: start)
            return add(.templateParameter, ItaniumTree.none, movePending(from: start), shape: .right)
        case "p":
            return add(.packParameter, try templateParameterDeclaration(in: level), shape: .right)
        default:
            throw Malformed()
        }
    }

    private mutating func invent(_ word: ItaniumWord, in level: ItaniumTemplateScopes.Mark?) -> ID {
        let index: Int32
        switch word {
        case .inventedType: (index, invented.types) = (invented.types, invented.types &+ 1)
        case .inventedValue: (index, invented.values) = (invented.values, invented.values &+ 1)
        default: (index, invented.templates) = (invented.templates, invented.templates &+ 1)
        }
        let parameter = add(.inventedParameter, word, index)
        if let level { scopes.addParameter(parameter, to: level) }
        return parameter
    }

    /// Reads the part after `Ul`: `<template-param-decl>* [Q <requires-clause>] <parameter type>+
    /// [Q <requires-clause>] E [<number>] _`.
    ///
    /// The node's list: the count of template parameters, the two constraints, the number's start
    /// and length, the template parameters, the parameters.
    mutating func closureType() throws(Malformed) -> ID {
        try enter()
        defer { leave() }
        let outerLambdaLevel = lambdaLevel
        lambdaLevel = scopes.levelCount
        defer { lambdaLevel = outerLambdaLevel }
        let level = scopes.beginParameters()
        defer { scopes.close(level) }

        let start = pending.count
        while templateParameterDeclarationIsNext { pending.append(try templateParameterDeclaration(in: level)) }
        let templateCount = pending.count - start
        if templateCount == 0 { scopes.dropLevel(level) }
        let first = cursor.consume("Q") ? try constraintExpression() : ItaniumTree.none
        if !cursor.consume("v") {
            repeat { pending.append(try type()) } while cursor.next != "E" && cursor.next != "Q"
        }
        let second = cursor.consume("Q") ? try constraintExpression() : ItaniumTree.none
        guard cursor.consume("E") else { throw Malformed() }
        let number = cursor.readDigits()
        guard cursor.consume("_") else { throw Malformed() }
        pending.insert(contentsOf: [Int32(truncatingIfNeeded: templateCount), first, second, number.start, number.count], at: start)
        return add(.closure, ItaniumTree.none, movePending(from: start))
    }
}
