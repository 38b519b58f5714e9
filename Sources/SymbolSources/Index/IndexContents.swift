internal import BinaryPrimitives
internal import DWARF
internal import ObjectFiles

/// All tables of an index, ready to be written one behind the other.
struct IndexContents {
    private let object: ObjectFile
    private let shared: UnitBlocks.Shared
    private let file: MappedFile
    private let blocksSize: Int

    private struct Block {
        var start: UInt64
        var position: Int
        var size: UInt32
    }

    /// By address.
    private var blocks: [Block] = []
    private var codeStart: UInt64 = 0
    private var bucketShift = 0
    private var bucketCount = 0
    private var unitStarts: [UInt32] = [0]
    private var unitFiles: [UInt8] = []
    private var pathWidth = 0
    private var pathPlaces: [UInt32] = [0]
    private var pathTexts: [UInt8] = []
    private var nameKeys: [UInt32] = []
    private var namePlaces: [UInt32] = []
    private var nameTexts: [UInt8] = []
    private var symbolNames: [UInt32] = []
    private var symbolEntries: [(key: UInt32, entry: UInt64)] = []

    init(object: ObjectFile, shared: UnitBlocks.Shared, blocks made: IndexBuilder.MadeBlocks) throws(IndexRefusal) {
        self.object = object
        self.shared = shared
        file = made.file
        blocksSize = made.blocksSize
        try placeBlocks(made)
        placePaths(made)
        var keys = KeySet()
        nameSymbols(&keys)
        for key in made.keys { keys.insert(key) }
        try placeNames(keys.keys.sorted())
    }

    private mutating func placeBlocks(_ made: IndexBuilder.MadeBlocks) throws(IndexRefusal) {
        blocks.reserveCapacity(made.units.reduce(0) { $0 + ($1?.blockCount ?? 0) })
        for unit in made.units {
            guard let unit else { continue }
            file.withBytes { bytes in
                var position = unit.position
                for place in 0..<unit.blockCount {
                    let record = unit.position + unit.blocksSize + place * 12
                    blocks.append(Block(start: bytes.word64(at: record), position: position, size: bytes.word32(at: record + 8)))
                    position += Int(blocks[blocks.count - 1].size)
                }
            }
        }
        file.releasePages()
        blocks.sort { $0.start < $1.start }
        guard let first = blocks.first, let last = blocks.last else { return }
        codeStart = first.start
        guard last.start - codeStart <= UInt64(UInt32.max), blocksSize <= Int(UInt32.max) else {
            throw IndexRefusal("its code spans more than 4 GB")
        }
        let span = last.start - codeStart
        while span >> UInt64(bucketShift) > UInt64(blocks.count) { bucketShift += 1 }
        bucketCount = Int(span >> UInt64(bucketShift)) + 1
    }

    /// Paths by their texts, so that the order does not tell which task found them.
    private mutating func placePaths(_ made: IndexBuilder.MadeBlocks) {
        var numbers: [String: UInt32] = [:]
        for path in Set(made.paths.joined()).sorted() {
            numbers[path] = UInt32(numbers.count)
            pathTexts += Array(path.utf8)
            pathPlaces.append(UInt32(pathTexts.count))
        }
        pathWidth = BitFieldWriter.width(of: UInt64(max(1, numbers.count) - 1))
        let byTask = made.paths.map { $0.map { numbers[$0] ?? 0 } }
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

    private mutating func nameSymbols(_ keys: inout KeySet) {
        let coverage = shared.coverage
        symbolNames.reserveCapacity(coverage.starts.count)
        for (start, answer) in zip(coverage.starts, coverage.answers) {
            guard answer >= 0 else {
                symbolNames.append(UInt32(-1 - answer))
                continue
            }
            let symbol = coverage.symbols[Int(answer)]
            let key = shared.symbolKeys.key(symbol)
            keys.insert(key)
            if symbol.address == start {
                symbolNames.append(key)
            } else {
                symbolNames.append(SymbolIndexLayout.entryFlag | UInt32(symbolEntries.count))
                symbolEntries.append((key, symbol.address))
            }
        }
    }

    /// Texts that several keys have stand once: the symbol table's names are those of the debug information.
    private mutating func placeNames(_ keys: [UInt32]) throws(IndexRefusal) {
        nameKeys = keys
        namePlaces.reserveCapacity(keys.count)
        var texts = TextTable(expected: keys.count)
        let isMachO = object.description.container == .machO
        // Symbols' names have the least keys.
        let symbolCount = keys.firstIndex { shared.symbolKeys.position($0) == nil } ?? keys.count
        object.file.withBytes { bytes in
            let table = bytes.clamped(to: 0..<Int(clamping: shared.coverage.namesEnd))
            for key in keys[..<symbolCount] {
                guard let position = shared.symbolKeys.position(key), var rest = try? table.from(position),
                    let text = try? rest.takeCString()
                else {
                    // Outside of the file, or without an end: the name is empty.
                    namePlaces.append(texts.place(of: ""))
                    continue
                }
                // As `ObjectFile.sourceName`.
                let isMangled = isMachO && text.byteCount > 0 && text.byte(at: 0) == UInt8(ascii: "_")
                namePlaces.append(texts.place(of: text.clamped(to: (isMangled ? 1 : 0)..<text.byteCount)))
            }
        }
        object.file.releasePages()
        shared.keys.forEachText(keys[symbolCount...]) { text in
            namePlaces.append(texts.place(of: text))
            // Texts are scattered over the string sections.
            if namePlaces.count % 4096 == 0 { object.file.releasePages() }
        }
        guard namePlaces.count == keys.count else { throw IndexRefusal("a name cannot be read") }
        guard texts.bytes.count < Int(UInt32.max) else { throw IndexRefusal("its names take more than 4 GB") }
        nameTexts = texts.bytes
    }
}

// MARK: - Writing

extension IndexContents {
    private typealias Table = SymbolIndexLayout.Table

