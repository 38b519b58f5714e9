internal import BinaryPrimitives

/// Writes a table in pieces, with its checksum.
struct TableWriter {
    private var pending: [UInt8] = []
    private var checksum = SymbolIndexLayout.Checksum()

    /// A multiple of 8.
    private static let pieceSize = 1 << 18

    mutating func add<Number: FixedWidthInteger & UnsignedInteger>(
        _ number: Number, _ append: ([UInt8]) throws(FileError) -> Void
    ) throws(FileError) {
        var rest = number
        for _ in 0..<Number.bitWidth / 8 {
            pending.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
        if pending.count >= Self.pieceSize { try flush(append) }
    }

    mutating func add(_ bytes: [UInt8], _ append: ([UInt8]) throws(FileError) -> Void) throws(FileError) {
        try add(bytes.span.rawBytes, append)
    }

    mutating func add(_ bytes: RawSpan, _ append: ([UInt8]) throws(FileError) -> Void) throws(FileError) {
        var offset = 0
        while offset < bytes.byteCount {
            let count = min(bytes.byteCount - offset, Self.pieceSize)
            pending.append(copying: bytes.clamped(to: offset..<offset + count).text)
            offset += count
            if pending.count >= Self.pieceSize { try flush(append) }
        }
    }

    /// Whole words, so that the checksum goes on.
    private mutating func flush(_ append: ([UInt8]) throws(FileError) -> Void) throws(FileError) {
        let whole = pending.count & ~7
        let rest = Array(pending[whole...])
        pending.removeLast(rest.count)
        var sum = checksum
        sum.add(pending.span.rawBytes)
        checksum = sum
        try append(pending)
        pending = rest
        pending.reserveCapacity(Self.pieceSize + 1 << 12)
    }

    /// Fills the last word up.
    /// - Returns: the checksum of the table, without what it was filled up with.
    mutating func finish(_ append: ([UInt8]) throws(FileError) -> Void) throws(FileError) -> UInt64 {
        var checksum = checksum
        checksum.add(pending.span.rawBytes)
        pending += [UInt8](repeating: 0, count: -pending.count & 7)
        try append(pending)
        return checksum.finish()
    }
}
