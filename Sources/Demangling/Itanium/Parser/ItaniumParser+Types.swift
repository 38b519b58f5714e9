/// Types (5.1.5).
extension ItaniumParser {
    /// ```
    /// <type> ::= <builtin-type> | <qualified-type> | <function-type> | <class-enum-type> | <array-type> | <pointer-to-member-type>
    ///        ::= <template-param> [<template-args>] | <substitution> [<template-args>] | <decltype>
    ///        ::= P <type> | R <type> | O <type> | C <type> | G <type>      # pointer, &, &&, complex, imaginary
    /// ```
    /// Every type may be referred to again, except for builtin ones and references to earlier
    /// parts.
    mutating func type() throws(Malformed) -> ID {
        try enter()
        defer { leave() }
        if let word = ItaniumWord.builtin(cursor.next) {
            cursor.skip()
            return add(fixed: word)
        }
        let start = cursor.position
        let read = self.read
        let result: ID
        switch cursor.next {
        case "r", "V", "K":
            var distance = 0
            for qualifier: Unicode.Scalar in ["r", "V", "K"] where cursor.peek(distance) == qualifier { distance += 1 }
            result = functionTypeIsNext(at: distance) ? try functionType() : try qualifiedType()
        case "U":
            result = try qualifiedType()
        case "u":
            result = try vendorType()
        case "D":
            if let word = ItaniumWord.extendedBuiltin(cursor.peek(1)) {
                cursor.skip(2)
                return add(fixed: word)
            }
            switch cursor.peek(1) {
            case "F": return try floatOfSize()
            case "A", "R", "S": return try fixedPointType()
            case "B", "U": result = try integerOfSize()
            case "k", "K": return try constrainedPlaceholder()
            case "t", "T": result = try decltype()
            case "v": result = try vectorType()
            case "p":
                cursor.skip(2)
                result = add(.expansion, try type())
            case "o", "O", "w", "x": result = try functionType()
            default: throw Malformed()
            }
        case "F":
            result = try functionType()
        case "A":
            result = try arrayType()
        case "M":
            cursor.skip()
            let container = try type()
            let member = try type()
            result = add(.memberPointer, container, member, shape: shape(of: member).rightOnly)
        case "T":
            switch cursor.peek(1) {
            case "s", "u", "e":
                result = try classEnumType()
            default:
                let parameter = try templateParameter()
                if templateArgumentsMayFollow && cursor.next == "I" {
                    remember(parameter, from: start, read)
                    result = add(.templated, parameter, try templateArguments())
                } else {
                    result = parameter
                }
            }
        case "P":
            cursor.skip()
            let target = try type()
            result = add(.pointer, target, shape: shape(of: target).rightOnly)
        case "R", "O":
            let isRvalue = cursor.consume("O")
            if !isRvalue { cursor.skip() }
            let target = try type()
            result = add(.reference, target, detail: isRvalue ? 1 : 0, shape: shape(of: target).rightOnly)
        case "C", "G":
            let isComplex = cursor.consume("C")
            if !isComplex { cursor.skip() }
            result = add(.suffixedType, isComplex ? .complex : .imaginary, try type())
        case "S" where cursor.peek(1) != "t":
            var state = NameState(ofEncoding: false)
            let (name, isSubstitution) = try unscopedName(&state)
            if cursor.next == "I" && (!isSubstitution || templateArgumentsMayFollow) {
                if !isSubstitution { remember(name) }
                result = add(.templated, name, try templateArguments())
            } else {
                if isSubstitution { return name }
                result = name
            }
        default:
            result = try classEnumType()
        }
        remember(result, from: start, read)
        return result
    }

    /// Whether a function type's own letters are at this distance: `F`, or an exception
    /// specification or `transaction_safe` before it.
    private func functionTypeIsNext(at distance: Int) -> Bool {
        if cursor.peek(distance) == "F" { return true }
        guard cursor.peek(distance) == "D" else { return false }
        switch cursor.peek(distance + 1) {
        case "o", "O", "w", "x": return true
        default: return false
        }
    }

