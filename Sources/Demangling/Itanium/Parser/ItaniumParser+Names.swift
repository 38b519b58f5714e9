/// Names (5.1.2, 5.1.6, 5.1.7).
extension ItaniumParser {
    /// ```
    /// <name> ::= <nested-name>
    ///        ::= <local-name>
    ///        ::= <unscoped-name>
    ///        ::= (<unscoped-name> | <substitution>) <template-args>
    /// ```
    mutating func name(_ state: inout NameState) throws(Malformed) -> ID {
        try enter()
        defer { leave() }
        if cursor.next == "N" { return try nestedName(&state) }
        if cursor.next == "Z" { return try localName(&state) }

        let (name, isSubstitution) = try unscopedName(&state)
        guard cursor.next == "I" else {
            // A substitution alone would be a type, not a name.
            if isSubstitution { throw Malformed() }
            return name
        }
        if !isSubstitution { remember(name) }
        let arguments = try templateArguments(ofEncoding: state.ofEncoding)
        state.endsWithTemplateArguments = true
        return add(.templated, name, arguments)
    }

    /// A name that is no function's or variable's: a type, a concept, a member.
    mutating func name() throws(Malformed) -> ID {
        var state = NameState(ofEncoding: false)
        return try name(&state)
    }

    /// ```
    /// <local-name> ::= Z <function encoding> E <entity name> [<discriminator>]
    ///              ::= Z <function encoding> E s [<discriminator>]
    ///              ::= Z <function encoding> E d [<parameter number>] _ <entity name>
    /// ```
    private mutating func localName(_ state: inout NameState) throws(Malformed) -> ID {
        guard cursor.consume("Z") else { throw Malformed() }
        let function = try encoding()
        guard cursor.consume("E") else { throw Malformed() }
        if cursor.consume("s") {
            discriminator()
            return add(.local, function, add(fixed: .stringLiteral))
        }
        // The entity's own template arguments are those of the encoding, and its parameters refer
        // to them. (LLVM forgets them after the name.)
        let outer = state.ofEncoding ? nil : scopes.open()
        defer { if let outer { scopes.close(outer) } }
        if cursor.consume("d") {
            _ = cursor.consume("n")
            _ = cursor.readDigits()
            guard cursor.consume("_") else { throw Malformed() }
            return add(.local, function, try name(&state))
        }
        let entity = try name(&state)
        discriminator()
        return add(.local, function, entity)
    }

    /// `<discriminator> ::= _ <digit> | __ <number> _`; old compilers ended the name with a bare
    /// number. It is not printed.
    private mutating func discriminator() {
        if cursor.next == "_" {
            if isDigit(cursor.peek(1)) {
                cursor.skip(2)
            } else if cursor.peek(1) == "_" {
                var length = 2
                while isDigit(cursor.peek(length)) { length += 1 }
                if cursor.peek(length) == "_" { cursor.skip(length + 1) }
            }
        } else if cursor.digitIsNext {
            let start = cursor.position
            _ = cursor.readDigits()
            if !cursor.isAtEnd { cursor.move(to: start) }
        }
    }

    /// `<unscoped-name> ::= [St] <unqualified-name> | <substitution>`; a substitution may also be
    /// the module that the name is in.
    mutating func unscopedName(_ state: inout NameState) throws(Malformed) -> (name: ID, isSubstitution: Bool) {
        let isStandard = cursor.consume("S", "t")
        let scope = isStandard ? add(fixed: .std) : ItaniumTree.none
        var module = ItaniumTree.none
        if cursor.next == "S" {
            let found = try substitution()
            if kind(of: found) == .module {
                module = found
            } else {
                if isStandard { throw Malformed() }
                return (found, true)
            }
        }
        return (try unqualifiedName(&state, scope: scope, module: module), false)
    }

    /// ```
    /// <nested-name> ::= N [<CV-qualifiers>] [<ref-qualifier>] <prefix> <unqualified-name> E
    ///               ::= N [<CV-qualifiers>] [<ref-qualifier>] <template-prefix> <template-args> E
    ///               ::= N H <prefix> <unqualified-name> E         # a member function with an explicit object parameter
    /// ```
    /// Every prefix but the whole may be referred to again.
    private mutating func nestedName(_ state: inout NameState) throws(Malformed) -> ID {
        guard cursor.consume("N") else { throw Malformed() }
        if cursor.consume("H") {
            state.hasObjectParameter = true
        } else {
            state.qualifiers = cvQualifiers()
            if cursor.consume("O") {
                state.qualifiers.insert(.rvalue)
            } else if cursor.consume("R") {
                state.qualifiers.insert(.lvalue)
            }
        }

        let name = try prefix(&state, until: nil)
        guard name != ItaniumTree.none, !substitutions.isEmpty else { throw Malformed() }
        substitutions.removeLast()
        return name
    }

