/// The part that all spellings of a function's name share: a log's, a symbol table's, a demangler's. Two
/// functions may have one key (overloads).
enum FunctionNameKey {
    /// - Parameter name: demangled, if it was mangled.
    static func key(_ name: String) -> String {
        var text = name[...]
        // Parameters, results and qualifiers: `Tank.fill(_:)`, `fill(int) const`. `operator()` and
        // `(anonymous namespace)::f` have parentheses in the name.
        if let open = firstParenthesis(in: text) { text = text[..<open] }
        // `sail.constprop.0`, `pour.cold`, `f [clone .isra.0]`: parts and copies of a function that
        // debuggers call by its own name.
        if let clone = text.firstRange(of: " [clone ") { text = text[..<clone.lowerBound] }
        if !text.contains(" "), !text.contains(":"), let dot = text.firstIndex(of: "."), dot > text.startIndex, isSuffix(text[dot...]) {
            text = text[..<dot]
        }
        return withoutHashes(text.drop { $0 == " " })
    }

    private static func firstParenthesis(in text: Substring) -> Substring.Index? {
        var start = text.startIndex
        while let open = text[start...].firstIndex(of: "(") {
            let isPart = text[open...].hasPrefix("(anonymous namespace)") || text[..<open].hasSuffix("operator") || open == text.startIndex
            guard isPart else { return open }
            guard let close = text[open...].firstIndex(of: ")") else { return nil }
            start = text.index(after: close)
        }
        return nil
    }

    private static func isSuffix(_ text: Substring) -> Bool {
        [".constprop.", ".isra.", ".part.", ".cold", ".llvm.", ".lto_priv."].contains { text.hasPrefix($0) }
    }

    /// Rust's: `main::fill::h17d3b5a2c0ffee01`, `std[e28293b1aa0f68bd]::rt`.
    private static func withoutHashes(_ text: Substring) -> String {
        var text = String(text)
        if text.utf8.count > 19, text.suffix(19).hasPrefix("::h"), text.suffix(16).allSatisfy(\.isHexDigit) { text.removeLast(19) }
        while let open = text.firstRange(of: "["), text[open.upperBound...].prefix(17).last == "]",
            text[open.upperBound...].prefix(16).allSatisfy(\.isHexDigit)
        {
            text.removeSubrange(open.lowerBound..<text.index(open.upperBound, offsetBy: 17))
        }
        return text
    }
}
