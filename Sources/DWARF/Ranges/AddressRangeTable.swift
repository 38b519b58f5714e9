internal import BinaryPrimitives
internal import ObjectFiles

/// Receives the contents of `.debug_aranges` while they are read.
protocol AddressRangeVisitor {
    /// A set begins that lists what the unit at an offset of `.debug_info` covers. There may be no
    /// unit at that offset.
    mutating func describe(unit: Int)
    /// The unit of the last set claims a range, which is not empty.
    mutating func claim(_ range: Range<UInt64>, unit: Int)
    /// A pair of zeros, which ends a set, comes before the set's end: it is read on.
    /// - Parameters:
    ///   - set: where the set begins, in bytes from the section's first.
    ///   - tuple: where the pair is.
    mutating func notePrematureEnd(set: Int, tuple: Int)
}

extension AddressRangeVisitor {
    @inline(__always)
    mutating func notePrematureEnd(set: Int, tuple: Int) {}
}

/// `.debug_aranges` (DWARF 5, section 6.1.2): sets of address ranges, one for each unit that a
/// compiler or an assembler describes.
struct AddressRangeTable {
    private let sections: DWARFSections
    private let order: ByteOrder
    init(_ sections: DWARFSections) {
        self.sections = sections
        order = sections.byteOrder
    }

    /// Reads the table from its first set on. A damaged table is a table that ends there, and one
    /// that cannot be read is none: the units' own ranges serve instead.
    func read<Visitor: AddressRangeVisitor>(_ buffer: ReadBuffer, _ visitor: inout Visitor) {
        guard let contents = try? sections.contents(.aranges) else { return }
        contents.withBytes(in: 0..<contents.count, buffer) { bytes in
            var cursor = bytes
            while cursor.byteCount > 0 {
                guard (try? readSet(&cursor, at: bytes.byteCount - cursor.byteCount, &visitor)) != nil else { break }
            }
        }
    }

    private func readSet<Visitor: AddressRangeVisitor>(
        _ cursor: inout RawSpan, at start: Int, _ visitor: inout Visitor
    ) throws(ReadError) {
        let before = cursor.byteCount
        let (length, offsetSize) = try cursor.readInitialLength(order)
        var set = try cursor.read(bytes: Int(clamping: length))
        let prefix = before - cursor.byteCount - set.byteCount
        let size = set.byteCount
        let version = try set.read(UInt16.self, order)
        let unit = Int(clamping: try set.readUnsigned(size: offsetSize, order))
        let addressSize = Int(try set.read(UInt8.self))
        let segmentSize = Int(try set.read(UInt8.self))
        guard version == 2, addressSize == 4 || addressSize == 8, segmentSize == 0 else { return }
        // The first tuple is aligned to the size of a tuple, counted from the set's first byte.
        let headerSize = prefix + size - set.byteCount
        let tuple = 2 * addressSize
        try set.skip((tuple - headerSize % tuple) % tuple)
        visitor.describe(unit: unit)
        var position = 0
        while position &+ tuple <= set.byteCount {
            let first = try set.unsigned(size: addressSize, at: position, order)
            let length = try set.unsigned(size: addressSize, at: position &+ addressSize, order)
            position &+= tuple
            if first | length == 0, position &+ tuple <= set.byteCount {
                visitor.notePrematureEnd(set: start, tuple: start &+ prefix &+ size &- set.byteCount &+ position &- tuple)
            }
            let (end, overflow) = first.addingReportingOverflow(length)
            guard length > 0, !overflow, !(first == 0 && (sections.zeroIsRemovedCode || sections.isRemovedCode(upTo: end))) else {
                continue
            }
            visitor.claim(first..<end, unit: unit)
        }
    }
}
