/// Special names (5.1.4).
extension ItaniumParser {
    /// Reads the name of data or code that the compiler makes for a class or function: tables, type
    /// information, thunks, guards (`T…` and `G…`).
    mutating func specialName() throws(Malformed) -> ID {
        let isTable = cursor.consume("T")
        if !isTable { cursor.skip() }
        switch (isTable, cursor.next) {
        case (true, "V"): return add(.special, .vtable, try typeAfterLetter())
        case (true, "T"): return add(.special, .vtt, try typeAfterLetter())
        case (true, "I"): return add(.special, .typeInfo, try typeAfterLetter())
        case (true, "S"): return add(.special, .typeInfoName, try typeAfterLetter())
        case (true, "W"): return add(.special, .threadLocalWrapper, try nameAfterLetter())
        case (true, "H"): return add(.special, .threadLocalInitializer, try nameAfterLetter())
        case (true, "A"):
            cursor.skip()
            return add(.special, .templateParameterObject, try templateArgument())
        case (true, "C"):
            // The table of the second type while the first, which derives from it, is being
            // constructed.
            cursor.skip()
            let derived = try type()
            guard !number().isEmpty, cursor.consume("_") else { throw Malformed() }
            return add(.constructionTable, try type(), derived)
        case (true, "c"):
            cursor.skip()
            try callOffset()
            try callOffset()
            return add(.special, .covariantThunk, try encoding())
        case (true, _):
            let isVirtual = cursor.next == "v"
            try callOffset()
            return add(.special, isVirtual ? .virtualThunk : .nonVirtualThunk, try encoding())
        case (false, "V"):
            return add(.special, .guardVariable, try nameAfterLetter())
        case (false, "R"):
            let name = try nameAfterLetter()
            // Old compilers write neither the temporary's number nor the underscore.
            var isNumbered = false
            switch cursor.next {
            case "0"..."9", "A"..."Z":
                _ = try sequenceNumber()
                isNumbered = true
            default: break
            }
            guard cursor.consume("_") || !isNumbered else { throw Malformed() }
            return add(.special, .referenceTemporary, name)
        case (false, "T") where readsMore:
            cursor.skip()
            let isTransactional = cursor.consume("t")
            guard isTransactional || cursor.consume("n") else { throw Malformed() }
            return add(.special, isTransactional ? .transactionClone : .nonTransactionClone, try encoding())
        case (false, "I"):
            cursor.skip()
            let module = try moduleName(after: ItaniumTree.none)
            guard module != ItaniumTree.none else { throw Malformed() }
            return add(.special, .moduleInitializer, module)
        default:
            throw Malformed()
        }
    }

    private mutating func typeAfterLetter() throws(Malformed) -> ID {
        cursor.skip()
        return try type()
    }

    private mutating func nameAfterLetter() throws(Malformed) -> ID {
        cursor.skip()
        return try name()
    }

    /// `<call-offset> ::= h <offset> _ | v <offset> _ <virtual offset> _`: how a thunk adjusts
    /// `this`; not printed.
    private mutating func callOffset() throws(Malformed) {
        let isVirtual = cursor.consume("v")
        guard isVirtual || cursor.consume("h"), !number().isEmpty, cursor.consume("_") else { throw Malformed() }
        if isVirtual {
            guard !number().isEmpty, cursor.consume("_") else { throw Malformed() }
        }
    }
}
