/// Lower-case hexadecimal digits with zeros before them up to `digits`.
package func hexadecimal(_ value: UInt64, digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
}

/// A letter of ASCII.
@inlinable @inline(__always)
package func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }
