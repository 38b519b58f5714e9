package import BinaryPrimitives

/// An entry of a range list as it is encoded (DWARF 5, section 7.25).
package struct EncodedRange: Sendable {
    /// `DW_RLE_…`
    package var kind: UInt8
    package var first: UInt64 = 0
    package var second: UInt64 = 0

    /// - Returns: `nil` if the kind is not known.
    package init?(_ cursor: inout RawSpan, addressSize: Int, _ order: ByteOrder) throws(ReadError) {
        kind = try cursor.read(UInt8.self)
        switch kind {
        case RangeListEntry.endOfList: break
        case RangeListEntry.baseAddressx: first = try cursor.readULEB128()
        case RangeListEntry.startxEndx, RangeListEntry.startxLength, RangeListEntry.offsetPair:
            first = try cursor.readULEB128()
            second = try cursor.readULEB128()
        case RangeListEntry.baseAddress: first = try cursor.readUnsigned(size: addressSize, order)
        case RangeListEntry.startEnd:
            first = try cursor.readUnsigned(size: addressSize, order)
            second = try cursor.readUnsigned(size: addressSize, order)
        case RangeListEntry.startLength:
            first = try cursor.readUnsigned(size: addressSize, order)
            second = try cursor.readULEB128()
        default: return nil
        }
    }
}

/// An entry of a location list as it is encoded (DWARF 5, section 7.29; DWARF 4, section 2.6.2).
package struct EncodedLocation: Sendable {
    /// `DW_LLE_…`
    package private(set) var kind: UInt8
    package private(set) var first: UInt64 = 0
    package private(set) var second: UInt64 = 0
    /// Start of its expression, in bytes from the end of the bytes that it was read from, and its size.
    private var bytesBeforeEnd = 0
    private var size = 0

    /// - Parameters:
    ///   - version: below 5, as GNU's split units had the encoding first, lengths have four bytes,
    ///     and those of expressions two.
    ///   - isPair: it is a pair of `.debug_loc`.
    /// - Returns: `nil` if the kind is not known.
    package init?(
        _ cursor: inout RawSpan, version: Int, isPair: Bool, addressSize: Int, _ order: ByteOrder
    ) throws(ReadError) {
        if isPair {
            first = try cursor.readUnsigned(size: addressSize, order)
            second = try cursor.readUnsigned(size: addressSize, order)
            if first == 0, second == 0 {
                kind = LocationListEntry.endOfList
            } else if first == (addressSize == 4 ? 0xffff_ffff : UInt64.max) {
                (kind, first, second) = (LocationListEntry.baseAddress, second, 0)
            } else {
                kind = LocationListEntry.offsetPair
            }
        } else {
            kind = try cursor.read(UInt8.self)
            switch kind {
            case LocationListEntry.endOfList, LocationListEntry.defaultLocation: break
            case LocationListEntry.baseAddressx: first = try cursor.readULEB128()
            case LocationListEntry.startxEndx, LocationListEntry.offsetPair:
                first = try cursor.readULEB128()
                second = try cursor.readULEB128()
            case LocationListEntry.startxLength:
                first = try cursor.readULEB128()
                second = version < 5 ? UInt64(try cursor.read(UInt32.self, order)) : try cursor.readULEB128()
            case LocationListEntry.baseAddress: first = try cursor.readUnsigned(size: addressSize, order)
            case LocationListEntry.startEnd:
                first = try cursor.readUnsigned(size: addressSize, order)
                second = try cursor.readUnsigned(size: addressSize, order)
            case LocationListEntry.startLength:
                first = try cursor.readUnsigned(size: addressSize, order)
                second = try cursor.readULEB128()
            default: return nil
            }
        }
        guard hasExpression else { return }
        size = version >= 5 ? Int(clamping: try cursor.readULEB128()) : Int(try cursor.read(UInt16.self, order))
        bytesBeforeEnd = cursor.byteCount
        try cursor.skip(size)
    }

    package var hasExpression: Bool {
        kind != LocationListEntry.endOfList && kind != LocationListEntry.baseAddressx && kind != LocationListEntry.baseAddress
    }

    /// The range of the expression.
    /// - Parameter end: end of the bytes that the entry was read from.
    package func expression(endingAt end: Int) -> Range<Int> { hasExpression ? end - bytesBeforeEnd..<end - bytesBeforeEnd + size : 0..<0 }
}
