internal import BinaryPrimitives
internal import DWARF
internal import ObjectFiles
internal import ObjectQuestions
internal import Recipes

/// Any bytes as debug information: every address has a result or a reason.
///
/// An input that begins as an object file does is one, and is opened and searched as `cairn` would.
/// One that begins with `R` is the decisions of a `DWARFRecipe`. Any other holds sections without a
/// container (`SectionFrames.answering`), followed by addresses of eight bytes each.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(start), byteCount: count)
    guard count > 0, let file = try? MappedFile(bytes: bytes, name: "input") else { return 0 }
    switch bytes.byte(at: 0) {
    // ELF; Mach-O of either width and byte order; universal files.
    case 0x7f, 0xcf, 0xce, 0xfe, 0xca: lookUpObjects(file)
    case UInt8(ascii: "R"):
        let recipe = DWARFRecipe(bytes.clamped(to: 1..<count).text.copied())
        let image = ELFImage.bytes([(".text", [UInt8](repeating: 0x90, count: 0x1000))] + recipe.sections, recipe.byteOrder)
        if let file = try? MappedFile(bytes: image.span.rawBytes, name: "recipe") { lookUpObjects(file) }
        if let framed = frames(of: recipe) { lookUpSections(framed.file, framed.ranges, recipe.byteOrder, addresses: []) }
    default:
        let frames = SectionFrames(bytes, names: SectionFrames.answering)
        var ranges: [DWARFSections.Name: Range<Int>] = [:]
        for (name, section) in zip(DWARFSections.Name.allCases, frames.sections) { ranges[name] = section.range }
        lookUpSections(file, ranges, frames.byteOrder, addresses: frames.addresses(in: bytes, limit: 64))
    }
    return 0
}

private func frames(of recipe: DWARFRecipe) -> (file: MappedFile, ranges: [DWARFSections.Name: Range<Int>])? {
    var whole: [UInt8] = []
    var ranges: [DWARFSections.Name: Range<Int>] = [:]
    for section in recipe.sections {
        guard let name = DWARFSections.Name.allCases.first(where: { $0.elfName == section.name }) else { continue }
        ranges[name] = whole.count..<whole.count + section.bytes.count
        whole += section.bytes
    }
    return (try? MappedFile(bytes: whole.span.rawBytes, name: "recipe")).map { ($0, ranges) }
}

private func lookUpObjects(_ file: MappedFile) {
    guard let objects = try? ObjectFiles.openAll(file) else { return }
    for object in objects {
        ObjectQuestions.ask(object)
        ObjectQuestions.askIndex(object)
    }
}

private func lookUpSections(_ file: MappedFile, _ ranges: [DWARFSections.Name: Range<Int>], _ order: ByteOrder, addresses more: [UInt64]) {
    let sections = DWARFSections(file, ranges, order)
    var addresses: Set<UInt64> = [0, 1, 0x1000, 0x1010, 0x1234, 0x1fff, 0x401000, .max]
    addresses.formUnion(more)
    let wanted = addresses.sorted().map(LinkAddress.init)
    _ = FunctionEnumeration(DWARFReader(sections)).forEachUnit(.everything) { unit in
        precondition(zip(unit.lines, unit.lines.dropFirst()).allSatisfy { $0.range.upperBound <= $1.range.lowerBound })
        precondition(unit.calls.indices.allSatisfy { index in unit.calls[index].parent.map { $0 < index } ?? true })
        precondition(unit.calls.allSatisfy { $0.ranges.upperBound <= unit.ranges.count && $0.file.map { $0 < unit.files.count } ?? true })
    }
    collectUnits(DWARFReader(sections))
    let results = DWARFReader(sections).results(for: wanted)
    precondition(results.count == wanted.count)
    for result in results { precondition(result.functions.count <= Limits.standard.inlineDepth + 1) }
    // Details that only some tools print do not change the results.
    let reader = DWARFReader(sections)
    for (plain, detailed) in zip(results, reader.results(for: wanted, details: [.entries, .rows])) {
        precondition(plain.location == detailed.location && plain.functions.map(\.name) == detailed.functions.map(\.name))
        if let details = detailed.details { precondition(details.functions.count == detailed.functions.count) }
    }
    for address in wanted.prefix(4) { _ = reader.locals(at: address.value) }
    precondition(reader.staticVariables(at: wanted.prefix(4).map(\.value)).count == min(4, wanted.count))
}

/// Collects an index's tables: they are in order for all units, also damaged ones.
private func collectUnits(_ reader: DWARFReader) {
    guard let keys = try? NameKeys(reader.sections, first: 1), var collector = try? WholeUnitCollector(reader, keys, readsCalls: true)
    else { return }
    let units = OwnedUnits(reader)
    units.forEachUnit { _ in }
    var owned: [Range<UInt64>] = []
    while let unit = units.next() {
        owned += unit.ranges
        guard (try? collector.collect(unit)) != nil else { continue }
        let (rows, segments) = (collector.rowStarts, collector.segmentStarts)
        precondition(rows.count == collector.rows.count && segments.count == collector.segmentSubroutines.count)
        precondition(zip(rows, rows.dropFirst()).allSatisfy { $0 < $1 } && zip(segments, segments.dropFirst()).allSatisfy { $0 < $1 })
        precondition(collector.segmentSubroutines.allSatisfy { $0 < collector.subroutines.count })
        precondition(collector.subroutines.indices.allSatisfy { Int(collector.subroutines[$0].parent) < $0 })
        precondition(collector.files.allSatisfy { $0 < collector.paths.paths.count })
    }
    owned.sort { $0.lowerBound < $1.lowerBound }
    precondition(zip(owned, owned.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound })
    // Predictions that were wrong are corrected afterwards.
    let predicted = OwnedUnits(reader, predicts: true)
    predicted.forEachUnit { _ in }
    while predicted.next() != nil {}
    precondition(predicted.failure == units.failure && predicted.count == units.count)
}
