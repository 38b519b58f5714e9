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
    }

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
            if outcome == nil {
                let source: String
                if let written {
                    source = written
                } else {
                    // A member of an archive is not a separate file yet.
                    source = try folder.write("member-\(UInt64.random(in: .min ... .max))", contents.pieces())
                    written = source
                }
                try makeFolder(of: target)
                // Another upload may have added the file first.
                outcome = try FileReplacement.linkIfNew(source, to: target) ? .added : self.outcome(of: contents, at: target)
            }
            if outcome == .added { try keepName(Self.imageName(of: path), of: id) }
            arrivals.append(Arrival(id: id, hasDebugInformation: image.hasDebugInformation, outcome: outcome ?? .differs))
        }
        return arrivals
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
