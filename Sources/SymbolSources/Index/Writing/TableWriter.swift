internal import BinaryPrimitives

/// Writes the tables of an index one after the other, in pieces, each with its checksum.
struct TableWriter {
    typealias Append = ([UInt8]) throws(FileError) -> Void

    /// Offset in the file and size in bytes of each table that is written.
    private(set) var extents: [(offset: Int, size: Int)] = []
    private(set) var checksums: [UInt64] = []
    /// Offset of the next table; after the last table, the file's size.
    private(set) var end = SymbolIndexLayout.headerSize

    // The table that is being written.
    private var pending: [UInt8] = []
    private var flushed = 0
    private var checksum = SymbolIndexLayout.Checksum()

    /// A multiple of 8.
    private static let pieceSize = 1 << 18

    /// Writes a table: the next in the order of the layout.
    mutating func write(
        _ table: SymbolIndexLayout.Table, _ append: Append, _ body: (inout TableWriter) throws(FileError) -> Void
    ) throws(FileError) {
        assert(table.rawValue == extents.count)
        try body(&self)
        let size = flushed + pending.count
        var sum = checksum
        sum.add(pending.span.rawBytes)
        checksums.append(sum.finish())
        extents.append((end, size))
        pending += [UInt8](repeating: 0, count: -pending.count & 7)
        try append(pending)
        end += (size + 7) & ~7
        pending.removeAll(keepingCapacity: true)
        flushed = 0
        checksum = SymbolIndexLayout.Checksum()
    }

    mutating func add<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number, _ append: Append) throws(FileError) {
        var rest = number
        for _ in 0..<Number.bitWidth / 8 {
            pending.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
        if pending.count >= Self.pieceSize { try flush(append) }
    }

    mutating func add(_ bytes: [UInt8], _ append: Append) throws(FileError) { try add(bytes.span.rawBytes, append) }

    mutating func add(_ bytes: RawSpan, _ append: Append) throws(FileError) {
        var offset = 0
        while offset < bytes.byteCount {
            let count = min(bytes.byteCount - offset, Self.pieceSize)
            pending.append(copying: bytes.clamped(to: offset..<offset + count).text)
            offset += count
            if pending.count >= Self.pieceSize { try flush(append) }
        }
    }

    /// Appends whole 8-byte words, so that the checksum can continue.
    private mutating func flush(_ append: Append) throws(FileError) {
        let whole = pending.count & ~7
        let rest = Array(pending[whole...])
        pending.removeLast(rest.count)
        var sum = checksum
        sum.add(pending.span.rawBytes)
        checksum = sum
        try append(pending)
        flushed += pending.count
        pending.removeAll(keepingCapacity: true)
        pending += rest
    }
}
