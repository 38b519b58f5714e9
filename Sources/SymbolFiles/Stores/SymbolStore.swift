package import BinaryPrimitives
package import ObjectFiles

/// A folder that keeps a build's symbol files by identity, in layouts that debuggers read too:
/// GDB's for ELF (`set debug-file-directory STORE`), LLDB's mapped UUIDs for Mach-O
/// (`DBGFileMappedPaths`). As a folder given with `--symbols` it needs no settings.
///
///     .build-id/nn/rest.debug              ELF with debug information, and its split units' package: rest.debug.dwp
///     .build-id/nn/rest                    ELF without: the stripped binary
///     XXXX/XXXX/XXXX/XXXX/XXXX/XXXXXXXXXXXX        Mach-O with debug information (a dSYM's member; of a universal file each UUID leads to the whole)
///     XXXX/XXXX/XXXX/XXXX/XXXX/XXXXXXXXXXXX.app    Mach-O without
///     BCSymbolMaps/UUID.bcsymbolmap, UUID.plist    the names of apps that were uploaded without them
///     other/id/NAME                        Breakpad's files and GSYM; of Windows the GUID and the age
///     other/name/id/NAME                   PE without a build ID, by timestamp and size: a store of Microsoft's debuggers (`srv*STORE/other`)
///     shared-caches/UUID/NAME…             a shared cache of Apple's systems: its main file, its subcaches and its local symbols
///     names/id.txt                         the name of the file that was added: a path by identity has none
package struct SymbolStore: Sendable {
    package let root: String

    package init(root: String) { self.root = root }

    /// Result of storing a file.
    package enum Outcome: Sendable, Hashable {
        /// Copied to these paths, one for each identity.
        case added([String])
        /// The store has the file, or one with more information, at these paths.
        case known([String])
        /// The file has no identity, so that no log can refer to it.
        case withoutIdentity
        /// The file is not an image: it is an object file that is not linked yet, or a core.
        case noImage
    }

    /// Keeps a file.
    /// - Parameters:
    ///   - path: a file, not a bundle; or a member of an archive (`symbols.zip!/App.dSYM/…/App`).
    ///   - files: its symbols, opened: one image's, or one for each architecture.
    /// - Throws: `FileError` where it cannot be copied; what the store had stays.
    package func add(_ path: String, _ files: [any SymbolFile]) throws(FileError) -> Outcome {
        let images = files.filter { !Self.isUnlinked($0) }
        guard !images.isEmpty else { return .noImage }
        let targets = images.compactMap { file in
            (file.identity.map { storedPath(of: file, id: $0) } ?? codePath(of: file, path)).map { ($0, file.hasDebugInformation) }
        }
        guard !targets.isEmpty else { return .withoutIdentity }
        let file = try Self.contents(of: path)
        var added: [String] = []
        var known: [String] = []
        for id in images.compactMap(\.identity) { try keepName(Self.imageName(of: path), of: id) }
        for (target, hasDebugInformation) in targets {
            if let existing = FileStamp(path: target),
                existing.size == file.size || !hasDebugInformation || target.hasSuffix(".debug") && existing.size >= file.size
            {
                known.append(target)
                continue
            }
            // The UUIDs of a universal file share one copy, by links.
            let isLinked = try added.first.map { first throws(FileError) in
                try FileReplacement.makeDirectories(Path.directory(of: target))
                return FileReplacement.link(first, to: target)
            }
            if isLinked != true { try copy(file, to: target) }
            added.append(target)
        }
        // The package of the split units is found by the file's name alone.
        for package in [path + ".dwp"] + (path.hasSuffix(".debug") ? [path.dropLast(".debug".utf8.count) + ".dwp"] : [])
        where PathKind(path: package) == .file {
            guard let target = targets.first?.0, PathKind(path: target + ".dwp") == nil else { break }
            try copy(MappedFile(path: package), to: target + ".dwp")
            added.append(target + ".dwp")
            break
        }
        return added.isEmpty ? .known(known) : .added(added)
    }

    /// Keeps a file that says how names were hidden: `UUID.bcsymbolmap`, or the property list of a
    /// dSYM that leads to it.
    /// - Returns: `nil` for a file of another name.
    package func addMap(_ path: String) throws(FileError) -> Outcome? {
        let name = Path.name(of: path)
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), [".bcsymbolmap", ".plist"].contains(String(name[dot...])),
            ImageID(text: name[..<dot])?.uuid != nil
        else { return nil }
        let target = Path.join(Path.join(root, "BCSymbolMaps"), name)
        if PathKind(path: target) == .file { return .known([target]) }
        try copy(Self.contents(of: path), to: target)
        return .added([target])
    }

    /// Keeps a shared cache: all of its files that are there, by the UUID of the main file. Its images are found by theirs.
    package func add(_ cache: SharedCache) throws(FileError) -> Outcome {
        guard let id = cache.id else { return .withoutIdentity }
        let folder = "\(root)/shared-caches/\(id.description)"
        var added: [String] = []
        var known: [String] = []
        // The main file comes last: the cache is found by it, and then the others are there.
        for file in cache.files.reversed() where file.problem == nil {
            let target = Path.join(folder, Path.name(of: file.path))
            if FileStamp(path: target).map({ $0.size == UInt64(file.size ?? 0) }) ?? false {
                known.append(target)
            } else {
                try copy(MappedFile(path: file.path), to: target)
                added.append(target)
            }
        }
        return added.isEmpty ? .known(known) : .added(added)
    }

    /// Path in the store of a file with that identity.
    package func storedPath(of file: any SymbolFile, id: ImageID) -> String {
        guard let object = file as? ObjectFile else {
            // On Windows several links of one program have the same GUID and differ in the age.
            return "\(root)/other/\(file.debugIdentifier?.lowercased() ?? id.hexadecimal)/\(Path.name(of: file.path))"
        }
        if object.description.usesBundles, let path = MappedUUIDFolder.path(of: id, below: root) {
            return object.hasDebugInformation ? path : path + ".app"
        }
        let text = id.hexadecimal
        // The file that dwz shares between programs may have strings only, and is a debug file
        // nevertheless.
        let isDebugFile = object.description.sections.contains { $0.name.hasPrefix(".debug_") && !$0.fileRange.isEmpty }
        return "\(root)/.build-id/\(text.prefix(2))/\(text.dropFirst(2))" + (isDebugFile ? ".debug" : "")
    }

    /// Path in the store of a PE file without an identity, as `symstore` files it.
    /// - Returns: `nil` for a file without a timestamp, which linkers leave out for builds that are the same every time.
    package func codePath(of file: any SymbolFile, _ path: String) -> String? {
        let name = Path.name(of: path)
        return file.identity == nil ? file.codeIdentifier.map { "\(root)/other/\(name.lowercased())/\($0)/\(name)" } : nil
    }

    // MARK: Names

    /// The name of the file that was added; `nil` where the store was filled by another tool.
    package func name(of id: ImageID) -> String? {
        let bytes = FileDescriptor.head(of: namePath(of: id), count: 4096)
        let name = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        return name.isEmpty ? nil : name
    }

    private func namePath(of id: ImageID) -> String { "\(root)/names/\(id.hexadecimal).txt" }

    func keepName(_ name: String, of id: ImageID) throws(FileError) {
        guard self.name(of: id) == nil else { return }
        try FileReplacement.makeDirectories(Path.join(root, "names"))
        try FileReplacement.write(Array((name + "\n").utf8), to: namePath(of: id))
    }

    /// `libgame.so` of `obj/libgame.so.debug`.
    static func imageName(of path: String) -> String {
        let name = Path.name(of: path)
        return name.hasSuffix(".debug") ? String(name.dropLast(".debug".utf8.count)) : name
    }

    // MARK: Age

    /// Files that were added before a time, oldest first, and the files beside them.
    /// - Parameter instant: nanoseconds since 1970.
    package func files(addedBefore instant: Int64) -> [(path: String, size: UInt64)] {
        var found: [(path: String, stamp: FileStamp)] = []
        var folders = [root]
        while let folder = folders.popLast() {
            for entry in Directory.entries(in: folder, limit: 1_000_000) {
                let path = Path.join(folder, entry.name)
                switch entry.kind ?? PathKind(path: path) {
                // Only what `add` makes: a store may lie among other files.
                case .directory where folder != root || Self.isOwn(entry.name): folders.append(path)
                case .file where folder != root:
                    if let stamp = FileStamp(path: path), stamp.modified < instant { found.append((path, stamp)) }
                case .directory, .file, .other, nil: break
                }
            }
        }
        return found.sorted { ($0.stamp.modified, $0.path) < ($1.stamp.modified, $1.path) }.map { ($0.path, $0.stamp.size) }
    }

    /// Removes the names of files that are in the store no more.
    package func removeOrphanedNames() throws(FileError) {
        let others = Set(Directory.entries(in: Path.join(root, "other"), limit: 1_000_000).map { $0.name.prefix(32) })
        for entry in Directory.entries(in: Path.join(root, "names"), limit: 1_000_000) where entry.name.hasSuffix(".txt") {
            guard let id = ImageID(text: entry.name.dropLast(4)), !has(id), !others.contains(id.hexadecimal.prefix(32)) else { continue }
            try FileReplacement.remove(namePath(of: id))
        }
    }

    /// Whether an object file of that identity is in the store.
    private func has(_ id: ImageID) -> Bool {
        let text = id.hexadecimal
        var paths = ["\(root)/.build-id/\(text.prefix(2))/\(text.dropFirst(2))"]
        if let path = MappedUUIDFolder.path(of: id, below: root) { paths.append(path) }
        return paths.contains { path in ["", ".debug", ".app"].contains { PathKind(path: path + $0) != nil } }
    }

    private static func isOwn(_ name: String) -> Bool {
        [".build-id", "BCSymbolMaps", "other", "shared-caches"].contains(name)
            || name.utf8.count == 4 && name.utf8.allSatisfy { hexadecimalValue($0) != nil }
    }

    static func isUnlinked(_ file: any SymbolFile) -> Bool {
        guard let object = file as? ObjectFile else { return false }
        // A kernel module is relocatable, and has an identity.
        return object.description.kind == .core || (object.description.kind == .relocatable && object.identity == nil)
    }

    /// A file's bytes, or those of a member of an archive.
    static func contents(of path: String) throws(FileError) -> MappedFile {
        if let member = (try? OpenArchives.shared.contents(at: path)) ?? nil { return member }
        return try MappedFile(path: path)
    }

    /// Copies a file so that no reader ever sees an incomplete one.
    private func copy(_ file: MappedFile, to target: String) throws(FileError) {
        try FileReplacement.makeDirectories(Path.directory(of: target))
        var copy = try FileReplacement(path: target)
        let next = file.pieces()
        while true {
            let part = try next()
            if part.isEmpty { break }
            try copy.append(part)
        }
        try copy.finish()
    }
}
