/// A name as bytes, and the cuts that the languages' rules are made of. Nothing here trusts that
/// brackets are balanced.
struct NameText {
    var bytes: [UInt8]

    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }
    init(_ text: String) { bytes = Array(text.utf8) }

    var string: String { String(decoding: bytes, as: UTF8.self) }
    var isEmpty: Bool { bytes.isEmpty }
    var count: Int { bytes.count }

    func hasPrefix(_ text: String) -> Bool { bytes.starts(with: text.utf8) }
    func hasSuffix(_ text: String) -> Bool { bytes.count >= text.utf8.count && bytes.suffix(text.utf8.count).elementsEqual(text.utf8) }

    /// Index of the first occurrence of `text` at or after `start`.
    func first(_ text: String, from start: Int = 0) -> Int? {
        let wanted = Array(text.utf8)
        guard let head = wanted.first, bytes.count >= wanted.count else { return nil }
        var index = max(0, start)
        while index <= bytes.count - wanted.count {
            if bytes[index] == head, bytes[index..<index + wanted.count].elementsEqual(wanted) { return index }
            index += 1
        }
        return nil
    }

    /// Index of the last occurrence of `text`.
    func last(_ text: String) -> Int? {
        let wanted = Array(text.utf8)
        guard !wanted.isEmpty, bytes.count >= wanted.count else { return nil }
        var index = bytes.count - wanted.count
        while index >= 0 {
            if bytes[index] == wanted[0], bytes[index..<index + wanted.count].elementsEqual(wanted) { return index }
            index -= 1
        }
        return nil
    }

    func contains(_ text: String) -> Bool { first(text) != nil }

    mutating func drop(prefix text: String) -> Bool {
        guard hasPrefix(text) else { return false }
        bytes.removeFirst(text.utf8.count)
        return true
    }

    mutating func drop(suffix text: String) -> Bool {
        guard hasSuffix(text) else { return false }
        bytes.removeLast(text.utf8.count)
        return true
    }

    /// Every `text` is removed or replaced.
    mutating func replace(_ text: String, with other: String = "") {
        guard contains(text) else { return }
        var result: [UInt8] = []
        var index = 0
        while let found = first(text, from: index) {
            result += bytes[index..<found]
            result += other.utf8
            index = found + text.utf8.count
        }
        bytes = result + bytes[min(index, bytes.count)...]
    }

    /// Digits at the end are left out.
    mutating func dropDigitsAtEnd() {
        while let last = bytes.last, last &- 0x30 < 10 { bytes.removeLast() }
    }

    /// The part of `separator` that ends the name, if nothing but digits follows it:
    /// `.constprop.0`, `_block_invoke_2`.
    mutating func drop(suffix separator: String, andDigits isNeeded: Bool) -> Bool {
        var rest = self
        rest.dropDigitsAtEnd()
        guard rest.count < count || !isNeeded, rest.drop(suffix: separator) else { return false }
        self = rest
        return true
    }

    /// Removes the text between `open` and its matching `close`, including the brackets. An `open`
    /// that is not closed stays, with the text after it.
    /// - Parameter isBracket: Whether the `open` at this index is a bracket.
    mutating func fold(_ open: UInt8, _ close: UInt8, where isBracket: (NameText, Int) -> Bool = { _, _ in true }) {
        guard bytes.contains(open) else { return }
        var result: [UInt8] = []
        var openings: [Int] = []
        for (index, byte) in bytes.enumerated() {
            if byte == open, isBracket(self, index) {
                openings.append(result.count)
            } else if byte == close, isBracket(self, index), let start = openings.popLast() {
                result.removeSubrange(start...)
                continue
            }
            result.append(byte)
        }
        bytes = result
    }

    /// Index of the bracket that is closed at `end`.
    func opening(of end: Int, _ open: UInt8, _ close: UInt8) -> Int? {
        guard bytes.indices.contains(end) else { return nil }
        var depth = 0
        for index in stride(from: end, through: 0, by: -1) {
            if bytes[index] == close { depth += 1 }
            if bytes[index] == open {
                depth -= 1
                if depth == 0 { return index }
            }
        }
        return nil
    }

    mutating func keep(first length: Int) { if length < count { bytes.removeSubrange(max(0, length)...) } }
    mutating func keep(from start: Int) { bytes.removeFirst(min(max(0, start), count)) }
}
