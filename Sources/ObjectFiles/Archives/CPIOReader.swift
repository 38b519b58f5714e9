internal import BinaryPrimitives
internal import Decompression

/// The members of a cpio archive one after another (cpio(5), "New ASCII Format"): the payload of an RPM package, and an initial RAM disk.
///
/// A header of 110 characters comes before each member: `070701`, then thirteen numbers of eight hexadecimal digits, among them the mode
/// (the second), the size (the seventh) and the size of the name (the twelfth), which follows. Names and contents are filled up to
/// multiples of four. `TRAILER!!!` is the last name.
struct CPIOReader<Stream: ByteStream & ~Copyable>: MemberReader, ~Copyable {
    private var stream: Stream
    private var position = 0
    /// Bytes of the last member that were not read, with what fills them up.
    private var unread = 0
    private let limits: Limits

    init(_ stream: consuming Stream, limits: Limits = .standard) {
        self.stream = stream
        self.limits = limits
    }

    private static var headerSize: Int { 110 }

    /// Whether bytes begin with a member's header, without a checksum or with one.
    static func begins(_ head: [UInt8]) -> Bool { head.starts(with: Array("070701".utf8)) || head.starts(with: Array("070702".utf8)) }

    mutating func next() throws(DecodingFailure) -> ArchivedFile? {
        while true {
            guard try stream.skip(unread) == unread else { throw .damaged("the archive ends within a member") }
            position += unread
            unread = 0
            let header = try stream.read(Self.headerSize)
            guard header.count == Self.headerSize, Self.begins(header), let mode = Self.number(header, 1),
                let size = Self.number(header, 6), let nameSize = Self.number(header, 11)
            else { throw .damaged("no member's header at byte \(position)") }
            guard nameSize <= limits.memberName else {
                throw .damaged("a member's name has \(nameSize) bytes, expected at most \(limits.memberName)")
            }
            let named = (Self.headerSize + nameSize + 3) & ~3
            let bytes = try stream.read(named - Self.headerSize)
            guard bytes.count == named - Self.headerSize else { throw .damaged("the archive ends within a member") }
            let name = String(decoding: bytes.prefix(nameSize).prefix { $0 != 0 }, as: UTF8.self)
            position += named
            if name == "TRAILER!!!" { return nil }
            unread = (size + 3) & ~3
            // S_IFMT and S_IFREG of stat(2).
            if mode & 0o170000 == 0o100000 { return ArchivedFile(name: ArchivedFile.plain(name), size: size, start: position) }
        }
    }

    private static func number(_ header: [UInt8], _ field: Int) -> Int? {
        var value = 0
        for byte in header[6 + field * 8..<14 + field * 8] {
            guard let digit = hexadecimalValue(byte) else { return nil }
            value = value << 4 | Int(digit)
        }
        return value
    }

    mutating func read(_ size: Int, _ piece: ([UInt8]) throws(DecodingFailure) -> Void) throws(DecodingFailure) {
        try stream.readMember(size, piece)
        position += size
        unread -= size
    }

    mutating func drain() throws(DecodingFailure) {
        try stream.drain()
    }
}
