internal import BinaryPrimitives
internal import ObjectFiles

/// The file that holds what the debug information of several files has in common: `dwz -m` moves
/// entries and strings there and refers to them by `DW_FORM_GNU_ref_alt` and
/// `DW_FORM_GNU_strp_alt`, DWARF 5 by `DW_FORM_ref_sup*` and `DW_FORM_strp_sup`.
enum SupplementaryFile {
    /// A file's reference to its supplementary file.
    struct Link: Hashable {
        /// The path, absolute or relative to the file's own folder.
        var path: String
        /// The supplementary file's build ID, or its checksum in `.debug_sup`.
        var identity: ImageID?
        /// `.debug_sup` says so, and the supplementary file has that section too; else
        /// `.gnu_debugaltlink` does.
        var isStandard: Bool
    }

    /// Opens the supplementary file of an object.
    /// - Returns: `nil` if the object names none, or if none of the paths holds the file of that
    ///   identity: its entries are then missing, never another file's.
    static func find(for object: ObjectFile, _ sections: DWARFSections) -> ObjectFile? {
        guard let link = link(of: sections) else { return nil }
        for path in candidates(link, of: object) {
            guard let found = try? ObjectFiles.open(path: path) else { continue }
            let identity =
                link.isStandard
                ? DWARFSections(object: found, isSupplementary: true).flatMap { standardLink(of: $0, inSupplementaryFile: true)?.identity }
                : found.identity
            guard link.identity == nil || identity == link.identity else { continue }
            return found
        }
        return nil
    }

    /// `.gnu_debugaltlink` holds the path, a zero byte and the build ID; `.debug_sup` a version, a
    /// flag, the path and the checksum with its length.
    static func link(of sections: DWARFSections) -> Link? {
        if let contents = try? sections.contents(.gnuDebugAltLink) {
            return contents.withBytes { bytes in
                var cursor = bytes
                guard let path = try? cursor.readCString().string() else { return nil }
                return Link(path: path, identity: ImageID(bytes: cursor.bytesAsArray()), isStandard: false)
            }
        }
        return standardLink(of: sections, inSupplementaryFile: false)
    }

    /// DWARF 5, section 7.3.6: version, a flag that is 1 in the supplementary file, whose path is
    /// then empty.
    private static func standardLink(of sections: DWARFSections, inSupplementaryFile: Bool) -> Link? {
        guard let contents = try? sections.contents(.sup) else { return nil }
        return contents.withBytes { bytes in
            var cursor = bytes
            guard (try? cursor.read(UInt16.self, sections.byteOrder)) == 5, (try? cursor.read(UInt8.self)) == (inSupplementaryFile ? 1 : 0),
                let path = try? cursor.readCString().string(), let size = try? cursor.readULEB128(),
                let checksum = try? cursor.read(bytes: Int(clamping: size))
            else { return nil }
            return Link(path: path, identity: ImageID(bytes: checksum.bytesAsArray()), isStandard: true)
        }
    }

    /// The paths that debuggers try: as written, beside the file, and by build ID below the system's debug folder; below the root of another
    /// machine's file system that the file is in; and in the store that the file is in, at the path of the supplementary file's identity.
    private static func candidates(_ link: Link, of object: ObjectFile) -> [String] {
        let path = object.path
        let folder = String(path.prefix(upTo: path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex))
        let name = link.path.split(separator: "/").last.map(String.init) ?? link.path
        var paths = link.path.hasPrefix("/") ? [link.path] : [folder + link.path]
        paths += [folder + name, folder + ".dwz/" + name]
        if link.path.hasPrefix("/usr/lib/debug/") {
            if let root = path.firstRange(of: "/usr/lib/debug/")?.lowerBound { paths.append(path[..<root] + link.path) }
            if path.hasPrefix("usr/lib/debug/") { paths.append(String(link.path.dropFirst())) }
        }
        guard let identity = link.identity?.hexadecimal, identity.count > 2 else { return paths }
        // GDB's, Sentry's and debuginfod's stores alike spell the identity in the path, in one part
        // or in two.
        if let own = object.identity?.hexadecimal, own.count > 2 {
            for cut in [0, 2] {
                func spelled(_ id: String) -> String { cut == 0 ? "/\(id)" : "/\(id.prefix(cut))/\(id.dropFirst(cut))" }
                guard let range = path.firstRange(of: spelled(own)) else { continue }
                paths.append(path[..<range.lowerBound] + spelled(identity) + path[range.upperBound...])
            }
        }
        paths.append("/usr/lib/debug/.build-id/\(identity.prefix(2))/\(identity.dropFirst(2)).debug")
        return paths
    }
}

extension RawSpan {
    /// A copy of the bytes.
    func bytesAsArray() -> [UInt8] { (0..<byteCount).map { byte(at: $0) } }
}
