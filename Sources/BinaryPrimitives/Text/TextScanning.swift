/// Text as bytes. Logs are scanned as UTF-8 bytes, never as `String` or with regular expressions: a
/// line takes a twentieth of a microsecond this way and five with `Regex`.
///
/// As in `ByteReading`, a span held in a variable is the cursor: each `take` returns a value and
/// moves the start of the span past it, and leaves the span as it was where it returns `nil` or
/// `false`. A position in the line is `line.count - rest.count`.
extension Span where Element == UInt8 {
    /// The byte at `offset`; `nil` outside.
    @inlinable @inline(__always)
    package func at(_ offset: Int) -> UInt8? { offset >= 0 && offset < count ? self[offset] : nil }

    /// The bytes of `range` as far as they lie inside.
    @inlinable
    @_lifetime(copy self)
    package func clamped(to range: Range<Int>) -> Span<UInt8> { extracting(range.clamped(to: 0..<count)) }

    /// The bytes from `offset` on; none if it is after the end.
    @inlinable
    @_lifetime(copy self)
    package func from(_ offset: Int) -> Span<UInt8> { extracting(droppingFirst: Swift.min(Swift.max(0, offset), count)) }

    /// The bytes before `offset`, or all if there are fewer.
    @inlinable
    @_lifetime(copy self)
    package func upTo(_ offset: Int) -> Span<UInt8> { extracting(first: Swift.max(0, offset)) }

    /// Without the spaces and tabs at both ends.
    @inlinable
    @_lifetime(copy self)
    package func trimmed() -> Span<UInt8> {
        var start = 0
        var end = count
        while start < end, isBlank(self[start]) { start &+= 1 }
        while end > start, isBlank(self[end &- 1]) { end &-= 1 }
        return extracting(start..<end)
    }

    /// Moves past spaces and tabs.
    @inlinable
    package mutating func skipBlanks() {
        var index = 0
        while index < count, isBlank(self[index]) { index &+= 1 }
        self = extracting(droppingFirst: index)
    }

    /// Whether the text begins with `prefix`, byte for byte.
    @inlinable @_disfavoredOverload
    package func hasPrefix(_ prefix: String) -> Bool {
        let text = prefix.utf8.span
        guard text.count <= count else { return false }
        var index = 0
        while index < text.count {
            guard self[index] == text[index] else { return false }
            index &+= 1
        }
        return true
    }

    /// Whether the text ends with `suffix`, byte for byte.
    @inlinable @_disfavoredOverload
    package func hasSuffix(_ suffix: String) -> Bool {
        let length = suffix.utf8.count
        return length <= count && from(count - length).hasPrefix(suffix)
    }

    /// Whether the text is `other`, byte for byte.
    @inlinable @_disfavoredOverload
    package func equals(_ other: String) -> Bool { hasPrefix(other) && count == other.utf8.count }

    /// Moves past `prefix` if the text begins with it.
    @inlinable @_disfavoredOverload
    package mutating func consume(_ prefix: String) -> Bool {
        guard hasPrefix(prefix) else { return false }
        self = extracting(droppingFirst: prefix.utf8.count)
        return true
    }

    /// Removes `suffix` from the end if the text ends with it.
    @inlinable @_disfavoredOverload
    package mutating func consumeSuffix(_ suffix: String) -> Bool {
        guard hasSuffix(suffix) else { return false }
        self = extracting(droppingLast: suffix.utf8.count)
        return true
    }

    /// Reads a number of decimal digits; `nil` without digits or if it does not fit 64 bits.
    @inlinable
    package mutating func readDecimal() -> UInt64? {
        var index = 0
        var value: UInt64 = 0
        while index < count, case let digit = self[index] &- UInt8(ascii: "0"), digit < 10 {
            let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tens.addingReportingOverflow(UInt64(digit))
            guard !overflow, !carry else { return nil }
            value = sum
            index &+= 1
        }
        guard index > 0 else { return nil }
        self = extracting(droppingFirst: index)
        return value
    }