    /// `<CV-qualifiers> ::= [r] [V] [K]`
    mutating func cvQualifiers() -> ItaniumQualifiers {
        var qualifiers: ItaniumQualifiers = []
        if cursor.consume("r") { qualifiers.insert(.restrict) }
        if cursor.consume("V") { qualifiers.insert(.volatile) }
        if cursor.consume("K") { qualifiers.insert(.const) }
        return qualifiers
    }

    /// ```
    /// <qualified-type> ::= (U <source-name> [<template-args>])* <CV-qualifiers> <type>
    /// ```
    /// Objective-C's `id<Protocol>` is such a qualifier of `objc_object`: `objcproto`, then the
    /// protocol as a source name, all counted together.
    private mutating func qualifiedType() throws(Malformed) -> ID {
        try enter()
        defer { leave() }
        if cursor.consume("U") {
            let qualifier = try bareSourceName()
            let prefix = Array("objcproto".utf8)
            if cursor.slice(qualifier).starts(with: prefix) {
                var inner = NameCursor(Array(cursor.slice(qualifier)), from: prefix.count)
                let length = try inner.readDecimal()
                let text = try inner.readBytes(length)
                guard length > 0 else { throw Malformed() }
                let base = try qualifiedType()
                return add(.protocolQualified, base, NameRange(start: qualifier.start &+ text.start, count: text.count))
            }
            let arguments = cursor.next == "I" ? try templateArguments() : ItaniumTree.none
            let qualified = add(.vendorQualified, try qualifiedType(), qualifier)
            return arguments == ItaniumTree.none ? qualified : add(.vendorArguments, qualified, arguments)
        }
        let qualifiers = cvQualifiers()
        let base = try type()
        return qualifiers.isEmpty ? base : add(.qualified, base, detail: qualifiers.rawValue, shape: shape(of: base))
    }

    /// `u <source-name>`: a vendor's builtin; `u <source-name> I <type> E`: a transformation such
    /// as `__underlying_type`. Both may be referred to again.
    private mutating func vendorType() throws(Malformed) -> ID {
        cursor.skip()
        let name = try bareSourceName()
        guard cursor.consume("I") else { return add(.identifier, ItaniumTree.none, name) }
        let base = try type()
        guard cursor.consume("E") else { throw Malformed() }
        return add(.transformed, base, name)
    }

    /// `DF <bits> _`: `_Float16`; `DF16b`: `std::bfloat16_t`.
    private mutating func floatOfSize() throws(Malformed) -> ID {
        cursor.skip(2)
        if cursor.consume(text: "16b") { return add(fixed: .brainFloat) }
        let bits = cursor.readDigits()
        guard cursor.consume("_") else { throw Malformed() }
        return add(.binaryFloat, ItaniumTree.none, bits)
    }

    /// `DB <bits> _`, `DU <bits> _`: `_BitInt(7)`, where the bits may be an expression.
    private mutating func integerOfSize() throws(Malformed) -> ID {
        let isUnsigned = cursor.peek(1) == "U"
        cursor.skip(2)
        let bits = cursor.digitIsNext ? add(.identifier, ItaniumTree.none, cursor.readDigits()) : try expression()
        guard cursor.consume("_") else { throw Malformed() }
        return add(.bitInteger, bits, detail: isUnsigned ? 1 : 0)
    }

    /// `[DS] DA <letter>`, `[DS] DR <letter>`: the fixed-point types of ISO/IEC TR 18037, with the
    /// letter of the integer of that size.
    private mutating func fixedPointType() throws(Malformed) -> ID {
        let isSaturating = cursor.consume("D", "S")
        let isFraction = cursor.consume("D", "R")
        guard isFraction || cursor.consume("D", "A") else { throw Malformed() }
        let letter = cursor.next
        switch letter {
        case "s", "t", "i", "j", "l", "m": cursor.skip()
        default: throw Malformed()
        }
        return add(.fixedPoint, Int32(bitPattern: letter.value), detail: (isFraction ? 1 : 0) | (isSaturating ? 2 : 0))
    }

