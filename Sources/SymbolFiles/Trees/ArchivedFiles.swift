internal import BinaryPrimitives
internal import ObjectFiles
internal import Synchronization

/// The files in an archive: an APK or app bundle, a ZIP file or tar archive of dSYM bundles as CI
/// keeps them (`FileArchive`).
///
/// It is listed once, when it is first searched. The identities of all members are read once, when
/// an identity is first looked up.
package final class ArchivedFiles: NamedLocation {
    package let archive: String
    private let open: SymbolFileOpener
    private let cache: String?
    private let listing = Mutex<ArchiveListing?>(nil)
    private let names = Mutex<TreeNames?>(nil)
    private let identities = Mutex<TreeIdentities?>(nil)

    /// - Parameters:
    ///   - cache: the folder where names and identities are kept for the next run; `nil` for
    ///     nowhere.
    ///   - open: how members are opened.
    package init(archive: String, cache: String? = nil, open: @escaping SymbolFileOpener) {
        self.archive = archive
        self.cache = cache
        self.open = open
    }

    package var location: String { "the files in \(archive)" }

    package func expectedPaths(for request: ImageRequest) -> [String] { [] }

    /// The members of the image's identity, and those that are called like it. If the log only
    /// gives where in an APK the library begins, also the member that begins there.
    package func candidates(for request: ImageRequest) -> [SymbolFileCandidate] {
        let listing = listed()
        let names = names.known { TreeNames(paths: listing.paths) }
        var added: Set<String> = []
        var candidates =
            (request.id.map { identified(listing).paths(of: $0) } ?? [])
            + (request.codeIdentifier.map { identified(listing).paths(ofCode: $0) } ?? []) + names.paths(named: request)
        candidates = candidates.filter { added.insert($0).inserted }
        let found = candidates.map { SymbolFileCandidate(path: $0, origin: .archive(archive)) }
        guard request.id == nil, let start = request.startInFile else { return found }
        return found
            + listing.paths(beginningAt: start).map { SymbolFileCandidate(path: $0, origin: .archiveOffset(archive, start)) }
    }

    package func remarks(for request: ImageRequest) -> [String] {
        let listing = listed()
        var remarks = ["\(listing.paths.count) file\(listing.paths.count == 1 ? "" : "s") that may hold symbols"] + listing.problems
        if request.id == nil, let start = request.startInFile, listing.paths(beginningAt: start).isEmpty {
            remarks.append("no file is stored from byte 0x\(String(start, radix: 16)) on")
        }
        return remarks
    }

    func addNames(to found: inout FoundNames) { addNames(to: &found, called: "/" + Path.name(of: archive)) }

    /// - Parameter name: the archive's own name.
    func addNames(to found: inout FoundNames, called name: String) {
        let listing = listed()
        if !listing.problems.isEmpty { found.noteGap() }
        let start = archive.utf8.count + MemberPath.separator.utf8.count
        for path in listing.paths { found.add(path, name: "/" + path.dropFirst(start), archive: name) }
    }

    private func listed() -> ArchiveListing { listing.known { ArchiveListing(archive, cache: cache) } }

    private func identified(_ listing: ArchiveListing) -> TreeIdentities {
        identities.known {
            var files: [String: TreeCache.File] = [:]
            let seen = listing.seen
            let identities = TreeIdentities(PackedPaths(listing.paths), known: { seen[$0] }) { path, known in
                listing.readFile(at: path, known: known, open)
            } keep: { path, file, _ in
                files[path] = file
            }
            if files != seen { listing.keep(files) }
            return identities
        }
    }
}

extension Mutex where Value: Sendable {
    /// The value that is known already, else what `make` returns, once.
    fileprivate func known<Known>(_ make: () -> Known) -> Known where Value == Known? {
        withLock { value in
            if let value { return value }
            let made = make()
            value = made
            return made
        }
    }
}
