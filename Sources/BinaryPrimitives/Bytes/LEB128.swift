/// DWARF's variable-length integers (DWARF 5, section 7.6): seven bits a byte, least significant
/// first, the high bit says that more follow.
extension RawSpan {
    /// Reads an unsigned LEB128 number. More than 64 significant bits are an error; padding with
    /// zero groups is not.
    @inlinable @inline(__always)
    package mutating func readULEB128() throws(ReadError) -> UInt64 {
        // Nearly all numbers in debug sections fit one byte.
        if byteCount > 0 {
            let first = byte(at: 0)
            if first < 0x80 {
                try skip(1)
                return UInt64(first)
            }
        }
        return try readLongULEB128()
    }

    @inlinable
    mutating func readLongULEB128() throws(ReadError) -> UInt64 {
        var result: UInt64 = 0
        var shift: UInt64 = 0
        let count = byteCount
        var index = 0
        while index < count {
            let next = byte(at: index)
            index &+= 1
            let group = UInt64(next & 0x7f)
            if shift < 64 {
                // The tenth byte may only carry the 64th bit.
                guard shift != 63 || group <= 1 else { throw ReadError(.numberTooLarge, bytesLeft: byteCount) }
                result |= group << shift
            } else if group != 0 {
                throw ReadError(.numberTooLarge, bytesLeft: byteCount)
            }
            shift &+= 7
            if next < 0x80 {
                try skip(index)
                return result
            }
        }
        throw ReadError(.outOfBytes(needed: 1), bytesLeft: 0)
    }

    /// Reads a signed LEB128 number. Bits beyond the 64th must repeat the sign.
    @inlinable
    package mutating func readSLEB128() throws(ReadError) -> Int64 {
        var result: UInt64 = 0
        var shift: UInt64 = 0
        let count = byteCount
        var index = 0
        while index < count {
            let next = byte(at: index)
            index &+= 1
            let group = UInt64(next & 0x7f)
            if shift < 63 {
                result |= group << shift
            } else {
                // The tenth byte carries the sign bit: all seven bits must be copies of it, as in
                // every byte after.
                guard group == 0 || group == 0x7f else { throw ReadError(.numberTooLarge, bytesLeft: byteCount) }
                if shift == 63 {
                    result |= group << 63
                } else if (group != 0) != (result >> 63 != 0) {
                    throw ReadError(.numberTooLarge, bytesLeft: byteCount)
                }
            }
            shift &+= 7
            if next < 0x80 {
                try skip(index)
                if shift < 64, next & 0x40 != 0 { result |= ~UInt64(0) << shift }
                return Int64(bitPattern: result)
            }
        }
        throw ReadError(.outOfBytes(needed: 1), bytesLeft: 0)
    }

    /// Moves past one LEB128 number of either kind without reading its value.
    @inlinable @inline(__always)
    package mutating func skipLEB128() throws(ReadError) {
        let count = byteCount
        var index = 0
        while index < count {
            if byte(at: index) < 0x80 {
                try skip(index &+ 1)
                return
            }
            index &+= 1
        }
        throw ReadError(.outOfBytes(needed: 1), bytesLeft: 0)
    }
}
