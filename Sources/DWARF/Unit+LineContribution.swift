internal import BinaryPrimitives
internal import ObjectFiles

extension Unit {
    /// `.debug_line` and the unit's part of it; `nil` if the unit has none.
    func lineContribution() throws(DWARFError) -> (SectionContents, Range<Int>)? {
        guard let offset = root.lineProgram.map({ Int(clamping: $0) }), let contents = try sections.contents(.line) else {
            return nil
        }
        let (order, count) = (header.byteOrder, contents.count)
        guard offset < count else { throw DWARFError(.line, at: count, "the unit's line program lies outside the section") }
        let length = contents.withBytes(in: offset..<min(count, offset + 12), ReadBuffer()) { bytes -> Int? in
            var cursor = bytes
            guard let (length, size) = try? cursor.takeInitialLength(order) else { return nil }
            return Int(clamping: length).addingReportingOverflow(size == 8 ? 12 : 4).partialValue
        }
        guard let length, length > 0, length <= count - offset else {
            throw DWARFError(.line, at: offset, "the line program reaches beyond the section's \(count) bytes")
        }
        return (contents, offset..<offset + length)
    }
}
