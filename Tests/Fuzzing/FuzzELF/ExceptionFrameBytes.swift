internal import BinaryPrimitives
internal import CallFrames
internal import ObjectFiles

/// Reads the bytes as exception frames: those in them if they are an object file, and the bytes
/// themselves as the `.eh_frame` and `.eh_frame_hdr` of a file made here.
func askFrames(_ bytes: RawSpan) {
    let count = bytes.byteCount
    guard count > 4 else { return }
    let first = bytes.byte(at: 0)
    // The first byte says where the table of the header ends and the frames begin, and how wide an
    // address is.
    let split = min(count, 2 + Int(first) * 2)
    let table = bytes.clamped(to: 2..<split)
    let frames = bytes.clamped(to: split..<count)
    ask(bytes)
    ask(wrap(frames: frames, table: table, wide: first & 1 == 0).span.rawBytes)
    ask(wrap(frames: frames, table: bytes.prefix(0), wide: first & 1 == 0).span.rawBytes)
}

/// Looks up in a file the functions around some addresses, and the rules there, if it is one.
private func ask(_ bytes: RawSpan) {
    guard let file = try? MappedFile(bytes: bytes, name: "input"), let object = try? ObjectFiles.openAll(file).first,
        let frames = ExceptionFrames(object)
    else { return }
    for address: UInt64 in [0, 0x1000, 0x4000, 0x4010, 0x8000, 0xffff_ffff, .max] {
        if let range = frames.range(containing: LinkAddress(address)) { precondition(range.contains(LinkAddress(address))) }
    }
    guard let rules = CallFrames(object) else { return }
    for range in frames.allRanges().prefix(16) {
        for address in [range.lowerBound, LinkAddress(range.upperBound.value - 1)] { _ = rules.rules(at: address) }
    }
}

/// A little-endian ELF file with `.eh_frame_hdr` at 0x2000 and `.eh_frame` at 0x4000 (gABI, chapter
/// 4).
private func wrap(frames: RawSpan, table: RawSpan, wide: Bool) -> [UInt8] {
    var file: [UInt8] = []
    func put(_ value: UInt64, _ size: Int) { for index in 0..<size { file.append(UInt8(truncatingIfNeeded: value >> UInt64(index * 8))) } }
    let word = wide ? 8 : 4
    let names: [UInt8] = Array("\0.eh_frame\0.eh_frame_hdr\0.n\0".utf8)
    let headerSize = wide ? 64 : 52
    let offsets = [headerSize, headerSize + frames.byteCount, headerSize + frames.byteCount + table.byteCount]
    file += [0x7f, 0x45, 0x4c, 0x46, wide ? 2 : 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    put(3, 2)
    put(62, 2)
    put(1, 4)
    for value in [0, 0, offsets[2] + names.count] { put(UInt64(value), word) }
    put(0, 4)
    for value in [headerSize, wide ? 56 : 32, 0, wide ? 64 : 40, 4, 3] { put(UInt64(value), 2) }
    for index in 0..<frames.byteCount { file.append(frames.byte(at: index)) }
    for index in 0..<table.byteCount { file.append(table.byte(at: index)) }
    file += names
    let sections: [(name: UInt64, type: UInt64, address: UInt64, offset: Int, size: Int)] = [
        (0, 0, 0, 0, 0), (1, 1, 0x4000, offsets[0], frames.byteCount),
        (11, table.byteCount > 0 ? 1 : 8, 0x2000, offsets[1], table.byteCount),
        (25, 3, 0, offsets[2], names.count),
    ]
    for section in sections {
        put(section.name, 4)
        put(section.type, 4)
        for value in [2, section.address, UInt64(section.offset), UInt64(section.size)] { put(value, word) }
        put(0, 8)
        for _ in 0..<2 { put(1, word) }
    }
    return file
}
