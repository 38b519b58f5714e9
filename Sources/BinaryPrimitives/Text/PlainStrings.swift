// String functions that every log needs, without the generic functions of the standard library of
// the same names. Those have no specialised code for `String`: at their first call the runtime
// searches the conformances of the whole program, each time a twentieth of the time of a short log;
// and `contains` compares characters, for which it first builds tables of them.

extension String {
    /// Whether the bytes of `text` occur anywhere; so for an empty text.
    package func contains(_ text: String) -> Bool {
        guard !text.isEmpty else { return true }
        let found = unsafe utf8.withContiguousStorageIfAvailable { unsafe $0.span.contains(text) }
        return found ?? Array(utf8).span.contains(text)
    }
}

extension [String] {
    /// The texts one after the other, with `separator` between any two.
    package func joined(separator: String = "") -> String {
        guard var text = first else { return "" }
        for next in dropFirst() {
            text += separator
            text += next
        }
        return text
    }
}
