/// A failed read, with its distance from the end of the bytes.
///
/// The span is its own cursor, so it does not know where it began. A caller that reads a section of
/// `count` bytes gets the position of the failure from `position(in: count)`.
@usableFromInline package struct ReadError: Error, Hashable, Sendable, CustomStringConvertible {
    @usableFromInline package enum Kind: Hashable, Sendable {
        /// `needed` bytes were requested and fewer were left.
        case outOfBytes(needed: Int)
        /// A LEB128 number does not fit 64 bits (DWARF 5, section 7.6).
        case numberTooLarge
        /// A string without its terminating zero byte.
        case unterminatedString
        /// The version of a header is not known.
        case unknownVersion(UInt64)
        /// The code of an entry that its table has no abbreviation for (DWARF 5, section 7.5.2).
        case unknownCode(UInt64)
        /// The form of a value is not known, or is not allowed there (DWARF 5, section 7.5.5);
        /// `nil` if it is not given.
        case unknownForm(UInt64?)
        /// Something is nested in something that is nested, and so on, deeper than `Limits` allows.
        case tooDeep(limit: Int)
        /// There are more of something than `Limits` allows.
        case tooMany(limit: Int)
        /// A valid number that is too large for the type that holds it.
        case noRoom
    }

    @usableFromInline package var kind: Kind
    /// Bytes that were left in the span when the read failed.
    @usableFromInline package var bytesLeft: Int

    @inlinable package init(_ kind: Kind, bytesLeft: Int) {
        self.kind = kind
        self.bytesLeft = bytesLeft
    }

    /// The position of the failure, in bytes from the start of a span that had `count` bytes.
    package func position(in count: Int) -> Int { count - bytesLeft }

    @usableFromInline package var description: String {
        switch kind {
        case .outOfBytes(let needed): "the data ends early: expected \(needed) more bytes, \(bytesLeft) are left"
        case .numberTooLarge: "a LEB128 number does not fit 64 bits"
        case .unterminatedString: "a string has no terminating zero byte"
        case .unknownVersion(let version): "version \(version) is not supported"
        case .unknownCode(let code): "an entry has the code \(code), which its unit has no abbreviation for"
        case .unknownForm(let form?): "a value has the form 0x\(String(form, radix: 16)), which is not supported there"
        case .unknownForm(nil): "a value has an unknown form, so that the start of the next value is unknown"
        case .tooDeep(let limit): "entries are nested deeper than \(limit)"
        case .tooMany(let limit): "a table has more than \(limit) entries"
        case .noRoom: "a number is too large"
        }
    }
}

