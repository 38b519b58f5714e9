internal import LibC

/// The functions of `TextScanning` for literals in the program: nearly all texts that logs are
/// searched for. Their bytes are accessible directly; a `String` has to be decoded first, which
/// takes longer than comparing a few bytes.
extension Span where Element == UInt8 {
    /// Whether the text begins with `prefix`, byte for byte.
    @inlinable
    package func hasPrefix(_ prefix: StaticString) -> Bool {
        let length = prefix.utf8CodeUnitCount
        guard length <= count else { return false }
        let start = unsafe prefix.utf8Start
        var index = 0
        while index < length {
            guard unsafe self[index] == start[index] else { return false }
            index &+= 1
        }
        return true
    }

    /// Whether the text ends with `suffix`, byte for byte.
    @inlinable
    package func hasSuffix(_ suffix: StaticString) -> Bool {
        let length = suffix.utf8CodeUnitCount
        return length <= count && from(count - length).hasPrefix(suffix)
    }

    /// Whether the text is `other`, byte for byte.
    @inlinable
    package func equals(_ other: StaticString) -> Bool { count == other.utf8CodeUnitCount && hasPrefix(other) }

    /// Moves past `prefix` if the text begins with it.
    @inlinable
    package mutating func consume(_ prefix: StaticString) -> Bool {
        guard hasPrefix(prefix) else { return false }
        self = extracting(droppingFirst: prefix.utf8CodeUnitCount)
        return true
    }

    /// Removes `suffix` from the end if the text ends with it.
    @inlinable
    package mutating func consumeSuffix(_ suffix: StaticString) -> Bool {
        guard hasSuffix(suffix) else { return false }
        self = extracting(droppingLast: suffix.utf8CodeUnitCount)
        return true
    }

    /// Range of the first occurrence of `text` at or after `start`; `nil` for an empty text.
    @usableFromInline
    package func firstRange(of text: StaticString, from start: Int = 0) -> Range<Int>? {
        let length = text.utf8CodeUnitCount
        let start = Swift.max(0, start)
        guard length > 0, length <= count - start else { return nil }
        // In a document, the byte that a text begins with may be everywhere: `"` in JSON.
        if count - start >= Self.longText { return firstRange(inLong: text.description, from: start) }
        let wanted = unsafe text.utf8Start
        return unsafe withUnsafeBufferPointer { (bytes: UnsafeBufferPointer<UInt8>) -> Range<Int>? in
            guard let base = bytes.baseAddress else { return nil }
            var index = start
            while index <= count - length {
                guard let found = unsafe memchr(base + index, Int32(wanted[0]), count - length + 1 - index) else { return nil }
                index = unsafe UnsafeRawPointer(found) - UnsafeRawPointer(base)
                if unsafe memcmp(base + index, wanted, length) == 0 { return index..<index + length }
                index += 1
            }
            return nil
        }
    }

    private static var longText: Int { 1024 }

    /// Range of the last occurrence of `text` that ends at or before `end`; `nil` for an empty
    /// text.
    @inlinable
    package func lastRange(of text: StaticString, before end: Int? = nil) -> Range<Int>? {
        let length = text.utf8CodeUnitCount
        guard length > 0 else { return nil }
        let first = unsafe text.utf8Start[0]
        var index = Swift.min(end ?? count, count) - length
        while index >= 0 {
            if self[index] == first, from(index).hasPrefix(text) { return index..<index + length }
            index -= 1
        }
        return nil
    }

    /// Whether `text` occurs anywhere.
    @inlinable
    package func contains(_ text: StaticString) -> Bool { firstRange(of: text) != nil }
}

/// Whether a byte is one of those of a text.
@inlinable
package func isOne(_ byte: UInt8, of text: StaticString) -> Bool {
    let start = unsafe text.utf8Start
    for index in 0..<text.utf8CodeUnitCount where unsafe start[index] == byte { return true }
    return false
}
