internal import BinaryPrimitives
internal import LibC

/// A section's bytes, for as long as the `DumpedObject` lives that they belong to. Every read is
/// checked.
@safe struct SectionBytes {
    private let start: UnsafePointer<UInt8>?
    let count: Int
    let order: ByteOrder

    static var none: SectionBytes { unsafe SectionBytes(start: nil, count: 0, .littleEndian) }

    @unsafe init(start: UnsafePointer<UInt8>?, count: Int, _ order: ByteOrder) {
        unsafe self.start = start
        self.count = unsafe start == nil ? 0 : max(0, count)
        self.order = order
    }

    var isEmpty: Bool { count == 0 }

    /// The byte at a position; zero outside.
    @inline(__always)
    subscript(position: Int) -> UInt8 {
        guard position >= 0, position < count, let start = unsafe start else { return 0 }
        return unsafe start[position]
    }

    /// An unsigned number of 1 to 8 bytes; `nil` if it does not lie inside.
    @inline(__always)
    func number(at position: Int, size: Int) -> UInt64? {
        guard position >= 0, size > 0, size <= 8, size <= count &- position, position < count, let start = unsafe start else { return nil }
        let pointer = unsafe UnsafeRawPointer(start + position)
        switch size {
        case 1: return unsafe UInt64(pointer.load(as: UInt8.self))
        case 2: return unsafe UInt64(inOrder(pointer.loadUnaligned(as: UInt16.self)))
        case 4: return unsafe UInt64(inOrder(pointer.loadUnaligned(as: UInt32.self)))
        case 8: return unsafe inOrder(pointer.loadUnaligned(as: UInt64.self))
        default: break
        }
        var value: UInt64 = 0
        if order == .littleEndian {
            for index in 0..<size { value |= UInt64(self[position &+ index]) &<< UInt64(8 &* index) }
        } else {
            for index in 0..<size { value = value &<< 8 | UInt64(self[position &+ index]) }
        }
        return value
    }

    @inline(__always)
    private func inOrder<Number: FixedWidthInteger>(_ number: Number) -> Number { order.isForeign ? number.byteSwapped : number }

    /// The bytes of a string without the zero that ends it; `nil` if it begins outside or has no
    /// end.
    func string(at position: Int) -> Range<Int>? {
        guard position >= 0, position < count, let start = unsafe start else { return nil }
        guard let end = unsafe memchr(start + position, 0, count - position) else { return nil }
        let length = unsafe end.assumingMemoryBound(to: UInt8.self) - UnsafeMutablePointer(mutating: start + position)
        return position..<position + length
    }

    /// The same for a name that others refer to: cut at `Limits.nameLength`, and nothing after it
    /// is read, because many may refer to one without end.
    func name(at position: Int) -> Range<Int>? {
        let limit = Limits.standard.nameLength
        guard position >= 0, position < count, limit < count - position else { return string(at: position) }
        return cut(at: position + limit).string(at: position) ?? position..<position + limit
    }

    /// The bytes of a range, as far as they exist.
    func bytes(in range: Range<Int>) -> [UInt8] {
        let inside = range.clamped(to: 0..<count)
        guard let start = unsafe start, !inside.isEmpty else { return [] }
        return unsafe Array(UnsafeBufferPointer(start: start + inside.lowerBound, count: inside.count))
    }

    /// The same bytes as if they ended at `end`.
    func cut(at end: Int) -> SectionBytes { unsafe SectionBytes(start: start, count: max(0, min(end, count)), order) }

    func part(_ range: Range<Int>) -> SectionBytes {
        part(UInt64(max(0, range.lowerBound))..<UInt64(max(0, range.upperBound)))
    }

    /// A part of them, whose positions count from its own first byte.
    func part(_ range: Range<UInt64>) -> SectionBytes {
        let low = min(Int(clamping: range.lowerBound), count)
        let high = max(low, min(Int(clamping: range.upperBound), count))
        return unsafe SectionBytes(start: start.map { unsafe $0 + low }, count: high - low, order)
    }

    /// Gives the bytes from a position on to `body`; none if it is outside.
    @inline(__always)
    func withBytes<Value, Failure>(from position: Int, _ body: (RawSpan) throws(Failure) -> Value) throws(Failure) -> Value {
        guard position >= 0, position <= count, let start = unsafe start else { return try body(RawSpan()) }
        return try body(unsafe RawSpan(_unsafeStart: UnsafeRawPointer(start + position), byteCount: count - position))
    }

    /// A cursor from `position` on.
    func cursor(at position: Int) -> SectionCursor { SectionCursor(self, at: position) }
}

