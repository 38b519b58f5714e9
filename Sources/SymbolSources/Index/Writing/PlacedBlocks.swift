internal import BinaryPrimitives
internal import ObjectFiles

/// The blocks of an index by address, and the files of its units.
struct PlacedBlocks {
    private struct Block {
        var start: UInt64
        var position: Int
        var size: UInt32
        /// Index of the file that holds it.
        var file: Int32
    }

    /// File of blocks that each task made.
    private let files: [MappedFile?]
    private var blocks: [Block] = []
    /// The address of the first block.
    private(set) var codeStart: UInt64 = 0
    private(set) var bucketShift = 0
    private var bucketCount = 0
    private var unitStarts: [UInt32] = [0]
    private var unitFiles: [UInt8] = []
    /// Width of a path's number in `unitFiles`, in bits.
    private(set) var pathWidth = 0
    private var pathOffsets: [UInt32] = [0]
    private var pathTexts: [UInt8] = []

    init(_ made: MadeBlocks) throws(IndexRefusal) {
        files = made.parts.map(\.file)
        try placeBlocks(made)
        placePaths(made)
    }

    private mutating func placeBlocks(_ made: MadeBlocks) throws(IndexRefusal) {
        blocks.reserveCapacity(made.units.reduce(0) { $0 + ($1?.blockCount ?? 0) })
        for unit in made.units {
            guard let unit else { continue }
            files[unit.task]?.withBytes { bytes in
                var position = unit.position
                for number in 0..<unit.blockCount {
                    let record = unit.position + unit.blocksSize + number * 12
                    let size = bytes.word32(at: record + 8)
                    blocks.append(Block(start: bytes.word64(at: record), position: position, size: size, file: Int32(unit.task)))
                    position += Int(size)
                }
            }
        }
        for file in files { file?.releasePages() }
        blocks.sort { $0.start < $1.start }
        guard let first = blocks.first, let last = blocks.last else { return }
        codeStart = first.start
        let span = last.start - codeStart
        guard span <= UInt64(UInt32.max), made.blocksSize <= Int(UInt32.max) else { throw IndexRefusal("its code spans more than 4 GB") }
        while span >> UInt64(bucketShift) > UInt64(blocks.count) { bucketShift += 1 }
        bucketCount = Int(span >> UInt64(bucketShift)) + 1
    }

    /// Paths by their texts, so that the order does not depend on the task that found them.
    private mutating func placePaths(_ made: MadeBlocks) {
        var numbers: [String: UInt32] = [:]
        for path in Set(made.parts.map(\.paths).joined()).sorted() {
            numbers[path] = UInt32(numbers.count)
            pathTexts += Array(path.utf8)
            pathOffsets.append(UInt32(pathTexts.count))
        }
        pathWidth = BitFieldWriter.width(of: UInt64(max(1, numbers.count) - 1))
        let byTask = made.parts.map { $0.paths.map { numbers[$0] ?? 0 } }
        var writer = BitFieldWriter()
        var count: UInt32 = 0
        for unit in made.units {
            for file in unit?.files ?? [] { writer.append(UInt64(byTask[unit?.task ?? 0][Int(file)]), pathWidth) }
            count += UInt32(unit?.files.count ?? 0)
            unitStarts.append(count)
        }
        writer.align()
        unitFiles = writer.bytes
    }

    /// Writes the tables from the buckets to the paths' texts.
    func write(_ tables: inout TableWriter, _ append: TableWriter.Append) throws(FileError) {
        try tables.write(.buckets, append) { table throws(FileError) in
            var next = 0
            for bucket in 0...bucketCount {
                while next < blocks.count, bucket == bucketCount || (blocks[next].start - codeStart) >> UInt64(bucketShift) < UInt64(bucket)
                { next += 1 }
                try table.add(UInt32(next), append)
            }
        }
        try tables.write(.blockStarts, append) { table throws(FileError) in
            for block in blocks { try table.add(UInt32(block.start - codeStart), append) }
        }
        try tables.write(.blockOffsets, append) { table throws(FileError) in
            var offset: UInt32 = 0
            for block in blocks {
                try table.add(offset, append)
                offset += block.size
            }
            try table.add(offset, append)
        }
        try tables.write(.blocks, append) { table throws(FileError) in try writeBlocks(&table, append) }
        try tables.write(.unitStarts, append) { table throws(FileError) in for start in unitStarts { try table.add(start, append) } }
        try tables.write(.unitFiles, append) { table throws(FileError) in try table.add(unitFiles, append) }
        try tables.write(.pathOffsets, append) { table throws(FileError) in for offset in pathOffsets { try table.add(offset, append) } }
        try tables.write(.pathTexts, append) { table throws(FileError) in try table.add(pathTexts, append) }
    }

    /// Writes the blocks, which are in the order of the units, in the order of their addresses.
    private func writeBlocks(_ table: inout TableWriter, _ append: TableWriter.Append) throws(FileError) {
        var touched = 0
        for block in blocks {
            let range = block.position..<block.position + Int(block.size)
            try files[Int(block.file)]?.withBytes { (whole: RawSpan) throws(FileError) in try table.add(whole.clamped(to: range), append) }
            touched += 1
            if touched % 1024 == 0 { for file in files { file?.releasePages() } }
        }
    }
}
