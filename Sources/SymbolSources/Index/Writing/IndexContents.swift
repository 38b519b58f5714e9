internal import BinaryPrimitives
internal import DWARF
internal import ObjectFiles

/// The parts from which an index is written.
struct IndexContents {
    let object: ObjectFile
    let symbols: PlacedSymbols
    let keys: NameKeys
    let made: MadeBlocks
    /// Width of a unit's number in a block, in bits.
    let unitWidth: Int

    /// Writes the file. Names are placed while blocks are written, which are before them in the
    /// file; the header, which has the sizes of all tables, comes last.
    /// - Parameters:
    ///   - append: adds bytes at the file's end.
    ///   - replaceStart: overwrites the first bytes of the file.
    func write(
        _ append: @Sendable ([UInt8]) throws(FileError) -> Void, replaceStart: ([UInt8]) throws(FileError) -> Void
    ) throws(IndexRefusal) {
        // The memory of the symbols and units, from which the blocks were made.
        Allocation.returnFreeMemory()
        let (named, placed) = Parallel.both(
            worthwhile: true,
            { Result { () throws(IndexRefusal) in try PlacedNames(object, symbols, keys, made.parts.compactMap(\.texts)) } },
            { Result { () throws(IndexRefusal) in try writeBlocks(append) } })
        let (names, (blocks, written)) = (try named.get(), try placed.get())
        do throws(FileError) {
            var tables = written
            try names.write(&tables, append)
            let checksums = tables.checksums
            try tables.write(.checksums, append) { table throws(FileError) in for sum in checksums { try table.add(sum, append) } }
            try replaceStart(header(tables, blocks))
        } catch { throw IndexRefusal("\(error)") }
    }

    private func writeBlocks(_ append: TableWriter.Append) throws(IndexRefusal) -> (PlacedBlocks, TableWriter) {
        let blocks = try PlacedBlocks(made)
        var tables = TableWriter()
        do throws(FileError) {
            try append([UInt8](repeating: 0, count: SymbolIndexLayout.headerSize))
            try tables.write(.segments, append) { table throws(FileError) in
                for segment in object.description.segments {
                    try table.add(segment.address.value, append)
                    try table.add(segment.address.advanced(by: segment.size)?.value ?? .max, append)
                }
            }
            try blocks.write(&tables, append)
            try PlacedCallSites(made.parts.compactMap(\.calls)).write(&tables, append)
        } catch { throw IndexRefusal("\(error)") }
        return (blocks, tables)
    }

    private func header(_ tables: TableWriter, _ blocks: PlacedBlocks) -> [UInt8] {
        var header = SymbolIndexLayout.magic
        func add<Number: FixedWidthInteger>(_ number: Number) {
            for byte in 0..<Number.bitWidth / 8 { header.append(UInt8(truncatingIfNeeded: number >> Number(byte * 8))) }
        }
        let identity = object.identity?.bytes ?? []
        add(SymbolIndexLayout.version)
        add(UInt32(tables.extents.count))
        add(UInt64(tables.end))
        add(object.baseAddress.value)
        add(blocks.codeStart)
        add(UInt32(blocks.bucketShift))
        add(UInt32(unitWidth))
        add(UInt32(blocks.pathWidth))
        add(UInt32(identity.count))
        header += identity + [UInt8](repeating: 0, count: SymbolIndexLayout.identitySize - identity.count)
        add(ImageFingerprint.of(object))
        let checksumAt = header.count
        add(UInt64(0))
        for extent in tables.extents {
            add(UInt64(extent.offset))
            add(UInt64(extent.size))
        }
        let checksum = SymbolIndexLayout.checksum(of: header.span.rawBytes)
        for byte in 0..<8 { header[checksumAt + byte] = UInt8(truncatingIfNeeded: checksum >> UInt64(byte * 8)) }
        return header
    }
}
