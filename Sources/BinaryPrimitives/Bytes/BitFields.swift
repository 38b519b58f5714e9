/// Numbers of any width, one after the other without space between them. The least significant bit
/// of each comes first, from the least significant bit of the first byte on.
extension RawSpan {
    /// The number of `width` bits (at most 56) that begins at a bit. Bits beyond the span's end are
    /// zero.
    @inlinable @inline(__always)
    package func bits(at position: Int, _ width: Int) -> UInt64 {
        let byte = position >> 3
        guard position >= 0, byte &+ 8 <= byteCount else { return lastBits(at: position, width) }
        let word = unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: byte, as: UInt64.self)
        return (UInt64(littleEndian: word) &>> UInt64(truncatingIfNeeded: position & 7)) & ((1 &<< UInt64(truncatingIfNeeded: width)) &- 1)
    }

    /// The same within the last eight bytes.
    @usableFromInline
    func lastBits(at position: Int, _ width: Int) -> UInt64 {
        guard position >= 0 else { return 0 }
        var word: UInt64 = 0
        let byte = position >> 3
        for index in 0..<8 where byte &+ index < byteCount { word |= UInt64(self.byte(at: byte &+ index)) << UInt64(8 * index) }
        return (word &>> UInt64(position & 7)) & ((1 &<< UInt64(truncatingIfNeeded: width)) &- 1)
    }

    /// The little-endian number at `offset`; zero outside.
    @inlinable @inline(__always)
    package func word32(at offset: Int) -> UInt32 {
        guard offset >= 0, offset &+ 4 <= byteCount else { return 0 }
        return UInt32(littleEndian: unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self))
    }

    /// The little-endian number at `offset`; zero outside.
    @inlinable @inline(__always)
    package func word64(at offset: Int) -> UInt64 {
        guard offset >= 0, offset &+ 8 <= byteCount else { return 0 }
        return UInt64(littleEndian: unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }
}

/// Writes such numbers.
package struct BitFieldWriter: Sendable {
    @usableFromInline var words: [UInt64] = []
    @usableFromInline var pending: UInt64 = 0
    @usableFromInline var pendingBits: UInt64 = 0

    package init() {}

    /// Appends a number of `width` bits (at most 56), whose higher bits are zero.
    @inlinable @inline(__always)
    package mutating func append(_ value: UInt64, _ width: Int) {
        let width = UInt64(truncatingIfNeeded: width)
        pending |= value &<< pendingBits
        let sum = pendingBits &+ width
        guard sum >= 64 else {
            pendingBits = sum
            return
        }
        words.append(pending.littleEndian)
        pending = pendingBits == 0 ? 0 : value &>> (64 &- pendingBits)
        pendingBits = sum &- 64
    }

    /// Moves to the next byte, unless a byte begins here.
    package mutating func align() { append(0, -Int(truncatingIfNeeded: pendingBits) & 7) }

    /// The bytes that were begun.
    package var byteCount: Int { words.count * 8 + (Int(truncatingIfNeeded: pendingBits) + 7) / 8 }

    /// All bytes; the last one is filled up with zeros.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        unsafe words.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        for index in 0..<(pendingBits + 7) / 8 { bytes.append(UInt8(truncatingIfNeeded: pending >> (8 * index))) }
        return bytes
    }

    package mutating func removeAll() {
        words.removeAll(keepingCapacity: true)
        (pending, pendingBits) = (0, 0)
    }

    /// Number of bits that a value needs; 0 for zero.
    @inlinable package static func width(of value: UInt64) -> Int { 64 - value.leadingZeroBitCount }
}
