/// Names that depend on template parameters, in expressions (5.1.6.2).
extension ItaniumParser {
    /// ```
    /// <unresolved-name> ::= [gs] <base-unresolved-name>
    ///                   ::= sr <unresolved-type> [<template-args>] <base-unresolved-name>
    ///                   ::= srN <unresolved-type> [<template-args>] <simple-id>* E <base-unresolved-name>
    ///                   ::= [gs] sr <simple-id>+ E <base-unresolved-name>
    /// ```
    mutating func unresolvedName(isGlobal: Bool) throws(Malformed) -> ID {
        guard cursor.consume("s", "r") else {
            let name = try baseUnresolvedName()
            return isGlobal ? add(.global, name) : name
        }
        var prefix: ID
        if readsMore, cursor.digitIsNext || cursor.next == "S" && cursor.peek(1) == "t" {
            // gcc, as the ABI once had it: `sr <type> <base-unresolved-name>`, without an `E`
            // between.
            prefix = try type()
        } else if try memberOfKnownClassIsNext() {
            prefix = try type()
        } else if cursor.consume("N") {
            prefix = try templatedUnresolvedType()
            while !cursor.consume("E") { prefix = add(.nested, prefix, try simpleName()) }
        } else if cursor.digitIsNext {
            prefix = try simpleName()
            if isGlobal { prefix = add(.global, prefix) }
            while !cursor.consume("E") { prefix = add(.nested, prefix, try simpleName()) }
        } else {
            prefix = try templatedUnresolvedType()
        }
        return add(.nested, prefix, try baseUnresolvedName())
    }

    /// `srNS1_9_CallableIT_EE5value`: where `S1_` has no template parameter, compilers write the
    /// type `S1_::_Callable<T>`, whose parts may be referred to again. The same letters can be read
    /// by the rule of `srN`, and LLVM's demangler does: its later references are one off, and
    /// `std::function<…>::operator=` has a nonsensical result.
    private mutating func memberOfKnownClassIsNext() throws(Malformed) -> Bool {
        guard cursor.next == "N", cursor.peek(1) == "S", cursor.peek(2) != "t" else { return false }
        let start = cursor.position
        let before = read
        cursor.skip()
        _ = try substitution()
        cursor.move(to: start)
        defer { read = before }
        return read == before
    }

    /// `<unresolved-type> ::= <template-param> | <decltype> | <substitution>`, the first two of
    /// which may be referred to again.
    private mutating func unresolvedType() throws(Malformed) -> ID {
        let start = cursor.position
        let read = self.read
        let type: ID
        switch cursor.next {
        case "T":
            type = try templateParameter()
        case "D":
            guard cursor.peek(1) == "t" || cursor.peek(1) == "T" else { throw Malformed() }
            type = try decltype()
        default:
            return try substitution()
        }
        remember(type, from: start, read)
        return type
    }

    private mutating func templatedUnresolvedType() throws(Malformed) -> ID {
        let type = try unresolvedType()
        return cursor.next == "I" ? add(.templated, type, try templateArguments()) : type
    }

    /// `<simple-id> ::= <source-name> [<template-args>]`
    private mutating func simpleName() throws(Malformed) -> ID {
        let name = try sourceName()
        return cursor.next == "I" ? add(.templated, name, try templateArguments()) : name
    }

    /// ```
    /// <base-unresolved-name> ::= <simple-id>
    ///                        ::= [on] <operator-name> [<template-args>]
    ///                        ::= dn (<unresolved-type> | <simple-id>)         # ~T
    /// ```
    private mutating func baseUnresolvedName() throws(Malformed) -> ID {
        if cursor.digitIsNext { return try simpleName() }
        if cursor.consume("d", "n") { return add(.destroyed, cursor.digitIsNext ? try simpleName() : try unresolvedType()) }
        _ = cursor.consume("o", "n")
        var state = NameState(ofEncoding: false)
        let name = try operatorName(&state)
        return cursor.next == "I" ? add(.templated, name, try templateArguments()) : name
    }
}
