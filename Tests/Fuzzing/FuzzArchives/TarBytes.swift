internal import BinaryPrimitives
internal import ObjectFiles

/// Opens the bytes as a tar archive, plain or compressed, and reads every member.
func openTar(_ bytes: RawSpan) {
    let count = bytes.byteCount
    var bytes = (0..<count).map { bytes.byte(at: $0) }
    // The checksum of each header is made right, or nothing after it would ever be read.
    if let first = bytes.first, ![0x1f, 0xfd, 0x28].contains(first) {
        for block in stride(from: 0, to: bytes.count - 511, by: 512) where bytes[block + 148] != 0 {
            for index in block + 148..<block + 156 { bytes[index] = UInt8(ascii: " ") }
            var sum = bytes[block..<block + 512].reduce(0) { $0 + Int($1) }
            for index in stride(from: block + 153, through: block + 148, by: -1) {
                bytes[index] = UInt8(ascii: "0") + UInt8(sum & 7)
                sum >>= 3
            }
            bytes[block + 154] = 0
        }
    }
    var limits = Limits.standard
    limits.unpackedArchive = 1 << 20
    limits.memberName = 1 << 12
    guard let file = try? MappedFile(bytes: bytes.span.rawBytes, name: "input"),
        let archive = (try? FileArchive.open(file, limits: limits)) ?? nil, archive.format != .zip
    else { return }
    for number in archive.members.indices {
        precondition(archive.number(of: archive.members[number].name) == number)
        guard let contents = try? archive.contents(of: number) else { continue }
        precondition(contents.size == archive.members[number].size && contents.bytes(in: 0..<contents.size).count == contents.size)
        if let start = archive.start(of: number) { precondition(start + contents.size <= file.size) }
    }
}
