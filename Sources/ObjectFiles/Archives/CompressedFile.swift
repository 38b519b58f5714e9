package import BinaryPrimitives
internal import Decompression

/// A symbol file that is compressed as a whole: `snd-hda-intel.ko.xz`, `vmlinux.zst`, `program.debug.gz`.
package enum CompressedFile {
    /// The name of the file inside: `snd-hda-intel.ko` of `snd-hda-intel.ko.xz`.
    static func name(inside path: String) -> String { MemberName.withoutCompression(Path.name(of: path)) }

    /// Bytes that are unpacked at once.
    private static let pieceSize = 1 << 18

    /// Unpacks a file into a file without a name.
    /// - Parameter file: any file, which may be a member of an archive.
    /// - Returns: the file inside, called `FILE!/NAME`; `nil` if the file is not compressed, or has no symbol file inside.
    /// - Throws: `ObjectFileError` if it is damaged, or cannot be unpacked.
    package static func unpack(_ file: MappedFile, limits: Limits = .standard) throws(ObjectFileError) -> MappedFile? {
        guard case .packed(let method)? = ArchiveMagic(file.bytes(in: 0..<TarHeader.size)) else { return nil }
        var target = UnlinkedFile()
        var problem: FileError?
        do throws(DecodingFailure) {
            var stream = try method.stream(file, limits)
            var bytes = try stream.read(TarHeader.size)
            guard SymbolFileMagic.begins(bytes) else { return nil }
            while !bytes.isEmpty {
                do throws(FileError) { try target.append(bytes) } catch {
                    problem = error
                    throw .damaged("")
                }
                bytes = try stream.read(pieceSize)
            }
        } catch {
            if let problem { throw ObjectFileError(.unsupported, path: file.path, "it could not be unpacked into \(problem)") }
            throw error.unpacking(file.path, "the file that is compressed with \(method.rawValue)")
        }
        do throws(FileError) {
            return try target.finish(path: file.path + MemberPath.separator + name(inside: file.path))
        } catch {
            throw ObjectFileError(.unsupported, path: file.path, "it could not be unpacked: \(error.problem)")
        }
    }
}

extension PackingMethod {
    /// The decoded bytes of a file, up to the size that it may have.
    func stream(_ file: MappedFile, _ limits: Limits) throws(DecodingFailure) -> DecodedBytes {
        let packed = CompressedBytes(file: file, 0..<file.size, try decoder(limits), hasFrames: true)
        // A small archive that is compressed well is not a bomb yet.
        let (maxSize, overflow) = file.size.multipliedReportingOverflow(by: limits.archiveRatio)
        return DecodedBytes(packed, limit: min(limits.unpackedArchive, overflow ? Int.max : max(maxSize, 256 << 20)))
    }
}

extension DecodingFailure {
    /// The error of a file that cannot be unpacked.
    func unpacking(_ path: String, _ label: String) -> ObjectFileError {
        switch self {
        case .damaged(let problem): ObjectFileError(.corrupt, path: path, "\(label) is damaged: \(problem)")
        case .outOfMemory: ObjectFileError(.unsupported, path: path, "\(label) could not be unpacked: not enough memory")
        }
    }
}
