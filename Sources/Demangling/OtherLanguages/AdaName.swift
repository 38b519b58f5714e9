internal import BinaryPrimitives

/// Names of GNAT's Ada (`exp_dbug.ads`, "Encoding of Names of Entities"), as libiberty shows them: two
/// underscores separate a package from what is in it, capital letters encode what no identifier has.
///
/// - `shop__price__2` is `shop.price`: overloaded ones have a number.
/// - `shop__Oadd` is `shop."+"`.
/// - `shop___elabb` is `shop'Elab_Body`.
///
/// All but those of library procedures (`_ada_main`) may be names of C: they are read only where the
/// source file says that the function is Ada.
enum AdaName {
    static func isNext(_ bytes: [UInt8], from start: Int) -> Bool { bytes[start...].starts(with: "_ada_".utf8) }

    /// The plain form of a library procedure; `nil` if it is not such a name.
    static func text(_ bytes: [UInt8], from start: Int) -> String? {
        guard isNext(bytes, from: start) else { return nil }
        return text(bytes[(start + 5)...])
    }

    /// The plain form of a name in a file of Ada; `nil` if it is not one of the language.
    static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        let name = bytes.prefix { $0 != UInt8(ascii: ".") }
        guard let plain = plainForm(name) else { return nil }
        // A function inside of another has a number after a dot; the compiler's own suffix follows.
        var suffix = bytes[name.endIndex...]
        if let first = suffix.dropFirst().first, isDigit(first) {
            guard let last = name.last, !isCapital(last) else { return nil }
            suffix = suffix.dropFirst().drop(while: isDigit)
        }
        return CompilerSuffix.text(suffix).map { plain + $0 }
    }

    private static let operators: [(code: String, text: String)] = [
        ("abs", "abs"), ("and", "and"), ("mod", "mod"), ("not", "not"), ("or", "or"), ("rem", "rem"), ("xor", "xor"), ("eq", "="),
        ("ne", "/="), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">="), ("add", "+"), ("subtract", "-"), ("concat", "&"),
        ("multiply", "*"), ("divide", "/"), ("expon", "**"),
    ]

    /// Code that the compiler makes for a type or package, after three underscores.
    private static let generated: [(code: String, text: String)] = [
        ("elabb", "'Elab_Body"), ("elabs", "'Elab_Spec"), ("size", "'Size"), ("alignment", "'Alignment"), ("assign", ".\":=\""),
    ]

    private static let streamOperations: [UInt8: String] = [
        UInt8(ascii: "R"): "'Read", UInt8(ascii: "W"): "'Write", UInt8(ascii: "I"): "'Input", UInt8(ascii: "O"): "'Output",
    ]

    private static let controlledOperations: [UInt8: String] = [UInt8(ascii: "F"): ".Finalize", UInt8(ascii: "A"): ".Adjust"]

    private static func plainForm(_ name: ArraySlice<UInt8>) -> String? {
        var rest = name
        var text = ""
        while true {
            guard let entity = readEntity(&rest) else { return nil }
            text += entity
            // A task's body, and a part of a protected type.
            if skip("TKB", &rest) || rest.elementsEqual("P".utf8) || rest.elementsEqual("N".utf8) { return text }
            _ = skip("TK", &rest)
            skipNesting(&rest)
            if rest.first == UInt8(ascii: "S"), let operation = rest.dropFirst().first.flatMap({ streamOperations[$0] }) {
                text += operation
                rest = rest.dropFirst(2)
            } else if rest.first == UInt8(ascii: "D") {
                guard let operation = rest.dropFirst().first.flatMap({ controlledOperations[$0] }) else { return nil }
                return text + operation
            }
            if rest.isEmpty { return text }
            if skip("___", &rest) {
                guard let last = generated.first(where: { skip($0.code, &rest) }) else { return nil }
                if !skipNumber(&rest) { skipNesting(&rest) }
                return rest.isEmpty ? text + last.text : nil
            }
            if skip("_B", &rest) || skip("_E", &rest) {
                // The number of a protected type's entry.
                rest = rest.drop(while: isDigit)
                return rest.elementsEqual("s".utf8) ? text : nil
            }
            if skipNumber(&rest) { return rest.isEmpty ? text : nil }
            guard skip("__", &rest) else { return nil }
            text += "."
        }
    }

    /// An identifier, or an operator in quotation marks.
    private static func readEntity(_ rest: inout ArraySlice<UInt8>) -> String? {
        if skip("O", &rest) {
            for (code, text) in operators where rest.starts(with: code.utf8) {
                let after = rest.dropFirst(code.utf8.count)
                guard after.first.map({ isCapital($0) || $0 == UInt8(ascii: "_") }) ?? true else { continue }
                rest = after
                return "\"\(text)\""
            }
            return nil
        }
        guard let first = rest.first, isLowercase(first) else { return nil }
        var end = rest.startIndex
        // One underscore is a part of an identifier.
        while end < rest.endIndex {
            let following = end + 1 < rest.endIndex ? rest[end + 1] : 0
            guard
                isLowercase(rest[end]) || isDigit(rest[end])
                    || rest[end] == UInt8(ascii: "_") && (isLowercase(following) || isDigit(following))
            else { break }
            end += 1
        }
        defer { rest = rest[end...] }
        return String(decoding: rest[..<end], as: UTF8.self)
    }

    /// The number of an overloaded name.
    private static func skipNumber(_ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.starts(with: "__".utf8), let first = rest.dropFirst(2).first, isDigit(first) else { return false }
        rest = rest.dropFirst(2).drop { isDigit($0) || $0 == UInt8(ascii: "_") }
        skipNesting(&rest)
        return true
    }

    /// `Xnb`: the bodies and specifications that an entity is in.
    private static func skipNesting(_ rest: inout ArraySlice<UInt8>) {
        if skip("X", &rest) { rest = rest.drop { $0 == UInt8(ascii: "n") || $0 == UInt8(ascii: "b") } }
    }

    private static func skip(_ text: String, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }
}
