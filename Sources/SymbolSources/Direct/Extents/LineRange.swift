package import BinaryPrimitives
internal import DWARF
internal import ObjectFiles

/// The addresses of one line, as a debugger's line table has them.
package struct LineRange: Sendable, Hashable {
    /// The file as the line table records it, not joined with the compilation directory.
    package var file: String
    /// Line, from 1.
    package var line: Int
    /// From the entry's own address to the next entry's.
    package var range: Range<ImageOffset>
}

/// A line and its range in link addresses of the file.
struct LinkedLine {
    var file: String
    var line: Int
    var range: Range<LinkAddress>
}

extension ObjectSource {
    /// Returns the entry of GDB's line table that covers an offset; `nil` if no debug information covers it, or
    /// if it gives the code no line. Without DWARF, the object files of a Mach-O program's debug map are
    /// searched, and the line table of a Go program.
    ///
    /// GDB makes its table of the rows that begin a line or a file, and of further rows of a line
    /// only as long as that line has shown no discriminator (`dwarf_record_line_p` in
    /// `dwarf2/read.c`: "discriminators are used to distinguish blocks of one line").
    package func lineRange(at offset: ImageOffset) -> LineRange? {
        let hasDebugInformation = objects.contains(where: \.hasDebugInformation)
        for object in objects {
            guard case .address(let address) = object.resolve(offset) else { continue }
            var found = Self.line(at: address, of: object)
            if found == nil, !hasDebugInformation { found = DebugMapSource(object)?.lineRange(at: address) { Self.line(at: $1, of: $0) } }
            if found == nil { found = GoLineSource(object)?.line(at: address) }
            guard let found, let start = object.offset(of: found.range.lowerBound),
                let end = found.range.upperBound.distance(from: found.range.lowerBound).flatMap(start.advanced)
            else { continue }
            return LineRange(file: found.file, line: found.line, range: start..<end)
        }
        return nil
    }

    private static func line(at address: LinkAddress, of object: ObjectFile) -> LinkedLine? {
        guard let reader = DWARFReader(object), let unit = reader.results(for: [address]).first?.unit,
            let table = (try? reader.lineRows(ofUnitAt: unit)) ?? nil
        else { return nil }
        let entries = debuggerEntries(table.rows)
        for (entry, next) in zip(entries, entries.dropFirst())
        where !entry.endsSequence && entry.address <= address && address < next.address && entry.line > 0 {
            guard let file = table.files[entry.file] else { continue }
            return LinkedLine(file: file, line: entry.line, range: entry.address..<next.address)
        }
        return nil
    }

    private static func debuggerEntries(_ rows: [LineTableRow]) -> [LineTableRow] {
        var entries: [LineTableRow] = []
        var before: LineTableRow?
        var hasDiscriminator = false
        for row in rows {
            if row.line != before?.line { hasDiscriminator = false }
            hasDiscriminator = hasDiscriminator || row.discriminator != 0
            if row.endsSequence || row.file != before?.file || row.line != before?.line || !hasDiscriminator { entries.append(row) }
            before = row.endsSequence ? nil : row
        }
        return entries
    }
}