    private func size(_ table: Table) -> Int {
        switch table {
        case .segments: object.description.segments.count * 16
        case .buckets: (bucketCount + 1) * 4
        case .blockStarts: blocks.count * 4
        case .blockPlaces: (blocks.count + 1) * 4
        case .blocks: blocksSize
        case .unitStarts: unitStarts.count * 4
        case .unitFiles: unitFiles.count
        case .pathPlaces: pathPlaces.count * 4
        case .pathTexts: pathTexts.count
        case .symbolStarts: shared.coverage.starts.count * 8
        case .symbolNames: symbolNames.count * 4
        case .symbolEntries: symbolEntries.count * 16
        case .nameKeys: nameKeys.count * 4
        case .namePlaces: namePlaces.count * 4
        case .nameTexts: nameTexts.count
        case .checksums: (Table.allCases.count - 1) * 8
        }
    }

    /// Gives the file's bytes to `append`, from the first to the last.
    func write(_ append: ([UInt8]) throws(FileError) -> Void) throws(FileError) {
        var places: [(offset: Int, size: Int)] = []
        var offset = SymbolIndexLayout.headerSize
        for table in Table.allCases {
            places.append((offset, size(table)))
            offset = (offset + size(table) + 7) & ~7
        }
        try append(header(places, fileSize: offset))
        var checksums: [UInt64] = []
        for table in Table.allCases {
            var writer = TableWriter()
            try write(table, checksums, &writer, append)
            checksums.append(try writer.finish(append))
        }
    }

    private func header(_ places: [(offset: Int, size: Int)], fileSize: Int) -> [UInt8] {
        var header = SymbolIndexLayout.magic
        func add<Number: FixedWidthInteger>(_ number: Number) {
            for byte in 0..<Number.bitWidth / 8 { header.append(UInt8(truncatingIfNeeded: number >> Number(byte * 8))) }
        }
        let identity = object.identity?.bytes ?? []
        add(SymbolIndexLayout.version)
        add(UInt32(Table.allCases.count))
        add(UInt64(fileSize))
        add(object.baseAddress.value)
        add(codeStart)
        add(UInt32(bucketShift))
        add(UInt32(shared.unitWidth))
        add(UInt32(pathWidth))
        add(UInt32(identity.count))
        header += identity + [UInt8](repeating: 0, count: SymbolIndexLayout.identitySize - identity.count)
        add(ImageFingerprint.of(object))
        let checksumAt = header.count
        add(UInt64(0))
        for place in places {
            add(UInt64(place.offset))
            add(UInt64(place.size))
        }
        let checksum = SymbolIndexLayout.checksum(of: header.span.rawBytes)
        for byte in 0..<8 { header[checksumAt + byte] = UInt8(truncatingIfNeeded: checksum >> UInt64(byte * 8)) }
        return header
    }

