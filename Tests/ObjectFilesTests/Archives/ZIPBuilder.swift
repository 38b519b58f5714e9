import BinaryPrimitives
import TestSupport

/// Puts a ZIP file together, field by field (APPNOTE.TXT, section 4.3), so that
/// tests can make each of them wrong.
struct ZIPBuilder {
    struct Member {
        var name: [UInt8]
        var content: [UInt8]
        /// Unpacked content, if `content` is packed.
        var unpacked: [UInt8]?
        var flags: UInt16 = 0
        var method: UInt16 = 0
        /// Size in the directory; `nil` for the content's.
        var size: UInt32?
        var packedSize: UInt32?
        /// Offset of the member in the directory; `nil` for its real one.
        var header: UInt32?
        var extra: [UInt8] = []
    }

    var members: [Member] = []
    /// The count in the end record; `nil` for the members'.
    var count: UInt16?
    /// The number of the volume that the end record is in.
    var disk: UInt32 = 0
    var comment: [UInt8] = []

    mutating func add(_ name: [UInt8], _ content: [UInt8], flags: UInt16 = 0, unicode: String? = nil) {
        var member = Member(name: name, content: content, flags: flags)
        if let unicode {
            // Identifier, length, version 1, the checksum of the other name, the name.
            var field = ByteWriter()
            field.put(UInt16(0x7075))
            field.put(UInt16(5 + unicode.utf8.count))
            field.put(UInt8(1))
            field.put(Self.checksum(name))
            member.extra = field.bytes + Array(unicode.utf8)
        }
        members.append(member)
    }

    func build() -> [UInt8] {
        var writer = ByteWriter()
        var headers: [UInt32] = []
        for member in members {
            headers.append(UInt32(writer.count))
            writer.put(UInt32(0x0403_4b50))
            writer.put(UInt16(20))
            putCommon(member, to: &writer)
            writer.put(UInt16(member.name.count))
            writer.put(UInt16(member.extra.count))
            writer.bytes += member.name + member.extra + member.content
        }
        let directory = writer.count
        for (member, header) in zip(members, headers) {
            writer.put(UInt32(0x0201_4b50))
            writer.put(UInt16(20))
            writer.put(UInt16(20))
            putCommon(member, to: &writer)
            writer.put(UInt16(member.name.count))
            writer.put(UInt16(member.extra.count))
            writer.bytes += [UInt8](repeating: 0, count: 10)
            writer.put(member.header ?? header)
            writer.bytes += member.name + member.extra
        }
        let length = writer.count - directory
        writer.put(UInt32(0x0605_4b50))
        writer.put(disk)
        writer.put(count ?? UInt16(members.count))
        writer.put(count ?? UInt16(members.count))
        writer.put(UInt32(length))
        writer.put(UInt32(directory))
        writer.put(UInt16(comment.count))
        return writer.bytes + comment
    }

    private func putCommon(_ member: Member, to writer: inout ByteWriter) {
        writer.put(member.flags)
        writer.put(member.method)
        writer.put(UInt32(0))
        writer.put(Self.checksum(member.unpacked ?? member.content))
        writer.put(member.packedSize ?? UInt32(member.content.count))
        writer.put(member.size ?? UInt32((member.unpacked ?? member.content).count))
    }

    /// CRC-32, bit by bit: the polynomial of IEEE 802.3, reflected.
    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum = ~UInt32(0)
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0xedb8_8320 }
        }
        return ~sum
    }
}