    /// The parts of a nested name to its `E`, or to a position.
    mutating func prefix(_ state: inout NameState, until end: Int?) throws(Malformed) -> ID {
        let start = cursor.position
        let read = self.read
        var prefix = ItaniumTree.none
        while end.map({ cursor.position < $0 }) ?? !cursor.consume("E") {
            state.endsWithTemplateArguments = false
            switch cursor.next {
            case "T":
                guard prefix == ItaniumTree.none else { throw Malformed() }
                prefix = try templateParameter()
            case "I":
                // Arguments upon arguments cannot be written in C++.
                guard prefix != ItaniumTree.none else { throw Malformed() }
                let arguments = try templateArguments(ofEncoding: state.ofEncoding)
                guard kind(of: prefix) != .templated else { throw Malformed() }
                state.endsWithTemplateArguments = true
                prefix = add(.templated, prefix, arguments)
            case "D" where cursor.peek(1) == "t" || cursor.peek(1) == "T":
                guard prefix == ItaniumTree.none else { throw Malformed() }
                prefix = try decltype()
            case "S":
                let isStandard = cursor.consume("S", "t")
                let found = isStandard ? add(fixed: .std) : try substitution()
                guard kind(of: found) == .module else {
                    guard prefix == ItaniumTree.none else { throw Malformed() }
                    prefix = found
                    continue
                }
                prefix = try unqualifiedName(&state, scope: prefix, module: found)
            default:
                prefix = try unqualifiedName(&state, scope: prefix, module: ItaniumTree.none)
            }
            remember(prefix, from: start, read, isPrefix: true)
            // A data member whose initialiser holds a lambda; nothing to print.
            _ = cursor.consume("M")
        }
        return prefix
    }

    /// ```
    /// <unqualified-name> ::= [<module-name>] [F] [L] <operator-name> [<abi-tags>]
    ///                    ::= [<module-name>] <ctor-dtor-name> [<abi-tags>]
    ///                    ::= [<module-name>] [F] [L] <source-name> [<abi-tags>]
    ///                    ::= [<module-name>] [L] <unnamed-type-name> [<abi-tags>]
    ///                    ::= [<module-name>] [L] DC <source-name>+ E        # a structured binding
    /// ```
    private mutating func unqualifiedName(_ state: inout NameState, scope: ID, module: ID) throws(Malformed) -> ID {
        let module = try moduleName(after: module)
        var scope = scope
        let isFriend = scope != ItaniumTree.none && cursor.consume("F")
        _ = cursor.consume("L")  // internal linkage

        var name: ID
        switch cursor.next {
        case "1", "2", "3", "4", "5", "6", "7", "8", "9":
            name = try sourceName()
        case "U":
            name = try unnamedTypeName(ofEncoding: state.ofEncoding)
        case "D" where cursor.peek(1) == "C":
            cursor.skip(2)
            let start = pending.count
            repeat { pending.append(try sourceName()) } while !cursor.consume("E")
            name = add(.structuredBinding, ItaniumTree.none, movePending(from: start))
        case "C", "D":
            guard scope != ItaniumTree.none, module == ItaniumTree.none else { throw Malformed() }
            name = try structorName(of: &scope, &state)
        default:
            name = try operatorName(&state)
        }

        if module != ItaniumTree.none { name = add(.inModule, module, name) }
        name = try abiTags(on: name)
        guard scope != ItaniumTree.none else { return name }
        return add(isFriend ? .friend : .nested, scope, name)
    }

    /// `<module-name> ::= <module-name> W [P] <source-name>`. Each step may be referred to again.
    mutating func moduleName(after parent: ID) throws(Malformed) -> ID {
        var module = parent
        while cursor.consume("W") {
            let isPartition = cursor.consume("P")
            module = add(.module, module, try sourceName(), detail: isPartition ? 1 : 0)
            remember(module)
        }
        return module
    }

