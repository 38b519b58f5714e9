internal import BinaryPrimitives
internal import DWARF
internal import ObjectFiles
internal import Recipes

/// A line program and lists of ranges, searched as those of one unit that covers 0x1000 to 0x9000.
///
/// An input that begins with `R` is the decisions of a `DWARFRecipe`, whose lists and programs are
/// taken. Any other holds a byte whose bits say the byte order (1), DWARF's 64-bit format (2) and
/// four-byte addresses (4), then `.debug_line`, `.debug_ranges` and `.debug_rnglists`, each after a
/// length of two bytes (least significant first).
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let first = bytes.first else { return 0 }
    if first == UInt8(ascii: "R") {
        let recipe = DWARFRecipe(Array(bytes.dropFirst()))
        func section(_ name: String) -> [UInt8] { recipe.sections.first { $0.name == name }?.bytes ?? [] }
        let parts = [section(".debug_line"), section(".debug_ranges"), section(".debug_rnglists")]
        let more = [DWARFSections.Name.lineStr: section(".debug_line_str"), .str: section(".debug_str"), .addr: section(".debug_addr")]
        // The second byte of a recipe says what its parts agree on (`RecipeShape`).
        lookUp(parts, more, shape: bytes.count > 1 ? bytes[1] & 7 : 0)
    } else {
        var position = 1
        var parts: [[UInt8]] = []
        for _ in 0..<3 {
            let length = position + 1 < count ? Int(bytes[position]) | Int(bytes[position + 1]) << 8 : 0
            position = min(count, position + 2)
            parts.append(Array(bytes[position..<min(count, position + length)]))
            position = min(count, position + length)
        }
        lookUp(parts, [:], shape: first & 7)
    }
    return 0
}

private func lookUp(_ parts: [[UInt8]], _ more: [DWARFSections.Name: [UInt8]], shape: UInt8) {
    for version in [UInt16(4), 5] {
        var contents = more
        (contents[.line], contents[.ranges], contents[.rnglists]) = (parts[0], parts[1], parts[2])
        let unit = CoveringUnit(
            version: version, order: shape & 1 == 0 ? .littleEndian : .bigEndian, isWide: shape & 2 != 0,
            addressSize: shape & 4 == 0 ? 8 : 4)
        (contents[.info], contents[.abbrev]) = (unit.info, unit.abbreviations)
        var whole: [UInt8] = []
        var ranges: [DWARFSections.Name: Range<Int>] = [:]
        for name in DWARFSections.Name.allCases {
            guard let bytes = contents[name], !bytes.isEmpty else { continue }
            ranges[name] = whole.count..<whole.count + bytes.count
            whole += bytes
        }
        guard let file = try? MappedFile(bytes: whole.span.rawBytes, name: "sections") else { return }
        let reader = DWARFReader(DWARFSections(file, ranges, shape & 1 == 0 ? .littleEndian : .bigEndian))
        let wanted = (0..<40).map { LinkAddress(0x1000 + $0 * 0x35) }
        let results = reader.results(for: wanted)
        precondition(results.count == wanted.count)
        // One by one the same as together, as far as the program can be read.
        for index in [0, 7, 39] {
            let alone = reader.results(for: [wanted[index]])[0]
            precondition(alone.problem != nil || results[index].problem != nil || alone.location == results[index].location)
        }
        _ = FunctionEnumeration(reader).forEachUnit(.everything) { unit in
            precondition(zip(unit.lines, unit.lines.dropFirst()).allSatisfy { $0.range.upperBound <= $1.range.lowerBound })
        }
    }
}