    /// The decimal number that the text begins with.
    @inlinable
    package var leadingDecimal: UInt64? {
        var rest = self
        return rest.readDecimal()
    }

    /// The number that the text begins with, in hexadecimal digits without `0x`.
    @inlinable
    package var leadingHexadecimal: UInt64? {
        var rest = self
        return rest.readHexadecimal()
    }

    /// The address with `0x` that the text begins with.
    @inlinable
    package var leadingAddress: UInt64? {
        var rest = self
        return rest.readAddress()
    }

    /// The decimal number that the whole text is.
    @inlinable
    package var decimal: UInt64? {
        var rest = self
        return rest.readDecimal().flatMap { rest.count == 0 ? $0 : nil }
    }

    /// The number that the whole text is, in hexadecimal digits without `0x`.
    @inlinable
    package var hexadecimal: UInt64? {
        var rest = self
        return rest.readHexadecimal().flatMap { rest.count == 0 ? $0 : nil }
    }

    /// The address with `0x` that the whole text is.
    @inlinable
    package var address: UInt64? {
        var rest = self
        return rest.readAddress().flatMap { rest.count == 0 ? $0 : nil }
    }

    /// Removes the decimal number at the end of the text, and the mark in front of it: ` + 24` of
    /// `main + 24`.
    package mutating func readDecimal(atEndBehind mark: String) -> UInt64? {
        guard let found = lastRange(of: mark), let value = from(found.upperBound).decimal else { return nil }
        self = extracting(first: found.lowerBound)
        return value
    }

    /// Removes the hexadecimal number at the end of the text, and the mark in front of it: `+0x18`
    /// of `main+0x18`.
    package mutating func readHexadecimal(atEndBehind mark: String) -> UInt64? {
        guard let found = lastRange(of: mark), let value = from(found.upperBound).hexadecimal else { return nil }
        self = extracting(first: found.lowerBound)
        return value
    }

    /// Reads a number of hexadecimal digits, without `0x`; `nil` without digits or if it does not
    /// fit 64 bits.
    @inlinable
    package mutating func readHexadecimal() -> UInt64? {
        var index = 0
        var value: UInt64 = 0
        while index < count, let digit = hexadecimalValue(self[index]) {
            guard value >> 60 == 0 else { return nil }
            value = value << 4 | UInt64(digit)
            index &+= 1
        }
        guard index > 0 else { return nil }
        self = extracting(droppingFirst: index)
        return value
    }

    /// Reads `0x` and hexadecimal digits: an address as logs print it.
    @inlinable
    package mutating func readAddress() -> UInt64? {
        var rest = self
        guard rest.consume("0x") || rest.consume("0X"), let value = rest.readHexadecimal() else { return nil }
        self = rest
        return value
    }

    /// Reads everything up to the next space or tab, which may be nothing.
    @inlinable
    @_lifetime(copy self)
    package mutating func readToken() -> Span<UInt8> {
        var index = 0
        while index < count, !isBlank(self[index]) { index &+= 1 }
        let token = extracting(first: index)
        self = extracting(droppingFirst: index)
        return token
    }

    /// Reads everything up to the end of the line, `
    /// ` or `\r
    /// `, which is skipped; `nil` if nothing is left.
    @inlinable
    @_lifetime(copy self)
    package mutating func readLine() -> Span<UInt8>? {
        guard count > 0 else { return nil }
        let end = firstIndex(of: UInt8(ascii: "\n")) ?? count
        let line = extracting(first: at(end &- 1) == UInt8(ascii: "\r") ? end &- 1 : end)
        self = extracting(droppingFirst: Swift.min(count, end &+ 1))
        return line
    }

