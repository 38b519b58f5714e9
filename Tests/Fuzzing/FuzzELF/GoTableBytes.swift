internal import BinaryPrimitives
internal import ObjectFiles

/// Reads the bytes as a Go program's line table, in both byte orders, or as a program that has one,
/// and looks up addresses all over it.
func askGoTable(_ bytes: RawSpan) {
    let count = bytes.byteCount
    guard let file = try? MappedFile(bytes: bytes, name: "input") else { return }
    let addresses = (0..<64).map { LinkAddress(0x40_1000 + $0 * 61) } + [LinkAddress(0), LinkAddress(.max)]
    var tables = [ByteOrder.littleEndian, .bigEndian].compactMap { GoLineTable(file, $0, textStart: 0x40_1000, inlineTrees: count / 2) }
    tables += ((try? ObjectFiles.openAll(file)) ?? []).compactMap { GoLineTable($0) }
    for table in tables {
        for (address, result) in zip(addresses, table.results(for: addresses)) {
            guard let result else { continue }
            precondition(result.entry <= address && !result.functions.isEmpty)
            if let line = table.lineRange(containing: address) { precondition(line.range.contains(address)) }
        }
    }
}
