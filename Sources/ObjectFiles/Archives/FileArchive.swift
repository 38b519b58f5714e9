package import BinaryPrimitives
internal import Synchronization

/// An archive of files, and of its members those that may hold symbols or be logs: a ZIP file, as
/// APKs, app bundles, IPAs and JARs are; a tar archive, plain or compressed as a whole; or a single compressed file that may hold symbols,
/// whose only member has its name without the ending: `snd-hda-intel.ko` of `snd-hda-intel.ko.xz`.
///
/// Bytes that the archive holds as they are are read where they are. Those of a compressed tar
/// archive, and a single compressed file, are unpacked at once, when it is opened, into a file without a name; those of a member
/// of a ZIP file into memory, when they are requested. A member's name is never used as a path to
/// write to.
package final class FileArchive: Sendable {
    package enum Format: String, Sendable, Hashable {
        case zip = "ZIP file"
        case tar = "tar archive"
        case tarGzip = "tar archive compressed with gzip"
        case tarXZ = "tar archive compressed with xz"
        case tarZstandard = "tar archive compressed with Zstandard"
        case tarBzip2 = "tar archive compressed with bzip2"
        case tarLZ4 = "tar archive compressed with LZ4"
        case cpio = "cpio archive"
        case debianPackage = "Debian package"
        case rpmPackage = "RPM package"
        case file = "compressed file"
    }

    /// Purpose of opening an archive; decides which members are listed.
    package enum Purpose: Sendable, Hashable {
        case symbols
        case logs
    }

    package struct Member: Sendable, Hashable {
        /// As the archive has it, without `./` in front.
        package var name: String
        /// Bytes, unpacked.
        package var size: Int
        /// Whether its bytes have to be inflated, each time that they are not in memory any more.
        package var isPacked: Bool
    }

    package let path: String
    package let format: Format
    /// The files that may be what the archive was opened for, as far as their names show
    /// (`MemberName`), and archives that may have such members. Of several of one name the last,
    /// which is what unpacking leaves.
    package let members: [Member]
    private let locations: [Location]
    private let numbers: [String: Int]
    private let limits: Limits
    private let unpacked = Mutex(UnpackedMembers())

    /// Location of a member's bytes.
    enum Location: Sendable {
        case stored(MappedFile, Range<Int>)
        case zip(ZIPMember)
        /// The bytes cannot be read, with the reason.
        case refused(String)
    }

    init(path: String, format: Format, members: [(Member, Location)], limits: Limits) {
        self.path = path
        self.format = format
        self.limits = limits
        var numbers: [String: Int] = [:]
        var kept: [(Member, Location)] = []
        for member in members {
            if let earlier = numbers[member.0.name] {
                kept[earlier] = member
            } else {
                numbers[member.0.name] = kept.count
                kept.append(member)
            }
        }
        self.members = kept.map(\.0)
        locations = kept.map(\.1)
        self.numbers = numbers
    }

    /// Opens an archive by its content.
    /// - Parameters:
    ///   - file: the archive, which may be a member of another.
    ///   - purpose: which of its members are listed.
    /// - Returns: `nil` if it begins like none.
    /// - Throws: `ObjectFileError` if it is damaged, one of the formats that are not read, or
    ///   packed with no tar archive inside.
    package static func open(_ file: MappedFile, for purpose: Purpose = .symbols, limits: Limits = .standard) throws(ObjectFileError)
        -> FileArchive?
    {
        switch ArchiveMagic(file.bytes(in: 0..<TarHeader.size)) {
        case nil: nil
        case .zip:
            FileArchive(path: file.path, format: .zip, members: try ZIPMember.members(file, for: purpose, limits), limits: limits)
        case .tar:
            FileArchive(
                path: file.path, format: .tar, members: try TarMembers(purpose: purpose, limits: limits).stored(file), limits: limits)
        case .cpio:
            FileArchive(
                path: file.path, format: .cpio, members: try TarMembers(purpose: purpose, limits: limits).stored(file), limits: limits)
        case .debianPackage: try open(inside: PackageFile.debianData(file), .debianPackage, for: purpose, limits)
        case .rpmPackage: try open(inside: PackageFile.rpmPayload(file), .rpmPackage, for: purpose, limits)
        case .packed(let method):
            if purpose == .symbols, let unpacked = try CompressedFile.unpack(file, limits: limits) {
                FileArchive(
                    path: file.path, format: .file,
                    members: [
                        (
                            Member(name: CompressedFile.name(inside: file.path), size: unpacked.size, isPacked: true),
                            .stored(unpacked, 0..<unpacked.size)
                        )
                    ], limits: limits)
            } else if let members = try TarMembers(purpose: purpose, limits: limits).unpack(file, method) {
                FileArchive(path: file.path, format: method.format, members: members, limits: limits)
            } else {
                nil
            }
        case .refused(let reason): throw unread(reason, file)
        }
    }

    /// Opens the archive in a package.
    private static func open(inside file: MappedFile, _ format: Format, for purpose: Purpose, _ limits: Limits) throws(ObjectFileError)
        -> FileArchive
    {
        let reader = TarMembers(purpose: purpose, limits: limits)
        switch ArchiveMagic(file.bytes(in: 0..<TarHeader.size)) {
        case .tar, .cpio: return FileArchive(path: file.path, format: format, members: try reader.stored(file), limits: limits)
        case .packed(let method):
            if let members = try reader.unpack(file, method) {
                return FileArchive(path: file.path, format: format, members: members, limits: limits)
            }
        default: break
        }
        throw ObjectFileError(
            .unsupported, path: file.path,
            "the \(format.rawValue) is compressed by a method that is not read: expected gzip, xz, zstd, bzip2, lz4 or none")
    }

    private static func unread(_ reason: String, _ file: MappedFile) -> ObjectFileError {
        ObjectFileError(
            .unsupported, path: file.path,
            "\(reason), which is not read: expected a ZIP file, a Debian or RPM package, or a tar archive, plain or compressed with gzip, xz, zstd, bzip2 or lz4"
        )
    }

    /// The number of the member of that name in `members`.
    package func number(of name: String) -> Int? { numbers[name] }

    /// The bytes of a member, called `ARCHIVE!/MEMBER`. While they are used, and for a while after,
    /// they are not unpacked again.
    /// - Throws: `ObjectFileError` if they are damaged, encrypted, or packed by a method that is
    ///   not read.
    package func contents(of number: Int) throws(ObjectFileError) -> MappedFile {
        let path = memberPath(number)
        switch locations[number] {
        case .stored(let file, let range): return MappedFile(file, range, path: path)
        case .refused(let problem): throw ObjectFileError(.unsupported, path: path, problem)
        case .zip(let member):
            if member.isStored { return MappedFile(member.file, try member.range(path: path), path: path) }
            let slot = unpacked.withLock { $0.slot(number) }
            // Other callers that need it wait here instead of unpacking it too.
            let file = try slot.file.withLock { (known: inout WeakFile) throws(ObjectFileError) -> MappedFile in
                if let file = known.file { return file }
                let file = try member.inflate(path: path, limits)
                known = WeakFile(file: file)
                return file
            }
            unpacked.withLock { $0.keep(file, limit: limits.keptMembers) }
            return file
        }
    }

    /// A member of which only the first bytes were unpacked: the others are zero, and its checksum
    /// was not checked.
    /// - Returns: `nil` where that saves nothing: then `contents(of:)`.
    package func beginning(of number: Int, count: Int) throws(ObjectFileError) -> MappedFile? {
        guard case .zip(let member) = locations[number], !member.isStored, count < members[number].size else { return nil }
        return try member.inflate(path: memberPath(number), first: count, limits)
    }

    /// The first bytes of a member.
    package func head(of number: Int, count: Int) throws(ObjectFileError) -> [UInt8] {
        if let beginning = try beginning(of: number, count: count) { return beginning.bytes(in: 0..<count) }
        return try contents(of: number).bytes(in: 0..<count)
    }

    /// Offset in the archive of a member that is stored uncompressed: `/proc/PID/maps` and
    /// Android's tombstones give this for a library inside an APK.
    /// - Returns: `nil` for a compressed member.
    package func start(of number: Int) -> Int? {
        switch locations[number] {
        case .stored(_, let range): format == .tar ? range.lowerBound : nil
        case .zip(let member): member.isStored ? (try? member.range(path: path))?.lowerBound : nil
        case .refused: nil
        }
    }

    private func memberPath(_ number: Int) -> String { path + MemberPath.separator + members[number].name }
}

/// The members that were unpacked and may be used still.
private struct UnpackedMembers: ~Copyable {
    final class Slot: Sendable {
        let file = Mutex(WeakFile())
    }

    private var slots: [Int: Slot] = [:]
    /// The newest last; held for the next caller.
    private var recent: [MappedFile] = []

    mutating func slot(_ number: Int) -> Slot {
        if let slot = slots[number] { return slot }
        let slot = Slot()
        slots[number] = slot
        return slot
    }

    /// Holds the file, and of those before it as many as fit the limit.
    mutating func keep(_ file: MappedFile, limit: Int) {
        recent.removeAll { $0 === file }
        recent.append(file)
        var size = recent.reduce(0) { $0 + $1.size }
        while recent.count > 1, size > limit { size -= recent.removeFirst().size }
    }
}

private struct WeakFile: Sendable {
    weak var file: MappedFile?
}
