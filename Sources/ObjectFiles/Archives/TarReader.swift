internal import BinaryPrimitives
internal import Decompression

/// A file in an archive, or another name of one.
struct ArchivedFile {
    var name: String
    var size: Int
    /// Offset of its first byte in the archive.
    var start: Int
    /// Reason why its bytes cannot be used.
    var problem: String?
    /// Name of the member that this one links to; such a member has no bytes of its own.
    var linkTarget: String?

    /// A name without what `tar -C folder .` writes in front: `./App.dSYM/…`.
    static func plain(_ name: String) -> String {
        var name = name[...]
        while name.hasPrefix("./") { name = name.dropFirst(2).drop { $0 == "/" } }
        return String(name)
    }
}

/// Reads the members of an archive that has no directory, one after another.
protocol MemberReader: ~Copyable {
    /// The next file or link to one.
    /// - Returns: `nil` at the end.
    /// - Throws: `.damaged` where there is no header, or the archive ends within a member.
    mutating func next() throws(DecodingFailure) -> ArchivedFile?
    /// The contents of the member that `next` returned, piece by piece.
    mutating func read(_ size: Int, _ piece: ([UInt8]) throws(DecodingFailure) -> Void) throws(DecodingFailure)
    /// Reads the bytes after the archive's end, so that the checksum of the compressed file is
    /// checked.
    mutating func drain() throws(DecodingFailure)
}

/// The members of a tar archive one after another, from a stream that is read once: it has no
/// directory.
struct TarReader<Stream: ByteStream & ~Copyable>: MemberReader, ~Copyable {
    private var stream: Stream
    private var position = 0
    /// Bytes of the last member that were not read, with what fills them up to a multiple of 512.
    private var unread = 0
    private var globalRecords = PaxRecords()
    private let limits: Limits

    init(_ stream: consuming Stream, limits: Limits = .standard) {
        self.stream = stream
        self.limits = limits
    }

    mutating func next() throws(DecodingFailure) -> ArchivedFile? {
        var records = PaxRecords()
        var longName: String?
        var longLink: String?
        while true {
            let skipped = try stream.skip(unread)
            guard skipped == unread else { throw .damaged("the archive ends within a member") }
            position += unread
            unread = 0
            let block = try stream.read(TarHeader.size)
            // Two blocks of zeros are at the end; archives that were put together by hand have lost
            // them.
            if block.isEmpty || block.count == TarHeader.size && TarHeader.isEnd(block) { return nil }
            guard let header = TarHeader(block) else { throw .damaged("no member's header at byte \(position)") }
            position += TarHeader.size
            let size: UInt64
            switch header.kind {
            // A size that does not fit the header's field is in pax' records.
            case .file, .sparse: size = records.or(globalRecords).size ?? header.contentSize
            default: size = header.contentSize
            }
            if case .sparse(isContinued: true) = header.kind { try skipMaps() }
            guard let content = Int(exactly: size), content <= Int.max - 1024 - position else {
                throw .damaged("the member at byte \(position) has \(size) bytes")
            }
            unread = (content + 511) & ~511
            switch header.kind {
            case .longName: longName = String(decoding: try extended(content).prefix { $0 != 0 }, as: UTF8.self)
            case .longLink: longLink = String(decoding: try extended(content).prefix { $0 != 0 }, as: UTF8.self)
            case .records: records = PaxRecords(try extended(content))
            case .globalRecords: globalRecords = PaxRecords(try extended(content)).or(globalRecords)
            case .other:
                (records, longName, longLink) = (PaxRecords(), nil, nil)
            case .file, .link, .sparse:
                let all = records.or(globalRecords)
                var member = ArchivedFile(name: ArchivedFile.plain(all.path ?? longName ?? header.name), size: content, start: position)
                if case .link(let target) = header.kind { member.linkTarget = ArchivedFile.plain(all.linkPath ?? longLink ?? target) }
                if case .sparse = header.kind { member.problem = Self.sparse }
                if all.isSparse { member.problem = Self.sparse }
                return member
            }
        }
    }

    /// The rest of an old sparse file's map: blocks of which each says whether another follows.
    private mutating func skipMaps() throws(DecodingFailure) {
        while true {
            let block = try stream.read(TarHeader.size)
            guard block.count == TarHeader.size else { throw .damaged("the archive ends within a member") }
            position += TarHeader.size
            if block[504] == 0 { return }
        }
    }

    private static var sparse: String { "only its parts that are not zero were stored (a sparse file), expected a whole file" }

    mutating func read(_ size: Int, _ piece: ([UInt8]) throws(DecodingFailure) -> Void) throws(DecodingFailure) {
        try stream.readMember(size, piece)
        position += size
        unread -= size
    }

    mutating func drain() throws(DecodingFailure) {
        try stream.drain()
    }

    /// Reads the contents of an extended header.
    private mutating func extended(_ size: Int) throws(DecodingFailure) -> [UInt8] {
        guard size <= limits.memberName else {
            throw .damaged("a member's name or records have \(size) bytes, expected at most \(limits.memberName)")
        }
        var all: [UInt8] = []
        try read(size) { (bytes: [UInt8]) throws(DecodingFailure) in all += bytes }
        return all
    }
}
