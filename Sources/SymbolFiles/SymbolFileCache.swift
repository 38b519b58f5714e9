package import BinaryPrimitives
package import ObjectFiles
internal import Synchronization

/// Opens all symbols in a file: one image's, or one for each architecture of a universal file.
package typealias SymbolFileOpener = @Sendable (_ path: String) throws(ObjectFileError) -> [any SymbolFile]

/// Cache of open symbol files. Each version of a file is open once, however many images use it.
///
/// Every request checks the path with `stat(2)`, so that a rebuilt program is opened again. Files
/// are opened outside of the lock. The least recently
/// used files are closed first.
package final class SymbolFileCache: Sendable {
    /// Identity of one object in a file.
    package struct Identity: Sendable {
        package var architecture: Architecture?
        package var id: ImageID?
        package var debugIdentifier: String?
        package var codeIdentifier: String?
        package var base: LinkAddress
        package var size: UInt64?
        package var isFilesetEntry: Bool
    }

    /// Identities of all objects in a file, or the reason why it cannot be read.
    package enum Identities: Sendable {
        case objects([Identity])
        case unreadable(ObjectFileError)
    }

    private let openFile: SymbolFileOpener
    private let files: RecentlyUsed<SymbolFileVersion, [any SymbolFile]>
    /// Identities outlive the open files: a folder of symbols may have more files than can be open.
    private let identities: RecentlyUsed<SymbolFileVersion, Identities>
    /// The file whose identities were read last: it is the one that is wanted, in most cases.
    private let latest = Mutex<(version: SymbolFileVersion, files: [any SymbolFile])?>(nil)
    /// The version that was opened first at each path.
    private let first: RecentlyUsed<String, SymbolFileVersion>

    /// - Parameters:
    ///   - limits: how many files are open at one time, and how many bytes they have.
    ///   - open: opens a file.
    package init(limits: Limits = .standard, open: @escaping SymbolFileOpener) {
        openFile = open
        files = RecentlyUsed(.init(count: limits.openModules, bytes: limits.openModuleBytes))
        identities = RecentlyUsed(.init(count: limits.knownFiles))
        first = RecentlyUsed(.init(count: limits.knownFiles))
    }

    /// Opens a file, or returns the open one.
    package func open(_ path: String) throws(ObjectFileError) -> [any SymbolFile] { try openVersion(path).files }

    /// Opens a file, or returns the open one, with its version; `nil` if the file changed while it was opened.
    package func openVersion(_ path: String) throws(ObjectFileError) -> (files: [any SymbolFile], version: SymbolFileVersion?) {
        guard let version = SymbolFileVersion(path) else { return (try openFile(path), nil) }
        if let known = files[version] { return (known, version) }
        let identified = latest.withLock { $0?.version == version ? $0?.files : nil }
        let opened = if let identified { identified } else { try openFile(path) }
        _ = first.keep(version, for: path)
        // A file that is being written may be neither version.
        guard identified != nil || version.isCurrent else { return (opened, nil) }
        return (files.keep(opened, for: version, size: version.size), version)
    }

    /// Returns the identities of the objects in a file. The file stays open until another's are read.
    package func identities(at path: String) -> Identities {
        guard let version = SymbolFileVersion(path) else { return read(path, nil) }
        if let known = identities[version] { return known }
        let found = read(path, version)
        return version.isCurrent ? identities.keep(found, for: version) : found
    }

    /// Whether the file at a path was replaced since this cache first opened it.
    package func isReplaced(_ path: String) -> Bool { first[path].map { !$0.isCurrent } ?? false }

    private func read(_ path: String, _ version: SymbolFileVersion?) -> Identities {
        do throws(ObjectFileError) {
            let opened = try openFile(path)
            if let version {
                let before = latest.withLock { kept in
                    defer { kept = (version, opened) }
                    return kept
                }
                // Closed after the lock.
                withExtendedLifetime(before) {}
            }
            return .objects(
                opened.map {
                    Identity(
                        architecture: $0.machine, id: $0.identity, debugIdentifier: $0.debugIdentifier,
                        codeIdentifier: $0.codeIdentifier, base: $0.baseAddress,
                        size: ($0 as? ObjectFile)?.description.mapsDebugSections == true ? nil : $0.imageSize,
                        isFilesetEntry: ($0 as? ObjectFile)?.isFilesetEntry ?? false)
                })
        } catch {
            return .unreadable(error)
        }
    }
}

/// Version of everything that symbols at a path are read from: a file, the archive of a member, or a dSYM bundle with its members.
package struct SymbolFileVersion: Hashable, Sendable {
    package let path: String
    private let files: [FileVersion]

    /// - Returns: `nil` if nothing is there.
    package init?(_ path: String) {
        self.path = path
        if MemberPath.mayBeMember(path), let archive = MemberPath.split(path)?.file {
            files = OpenSharedCaches.versions(archive)
            return
        }
        guard let version = FileVersion(path: path) else { return nil }
        // Writing to a file does not change its folder's modification time.
        let folder = Path.join(path, "Contents/Resources/DWARF")
        let names = version.isFolder ? Directory.entries(in: folder, limit: 1000).map(\.name).sorted() : []
        files = [version] + names.compactMap { FileVersion(path: Path.join(folder, $0)) }
    }

    package var isCurrent: Bool { SymbolFileVersion(path) == self }
    package var isFolder: Bool { files.first?.isFolder ?? false }
    /// Bytes.
    package var size: Int { files.reduce(0) { $0.addingReportingOverflow(Int(clamping: $1.stamp.size)).partialValue } }
}
