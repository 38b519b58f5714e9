import BinaryPrimitives
import DWARF
import ObjectFiles
import SymbolSources

/// Any bytes as debug information: every address has an answer or a reason.
///
/// An input that begins as an object file does is one, and is opened and asked as `cairn` would. Any other holds sections without a container,
/// which the fuzzer can then make longer and shorter: `B` for big-endian byte order or anything else for little-endian, then for each name of
/// `DWARFSections.Name`, in order, a length of four bytes (least significant first) and as many bytes; the rest are addresses of eight bytes each.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(start), byteCount: count)
    guard count > 0, let file = try? MappedFile(bytes: bytes, name: "input") else { return 0 }
    // ELF; Mach-O of either width and byte order; universal files.
    if [0x7f, 0xcf, 0xce, 0xfe, 0xca].contains(bytes.byte(at: 0)) { askObjects(file) } else { askSections(file, bytes) }
    return 0
}

private func askObjects(_ file: MappedFile) {
    guard let objects = try? ObjectFiles.openAll(file) else { return }
    for object in objects {
        var offsets: Set<UInt64> = [0, 1, .max]
        for section in object.description.sections.filter(\.isLoaded).prefix(16) {
            guard let first = section.address.offset(fromImageBase: object.baseAddress)?.value else { continue }
            for step in 0..<8 { offsets.insert(first &+ section.size / 8 &* UInt64(step)) }
        }
        let wanted = offsets.sorted().map(ImageOffset.init)
        for offset in wanted.prefix(4) { _ = ObjectSource([object]).lineRange(at: offset) }
        let answers = ObjectSource([object]).frames(at: wanted)
        precondition(answers.count == wanted.count)
        for case .found(let frames) in answers {
            precondition(!frames.isEmpty && frames.count <= Limits.standard.inlineDepth + 1)
            precondition(frames.dropLast().allSatisfy { $0.note == nil })
            precondition(frames.dropLast().allSatisfy(\.isInlined) && frames.last?.isInlined == false)
        }
        askIndex(object)
    }
}

/// What is written for lookups can be read.
private func askIndex(_ object: ObjectFile) {
    guard let built = try? GSYMBuilder.build(object) else { return }
    let bytes = Array(built.parts.joined())
    guard let file = try? MappedFile(bytes: bytes.span.rawBytes, name: "built"), let symbols = (try? GSYMFile(file)) ?? nil else {
        preconditionFailure("what was written is no GSYM file")
    }
    precondition(symbols.count == built.functionCount && symbols.identity == object.identity)
    let addresses = object.description.sections.filter(\.isExecutable).prefix(16).flatMap { section in
        (0..<16).map { LinkAddress(section.address.value &+ section.size / 16 &* $0) }
    }
    for answer in GSYMSource(symbols).frames(at: addresses) {
        if case .unresolved(.corrupt(let problem)) = answer { preconditionFailure(problem) }
    }
}

private func askSections(_ file: MappedFile, _ bytes: RawSpan) {
    var cursor = bytes
    guard let order = try? cursor.take(UInt8.self) else { return }
    var ranges: [DWARFSections.Name: Range<Int>] = [:]
    for name in DWARFSections.Name.allCases {
        guard let length = try? cursor.take(UInt32.self) else { break }
        let position = bytes.byteCount - cursor.byteCount
        let size = min(Int(length), cursor.byteCount)
        ranges[name] = position..<position + size
        try? cursor.skip(size)
    }
    var addresses: Set<UInt64> = [0, 1, 0x1000, 0x401000, .max]
    while addresses.count < 64, let address = try? cursor.take(UInt64.self) { addresses.insert(address) }
    let sections = DWARFSections(file, ranges, order == UInt8(ascii: "B") ? .bigEndian : .littleEndian)
    let wanted = addresses.sorted().map(LinkAddress.init)
    _ = FunctionEnumeration(DWARFReader(sections)).forEachUnit(.everything) { unit in
        precondition(zip(unit.lines, unit.lines.dropFirst()).allSatisfy { $0.range.upperBound <= $1.range.lowerBound })
        precondition(unit.calls.indices.allSatisfy { index in unit.calls[index].parent.map { $0 < index } ?? true })
        precondition(unit.calls.allSatisfy { $0.ranges.upperBound <= unit.ranges.count && $0.file.map { $0 < unit.files.count } ?? true })
    }
    collectUnits(DWARFReader(sections))
    let answers = DWARFReader(sections).answers(for: wanted)
    precondition(answers.count == wanted.count)
    for answer in answers { precondition(answer.functions.count <= Limits.standard.inlineDepth) }
    // What only some tools print leaves the answers as they are.
    let reader = DWARFReader(sections)
    for (plain, detailed) in zip(answers, reader.answers(for: wanted, details: true)) {
        precondition(plain.location == detailed.location && plain.functions.map(\.name) == detailed.functions.map(\.name))
        if let details = detailed.details { precondition(details.functions.count == detailed.functions.count) }
    }
    for address in wanted.prefix(4) { _ = reader.locals(at: address.value) }
    precondition(reader.staticVariables(at: wanted.prefix(4).map(\.value)).count == min(4, wanted.count))
}

/// What an index is made of: whatever the units say, its tables are in order.
private func collectUnits(_ reader: DWARFReader) {
    guard let ownership = try? UnitOwnership(reader), let keys = try? NameKeys(reader, first: 1),
        var collector = try? WholeUnitCollector(reader, keys)
    else { return }
    precondition(zip(ownership.pieces, ownership.pieces.dropFirst()).allSatisfy { $0.end <= $1.start })
    var wanted = [[Range<UInt64>]](repeating: [], count: ownership.units.count)
    for piece in ownership.pieces { wanted[piece.owner].append(piece.start..<piece.end) }
    for (unit, ranges) in zip(ownership.units, wanted) where !ranges.isEmpty {
        guard (try? collector.collect(unitAt: unit, wanted: ranges)) != nil else { continue }
        let (rows, segments) = (collector.rowStarts, collector.segmentStarts)
        precondition(rows.count == collector.rows.count && segments.count == collector.segmentSubroutines.count)
        precondition(zip(rows, rows.dropFirst()).allSatisfy { $0 < $1 } && zip(segments, segments.dropFirst()).allSatisfy { $0 < $1 })
        precondition(collector.segmentSubroutines.allSatisfy { $0 < collector.subroutines.count })
        precondition(collector.subroutines.indices.allSatisfy { Int(collector.subroutines[$0].parent) < $0 })
        precondition(collector.files.allSatisfy { $0 < collector.paths.paths.count })
    }
}
