internal import BinaryPrimitives
internal import Decompression

/// Kind of archive, according to the first bytes of a file.
enum ArchiveMagic: Hashable {
    case zip
    case tar
    case cpio
    case debianPackage
    case rpmPackage
    case packed(PackingMethod)
    /// An archive of a format that is not read, with the format's description.
    case refused(String)

    /// - Parameter head: the first 512 bytes, fewer where the file is shorter.
    init?(_ head: [UInt8]) {
        func begins(_ bytes: [UInt8]) -> Bool { head.starts(with: bytes) }
        // A member's header, or the end record of an empty file; the mark in front of volumes of a
        // split one.
        if begins([0x50, 0x4b, 3, 4]) || begins([0x50, 0x4b, 5, 6]) || begins([0x50, 0x4b, 7, 8]) {
            self = .zip
        } else if begins([0x1f, 0x8b, 8]) {
            self = .packed(.gzip)
        } else if begins([0xfd] + Array("7zXZ".utf8) + [0]) {
            self = .packed(.xz)
        } else if begins([0x28, 0xb5, 0x2f, 0xfd]) {
            self = .packed(.zstandard)
        } else if begins(Array("BZh".utf8)), head.count > 3, (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(head[3]) {
            self = .packed(.bzip2)
        } else if begins([0x04, 0x22, 0x4d, 0x18]) {
            self = .packed(.lz4)
        } else if begins(Archive.magic + Array("debian-binary".utf8)) {
            self = .debianPackage
        } else if begins([0xed, 0xab, 0xee, 0xdb]) {
            self = .rpmPackage
        } else if CPIOReader<StoredBytes>.begins(head) {
            self = .cpio
        } else if begins([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]) {
            self = .refused("it is a 7-Zip archive")
        } else if begins(Array("Rar!".utf8) + [0x1a, 7]) {
            self = .refused("it is a RAR archive")
        } else if head.count == TarHeader.size, !TarHeader.isEnd(head), TarHeader(head) != nil {
            self = .tar
        } else {
            return nil
        }
    }
}

/// Compression method of a whole file.
enum PackingMethod: String, Hashable {
    case gzip, xz, bzip2
    case zstandard = "Zstandard"
    case lz4 = "LZ4"

    var format: FileArchive.Format {
        switch self {
        case .gzip: .tarGzip
        case .xz: .tarXZ
        case .zstandard: .tarZstandard
        case .bzip2: .tarBzip2
        case .lz4: .tarLZ4
        }
    }

    func decoder(_ limits: Limits) throws(DecodingFailure) -> any Decoder {
        switch self {
        case .gzip: try ZlibDecoder(.gzip)
        case .xz: try XZDecoder(memory: limits.unpackingMemory)
        case .zstandard: try ZstandardDecoder()
        case .bzip2: try Bzip2Decoder()
        case .lz4: try LZ4Decoder()
        }
    }
}
