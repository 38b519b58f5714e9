package import BinaryPrimitives

/// Source paths that a dSYM bundle gives in `Contents/Resources/UUID.plist`, a file that the
/// keepers of dSYMs add ("Symbols on macOS" of LLDB's documentation lists the keys):
///
///     <key>DBGVersion</key><string>3</string>
///     <key>DBGSourcePathRemapping</key><dict><key>/build/time/src</key><string>/debug/time/src</string></dict>
///     <key>DBGBuildSourcePath</key><string>/BuildDir/App-37</string><key>DBGSourcePath</key><string>/SourceDir/App-37</string>
package enum DSYMSourcePaths {
    /// The maps for the sources of a bundle's member, in the order in which they are tried; empty
    /// for every other file.
    /// - Parameter member: a file in `Contents/Resources/DWARF` of a bundle.
    package static func maps(for member: String, identity: ImageID?) -> [PathMap] {
        let folder = Path.directory(of: member)
        guard Path.name(of: folder) == "DWARF", let uuid = identity?.uuid else { return [] }
        let resources = Path.directory(of: folder)
        // Apple's tools write the UUID in capitals.
        for name in [uuid, uuid.lowercased()] {
            if let list = PropertyList.read(path: Path.join(resources, name + ".plist")) { return maps(list) }
        }
        return []
    }

    /// The dictionary comes first and the pair is the last resort. LLDB reads the dictionary from
    /// version 2 on; version 2's entries are believed without their last two parts as well.
    static func maps(_ list: PropertyList) -> [PathMap] {
        let version = list["DBGVersion"]?.string.flatMap { Int($0) } ?? 1
        var entries = (version > 1 ? list["DBGSourcePathRemapping"]?.strings ?? [:] : [:]).map { PathMap.Entry(old: $0.key, new: $0.value) }
        if version == 2 {
            entries += entries.compactMap { entry in
                let (old, new) = (shortened(entry.old), shortened(entry.new))
                return old.count > 1 ? PathMap.Entry(old: old, new: new) : nil
            }
        }
        var maps = [PathMap(entries.sorted { $0.old < $1.old })]
        if let old = list["DBGBuildSourcePath"]?.string, let new = list["DBGSourcePath"]?.string, !new.isEmpty {
            maps.append(PathMap([PathMap.Entry(old: old, new: new)]))
        }
        return maps.filter { !$0.isEmpty }
    }

    private static func shortened(_ path: String) -> String { Path.directory(of: Path.directory(of: path)) }
}