/// Reads a section's bytes one after the other. Past the end every value is zero and `isPastEnd` is
/// set, so that a table is read to its end and judged then.
struct SectionCursor {
    let bytes: SectionBytes
    private(set) var position: Int
    private(set) var isPastEnd = false

    init(_ bytes: SectionBytes, at position: Int) {
        self.bytes = bytes
        self.position = position
        if position < 0 || position > bytes.count { isPastEnd = true }
    }

    @inline(__always)
    mutating func number(_ size: Int) -> UInt64 {
        guard !isPastEnd, let value = bytes.number(at: position, size: size) else {
            isPastEnd = true
            return 0
        }
        position += size
        return value
    }

    /// Takes something as `DWARF` reads it. Where the bytes end before, or a number is too large,
    /// the cursor is past its end.
    @inline(__always)
    mutating func read<Value>(_ body: (inout RawSpan) throws(ReadError) -> Value) throws(ReadError) -> Value {
        let end = bytes.count
        do throws(ReadError) {
            if isPastEnd { throw ReadError(.outOfBytes(needed: 1), bytesLeft: 0) }
            return try bytes.withBytes(from: position) { (span: RawSpan) throws(ReadError) in
                var rest = span
                // If it fails, the cursor stays before the bytes that could not be read.
                defer { position = end - rest.byteCount }
                return try body(&rest)
            }
        } catch {
            if case .unknownForm = error.kind {} else { isPastEnd = true }
            throw error
        }
    }

    mutating func u8() -> UInt8 { UInt8(truncatingIfNeeded: number(1)) }
    mutating func u16() -> UInt16 { UInt16(truncatingIfNeeded: number(2)) }
    mutating func u32() -> UInt32 { UInt32(truncatingIfNeeded: number(4)) }
    mutating func u64() -> UInt64 { number(8) }

    /// An unsigned LEB128 number (DWARF 5, section 7.6); one of more than 64 bits counts as the
    /// end.
    @inline(__always)
    mutating func uleb() -> UInt64 {
        guard !isPastEnd, position < bytes.count else {
            isPastEnd = true
            return 0
        }
        let first = bytes[position]
        if first < 0x80 {
            position += 1
            return UInt64(first)
        }
        return longULEB()
    }

    private mutating func longULEB() -> UInt64 {
        var (value, shift, next): (UInt64, UInt64, Int) = (0, 0, position)
        while next < bytes.count {
            let byte = bytes[next]
            next += 1
            let part = UInt64(byte & 0x7f)
            guard shift < 64 ? (part << shift) >> shift == part : part == 0 else { break }
            if shift < 64 { value |= part << shift }
            shift = min(shift + 7, 70)
            if byte < 0x80 {
                position = next
                return value
            }
        }
        isPastEnd = true
        return 0
    }

    /// A signed LEB128 number.
    mutating func sleb() -> Int64 {
        var (value, shift, next): (Int64, UInt64, Int) = (0, 0, position)
        while !isPastEnd, next < bytes.count {
            let byte = bytes[next]
            next += 1
            if shift < 64 { value |= Int64(truncatingIfNeeded: UInt64(byte & 0x7f) << shift) }
            shift = min(shift + 7, 70)
            if byte < 0x80 {
                if shift < 64, byte & 0x40 != 0 { value |= -1 << Int64(shift) }
                position = next
                return value
            }
        }
        isPastEnd = true
        return 0
    }

    /// The bytes of a string that a zero ends, without it.
    mutating func string() -> Range<Int> {
        guard !isPastEnd, let range = bytes.string(at: position) else {
            isPastEnd = true
            return position..<position
        }
        position = range.upperBound + 1
        return range
    }

    /// The next bytes.
    mutating func block(_ count: UInt64) -> Range<Int> {
        guard !isPastEnd, count <= UInt64(max(0, bytes.count - position)) else {
            isPastEnd = true
            return position..<position
        }
        let range = position..<position + Int(count)
        position = range.upperBound
        return range
    }

    mutating func skip(_ count: UInt64) { _ = block(count) }

    /// Goes on elsewhere.
    mutating func move(to position: Int) {
        self.position = position
        isPastEnd = position < 0 || position > bytes.count
    }

    /// The length that a table begins with (DWARF 5, section 7.2.2), and the bytes of its offsets:
    /// 4 or 8.
    mutating func initialLength() -> (length: UInt64, offsetSize: Int) {
        let length = UInt64(u32())
        if length == 0xffff_ffff { return (u64(), 8) }
        // Reserved.
        if length >= 0xffff_fff0 { isPastEnd = true }
        return (length, 4)
    }
}
