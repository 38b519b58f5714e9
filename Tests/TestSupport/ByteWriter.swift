package import BinaryPrimitives

/// Puts bytes together, one field after another, in one byte order: how tests state what a file
/// holds.
package struct ByteWriter {
    package var bytes: [UInt8] = []
    package let order: ByteOrder

    package init(_ order: ByteOrder = .littleEndian) { self.order = order }

    package var count: Int { bytes.count }

    package mutating func put(_ value: some FixedWidthInteger) { bytes += encoded(value) }

    /// A number of 1, 2, 4 or 8 bytes; the bytes above are cut off.
    package mutating func put(_ value: UInt64, size: Int) {
        switch size {
        case 1: put(UInt8(truncatingIfNeeded: value))
        case 2: put(UInt16(truncatingIfNeeded: value))
        case 4: put(UInt32(truncatingIfNeeded: value))
        default: put(value)
        }
    }

    /// A number of 4 or 8 bytes.
    package mutating func putWord(_ value: UInt64, wide: Bool) { put(value, size: wide ? 8 : 4) }

    /// Text in a field of fixed width.
    package mutating func put(name: String, width: Int) {
        let text = Array(name.utf8)
        bytes += text + [UInt8](repeating: 0, count: width - text.count)
    }

    /// Text and a zero byte.
    package mutating func put(text: String) { bytes += Array(text.utf8) + [0] }

    /// DWARF's unsigned LEB128 (DWARF 5, section 7.6).
    package mutating func putULEB128(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// DWARF's signed LEB128: ends with a group whose sign bit is the number's.
    package mutating func putSLEB128(_ value: Int64) {
        var rest = value
        while true {
            let group = UInt8(truncatingIfNeeded: rest) & 0x7f
            rest >>= 7
            if (rest == 0 && group & 0x40 == 0) || (rest == -1 && group & 0x40 != 0) {
                bytes.append(group)
                return
            }
            bytes.append(group | 0x80)
        }
    }

    /// Writes a number over bytes that are there.
    package mutating func patch(_ value: some FixedWidthInteger, at position: Int) {
        let new = encoded(value)
        bytes.replaceSubrange(position..<position + new.count, with: new)
    }

    private func encoded(_ value: some FixedWidthInteger) -> [UInt8] {
        let size = value.bitWidth / 8
        return (0..<size).map { index in
            UInt8(truncatingIfNeeded: value >> ((order == .littleEndian ? index : size - 1 - index) * 8))
        }
    }
}
