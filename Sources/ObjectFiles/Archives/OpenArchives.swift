package import BinaryPrimitives
internal import Synchronization

/// The archives that are open in this process, so that each is read, and if need be unpacked, once.
///
/// An archive that changed on disk is opened anew; those that were not used in a while are closed,
/// when nothing reads their members any more.
package final class OpenArchives: Sendable {
    package static let shared = OpenArchives()

    /// Maximum number of unused archives that stay open.
    private static let limit = 16

    private final class Entry: Sendable {
        let stamp: FileStamp
        let result = Mutex<Result<FileArchive?, ObjectFileError>?>(nil)

        init(stamp: FileStamp) { self.stamp = stamp }
    }

    private struct Table {
        var entries: [String: Entry] = [:]
        /// Their paths, those used last at the end.
        var order: [String] = []
    }

    private let table = Mutex(Table())

    init() {}

    /// Whether the file at the path begins like an archive, of those that are read or not. Nothing
    /// more of it is looked at.
    package static func isArchive(_ path: String) -> Bool {
        ArchiveMagic(FileDescriptor.head(of: path, count: TarHeader.size)) != nil
    }

    /// Whether a file that begins so is compressed as a whole, as tar archives are.
    /// - Parameter head: the first bytes.
    package static func isCompressed(_ head: [UInt8]) -> Bool {
        if case .packed = ArchiveMagic(head) { true } else { false }
    }

    /// The archive at a path, which may be a member's: an archive in an archive.
    /// - Returns: `nil` if no archive is there.
    /// - Throws: `ObjectFileError` if it is damaged, or of a kind that is not read.
    package func archive(at path: String) throws(ObjectFileError) -> FileArchive? {
        let split = MemberPath.split(path)
        guard let stamp = FileStamp(path: split?.file ?? path), split.map({ $0.names.count == 1 }) ?? true else { return nil }
        let entry = entry(path, stamp)
        return try entry.result.withLock { (known: inout Result<FileArchive?, ObjectFileError>?) throws(ObjectFileError) -> FileArchive? in
            if let known { return try known.get() }
            let result: Result<FileArchive?, ObjectFileError>
            do throws(ObjectFileError) { result = .success(try open(path, isMember: split != nil)) } catch { result = .failure(error) }
            known = result
            return try result.get()
        }
    }

    /// Closes an archive, and those in it, as soon as nothing reads their members: its file is
    /// removed, and its disk space is freed with the last descriptor.
    package func close(_ path: String) {
        table.withLock { table in
            let own = table.order.filter { $0 == path || $0.hasPrefix(path + MemberPath.separator) }
            for path in own { table.entries[path] = nil }
            table.order.removeAll { own.contains($0) }
        }
    }

    /// Why the archive at a path cannot be read, as far as this can be determined without unpacking
    /// it.
    /// - Returns: `nil` too where there is no archive.
    package func problem(at path: String) -> ObjectFileError? {
        switch ArchiveMagic(FileDescriptor.head(of: path, count: TarHeader.size)) {
        case nil, .packed, .debianPackage, .rpmPackage: return nil
        case .zip, .tar, .cpio, .refused:
            do throws(ObjectFileError) { _ = try archive(at: path) } catch { return error }
            return nil
        }
    }

    private func open(_ path: String, isMember: Bool) throws(ObjectFileError) -> FileArchive? {
        if isMember { return try contents(at: path).flatMap { (file) throws(ObjectFileError) in try FileArchive.open(file) } }
        let file: MappedFile
        do throws(FileError) { file = try MappedFile(path: path) } catch {
            throw ObjectFileError(.unreadable, path: path, error.problem)
        }
        return try FileArchive.open(file)
    }

    /// The bytes of a member by its path, `ARCHIVE!/MEMBER`, or `ARCHIVE!/ARCHIVE!/MEMBER`.
    /// - Returns: `nil` if the path does not name a member: nothing in front of `!/` is a file, or
    ///   the whole path is the name of a file.
    /// - Throws: `ObjectFileError` if there is no such member, or it cannot be read.
    package func contents(at path: String) throws(ObjectFileError) -> MappedFile? {
        guard let (archive, number) = try member(at: path) else { return nil }
        return try archive.contents(of: number)
    }

    /// The first bytes of a member; as `contents(at:)`.
    package func head(at path: String, count: Int) throws(ObjectFileError) -> [UInt8] {
        guard let (archive, number) = try member(at: path) else { return [] }
        return try archive.head(of: number, count: count)
    }

    /// A member of which only the first bytes were unpacked (`FileArchive.beginning`); `nil` also
    /// if the path does not name a member.
    package func beginning(at path: String, count: Int) throws(ObjectFileError) -> MappedFile? {
        guard let (archive, number) = try member(at: path) else { return nil }
        return try archive.beginning(of: number, count: count)
    }

    private func member(at path: String) throws(ObjectFileError) -> (archive: FileArchive, number: Int)? {
        guard let (file, names) = MemberPath.split(path), let name = names.last else { return nil }
        let archivePath = ([file] + names.dropLast()).joined(separator: MemberPath.separator)
        guard let archive = try archive(at: archivePath) else {
            throw ObjectFileError(.unknownFormat, path: path, "\(archivePath) is not an archive: expected a ZIP file or a tar archive")
        }
        guard let number = archive.number(of: name) else {
            throw ObjectFileError(
                .unreadable, path: path, "the \(archive.format.rawValue) \(archivePath) has no such member that may hold symbols")
        }
        return (archive, number)
    }

    /// Whether the path names a member that exists.
    package func hasMember(at path: String) -> Bool {
        ((try? member(at: path)) ?? nil) != nil
    }

    private func entry(_ path: String, _ stamp: FileStamp) -> Entry {
        table.withLock { table in
            table.order.removeAll { $0 == path }
            table.order.append(path)
            if let entry = table.entries[path], entry.stamp == stamp { return entry }
            let entry = Entry(stamp: stamp)
            table.entries[path] = entry
            if table.order.count > Self.limit { table.entries[table.order.removeFirst()] = nil }
            return entry
        }
    }
}
