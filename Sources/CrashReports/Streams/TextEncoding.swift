package import BinaryPrimitives

/// Encoding of a log's text. Logs are read as UTF-8; a log in UTF-16 (as PowerShell and the Windows
/// consoles save their output) is converted on the way in, and the symbolicated log back on the way
/// out.
package enum TextEncoding: Sendable, Hashable {
    /// UTF-8, or any other encoding that has ASCII's bytes for ASCII's characters; invalid bytes
    /// pass through.
    case utf8
    case utf16(ByteOrder)

    /// The encoding according to a log's first bytes: UTF-16 by its byte order mark, or by zeros in
    /// place of every other byte.
    /// - Parameter start: the log's first bytes, at least four if it has so many.
    package init(of start: Span<UInt8>) {
        switch (start.at(0), start.at(1), start.at(2), start.at(3)) {
        // FF FE 00 00 is UTF-32.
        case (0xFF, 0xFE, let third, let fourth): self = third == 0 && fourth == 0 ? .utf8 : .utf16(.littleEndian)
        case (0xFE, 0xFF, _, _): self = .utf16(.bigEndian)
        case (let first?, 0, let third?, 0) where first != 0 && third != 0: self = .utf16(.littleEndian)
        case (0, let second?, 0, let fourth?) where second != 0 && fourth != 0: self = .utf16(.bigEndian)
        default: self = .utf8
        }
    }
}

/// Converts UTF-16 to UTF-8, in parts of any size.
///
/// A surrogate without its partner becomes the three bytes that UTF-8 would have for it ("WTF-8"),
/// so that `UTF16Encoder` restores the original byte for byte.
package struct UTF16Decoder: Sendable {
    private let order: ByteOrder
    /// The first byte of a unit whose second is not there yet.
    private var half: UInt8?
    /// A high surrogate that waits for its partner.
    private var high: UInt16?

    package init(_ order: ByteOrder) { self.order = order }

    /// - Parameters:
    ///   - bytes: the log's next bytes.
    ///   - output: gets their UTF-8.
    package mutating func decode(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        for index in 0..<bytes.count {
            guard let first = half else {
                half = bytes[index]
                continue
            }
            half = nil
            let second = bytes[index]
            append(order == .littleEndian ? UInt16(second) << 8 | UInt16(first) : UInt16(first) << 8 | UInt16(second), to: &output)
        }
    }

    /// The log has ended.
    /// - Returns: the byte that is too few for a unit, if the log has an odd number of bytes; it
    ///   belongs after the encoder's output.
    package mutating func finish(to output: inout [UInt8]) -> UInt8? {
        if let high { UTF16Decoder.add(UInt32(high), to: &output) }
        high = nil
        return half
    }

    private mutating func append(_ unit: UInt16, to output: inout [UInt8]) {
        if let first = high {
            high = nil
            if (0xDC00...0xDFFF).contains(unit) {
                return UTF16Decoder.add(0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(unit) - 0xDC00), to: &output)
            }
            UTF16Decoder.add(UInt32(first), to: &output)
        }
        if (0xD800...0xDBFF).contains(unit) { high = unit } else { UTF16Decoder.add(UInt32(unit), to: &output) }
    }

    private static func add(_ scalar: UInt32, to output: inout [UInt8]) {
        func byte(_ value: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: value) }
        switch scalar {
        case 0..<0x80: output.append(byte(scalar))
        case 0..<0x800:
            output.append(0xC0 | byte(scalar >> 6))
            output.append(0x80 | byte(scalar & 0x3F))
        case 0..<0x10000:
            output.append(0xE0 | byte(scalar >> 12))
            output.append(0x80 | byte(scalar >> 6 & 0x3F))
            output.append(0x80 | byte(scalar & 0x3F))
        default:
            output.append(0xF0 | byte(scalar >> 18))
            output.append(0x80 | byte(scalar >> 12 & 0x3F))
            output.append(0x80 | byte(scalar >> 6 & 0x3F))
            output.append(0x80 | byte(scalar & 0x3F))
        }
    }
}

/// Converts UTF-8 (with lone surrogates, as `UTF16Decoder` makes them) back to UTF-16, in parts of
/// any size. Bytes that are not UTF-8 become U+FFFD.
package struct UTF16Encoder: Sendable {
    private let order: ByteOrder
    /// The bits of a scalar that is not there as a whole, and how many bytes it still needs.
    private var scalar: UInt32 = 0
    private var missing = 0

    package init(_ order: ByteOrder) { self.order = order }

    package mutating func encode(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        for index in 0..<bytes.count {
            let byte = bytes[index]
            if missing > 0 {
                if byte & 0xC0 == 0x80 {
                    scalar = scalar << 6 | UInt32(byte & 0x3F)
                    missing -= 1
                    if missing == 0 { add(scalar, to: &output) }
                    continue
                }
                missing = 0
                add(0xFFFD, to: &output)
            }
            switch byte {
            case 0..<0x80: add(UInt32(byte), to: &output)
            case 0xC0..<0xE0: (scalar, missing) = (UInt32(byte & 0x1F), 1)
            case 0xE0..<0xF0: (scalar, missing) = (UInt32(byte & 0x0F), 2)
            case 0xF0..<0xF8: (scalar, missing) = (UInt32(byte & 0x07), 3)
            default: add(0xFFFD, to: &output)
            }
        }
    }

    private func add(_ scalar: UInt32, to output: inout [UInt8]) {
        if scalar >= 0x10000, scalar <= 0x10FFFF {
            add(unit: UInt16(0xD800 + (scalar - 0x10000) >> 10), to: &output)
            add(unit: UInt16(0xDC00 + (scalar - 0x10000) & 0x3FF), to: &output)
        } else {
            add(unit: scalar > 0x10FFFF ? 0xFFFD : UInt16(scalar), to: &output)
        }
    }

    private func add(unit: UInt16, to output: inout [UInt8]) {
        let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
        output.append(order == .littleEndian ? low : high)
        output.append(order == .littleEndian ? high : low)
    }
}
