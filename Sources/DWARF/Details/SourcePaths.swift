internal import BinaryPrimitives
internal import ObjectFiles

/// The paths of source files by their numbers in units' line tables: for few files of few units,
/// whose tables are read when first needed.
final class SourcePaths {
    private struct Key: Hashable {
        var unit: Int
        var file: Int
    }

    private var known: [Key: SourcePath?] = [:]
    private let buffer = ReadBuffer()

    /// - Parameters:
    ///   - file: as `DW_AT_decl_file` gives it.
    ///   - unit: has the number. A split unit's files are in the line table of its skeleton unit.
    ///   - bytes: the unit, from its header to its end.
    func path(_ file: Int, _ unit: Unit, _ bytes: RawSpan) -> SourcePath? {
        let owner = unit.skeleton ?? unit
        let key = Key(unit: owner.header.offset, file: file)
        if let path = known[key] { return path }
        let directory = owner.string(owner.root.directory, bytes)
        var path: SourcePath?
        if let line = try? owner.lineContribution() {
            path = line.contents.withBytes(in: line.range, buffer) { lineBytes in
                guard let table = try? LineTable(lineBytes, addressSize: owner.header.addressSize, owner.header.byteOrder) else {
                    return nil
                }
                return table.sourcePath(at: file, compilationDirectory: directory) { owner.string($0, lineBytes) }
            }
        }
        known[key] = .some(path)
        return path
    }
}

extension LineTable {
    /// A file's path in both ways.
    func sourcePath(at index: Int, compilationDirectory: String?, _ text: (AttributeValue) -> String?) -> SourcePath? {
        guard let path = path(at: index, compilationDirectory: compilationDirectory, text) else { return nil }
        return SourcePath(path: path, recorded: recordedPath(at: index, text) ?? path)
    }
}
