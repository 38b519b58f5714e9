internal import BinaryPrimitives

/// How rows of several formats divide themselves.
extension Span where Element == UInt8 {
    /// How many blanks the text begins with.
    var indent: Int {
        var index = 0
        while let byte = at(index), isBlank(byte) { index += 1 }
        return index
    }

    /// Text between the first `open` and the next `close` after it.
    func text(between open: String, and close: String) -> String? {
        guard let open = firstRange(of: open), let close = firstRange(of: close, from: open.upperBound) else { return nil }
        return clamped(to: open.upperBound..<close.lowerBound).text
    }

    /// The address after the first `mark`.
    func address(after mark: String) -> UInt64? { firstRange(of: mark).flatMap { from($0.upperBound).leadingAddress } }

    /// Offset of the parenthesis that opens the group at the text's end. Names contain pairs of
    /// their own.
    var openingParenthesis: Int? {
        guard hasSuffix(")") else { return nil }
        var depth = 0
        var index = count
        while index > 0 {
            index -= 1
            if self[index] == UInt8(ascii: ")") { depth += 1 }
            if self[index] == UInt8(ascii: "(") { depth -= 1 }
            if depth == 0 { return index }
        }
        return nil
    }

    /// The fields between separators, `maxCount` of them.
    func fields(separatedBy separator: UInt8, maxCount: Int) -> [Range<Int>] {
        var fields: [Range<Int>] = []
        var start = 0
        while fields.count < maxCount {
            let end = firstIndex(of: separator, from: start) ?? count
            fields.append(start..<end)
            guard end < count else { break }
            start = end + 1
        }
        return fields
    }
}
