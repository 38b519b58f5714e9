internal import BinaryPrimitives
internal import ObjectFiles

/// Opens the bytes as a ZIP file and reads every member, its beginning alone, and where it is.
func openZIP(_ bytes: RawSpan) {
    let count = bytes.byteCount
    // Most inputs are to be ZIP files: another beginning would be another format's.
    var bytes = (0..<count).map { bytes.byte(at: $0) }
    for (index, byte) in ([0x50, 0x4b, 3, 4] as [UInt8]).enumerated() where index < bytes.count { bytes[index] = byte }
    var limits = Limits.standard
    limits.archiveMember = 1 << 20
    guard let file = try? MappedFile(bytes: bytes.span.rawBytes, name: "input"),
        let archive = (try? FileArchive.open(file, limits: limits)) ?? nil
    else { return }
    precondition(archive.format == .zip)
    for number in archive.members.indices {
        precondition(archive.number(of: archive.members[number].name) == number)
        if let start = archive.start(of: number) { precondition(start <= file.size) }
        let head = (try? archive.head(of: number, count: 16)) ?? []
        guard let contents = try? archive.contents(of: number) else { continue }
        precondition(contents.size == archive.members[number].size && contents.bytes(in: 0..<16) == head)
    }
}