    /// `Dk <concept>`: constrained `auto`; `DK <concept>`: constrained `decltype(auto)`.
    private mutating func constrainedPlaceholder() throws(Malformed) -> ID {
        let isAuto = cursor.peek(1) == "k"
        cursor.skip(2)
        return add(.suffixedType, isAuto ? .constrainedAuto : .constrainedDecltypeAuto, try name())
    }

    /// `<function-type> ::= [<CV-qualifiers>] [<exception-spec>] [Dx] F [Y] <result type>
    /// <parameter type>* [<ref-qualifier>] E`
    ///
    /// The node's list: result, exception specification, parameters.
    private mutating func functionType() throws(Malformed) -> ID {
        var qualifiers = cvQualifiers()
        var exceptions = ItaniumTree.none
        if cursor.consume("D", "o") {
            exceptions = add(fixed: .noexcept)
        } else if cursor.consume("D", "O") {
            exceptions = add(.noexceptIf, try expression())
            guard cursor.consume("E") else { throw Malformed() }
        } else if cursor.consume("D", "w") {
            let start = pending.count
            while !cursor.consume("E") { pending.append(try type()) }
            exceptions = add(.throwing, ItaniumTree.none, movePending(from: start))
        }
        _ = cursor.consume("D", "x")  // transaction_safe
        guard cursor.consume("F") else { throw Malformed() }
        _ = cursor.consume("Y")  // extern "C"

        let start = pending.count
        pending.append(try type())
        pending.append(exceptions)
        while !cursor.consume("E") {
            if cursor.consume("v") { continue }
            if cursor.consume("R", "E") {
                qualifiers.insert(.lvalue)
                break
            }
            if cursor.consume("O", "E") {
                qualifiers.insert(.rvalue)
                break
            }
            pending.append(try type())
        }
        return add(.function, ItaniumTree.none, movePending(from: start), detail: qualifiers.rawValue, shape: [.right, .function])
    }

    /// ```
    /// <class-enum-type> ::= <name>
    ///                   ::= Ts <name> | Tu <name> | Te <name>      # struct, union, enum, where the name is dependent
    /// ```
    private mutating func classEnumType() throws(Malformed) -> ID {
        var key = ItaniumWord.nothing
        if cursor.consume("T", "s") {
            key = .structKey
        } else if cursor.consume("T", "u") {
            key = .unionKey
        } else if cursor.consume("T", "e") {
            key = .enumKey
        }
        let name = try name()
        return key == .nothing ? name : add(.elaborated, key, name)
    }

    /// `<array-type> ::= A [<number> | <expression>] _ <element type>`
    private mutating func arrayType() throws(Malformed) -> ID {
        cursor.skip()
        var dimension = ItaniumTree.none
        if cursor.digitIsNext {
            dimension = add(.identifier, ItaniumTree.none, cursor.readDigits())
        } else if cursor.next != "_" {
            dimension = try expression()
        }
        guard cursor.consume("_") else { throw Malformed() }
        return add(.array, try type(), dimension, shape: [.right, .array])
    }

    /// ```
    /// <vector-type> ::= Dv <number> _ <type>
    ///               ::= Dv <number> _ p               # AltiVec's vector pixel
    ///               ::= Dv [<expression>] _ <type>
    /// ```
    private mutating func vectorType() throws(Malformed) -> ID {
        cursor.skip(2)
        var dimension = ItaniumTree.none
        if case "1"..."9" = cursor.next {
            let digits = cursor.readDigits()
            guard cursor.consume("_") else { throw Malformed() }
            if cursor.consume("p") { return add(.pixelVector, ItaniumTree.none, digits) }
            dimension = add(.identifier, ItaniumTree.none, digits)
        } else if !cursor.consume("_") {
            dimension = try expression()
            guard cursor.consume("_") else { throw Malformed() }
        }
        return add(.vector, try type(), dimension)
    }

    /// `<decltype> ::= Dt <expression> E | DT <expression> E`
    mutating func decltype() throws(Malformed) -> ID {
        cursor.skip(2)
        let operand = try expression()
        guard cursor.consume("E") else { throw Malformed() }
        return add(.enclosing, .decltype, operand)
    }
}
