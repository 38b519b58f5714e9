/// Constraints of C++20.
extension ItaniumParser {
    /// The expression of a `requires` clause, in which parameters of all templates around it may
    /// occur.
    mutating func constraintExpression() throws(Malformed) -> ID {
        let saved = inConstraint
        inConstraint = true
        defer { inConstraint = saved }
        return try expression()
    }

    /// ```
    /// <expression>  ::= rQ <parameter type>* _ <requirement>+ E | rq <requirement>+ E
    /// <requirement> ::= X <expression> [N] [R <concept>] | T <type> | Q <constraint>
    /// ```
    /// The node's list: count of parameters, these, requirements.
    mutating func requiresExpression() throws(Malformed) -> ID {
        let hasParameters = cursor.peek(1) == "Q"
        cursor.skip(2)
        let start = pending.count
        if hasParameters {
            while !cursor.consume("_") { pending.append(try type()) }
        }
        let parameterCount = pending.count - start
        repeat {
            switch cursor.next {
            case "X":
                cursor.skip()
                let operand = try expression()
                let isNoexcept = cursor.consume("N")
                let constraint = cursor.consume("R") ? try name() : ItaniumTree.none
                pending.append(add(.expressionRequirement, operand, constraint, detail: isNoexcept ? 1 : 0))
            case "T":
                cursor.skip()
                pending.append(add(.typeRequirement, try type()))
            case "Q":
                cursor.skip()
                pending.append(add(.nestedRequirement, try expression()))
            default:
                throw Malformed()
            }
        } while !cursor.consume("E")
        pending.insert(Int32(truncatingIfNeeded: parameterCount), at: start)
        return add(.requirements, ItaniumTree.none, movePending(from: start))
    }
}
