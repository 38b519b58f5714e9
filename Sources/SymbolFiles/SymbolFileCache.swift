package import BinaryPrimitives
package import ObjectFiles

/// Opens all symbols in a file: one image's, or one for each architecture of a universal file.
package typealias SymbolFileOpener = @Sendable (_ path: String) throws(ObjectFileError) -> [any SymbolFile]

/// Symbol files that are open, each version of a file once, however many images need it.
///
/// A path is looked at (`stat(2)`) each time that it is asked for: a program that is rebuilt is another file. Files are opened without a lock; those that
/// were not used for longest are closed first.
package final class SymbolFileCache: Sendable {
    /// Which image an object of a file is.
    package struct Identity: Sendable {
        package var architecture: Architecture?
        package var id: ImageID?
        package var debugIdentifier: String?
        package var base: LinkAddress
        package var size: UInt64?
        package var isFilesetEntry: Bool
    }

    /// Whose objects are in a file, or why it cannot be read.
    package enum Identities: Sendable {
        case objects([Identity])
        case unreadable(ObjectFileError)
    }

    private let open: SymbolFileOpener
    private let files: RecentlyUsed<SymbolFileVersion, [any SymbolFile]>
    /// Of files that are not open, too: the tree that somebody names may have many.
    private let identities: RecentlyUsed<SymbolFileVersion, Identities>
    /// What was first at a path.
    private let first: RecentlyUsed<String, SymbolFileVersion>

    /// - Parameters:
    ///   - limits: how many files are open at one time, and how many bytes they have.
    ///   - open: opens a file.
    package init(limits: Limits = .standard, open: @escaping SymbolFileOpener) {
        self.open = open
        files = RecentlyUsed(.init(count: limits.openModules, bytes: limits.openModuleBytes))
        identities = RecentlyUsed(.init(count: limits.knownFiles))
        first = RecentlyUsed(.init(count: limits.knownFiles))
    }

    /// The symbols in a file.
    package func open(_ path: String) throws(ObjectFileError) -> [any SymbolFile] {
        guard let version = SymbolFileVersion(path) else { return try open(path) }
        if let known = files[version] { return known }
        let opened = try open(path)
        _ = first.keep(version, for: path)
        // One that is written at this moment may be neither version.
        return version.isCurrent ? files.keep(opened, for: version, size: version.size) : opened
    }

    /// Whose objects are in a file. It is not kept open for that.
    package func identities(at path: String) -> Identities {
        guard let version = SymbolFileVersion(path) else { return read(path) }
        if let known = identities[version] { return known }
        let found = read(path)
        return version.isCurrent ? identities.keep(found, for: version) : found
    }

    /// Whether a path has led to another version since it was first opened: a program is rebuilt while its logs are read.
    package func isReplaced(_ path: String) -> Bool { first[path].map { !$0.isCurrent } ?? false }

    private func read(_ path: String) -> Identities {
        do throws(ObjectFileError) {
            return .objects(
                try open(path).map {
                    Identity(
                        architecture: $0.machine, id: $0.identity, debugIdentifier: $0.debugIdentifier, base: $0.baseAddress,
                        size: $0.imageSize,
                        isFilesetEntry: ($0 as? ObjectFile)?.isFilesetEntry ?? false)
                })
        } catch {
            return .unreadable(error)
        }
    }
}

/// What is at a path that symbols are read from: a file, the archive that a member is in, or the members of a dSYM bundle.
package struct SymbolFileVersion: Hashable, Sendable {
    package let path: String
    private let files: [FileVersion]

    /// - Returns: `nil` if nothing is there.
    package init?(_ path: String) {
        self.path = path
        if MemberPath.mayBeMember(path), let archive = MemberPath.split(path)?.file, let version = FileVersion(path: archive) {
            files = [version]
            return
        }
        guard let version = FileVersion(path: path) else { return nil }
        // What is written anew in a folder leaves the folder as it was.
        let folder = Path.join(path, "Contents/Resources/DWARF")
        let names = PathKind(path: path) == .directory ? Directory.entries(in: folder, limit: 1000).map(\.name).sorted() : []
        files = [version] + names.compactMap { FileVersion(path: Path.join(folder, $0)) }
    }

    package var isCurrent: Bool { SymbolFileVersion(path) == self }
    /// Bytes.
    package var size: Int { files.reduce(0) { $0.addingReportingOverflow(Int(clamping: $1.size)).partialValue } }
}