    /// `<source-name> ::= <length> <identifier>`. gcc and clang call the unnamed namespace
    /// `_GLOBAL__N_1`.
    mutating func sourceName() throws(Malformed) -> ID {
        let length = try cursor.readDecimal()
        guard length > 0 else { throw Malformed() }
        let text = try cursor.readBytes(length)
        if length >= 10, cursor.has("_GLOBAL__N", at: Int(text.start)) { return add(fixed: .anonymousNamespace) }
        return add(.identifier, ItaniumTree.none, text)
    }

    /// The same where only the text matters. It may be empty nowhere.
    mutating func bareSourceName() throws(Malformed) -> NameRange {
        let text = try cursor.readBytes(try cursor.readDecimal())
        guard !text.isEmpty else { throw Malformed() }
        return text
    }

    /// `<abi-tags> ::= (B <source-name>)*`, `[abi:cxx11]`.
    mutating func abiTags(on name: ID) throws(Malformed) -> ID {
        var name = name
        while cursor.consume("B") { name = add(.tagged, name, try bareSourceName(), shape: shape(of: name)) }
        return name
    }

    /// ```
    /// <ctor-dtor-name> ::= C1 | C2 | C3 | CI1 <base class> | CI2 <base class>
    ///                  ::= D0 | D1 | D2
    /// ```
    /// C4, C5, D4 and D5 are gcc's, for the functions that represent several of these.
    /// `std::string::string` is spelled out as `std::basic_string<char, …>::basic_string`, since
    /// the constructor is the template's.
    private mutating func structorName(of scope: inout ID, _ state: inout NameState) throws(Malformed) -> ID {
        if kind(of: scope) == .standardName { scope = add(.expandedStandardName, tree[scope].word) }
        state.hasNoResult = true
        if cursor.consume("C") {
            let isInherited = cursor.consume("I")
            guard case "1"..."5" = cursor.next else { throw Malformed() }
            cursor.skip()
            if isInherited { _ = try name(&state) }
            return add(.constructor, scope)
        }
        cursor.skip()
        switch cursor.next {
        case "0", "1", "2", "4", "5": cursor.skip()
        default: throw Malformed()
        }
        return add(.destructor, scope)
    }

    /// ```
    /// <operator-name> ::= <two letters>
    ///                 ::= cv <type>               # conversion
    ///                 ::= li <source-name>        # operator ""
    ///                 ::= v <digit> <source-name> # a vendor's
    /// ```
    mutating func operatorName(_ state: inout NameState) throws(Malformed) -> ID {
        if let index = ItaniumOperator.index(cursor.next, cursor.peek(1)) {
            cursor.skip(2)
            let found = ItaniumOperator.table[index]
            if found.form == .conversion {
                let saved = (templateArgumentsMayFollow, forwardReferencesAllowed)
                templateArgumentsMayFollow = false
                forwardReferencesAllowed = forwardReferencesAllowed || state.ofEncoding
                let target = try type()
                (templateArgumentsMayFollow, forwardReferencesAllowed) = saved
                state.hasNoResult = true
                return add(.conversion, target)
            }
            guard found.namesFunctions else { throw Malformed() }
            return add(.operatorName, detail: UInt8(truncatingIfNeeded: index))
        }
        if cursor.consume("l", "i") { return add(.literalOperator, try sourceName()) }
        guard cursor.next == "v", isDigit(cursor.peek(1)) else { throw Malformed() }
        cursor.skip(2)
        return add(.conversion, try sourceName())
    }

    /// ```
    /// <unnamed-type-name> ::= Ut [<number>] _
    ///                     ::= Ul <lambda-sig> E [<number>] _
    ///                     ::= Ub [<number>] _         # clang's blocks
    /// ```
    mutating func unnamedTypeName(ofEncoding: Bool) throws(Malformed) -> ID {
        if ofEncoding { scopes.clear() }
        if cursor.consume("U", "l") { return try closureType() }
        let isBlock = cursor.consume("U", "b")
        guard isBlock || cursor.consume("U", "t") else { throw Malformed() }
        let number = cursor.readDigits()
        guard cursor.consume("_") else { throw Malformed() }
        return isBlock ? add(fixed: .blockLiteral) : add(.unnamedType, ItaniumTree.none, number)
    }
}
