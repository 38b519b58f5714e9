/// A part of the name that `S_`, `S0_` and so on may refer to.
struct ItaniumSubstitution {
    var part: ItaniumTree.ID
    /// Range of the part in the name.
    var text = NameRange()
    /// Whether it was read as the beginning of a nested name, rather than as a type.
    var isPrefix = false
    var scope = Scope.any

    /// Region of the name in which the part keeps its meaning.
    enum Scope: Equatable {
        case any
        /// It has template parameters, and they were resolved with these arguments
        /// (`ItaniumTemplateScopes.number`).
        case arguments(Int)
        /// It has a generic lambda's parameters, which are `auto`, in this encoding
        /// (`ItaniumTemplateScopes.encoding`).
        case encoding(Int)
    }
}

/// Template parameters that were met.
struct ParameterCount: Equatable {
    var parameters = 0
    /// Those that are `auto`.
    var lambdaParameters = 0
}

/// References to earlier parts of the name (5.1.10).
extension ItaniumParser {
    /// ```
    /// <substitution> ::= S [<number in base 36>] _
    ///                ::= Sa | Sb | Ss | Si | So | Sd     # of the standard library
    /// ```
    /// `St`, which is only ever a prefix, is read where prefixes are.
    mutating func substitution() throws(Malformed) -> ID {
        guard cursor.consume("S") else { throw Malformed() }
        if cursor.consume("_") {
            return try substituted(0)
        }
        if let word = standardName(cursor.next) {
            cursor.skip()
            let name = add(.standardName, word)
            // With a tag it is a name of its own, and may be referred to again.
            let tagged = try abiTags(on: name)
            if tagged != name { remember(tagged) }
            return tagged
        }
        let index = try sequenceNumber() + 1
        guard cursor.consume("_") else { throw Malformed() }
        return try substituted(index)
    }

    /// Keeps a part without template parameters.
    mutating func remember(_ part: ID) { substitutions.append(ItaniumSubstitution(part: part)) }

    /// Keeps the part that was read since `start`.
    /// - Parameter before: Value of `read` at `start`.
    mutating func remember(_ part: ID, from start: Int, _ before: ParameterCount, isPrefix: Bool = false) {
        guard read != before else { return remember(part) }
        let scope = read.parameters == before.parameters ? ItaniumSubstitution.Scope.encoding(scopes.encoding) : .arguments(scopes.number)
        substitutions.append(ItaniumSubstitution(part: part, text: cursor.range(from: start), isPrefix: isPrefix, scope: scope))
    }

    private mutating func substituted(_ index: Int) throws(Malformed) -> ID {
        guard index < substitutions.count else { throw Malformed() }
        let found = substitutions[index]
        switch found.scope {
        case _ where inConstraint, .any:
            return found.part
        case .arguments(scopes.number):
            read.parameters &+= 1
            return found.part
        case .encoding(scopes.encoding):
            read.lambdaParameters &+= 1
            return found.part
        case .arguments, .encoding:
            let before = read
            guard let part = try readAgain(found) else { return found.part }
            substitutions[index].part = part
            substitutions[index].scope = read.parameters == before.parameters ? .encoding(scopes.encoding) : .arguments(scopes.number)
            return part
        }
    }

    /// A part that names template parameters means the parameters at the reference: in
    /// `_Z1fIXadL_Z1gIiEvT_EEcEvS0_` the compiler wrote `S0_`, which is `T_` of `g<int>`, for the
    /// `T_` of `f<…, char>`, since both are mangled alike. gcc's demangler resolves parameters when
    /// it prints, and gets this right; LLVM's resolves them when it reads, and shows another
    /// function's types, or `auto` where they were a lambda's.
    /// - Returns: `nil` if there are no such parameters at the reference.
    private mutating func readAgain(_ found: ItaniumSubstitution) throws(Malformed) -> ID? {
        let end = Int(found.text.start) + Int(found.text.count)
        readAgainBytes &+= end - Int(found.text.start)
        guard readAgainBytes <= textLimit else { throw Malformed() }
        let saved = (position: cursor.position, substitutions: substitutions.count, pending: pending.count, read: read)
        let savedFlags = (templateArgumentsMayFollow, invented)
        defer {
            cursor.move(to: saved.position)
            substitutions.removeLast(substitutions.count - saved.substitutions)
            pending.removeLast(max(0, pending.count - saved.pending))
            (templateArgumentsMayFollow, invented) = savedFlags
        }
        cursor.move(to: Int(found.text.start))
        // If the part was first read without the arguments after it, it is read without them again.
        templateArgumentsMayFollow = !cursor.has("I", at: end)
        var state = NameState(ofEncoding: false)
        let part = found.isPrefix ? try? prefix(&state, until: end) : try? type()
        if part != nil, cursor.position == end { return part }
        read = saved.read
        return nil
    }

    private func standardName(_ letter: Unicode.Scalar) -> ItaniumWord? {
        switch letter {
        case "a": .allocator
        case "b": .basicString
        case "s": .string
        case "i": .inputStream
        case "o": .outputStream
        case "d": .inputOutputStream
        default: nil
        }
    }

    /// `<seq-id> ::= <0-9A-Z>+`, in base 36.
    mutating func sequenceNumber() throws(Malformed) -> Int {
        var value = 0
        var count = 0
        while true {
            switch cursor.next {
            case "0"..."9": value = value * 36 + Int(cursor.next.value - 48)
            case "A"..."Z": value = value * 36 + Int(cursor.next.value - 55)
            default:
                guard count > 0 else { throw Malformed() }
                return value
            }
            guard value <= 1 << 30 else { throw Malformed() }
            cursor.skip()
            count += 1
        }
    }
}
