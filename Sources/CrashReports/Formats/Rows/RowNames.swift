internal import BinaryPrimitives

/// What can be the name of a function, and what is prose.
enum RowNames {
    /// Whether the text is spelled as symbol tables, demanglers and runtimes spell functions:
    ///
    ///     main   _ZN4moorEv   std::function<void (int)>::operator()(int) const   void harbour.moor(int)
    ///     -[NSNull length]   closure #1 in static App.main()   <T as Trait>::f   main.(*Ship).Moor
    static func isName(_ text: Span<UInt8>) -> Bool {
        guard let first = text.at(0), text.count <= 16_384 else { return false }
        let isLetter = (first | 0x20) &- UInt8(ascii: "a") < 26 || first >= 0x80
        guard isLetter || "_~$<(@?.-+{*".utf8.contains(first) else { return false }
        // `<T as Trait>::f`, `<mh_execute_header>`; not `<undefined>`, `<JSArray[101]>`.
        if first == UInt8(ascii: "<") {
            guard let close = RowLexer.closing(text), text.from(close + 1).hasPrefix("::") || text.contains("mh_") else { return false }
        }
        guard let words = split(text), words > 0 else { return false }
        if words == 1 { return isOneWord(text) }
        // Several words are a name where a bracket closes it, or where a demangler's own words are among them.
        let end = text.upTo(lengthWithoutQualifiers(text))
        if end.hasSuffix(")") || end.hasSuffix("]") || end.hasSuffix(">") || end.hasSuffix("}") {
            return words <= 6 && !hasProse(text) || hasDemanglerWords(text)
        }
        return hasDemanglerWords(text)
    }

    /// Blanks outside of all brackets, plus one; `nil` where something stands there that no name has.
    private static func split(_ text: Span<UInt8>) -> Int? {
        var words = 1
        var depth = 0
        for index in 0..<text.count {
            let byte = text[index]
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "<"): depth += text.at(index + 1) == UInt8(ascii: "<") || text.at(index + 1) == UInt8(ascii: "=") ? 0 : 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: ">"):
                depth -= index > 0 && (text[index - 1] == UInt8(ascii: "-") || text[index - 1] == UInt8(ascii: ">") && depth <= 0) ? 0 : 1
            case UInt8(ascii: " ") where depth <= 0: words += 1
            case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "%"),
                UInt8(ascii: "\\"):
                guard depth > 0 || text.upTo(index).contains("operator") || byte == UInt8(ascii: "'") else { return nil }
            case UInt8(ascii: ":") where depth <= 0:
                // `error:` and `key: value` are no names.
                guard let next = text.at(index + 1), !isBlank(next) else { return nil }
            case 0..<0x20, 0x7F: return nil
            default: break
            }
        }
        return words
    }

    private static func isOneWord(_ text: Span<UInt8>) -> Bool {
        // A number with letters (`12ms`, `3.5`), a date, an address of the network: none of them begins with a letter. `a/b`, `a=b`: no name, but Go's packages have slashes before a dot.
        guard text.count > 1 || (text[0] | 0x20) &- UInt8(ascii: "a") < 26 else { return false }
        return !text.hasSuffix(".") && !text.hasSuffix(":") && !text.hasSuffix("/") && !text.hasPrefix("--") && !text.hasPrefix("..")
    }

    /// The name's length without ` const`, ` &&`, ` [clone .part.0]` at its end.
    private static func lengthWithoutQualifiers(_ text: Span<UInt8>) -> Int {
        var rest = text
        var goesOn = true
        while goesOn {
            goesOn = false
            for word in [" const", " volatile", " &", " &&", " noexcept", " [inlined]"] where rest.hasSuffix(word) {
                rest = rest.upTo(rest.count - word.utf8.count)
                goesOn = true
            }
        }
        return rest.count
    }

    /// Words that demanglers put into names.
    private static func hasDemanglerWords(_ text: Span<UInt8>) -> Bool {
        for word in [
            "operator ", "thunk to ", "vtable for ", "guard variable for ", "typeinfo for ", "initialization function for ",
            "closure #", "partial apply for", "specialized ", "specialization ", "protocol witness for ", "thunk for ", "@objc ", "static ",
            "getter of ", "implicit closure #", "async function", "@nonobjc ", "merged ", "variable initialization", "[clone ",
            " [inlined]",
            "default argument ", "deinit", "kfun:", "block_invoke",
        ] where text.contains(word) { return true }
        return false
    }

    /// Words that sentences have and functions do not.
    private static func hasProse(_ text: Span<UInt8>) -> Bool {
        for word in [
            " the ", " from ", " at ", " of ", " is ", " was ", " to ", " for ", " and ", " with ", " by ", " on ", " not ", " has ",
            " line ",
            " in ", " or ", " be ",
        ] {
            guard let range = text.firstRange(of: word) else { continue }
            // In a bracket it may be a type: `(in: Int)`.
            if depth(of: range.lowerBound, in: text) <= 0 { return true }
        }
        return false
    }

    private static func depth(of position: Int, in text: Span<UInt8>) -> Int {
        var depth = 0
        for index in 0..<position {
            if "([{<".utf8.contains(text[index]) { depth += 1 }
            if ")]}>".utf8.contains(text[index]) { depth -= 1 }
        }
        return depth
    }
}
