internal import BinaryPrimitives
internal import CrashLogModel

/// Distinguishes names of functions from prose.
enum RowNames {
    /// Whether the text is spelled as symbol tables, demanglers and runtimes spell functions:
    ///
    ///     main   _ZN4moorEv   std::function<void (int)>::operator()(int) const   void harbour.moor(int)
    ///     -[NSNull length]   closure #1 in static App.main()   <T as Trait>::f   main.(*Ship).Moor
    static func isName(_ text: Span<UInt8>) -> Bool {
        guard let first = text.at(0), text.count <= 16_384 else { return false }
        // Typographic quotes and dashes (U+2010 to U+203F) are not letters.
        let beginsWithLetter = isLetter(first) || first >= 0x80 && !(first == 0xE2 && text.at(1) == 0x80)
        guard beginsWithLetter || isOne(first, of: "_~$<(@?.-+{*") else { return false }
        if first == UInt8(ascii: "+"), text.at(1) != UInt8(ascii: "[") { return false }
        // `<T as Trait>::f`, `<mh_execute_header>`; not `<undefined>`, `<JSArray[101]>`.
        if first == UInt8(ascii: "<") {
            guard let close = RowLexer.closing(text), text.from(close + 1).hasPrefix("::") || text.contains("mh_") else { return false }
        }
        // `(anonymous namespace)::tide`; not `(EE)`.
        if first == UInt8(ascii: "(") {
            guard let close = RowLexer.closing(text), text.from(close + 1).hasPrefix("::") else { return false }
        }
        guard let wordCount = split(text), wordCount > 0 else { return false }
        if wordCount == 1 { return isOneWord(text) }
        let name = text.upTo(lengthWithoutQualifiers(text))
        if name.count < text.count, split(name) == 1 { return isOneWord(name) }
        if hasDemanglerPrefix(name) { return true }
        // Several words are a name if a bracket ends the text: return types, and names of operators.
        guard
            name.hasSuffix(")") || name.hasSuffix(">") || name.hasSuffix("}")
                || name.hasSuffix("]") && (text.hasPrefix("-[") || text.hasPrefix("+["))
        else { return false }
        return wordCount <= 6 && !hasProse(name) && !hasFreeBrackets(name) && closesWord(name, wordCount)
    }

    /// Whether the text is a word of a sentence that comes before a location: `6 to 0x2f026`.
    static func isPreposition(_ text: Span<UInt8>) -> Bool {
        ["to", "of", "is", "from", "with", "was", "and", "or"].contains { text.equals($0) }
    }

    /// Whether the text is a placeholder for an unknown name: `?`, `??`, `???`, `(null)`, `<unknown>`, with or without
    /// `()`.
    static func isPlaceholder(_ text: Span<UInt8>) -> Bool {
        var name = text
        if name.hasSuffix("()"), name.count > 2 { name = name.upTo(name.count - 2).trimmed() }
        if (0..<name.count).allSatisfy({ name[$0] == UInt8(ascii: "?") }) { return name.count > 0 }
        return ["(null)", "<unknown>", "[unknown]", "(unknown)", "n/a", "N/A"].contains { name.equals($0) }
    }