    private func write(
        _ table: Table, _ checksums: [UInt64], _ writer: inout TableWriter, _ append: ([UInt8]) throws(FileError) -> Void
    ) throws(FileError) {
        switch table {
        case .segments:
            for segment in object.description.segments {
                try writer.add(segment.address.value, append)
                try writer.add(segment.address.advanced(by: segment.size)?.value ?? .max, append)
            }
        case .buckets:
            var next = 0
            for bucket in 0...bucketCount {
                while next < blocks.count, bucket == bucketCount || (blocks[next].start - codeStart) >> UInt64(bucketShift) < UInt64(bucket)
                { next += 1 }
                try writer.add(UInt32(next), append)
            }
        case .blockStarts: for block in blocks { try writer.add(UInt32(block.start - codeStart), append) }
        case .blockPlaces:
            var place: UInt32 = 0
            for block in blocks {
                try writer.add(place, append)
                place += block.size
            }
            try writer.add(place, append)
        case .blocks: try writeBlocks(&writer, append)
        case .unitStarts: for start in unitStarts { try writer.add(start, append) }
        case .unitFiles: try writer.add(unitFiles, append)
        case .pathPlaces: for place in pathPlaces { try writer.add(place, append) }
        case .pathTexts: try writer.add(pathTexts, append)
        case .symbolStarts: for start in shared.coverage.starts { try writer.add(start, append) }
        case .symbolNames: for name in symbolNames { try writer.add(name, append) }
        case .symbolEntries:
            for (key, entry) in symbolEntries {
                try writer.add(UInt64(key), append)
                try writer.add(entry, append)
            }
        case .nameKeys: for key in nameKeys { try writer.add(key, append) }
        case .namePlaces: for place in namePlaces { try writer.add(place, append) }
        case .nameTexts: try writer.add(nameTexts, append)
        case .checksums: for checksum in checksums { try writer.add(checksum, append) }
        }
    }

    /// From the order of the units into that of the addresses.
    private func writeBlocks(_ writer: inout TableWriter, _ append: ([UInt8]) throws(FileError) -> Void) throws(FileError) {
        var touched = 0
        for block in blocks {
            let range = block.position..<block.position + Int(block.size)
            try file.withBytes { (whole: RawSpan) throws(FileError) in try writer.add(whole.clamped(to: range), append) }
            touched += 1
            if touched % 1024 == 0 { file.releasePages() }
        }
    }
}

/// Writes a table in pieces, with its checksum.
private struct TableWriter {
    private var pending: [UInt8] = []
    private var checksum = SymbolIndexLayout.Checksum()

    /// A multiple of 8.
    private static let pieceSize = 1 << 18

    mutating func add<Number: FixedWidthInteger & UnsignedInteger>(
        _ number: Number, _ append: ([UInt8]) throws(FileError) -> Void
    ) throws(FileError) {
        var rest = number
        for _ in 0..<Number.bitWidth / 8 {
            pending.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
        if pending.count >= Self.pieceSize { try flush(append) }
    }

    mutating func add(_ bytes: [UInt8], _ append: ([UInt8]) throws(FileError) -> Void) throws(FileError) {
        try add(bytes.span.rawBytes, append)
    }

    mutating func add(_ bytes: RawSpan, _ append: ([UInt8]) throws(FileError) -> Void) throws(FileError) {
        var offset = 0
        while offset < bytes.byteCount {
            let count = min(bytes.byteCount - offset, Self.pieceSize)
            pending.append(copying: bytes.clamped(to: offset..<offset + count).text)
            offset += count
            if pending.count >= Self.pieceSize { try flush(append) }
        }
    }

    /// Whole words, so that the checksum goes on.
    private mutating func flush(_ append: ([UInt8]) throws(FileError) -> Void) throws(FileError) {
        let whole = pending.count & ~7
        let rest = Array(pending[whole...])
        pending.removeLast(rest.count)
        var sum = checksum
        sum.add(pending.span.rawBytes)
        checksum = sum
        try append(pending)
        pending = rest
        pending.reserveCapacity(Self.pieceSize + 1 << 12)
    }

    /// Fills the last word up.
    /// - Returns: the checksum of the table, without what it was filled up with.
    mutating func finish(_ append: ([UInt8]) throws(FileError) -> Void) throws(FileError) -> UInt64 {
        var checksum = checksum
        checksum.add(pending.span.rawBytes)
        pending += [UInt8](repeating: 0, count: -pending.count & 7)
        try append(pending)
        return checksum.finish()
    }
}
