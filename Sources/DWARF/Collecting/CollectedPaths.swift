internal import BinaryPrimitives
internal import ObjectFiles

/// The paths of files that line tables name, each once: a thousand units name the same headers.
package struct CollectedPaths {
    package private(set) var paths: [String] = []
    private var indices: [String: Int32] = [:]
    /// By where the parts' texts are, so that most paths are never put together.
    private var known: [Parts: Int32] = [:]

    private struct Parts: Hashable {
        var name: UInt64
        var folder: UInt64
        var directory: UInt64
    }

    /// The index of a path in `paths`; -1 if the table has no such file or its name cannot be read.
    mutating func index(of number: Int, _ table: LineTable, _ unit: Unit, _ lineBytes: RawSpan, directory: String?) -> Int32 {
        let parts = parts(of: number, table, unit)
        if let parts, let index = known[parts] { return index }
        guard let path = table.path(at: number, compilationDirectory: directory, { unit.string($0, lineBytes) }) else { return -1 }
        let index: Int32
        if let found = indices[path] {
            index = found
        } else {
            index = Int32(truncatingIfNeeded: paths.count)
            indices[path] = index
            paths.append(path)
        }
        if let parts { known[parts] = index }
        return index
    }

    /// The parts of the path (`LineTable.path`); `nil` if a part is not an offset into a section that all units share.
    private func parts(of number: Int, _ table: LineTable, _ unit: Unit) -> Parts? {
        guard let file = table.file(at: number), let name = Self.offset(file.name) else { return nil }
        let position = table.version >= 5 ? file.directory : file.directory - 1
        var folder: UInt64 = 0
        if table.directories.indices.contains(position) {
            guard let offset = Self.offset(table.directories[position]) else { return nil }
            folder = offset
        }
        if table.version >= 5, file.directory == 0 { return Parts(name: name, folder: folder, directory: 0) }
        guard let directory = unit.root.directory else { return Parts(name: name, folder: folder, directory: 1) }
        guard let offset = Self.offset(directory) else { return nil }
        return Parts(name: name, folder: folder, directory: offset)
    }

    /// One number for a text of `.debug_str` or `.debug_line_str`; never 0 or 1.
    private static func offset(_ value: AttributeValue) -> UInt64? {
        switch value {
        case .stringOffset(let offset): offset < 1 << 60 ? offset << 2 | 2 : nil
        case .lineStringOffset(let offset): offset < 1 << 60 ? offset << 2 | 3 : nil
        default: nil
        }
    }
}

extension DWARFReader {
    /// The paths of the source files that the line tables of all units have (DWARF 5, section 6.2.4), each once, as they are joined from the compilation
    /// directory, the file's directory and its name. Tables that cannot be read are left out.
    package func sourceFiles() -> [String] {
        guard let units = try? UnitTable(sections) else { return [] }
        var paths = CollectedPaths()
        // Several units may share one table: partial and type units use their unit's.
        var seen: Set<Int> = []
        let (buffer, lineBuffer) = (ReadBuffer(), ReadBuffer())
        for header in units.allHeaders() {
            try? units.withUnit(header, buffer) { (unit: Unit, bytes: RawSpan) throws(DWARFError) in
                guard let line = try unit.lineContribution(), seen.insert(line.range.lowerBound).inserted else { return }
                let directory = unit.string(unit.root.directory, bytes)
                line.contents.withBytes(in: line.range, lineBuffer) { lineBytes in
                    guard let table = try? LineTable(lineBytes, addressSize: unit.header.addressSize, unit.header.byteOrder) else { return }
                    for index in table.files.indices {
                        _ = paths.index(of: table.version >= 5 ? index : index + 1, table, unit, lineBytes, directory: directory)
                    }
                }
            }
        }
        return paths.paths
    }
}
