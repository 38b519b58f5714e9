package import BinaryPrimitives
package import ObjectFiles

/// Files that somebody sends: none of them replaces a file of the store.
extension SymbolStore {
    /// Result of storing an image of a file.
    package struct Arrival: Sendable, Hashable {
        package enum Outcome: Sendable, Hashable {
            case added
            /// The store already has a file with the same bytes.
            case known
            /// The store has another file with the same identity, and keeps it.
            case differs
        }

        package var id: ImageID
        package var hasDebugInformation: Bool
        package var outcome: Outcome
        /// Path in the store of a file that differs from the one that the store uses.
        package var differing: String?
    }

    /// Folder of files that came under the identity of another file. No search looks into it: which of two files is right is for a person to
    /// decide.
    package static let differingFolder = FileReplacement.prefix + "differing"
    /// Files that are kept beside another one; more are refused.
    private static let maxDiffering = 4

    /// Keeps the images of a file, as `add` does, each at its place unless a file is there.
    ///
    /// A file gets its name in one step, and only an unused name: if two arrive at the same time,
    /// one is kept, whole.
    /// - Parameters:
    ///   - path: a file in `folder`, written to its end; or a member of an archive there.
    ///   - files: its symbols, opened.
    ///   - folder: in the store.
    /// - Returns: no entry for files that are not images or have no identity.
    package func addNew(_ path: String, _ files: [any SymbolFile], from folder: borrowing WorkFolder) throws(FileError) -> [Arrival] {
        let images = files.filter { !Self.isUnlinked($0) && $0.identity != nil }
        guard !images.isEmpty else { return [] }
        let contents = try Self.contents(of: path)
        var written = PathKind(path: path) == .file ? path : nil
        var arrivals: [Arrival] = []
        for image in images {
            guard let id = image.identity else { continue }
            let target = storedPath(of: image, id: id)
            var outcome = try outcome(of: contents, at: target)
            if outcome != .known, written == nil {
                // A member of an archive is not a separate file yet.
                written = try folder.write("member-\(UInt64.random(in: .min ... .max))", contents.pieces())
            }
            if outcome == nil, let written {
                try makeFolder(of: target)
                // Another upload may have added the file first.
                outcome = try FileReplacement.linkIfNew(written, to: target) ? .added : self.outcome(of: contents, at: target)
            }
            var arrival = Arrival(id: id, hasDebugInformation: image.hasDebugInformation, outcome: outcome ?? .differs)
            if outcome == .added { try keepName(Self.imageName(of: path), of: id) }
            if arrival.outcome == .differs, let written {
                let folder = "\(Self.differingFolder)/\(image.debugIdentifier?.lowercased() ?? id.hexadecimal)"
                arrival.differing = try keepBeside(written, contents, in: folder, name: Path.name(of: path))
            }
            arrivals.append(arrival)
        }
        return arrivals
    }

    /// Keeps a file that differs, under a name that its content gives.
    /// - Returns: its path in the store; `nil` where enough of them are kept.
    private func keepBeside(_ source: String, _ contents: MappedFile, in folder: String, name: String) throws(FileError) -> String? {
        var hash = SHA256()
        let next = contents.pieces()
        while true {
            let part = try next()
            if part.isEmpty { break }
            hash.update(part)
        }
        let digits = hash.finish().prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let path = "\(folder)/\(digits)-\(name)"
        let target = Path.join(root, path)
        if PathKind(path: target) != nil { return path }
        guard Directory.entries(in: Path.join(root, folder), limit: Self.maxDiffering + 1).count < Self.maxDiffering else { return nil }
        try makeFolder(of: target)
        _ = try FileReplacement.linkIfNew(source, to: target)
        return path
    }

    /// - Returns: `nil` where no file is there.
    private func outcome(of contents: MappedFile, at path: String) throws(FileError) -> Arrival.Outcome? {
        guard PathKind(path: path) != nil else { return nil }
        return try contents.hasSameBytes(as: MappedFile(path: path)) ? .known : .differs
    }

    /// Makes the parent folders of a path, durably.
    private func makeFolder(of path: String) throws(FileError) {
        let folder = Path.directory(of: path)
        guard PathKind(path: folder) == nil else { return }
        try FileReplacement.makeDirectories(folder)
        var parent = Path.directory(of: folder)
        while parent.utf8.count >= root.utf8.count {
            Directory.synchronize(parent)
            let above = Path.directory(of: parent)
            if above == parent { break }
            parent = above
        }
    }
}
