internal import BinaryPrimitives
internal import ObjectFiles

/// Location of a unit's line program.
struct LineContribution {
    /// All of `.debug_line`.
    let contents: SectionContents
    /// The unit's part, in bytes from the section's first.
    let range: Range<Int>
}

extension Unit {
    /// The unit's part of `.debug_line`; `nil` if the unit has none.
    func lineContribution() throws(DWARFError) -> LineContribution? {
        guard let offset = root.lineProgram.map({ Int(clamping: $0) }), let contents = try sections.contents(.line) else {
            return nil
        }
        let (order, count) = (header.byteOrder, contents.count)
        guard offset < count else { throw DWARFError(.line, at: count, "the unit's line program is outside of the section") }
        let length = contents.withBytes(in: offset..<min(count, offset + 12), ReadBuffer()) { bytes -> Int? in
            var cursor = bytes
            guard let (length, size) = try? cursor.readInitialLength(order) else { return nil }
            return Int(clamping: length).addingReportingOverflow(size == 8 ? 12 : 4).partialValue
        }
        guard let length, length > 0, length <= count - offset else {
            throw DWARFError(.line, at: offset, "the line program reaches beyond the section's \(count) bytes")
        }
        return LineContribution(contents: contents, range: offset..<offset + length)
    }
}
