internal import BinaryPrimitives

/// Offsets of an index's tables, for one search after another.
struct IndexSearch {
    private let copies: CopiedBlocks?
    private let codeStart: UInt64
    private let bucketShift: UInt64
    private let unitWidth: Int
    private let hasDiscriminators: Bool
    private let segments: Range<Int>
    private let buckets: Int
    private let bucketCount: Int
    private let blockStarts: Int
    private let blockCount: Int
    private let blockOffsets: Int
    private let blocks: Range<Int>
    private let unitStarts: Range<Int>
    private let symbolStarts: Int
    private let symbolCount: Int
    private let symbolNames: Int
    private let symbolEntries: Range<Int>

    /// - Parameter copies: reads the blocks, if they are not to be read through the mapping.
    init(_ index: SymbolIndex, _ copies: CopiedBlocks? = nil) {
        self.copies = copies
        codeStart = index.codeStart
        bucketShift = index.bucketShift
        unitWidth = index.unitWidth
        hasDiscriminators = index.hasDiscriminators
        segments = index.tables[SymbolIndexLayout.Table.segments.rawValue]
        buckets = index.tableOffset(.buckets)
        bucketCount = index.count(of: .buckets)
        blockStarts = index.tableOffset(.blockStarts)
        blockCount = index.count(of: .blockStarts)
        blockOffsets = index.tableOffset(.blockOffsets)
        blocks = index.tables[SymbolIndexLayout.Table.blocks.rawValue]
        unitStarts = index.tables[SymbolIndexLayout.Table.unitStarts.rawValue]
        symbolStarts = index.tableOffset(.symbolStarts)
        symbolCount = index.count(of: .symbolStarts)
        symbolNames = index.tableOffset(.symbolNames)
        symbolEntries = index.tables[SymbolIndexLayout.Table.symbolEntries.rawValue]
    }

    /// - Parameters:
    ///   - bytes: the index.
    ///   - frames: empty; gets the frames, innermost first.
    func answer(at address: UInt64, _ bytes: RawSpan, _ frames: inout [IndexFrame]) -> IndexResult {
        guard isMapped(address, bytes) else { return .unresolved(.outsideImage) }
        if findInBlocks(address, bytes, &frames) { return .debugInformation }
        return findSymbol(address, bytes, &frames)
    }

    @inline(__always)
    private func isMapped(_ address: UInt64, _ bytes: RawSpan) -> Bool {
        var offset = segments.lowerBound
        while offset < segments.upperBound {
            if address >= bytes.word64(at: offset), address < bytes.word64(at: offset &+ 8) { return true }
            offset &+= 16
        }
        return false
    }

    @inline(__always)
    private func findInBlocks(_ address: UInt64, _ bytes: RawSpan, _ frames: inout [IndexFrame]) -> Bool {
        guard address >= codeStart, blockCount > 0 else { return false }
        let distance = address &- codeStart
        let bucket = Int(truncatingIfNeeded: min(distance &>> bucketShift, UInt64(bucketCount &- 1)))
        guard distance <= UInt64(UInt32.max) else { return false }
        let wanted = UInt32(truncatingIfNeeded: distance)
        // The last block that begins at or before the address is one of the bucket, or the last
        // before it.
        var low = min(Int(bytes.word32(at: buckets &+ bucket &* 4)), blockCount)
        var high = bucket &+ 1 < bucketCount ? min(Int(bytes.word32(at: buckets &+ bucket &* 4 &+ 4)), blockCount) : blockCount
        while low < high {
            let middle = (low &+ high) / 2
            if bytes.word32(at: blockStarts &+ middle &* 4) <= wanted { low = middle &+ 1 } else { high = middle }
        }
        guard low > 0 else { return false }
        let block = low &- 1
        let start = bytes.word32(at: blockStarts &+ block &* 4)
        guard start <= wanted else { return false }
        let offset = blocks.lowerBound &+ Int(bytes.word32(at: blockOffsets &+ block &* 4))
        guard offset < blocks.upperBound else { return false }
        guard let copies else { return decode(bytes, offset &* 8, codeStart &+ UInt64(start), UInt64(wanted &- start), bytes, &frames) }
        let end = blocks.lowerBound &+ Int(bytes.word32(at: blockOffsets &+ block &* 4 &+ 4))
        return copies.withBlock(offset..<max(offset, min(end, blocks.upperBound))) { copy in
            decode(copy, 0, codeStart &+ UInt64(start), UInt64(wanted &- start), bytes, &frames)
        }
    }