/// The reader. A `RawSpan` held in a variable is the cursor: each `take` returns a value and moves
/// the start of the span past it. Every function checks before it reads and throws instead of
/// trapping. These are the only hot inlinable functions of the package: across a module border a
/// generic read that is not inlinable is twenty times slower.
extension RawSpan {
    /// Reads an integer in the given byte order, unaligned.
    @inlinable @inline(__always)
    package mutating func read<Value: FixedWidthInteger & BitwiseCopyable>(
        _ type: Value.Type = Value.self, _ order: ByteOrder = .littleEndian
    ) throws(ReadError) -> Value {
        let size = MemoryLayout<Value>.size
        guard byteCount >= size else { throw ReadError(.outOfBytes(needed: size), bytesLeft: byteCount) }
        let raw = unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: Value.self)
        self = unsafe extracting(unchecked: size..<byteCount)
        return order.isForeign ? raw.byteSwapped : raw
    }

    /// Reads an address or offset of 1, 2, 4 or 8 bytes, zero-extended. Other sizes are an error.
    @inlinable
    package mutating func readUnsigned(size: Int, _ order: ByteOrder) throws(ReadError) -> UInt64 {
        switch size {
        case 8: return try read(UInt64.self, order)
        case 4: return UInt64(try read(UInt32.self, order))
        case 2: return UInt64(try read(UInt16.self, order))
        case 1: return UInt64(try read(UInt8.self, order))
        default: throw ReadError(.outOfBytes(needed: size), bytesLeft: byteCount)
        }
    }

    /// Reads the next `count` bytes as a separate span. A negative count is an error.
    @inlinable
    @_lifetime(copy self)
    package mutating func read(bytes count: Int) throws(ReadError) -> RawSpan {
        guard count >= 0, count <= byteCount else { throw ReadError(.outOfBytes(needed: count), bytesLeft: byteCount) }
        let part = unsafe extracting(unchecked: 0..<count)
        self = unsafe extracting(unchecked: count..<byteCount)
        return part
    }

    /// Moves past `count` bytes. A negative count is an error.
    @inlinable @inline(__always)
    package mutating func skip(_ count: Int) throws(ReadError) {
        guard count >= 0, count <= byteCount else { throw ReadError(.outOfBytes(needed: count), bytesLeft: byteCount) }
        self = unsafe extracting(unchecked: count..<byteCount)
    }

    /// The bytes from `offset` on, without moving; an error if `offset` is outside.
    @inlinable
    @_lifetime(copy self)
    package func from(_ offset: UInt64) throws(ReadError) -> RawSpan {
        guard offset <= UInt64(byteCount) else { throw ReadError(.outOfBytes(needed: 1), bytesLeft: 0) }
        return unsafe extracting(unchecked: Int(truncatingIfNeeded: offset)..<byteCount)
    }

    /// The `count` bytes at `offset`, without moving; an error if they do not all lie inside.
    @inlinable
    @_lifetime(copy self)
    package func slice(at offset: UInt64, count: UInt64) throws(ReadError) -> RawSpan {
        let total = UInt64(byteCount)
        guard offset <= total, count <= total - offset else {
            let left = offset <= total ? byteCount - Int(truncatingIfNeeded: offset) : 0
            throw ReadError(.outOfBytes(needed: Int(clamping: count)), bytesLeft: left)
        }
        let start = Int(truncatingIfNeeded: offset)
        return unsafe extracting(unchecked: start..<start + Int(truncatingIfNeeded: count))
    }

    /// The integer at `offset` in the given byte order, unaligned, without moving; an error if it
    /// does not lie inside.
    @inlinable @inline(__always)
    package func value<Value: FixedWidthInteger & BitwiseCopyable>(
        _ type: Value.Type, at offset: Int, _ order: ByteOrder
    ) throws(ReadError) -> Value {
        let size = MemoryLayout<Value>.size
        guard offset >= 0, byteCount >= size, offset <= byteCount &- size else {
            throw ReadError(.outOfBytes(needed: size), bytesLeft: max(0, byteCount &- max(0, offset)))
        }
        let raw = unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: Value.self)
        return order.isForeign ? raw.byteSwapped : raw
    }

    /// An address or offset of 1, 2, 4 or 8 bytes at `offset`, zero-extended, without moving. Other
    /// sizes are an error.
    @inlinable @inline(__always)
    package func unsigned(size: Int, at offset: Int, _ order: ByteOrder) throws(ReadError) -> UInt64 {
        switch size {
        case 8: return try value(UInt64.self, at: offset, order)
        case 4: return UInt64(try value(UInt32.self, at: offset, order))
        case 2: return UInt64(try value(UInt16.self, at: offset, order))
        case 1: return UInt64(try value(UInt8.self, at: offset, order))
        default: throw ReadError(.outOfBytes(needed: size), bytesLeft: byteCount)
        }
    }

    /// The bytes of `range` as far as they lie inside, without moving.
    @inlinable
    @_lifetime(copy self)
    package func clamped(to range: Range<Int>) -> RawSpan {
        let inside = range.clamped(to: 0..<byteCount)
        return unsafe extracting(unchecked: inside)
    }

    /// The byte at `offset`; the caller has checked that `offset` is inside (a violation traps).
    @inlinable @inline(__always)
    package func byte(at offset: Int) -> UInt8 {
        precondition(offset >= 0 && offset < byteCount)
        return unsafe unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
    }
}

extension Span where Element == UInt8 {
    /// These bytes for the reader above. (The library's own `bytes` is marked unsafe, because for
    /// other elements it may expose padding.)
    @inlinable
    package var rawBytes: RawSpan {
        @_lifetime(copy self)
        get { unsafe bytes }
    }
}

extension RawSpan {
    /// These bytes for the scanners of text (`TextScanning`).
    @inlinable
    package var text: Span<UInt8> {
        @_lifetime(copy self)
        get { Span(_bytes: self) }
    }
}

extension Array where Element == UInt8 {
    /// Adds a copy of `bytes`.
    package mutating func append(copying bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}

/// The order in which a file stores the bytes of its integers (ELF's `EI_DATA`, Mach-O's magic).
@usableFromInline package enum ByteOrder: Sendable, Hashable {
    case littleEndian
    case bigEndian

    /// Whether integers must be swapped on the machine that runs this code.
    @inlinable package var isForeign: Bool {
        #if _endian(little)
            self == .bigEndian
        #else
            self == .littleEndian
        #endif
    }
}
