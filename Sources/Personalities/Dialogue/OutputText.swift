internal import BinaryPrimitives

/// Text for standard output, as bytes: not as strings, because some tools write a million results.
struct OutputText {
    private(set) var bytes: [UInt8] = []

    mutating func reserveCapacity(_ count: Int) { bytes.reserveCapacity(count) }

    mutating func append(_ text: StaticString) {
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(text: String) { bytes += text.utf8 }

    mutating func append(_ byte: UInt8) { bytes.append(byte) }

    /// A part of other text.
    mutating func append(_ text: [UInt8], _ range: Range<Int>) { bytes.append(copying: text.span.extracting(range)) }

    mutating func append(_ document: WrittenJSON, _ style: WrittenJSON.Style) { document.write(to: &bytes, style: style) }

    /// Decimal digits.
    mutating func append(decimal number: Int) {
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        append(number.magnitude, radix: 10, width: 1)
    }

    /// Lower-case hexadecimal digits, filled with zeros to `width`.
    mutating func append(hexadecimal number: UInt64, width: Int = 1) { append(UInt(number), radix: 16, width: width) }

    /// Writes the last digit first, each at its final position: reversing them afterwards would copy them.
    @inline(__always)
    private mutating func append(_ number: UInt, radix: UInt, width: Int) {
        var count = 1
        var rest = number / radix
        while rest > 0 {
            count &+= 1
            rest /= radix
        }
        var index = bytes.count &+ max(count, width)
        while bytes.count < index { bytes.append(UInt8(ascii: "0")) }
        rest = number
        while rest > 0 {
            index &-= 1
            let digit = UInt8(truncatingIfNeeded: rest % radix)
            bytes[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            rest /= radix
        }
    }

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }
}

extension [UInt8] {
    /// The last part of the path at `range`.
    func nameOfPath(_ range: Range<Int>) -> Range<Int> {
        var start = range.upperBound
        while start > range.lowerBound, self[start - 1] != UInt8(ascii: "/") { start -= 1 }
        return start..<range.upperBound
    }
}
