package import BinaryPrimitives
internal import CrashLogModel
package import Decompression

/// Compression format of a log. The first bytes decide, never the file's name.
package enum LogCompression: CaseIterable {
    case gzip, zlib, zstandard, xz, bzip2, lz4

    /// - Parameter start: the file's first bytes; `maxMagicLength` of them are enough, except for
    ///   zlib headers that may also be text.
    package init?(_ start: Span<UInt8>) {
        guard let found = Self.allCases.first(where: { $0.matches(start) == .yes }) else { return nil }
        self = found
    }

    /// Number of first bytes that are enough to decide.
    package static let maxMagicLength = 10

    /// Whether bytes that are this few may become the beginning of a container when more have come.
    package static func mayBegin(_ start: Span<UInt8>) -> Bool {
        start.count < maxMagicLength && allCases.contains { $0.matches(start) != .no }
    }

    package enum Match { case no, yes, tooShort }

    /// Whether the container begins with these bytes.
    package func matches(_ start: Span<UInt8>) -> Match {
        switch self {
        // RFC 1952: ID1, ID2, and the only method there is.
        case .gzip: Self.match([[0x1F], [0x8B], [0x08]], start)
        // RFC 1950: the largest window, which every writer uses, and a header that is a multiple of
        // 31.
        case .zlib: matchesZlib(start)
        // RFC 8878: a frame; or a frame to skip, as pzstd begins its files.
        case .zstandard:
            Self.either(
                Self.match([[0x28], [0xB5], [0x2F], [0xFD]], start),
                Self.match([Array(0x50...0x5F), [0x2A], [0x4D], [0x18]], start))
        // The .xz File Format, 2.1.1.1.
        case .xz: Self.match([[0xFD], [0x37], [0x7A], [0x58], [0x5A], [0x00]], start)
        // LZ4 Frame Format, "Magic Number"; older systemd-coredumps keep cores so.
        case .lz4: Self.match([[0x04], [0x22], [0x4D], [0x18]], start)
        // The size of the blocks, then a block (its number is π) or, where nothing was compressed,
        // the end (√π).
        case .bzip2:
            Self.either(
                Self.match(Self.bzip2Header + [[0x31], [0x41], [0x59], [0x26], [0x53], [0x59]], start),
                Self.match(Self.bzip2Header + [[0x17], [0x72], [0x45], [0x38], [0x50], [0x90]], start))
        }
    }

    private static let bzip2Header: [[UInt8]] = [[0x42], [0x5A], [0x68], Array(0x31...0x39)]

    /// `x^` is such a header and may begin a text: there, something must follow that does not occur
    /// in text.
    private func matchesZlib(_ start: Span<UInt8>) -> Match {
        let header = Self.match([[0x78], [0x01, 0x5E, 0x9C, 0xDA]], start)
        guard header == .yes, start[1] == 0x5E else { return header }
        for index in 2..<max(2, min(start.count, 64)) {
            let byte = start[index]
            if byte >= 0x80 || (byte < 0x20 && !(0x08...0x0D).contains(byte) && byte != 0x1B) { return .yes }
        }
        return start.count < Self.maxMagicLength ? .tooShort : .no
    }

    private static func match(_ magic: [[UInt8]], _ start: Span<UInt8>) -> Match {
        for (index, bytes) in magic.enumerated() {
            guard index < start.count else { return .tooShort }
            guard bytes.contains(start[index]) else { return .no }
        }
        return .yes
    }

    private static func either(_ one: Match, _ other: Match) -> Match {
        one == .yes || other == .yes ? .yes : one == .tooShort || other == .tooShort ? .tooShort : .no
    }

    package func decoder(_ limits: Limits) throws(DecodingFailure) -> any Decoder {
        switch self {
        case .gzip: try ZlibDecoder(.gzip)
        case .zlib: try ZlibDecoder(.zlib)
        case .zstandard: try ZstandardDecoder()
        case .xz: try XZDecoder(memory: limits.unpackingMemory)
        case .bzip2: try Bzip2Decoder()
        case .lz4: try LZ4Decoder()
        }
    }

    /// For people.
    package var name: String {
        switch self {
        case .zstandard: "Zstandard"
        case .lz4: "LZ4"
        case .gzip, .zlib, .xz, .bzip2: "\(self)"
        }
    }

    /// The command that writes the text in it to standard output, without its last argument, which
    /// is the file.
    package var command: String {
        switch self {
        case .gzip: "gzip -dc"
        case .zlib: #"python3 -c 'import sys, zlib; sys.stdout.buffer.write(zlib.decompress(open(sys.argv[1], "rb").read()))'"#
        case .zstandard: "zstd -dc"
        case .xz: "xz -dc"
        case .bzip2: "bzip2 -dc"
        case .lz4: "lz4 -dc"
        }
    }
}