    /// Finds the piece of a block that holds an address.
    /// - Parameters:
    ///   - block: the index, or a copy of the block.
    ///   - first: the block's first bit in that.
    ///   - start: the block's first address.
    ///   - distance: the address less that.
    ///   - bytes: the index.
    private func decode(
        _ block: RawSpan, _ first: Int, _ start: UInt64, _ distance: UInt64, _ bytes: RawSpan, _ frames: inout [IndexFrame]
    ) -> Bool {
        let head = BlockHead(block, first, start: start, unitWidth: unitWidth, hasDiscriminators: hasDiscriminators)
        var bit = head.end
        let (pieceCount, lengthWidth) = (head.pieceCount, head.lengthWidth)
        let (contextWidth, lineWidth, columnWidth) = (head.contextWidth, head.lineWidth, head.columnWidth)
        let (calleeWidth, nameWidth, fileWidth, firstLineWidth) = (head.calleeWidth, head.nameWidth, head.fileWidth, head.firstLineWidth)

        var end: UInt64 = 0
        var piece = 0
        while piece < pieceCount {
            end &+= block.bits(at: bit &+ piece &* lengthWidth, lengthWidth) &+ 1
            if distance < end { break }
            piece &+= 1
        }
        guard piece < pieceCount else { return false }
        bit &+= pieceCount &* lengthWidth

        let locationWidth = contextWidth &+ lineWidth &+ columnWidth
        // The writer uses at most 15, 24 and 16 bits.
        guard locationWidth <= 56 else { return false }
        let contextMask = (1 as UInt64) &<< UInt64(contextWidth) &- 1
        let lineMask = (1 as UInt64) &<< UInt64(lineWidth) &- 1
        let columnMask = (1 as UInt64) &<< UInt64(columnWidth) &- 1
        let discriminators = bit &+ pieceCount &* locationWidth
        let callees = discriminators &+ pieceCount &* head.discriminatorWidth
        var discriminator = UInt32(
            truncatingIfNeeded: block.bits(at: discriminators &+ piece &* head.discriminatorWidth, head.discriminatorWidth))
        let calleeSize = nameWidth &+ fileWidth &+ firstLineWidth
        let contexts = callees &+ head.calleeCount &* calleeSize
        let contextSize = calleeWidth &+ locationWidth
        let unitOffset = unitStarts.lowerBound &+ Int(truncatingIfNeeded: head.unit) &* 4
        let unitStart = unitOffset < unitStarts.upperBound ? bytes.word32(at: unitOffset) : 0
        var location = block.bits(at: bit &+ piece &* locationWidth, locationWidth)
        var above = head.contextCount
        while true {
            let context = Int(truncatingIfNeeded: location & contextMask)
            // A call is called from a context before it: in a damaged block, too, this ends.
            guard context < above else {
                frames.removeAll(keepingCapacity: true)
                return false
            }
            above = context
            let contextBit = contexts &+ context &* contextSize
            let callee = callees &+ Int(truncatingIfNeeded: block.bits(at: contextBit, calleeWidth)) &* calleeSize
            let file = UInt32(truncatingIfNeeded: block.bits(at: callee &+ nameWidth, fileWidth))
            let firstLine = UInt32(truncatingIfNeeded: block.bits(at: callee &+ nameWidth &+ fileWidth, firstLineWidth))
            let next = block.bits(at: contextBit &+ calleeWidth, locationWidth)
            let isInlined = Int(truncatingIfNeeded: next & contextMask) != context
            let line = UInt32(truncatingIfNeeded: location &>> UInt64(contextWidth) & lineMask)
            frames.append(
                IndexFrame(
                    name: UInt32(truncatingIfNeeded: block.bits(at: callee, nameWidth)), file: file == 0 ? 0 : unitStart &+ file,
                    line: file == 0 ? 0 : firstLine &+ line,
                    column: file == 0 ? 0 : UInt32(truncatingIfNeeded: location &>> UInt64(contextWidth &+ lineWidth) & columnMask),
                    discriminator: discriminator, isInlined: isInlined, entry: isInlined ? nil : head.entry))
            discriminator = 0
            guard isInlined else { return true }
            location = next
        }
    }

    @inline(__always)
    private func findSymbol(_ address: UInt64, _ bytes: RawSpan, _ frames: inout [IndexFrame]) -> IndexResult {
        var low = 0
        var high = symbolCount
        while low < high {
            let middle = (low &+ high) / 2
            if bytes.word64(at: symbolStarts &+ middle &* 8) <= address { low = middle &+ 1 } else { high = middle }
        }
        guard low > 0 else { return .unresolved(.noSymbol) }
        let name = bytes.word32(at: symbolNames &+ (low &- 1) &* 4)
        var key = name
        var entry = bytes.word64(at: symbolStarts &+ (low &- 1) &* 8)
        if name & SymbolIndexLayout.entryFlag != 0 {
            let offset = symbolEntries.lowerBound &+ Int(name & ~SymbolIndexLayout.entryFlag) &* 16
            guard offset < symbolEntries.upperBound else { return .unresolved(.noSymbol) }
            key = bytes.word32(at: offset)
            entry = bytes.word64(at: offset &+ 8)
        } else if name < UInt32(SymbolIndexLayout.firstNameKey) {
            switch SymbolIndexLayout.Reason(rawValue: name) {
            case .betweenSymbols: return .unresolved(.betweenSymbols)
            case .unboundedSymbol: return .unresolved(.unboundedSymbol)
            case .noSectionHeaders: return .unresolved(.noSectionHeaders)
            case .noSymbol, nil: return .unresolved(.noSymbol)
            }
        }
        frames.append(IndexFrame(name: key, file: 0, line: 0, column: 0, discriminator: 0, isInlined: false, entry: LinkAddress(entry)))
        return .symbolTable
    }
}

extension IndexSearch {
    /// Start addresses of the pieces of a block, and the end of the last piece.
    func pieceBounds(ofBlock block: Int, _ bytes: RawSpan) -> [UInt64] {
        let start = codeStart &+ UInt64(bytes.word32(at: blockStarts &+ block &* 4))
        let offset = blocks.lowerBound &+ Int(bytes.word32(at: blockOffsets &+ block &* 4))
        let head = BlockHead(bytes, offset &* 8, start: start, unitWidth: unitWidth, hasDiscriminators: hasDiscriminators)
        var bounds = [start]
        for piece in 0..<head.pieceCount {
            let length = bytes.bits(at: head.end &+ piece &* head.lengthWidth, head.lengthWidth) &+ 1
            bounds.append(bounds[bounds.count - 1] &+ length)
        }
        return bounds
    }
}
