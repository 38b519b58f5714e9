internal import BinaryPrimitives
internal import ObjectFiles

/// Start offsets of a split unit's parts in the sections of a package, in bytes (DWARF 5, section 7.3.5). All zero for a file of its own.
struct PackageContribution: Sendable, Hashable {
    var info: UInt64 = 0
    var abbreviations: UInt64 = 0
    var stringOffsets: UInt64 = 0
    var rangeLists: UInt64 = 0
}

/// Finds the split units of skeleton units: in `.dwo` files, or in a package (`.dwp`) beside the
/// linked file.
///
/// Used by one task; holds the files that it has opened.
final class SplitUnits {
    /// Location of a split unit.
    struct Found {
        var units: UnitTable
        var header: UnitHeader
        var contribution: PackageContribution
    }

    private let path: String
    private var package: Package?
    private var hasLookedForPackage = false
    private var files: [String: UnitTable?] = [:]

    private let locations: SplitLocations

    /// - Parameter sections: those of the linked file.
    init(of sections: DWARFSections) {
        path = sections.file.path
        locations = sections.splitLocations
    }

    /// The split unit of a skeleton: only one whose ID is the skeleton's.
    /// - Parameter bytes: the skeleton's bytes, from its header on.
    /// - Throws: `DWARFError` that names the paths that were tried.
    func find(for skeleton: Unit, _ bytes: RawSpan) throws(DWARFError) -> Found? {
        guard skeleton.root.splitName != nil, let id = skeleton.root.splitID else { return nil }
        if let found = try openPackage()?.find(id) { return found }
        let name = skeleton.string(skeleton.root.splitName, bytes) ?? ""
        let directory = skeleton.string(skeleton.root.directory, bytes) ?? ""
        let paths = candidates(name, directory)
        for path in paths {
            guard let units = open(path) else { continue }
            for header in units.allHeaders() where header.coversCode {
                guard let unit = try? units.unitHead(header), unit.root.splitID == id else { continue }
                return Found(units: units, header: header, contribution: PackageContribution())
            }
        }
        throw DWARFError(
            .info, at: skeleton.header.offset,
            "the split unit \(name) (ID 0x\(String(id, radix: 16))) is missing: not found in \(paths.joined(separator: ", ")) and in \(path).dwp"
        )
    }

    /// As the compiler wrote it, in the compilation directory, and beside the linked file, to which
    /// builds copy them.
    private func candidates(_ name: String, _ directory: String) -> [String] {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let last = name.split(separator: "/").last.map(String.init) ?? name
        var paths = [name.isAbsolutePath ? name : directory.appendingPath(name)]
        guard locations.besideProgram else { return paths }
        for path in [name.isAbsolutePath ? nil : folder + name, folder + last] {
            if let path, !paths.contains(path) { paths.append(path) }
        }
        return paths
    }

    private func open(_ path: String) -> UnitTable? {
        if let known = files[path] { return known }
        let object = (try? ObjectFiles.openAll(path: path))?.first
        let units = object.flatMap { DWARFSections(object: $0, isSplit: true) }.flatMap { try? UnitTable($0) }
        files[path] = .some(units)
        return units
    }

    /// `program.dwp` for `program`; for a debug file `program.debug` also `program.dwp`.
    private func openPackage() throws(DWARFError) -> Package? {
        if hasLookedForPackage { return package }
        hasLookedForPackage = true
        var paths = [path + ".dwp"]
        if path.hasSuffix(".debug") { paths.append(path.dropLast(6) + ".dwp") }
        if let package = locations.package { paths = [package] }
        for path in paths {
            guard let units = open(path), let package = try? Package(units) else { continue }
            self.package = package
            break
        }
        return package
    }
}

/// The index of a package of split units, `.debug_cu_index` (DWARF 5, section 7.3.5.3; GNU's
/// version 2 before it).
private struct Package {
    private let units: UnitTable
    private let contributions: [UInt64: PackageContribution]

    init?(_ units: UnitTable) throws(DWARFError) {
        guard let contents = try units.sections.contents(.cuIndex) else { return nil }
        self.units = units
        let order = units.sections.byteOrder
        contributions = try contents.withBytes { (bytes: RawSpan) throws(DWARFError) -> [UInt64: PackageContribution] in
            do throws(ReadError) {
                return try Package.read(bytes, order)
            } catch {
                throw DWARFError(.cuIndex, endingAt: bytes.byteCount, error)
            }
        }
    }

    func find(_ id: UInt64) throws(DWARFError) -> SplitUnits.Found? {
        guard let contribution = contributions[id] else { return nil }
        let header = try units.header(at: Int(clamping: contribution.info))
        return SplitUnits.Found(units: units, header: header, contribution: contribution)
    }

    private static func read(_ bytes: RawSpan, _ order: ByteOrder) throws(ReadError) -> [UInt64: PackageContribution] {
        let table = try PackageIndexTable(bytes, order)
        var result: [UInt64: PackageContribution] = [:]
        for slot in table.slots {
            var contribution = PackageContribution()
            for (column, kind) in table.kinds.enumerated() {
                let offset = table.part(row: slot.row, column: column).lowerBound
                switch kind {
                case 1: contribution.info = offset
                case 3: contribution.abbreviations = offset
                case 6: contribution.stringOffsets = offset
                case 8 where table.version == 5: contribution.rangeLists = offset
                default: break
                }
            }
            result[slot.signature] = contribution
        }
        return result
    }
}