    /// Number of words: blanks outside of all brackets, plus one. `nil` if the text has bytes that no name has.
    private static func split(_ text: Span<UInt8>) -> Int? {
        var count = 1
        var depth = 0
        for index in 0..<text.count {
            let byte = text[index]
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "<"): depth += RowLexer.isOperator(text.upTo(index)) || text.at(index + 1) == UInt8(ascii: "=") ? 0 : 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: ">"):
                depth -= index > 0 && (text[index - 1] == UInt8(ascii: "-") || text[index - 1] == UInt8(ascii: ">") && depth <= 0) ? 0 : 1
            case UInt8(ascii: " ") where depth <= 0: count += 1
            case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "%"),
                UInt8(ascii: "\\"):
                guard depth > 0 || text.upTo(index).contains("operator") || byte == UInt8(ascii: "'") else { return nil }
            case UInt8(ascii: ":") where depth <= 0:
                // `error:` and `key: value` are not names.
                guard let next = text.at(index + 1), !isBlank(next) else { return nil }
                // `ERROR:harbour.crash:` is a prefix of a log; `kfun:main` is a function.
                if next != byte, index > 1, (0..<index).allSatisfy({ text[$0] &- UInt8(ascii: "A") < 26 }) { return nil }
            case 0..<0x20, 0x7F: return nil
            default: break
            }
        }
        // A bracket that does not match: `crash-handler>`.
        let isOperator = text.contains("operator<") || text.contains("operator>") || text.contains("operator-")
        return depth == 0 || isOperator ? count : nil
    }

    private static func isOneWord(_ text: Span<UInt8>) -> Bool {
        // A number with letters (`12ms`, `3.5`), a date, an address of the network: none of them begins with a letter.
        // `a/b` and `a=b` are not names, but Go's packages have slashes before a dot.
        guard text.count > 1 || isLetter(text[0]) else { return false }
        return !text.hasSuffix(".") && !text.hasSuffix(":") && !text.hasSuffix("/") && !text.hasPrefix("--") && !text.hasPrefix("..")
    }

    /// Whether the last bracket belongs to a word: `void moor(int)`, `moor ()`; not
    /// `ERROR [main] (1)`.
    private static func closesWord(_ text: Span<UInt8>, _ wordCount: Int) -> Bool {
        guard text.hasSuffix(")") else { return true }
        guard let open = text.openingParenthesis, open > 0 else { return false }
        return !isBlank(text[open - 1]) || wordCount == 2
    }

    /// The name's length without ` const`, ` &&`, ` [clone .part.0]` at its end.
    private static func lengthWithoutQualifiers(_ text: Span<UInt8>) -> Int {
        var rest = text
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            // gcc's copies of functions: `moor [clone .cold]`
            if rest.hasSuffix("]"), let clone = rest.lastRange(of: " [clone "), clone.lowerBound > 0 {
                rest = rest.upTo(clone.lowerBound)
                hasChanged = true
            }
            for qualifier in [" const", " volatile", " &", " &&", " noexcept", " [inlined]"] where rest.hasSuffix(qualifier) {
                rest = rest.upTo(rest.count - qualifier.utf8.count)
                hasChanged = true
            }
        }
        return rest.count
    }

    /// Beginnings of the names of several words that demanglers print.
    private static let demanglerPrefixes = [
        "non-virtual thunk to ", "virtual thunk to ", "covariant return thunk to ", "vtable for ", "VTT for ", "guard variable for ",
        "typeinfo for ",
        "typeinfo name for ", "initialization function for ", "operator ", "closure #", "implicit closure #", "partial apply ",
        "specialized ",
        "generic specialization ", "function signature specialization ", "protocol witness for ", "thunk for ", "reabstraction thunk ",
        "@objc ", "@nonobjc ",
        "static ", "merged ", "variable initialization ", "default argument ", "async function ", "kfun:", "(1) ", "(2) ", "(3) ",
        "lazy protocol witness ",
        "type metadata ", "outlined ", "dispatch thunk of ", "method descriptor for ", "one-time initialization ", "key path ",
        "global init", "block_destroy_helper",
    ]

    private static func hasDemanglerPrefix(_ text: Span<UInt8>) -> Bool {
        guard !hasFreeBrackets(text) else { return false }
        for prefix in demanglerPrefixes where text.hasPrefix(prefix) { return true }
        // `Harbour::operator bool() const`
        return text.firstRange(of: "operator ").map { text.upTo($0.lowerBound).firstIndex(of: UInt8(ascii: " ")) == nil } ?? false
    }

    /// Whether the text has a bracket that stands alone between blanks, as in a log's prefix: `ERROR [main] moor()`.
    /// Demanglers number resumptions like that: `(1) suspend resume partial function for moor()`.
    private static func hasFreeBrackets(_ text: Span<UInt8>) -> Bool {
        var position = 0
        while let blank = text.firstIndex(of: UInt8(ascii: " "), from: position) {
            position = blank + 1
            guard let open = text.at(position), open == UInt8(ascii: "[") || open == UInt8(ascii: "("), depth(of: position, in: text) <= 0,
                let close = RowLexer.closing(text.from(position))
            else { continue }
            if text.at(position + close + 1) == UInt8(ascii: " "), !text.hasPrefix("-["), !text.hasPrefix("+[") {
                // Swift's closures have their arguments like that: `closure #1 (Swift.Int) -> () in App.main()`.
                if text.from(position + close + 1).hasPrefix(" -> ") || text.from(position + close + 1).hasPrefix(" in ")
                    || text.from(position + close + 1).hasPrefix(" throws ") || text.from(position + close + 1).hasPrefix(" async ")
                {
                    continue
                }
                return true
            }
        }
        return false
    }

    /// Whether the text has words of sentences, which names of functions do not have.
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
            if isOne(text[index], of: "([{<") { depth += 1 }
            if isOne(text[index], of: ")]}>") { depth -= 1 }
        }
        return depth
    }
}
