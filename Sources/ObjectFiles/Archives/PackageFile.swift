internal import BinaryPrimitives

/// Packages of Linux distributions, whose files are in an archive inside.
enum PackageFile {
    /// The bytes of the archive with the files of a Debian package (deb(5)): the member `data.tar`, `data.tar.xz` and so on.
    /// - Throws: `ObjectFileError` where there is none.
    static func debianData(_ file: MappedFile) throws(ObjectFileError) -> MappedFile {
        let members = try Archive.members(file, 0..<file.size) ?? []
        guard let data = members.first(where: { $0.name.hasPrefix("data.tar") }) else {
            throw ObjectFileError(.corrupt, path: file.path, "the Debian package has no data.tar: expected one after debian-binary")
        }
        return MappedFile(file, data.range, path: file.path)
    }

    /// The bytes of the archive with the files of an RPM package (RPM's manual, "RPM V4 Package format"): they follow the lead of 96
    /// bytes, the header with the signatures, filled up to a multiple of eight, and the header with the facts.
    static func rpmPayload(_ file: MappedFile) throws(ObjectFileError) -> MappedFile {
        var position = 96
        for isSignature in [true, false] {
            guard let size = headerSize(file.bytes(in: position..<position + 16)) else {
                throw ObjectFileError(.corrupt, path: file.path, "the RPM package has no header at byte \(position)")
            }
            position += size
            if isSignature { position = (position + 7) & ~7 }
        }
        guard position < file.size else {
            throw ObjectFileError(
                .corrupt, path: file.path, "the RPM package ends before its files: at byte \(file.size), expected \(position)")
        }
        return MappedFile(file, position..<file.size, path: file.path)
    }

    /// Bytes of a header: the mark, the number of entries of sixteen bytes, and the size of what they refer to, in big endian.
    private static func headerSize(_ head: [UInt8]) -> Int? {
        guard head.count == 16, head.starts(with: [0x8e, 0xad, 0xe8, 1]) else { return nil }
        func number(at start: Int) -> Int { head[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } }
        return 16 + number(at: 8) * 16 + number(at: 12)
    }
}