    /// Index of the first `byte` at or after `start`.
    @inlinable
    package func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
        var index = Swift.max(0, start)
        while index < count {
            if self[index] == byte { return index }
            index &+= 1
        }
        return nil
    }

    /// Index of the last `byte` before `end`, at or after `start`.
    @inlinable
    package func lastIndex(of byte: UInt8, before end: Int? = nil, from start: Int = 0) -> Int? {
        var index = Swift.min(end ?? count, count)
        let first = Swift.max(0, start)
        while index > first {
            index &-= 1
            if self[index] == byte { return index }
        }
        return nil
    }

    /// Range of the first occurrence of `text` at or after `start`; `nil` for an empty text.
    @inlinable @_disfavoredOverload
    package func firstRange(of text: String, from start: Int = 0) -> Range<Int>? {
        guard let first = text.utf8.first else { return nil }
        let start = Swift.max(0, start)
        // Documents are searched for keys that most of them do not have. For a line the preparation
        // would cost more than it saves.
        if count - start >= 256 { return firstRange(inLong: text, from: start) }
        let length = text.utf8.count
        var index = start
        while index <= count - length {
            if self[index] == first, from(index).hasPrefix(text) { return index..<index + length }
            index &+= 1
        }
        return nil
    }

    /// Horspool's search: for each byte of this text, the search moves on to the next position at
    /// which the wanted text can match that byte.
    @usableFromInline
    func firstRange(inLong text: String, from start: Int) -> Range<Int>? {
        let wanted = Array(text.utf8)
        let last = wanted.count - 1
        var steps = [Int](repeating: wanted.count, count: 256)
        for index in 0..<last { steps[Int(wanted[index])] = last - index }
        var index = start + last
        while index < count {
            let byte = self[index]
            if byte == wanted[last], from(index - last).hasPrefix(text) { return index - last..<index + 1 }
            index += steps[Int(byte)]
        }
        return nil
    }

    /// Range of the last occurrence of `text` that ends at or before `end`; `nil` for an empty
    /// text.
    @inlinable @_disfavoredOverload
    package func lastRange(of text: String, before end: Int? = nil) -> Range<Int>? {
        let length = text.utf8.count
        guard let first = text.utf8.first else { return nil }
        var index = Swift.min(end ?? count, count) - length
        while index >= 0 {
            if self[index] == first, from(index).hasPrefix(text) { return index..<index + length }
            index -= 1
        }
        return nil
    }

    /// Whether `text` occurs anywhere.
    @inlinable @_disfavoredOverload
    package func contains(_ text: String) -> Bool { firstRange(of: text) != nil }

    /// These bytes as a string; invalid UTF-8 is repaired with U+FFFD.
    package var text: String { rawBytes.string() }

    /// A copy of these bytes.
    @inlinable
    package func copied() -> [UInt8] {
        unsafe withUnsafeBufferPointer { unsafe Array($0) }
    }

    /// How many line feeds there are: eight bytes at a time, because it is all that is done with
    /// most of a log.
    package func countLineFeeds() -> Int {
        let count = count
        return unsafe withUnsafeBytes { bytes in
            var total = 0
            var index = 0
            let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
            while index &+ 8 <= count {
                // A byte is zero where a line feed was: there, and only there, `others` lacks the
                // highest bit (Warren, Hacker's Delight, 6-1).
                let word = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ 0x0A0A_0A0A_0A0A_0A0A
                let others = ((word & low) &+ low) | word | low
                total &+= (~others).nonzeroBitCount
                index &+= 8
            }
            while index < count {
                if unsafe bytes[index] == 0x0A { total &+= 1 }
                index &+= 1
            }
            return total
        }
    }
}

/// Space or tab.
@inlinable @inline(__always)
package func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

/// A decimal digit of ASCII.
@inlinable @inline(__always)
package func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

/// A capital letter of ASCII.
@inlinable @inline(__always)
package func isCapital(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "A") < 26 }

/// A small letter of ASCII.
@inlinable @inline(__always)
package func isLowercase(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "a") < 26 }

/// A letter or digit of ASCII, or an underscore: a part of an identifier in most languages.
@inlinable @inline(__always)
package func isIdentifier(_ byte: UInt8) -> Bool { isCapital(byte) || isLowercase(byte) || isDigit(byte) || byte == UInt8(ascii: "_") }
