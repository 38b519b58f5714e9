internal import BinaryPrimitives

/// Searches an index (`SymbolIndexLayout`) for one address after another.
///
/// Tables lead to the block of an address, and the block to the frames:
///
///     address -> bucket -> block starts -> block offsets -> block -> piece -> frames
///                                                           (none) -> symbol -> one frame
struct IndexSearch {
    private let copies: CopiedBlocks?
    private let codeStart: UInt64
    private let bucketShift: UInt64
    private let unitWidth: Int
    private let hasDiscriminators: Bool
    // Offsets of the tables in the file, and how many entries they have.
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
    func result(at address: UInt64, _ bytes: RawSpan, _ frames: inout [IndexFrame]) -> IndexResult {
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
        guard address >= codeStart, let wanted = UInt32(exactly: address &- codeStart), let block = findBlock(wanted, bytes) else {
            return false
        }
        let start = bytes.word32(at: blockStarts &+ block &* 4)
        guard start <= wanted else { return false }
        let offset = blockOffset(block, bytes)
        guard offset < blocks.upperBound else { return false }
        guard let copies else { return decode(bytes, offset &* 8, codeStart &+ UInt64(start), UInt64(wanted &- start), bytes, &frames) }
        return copies.withBlock(offset..<max(offset, min(blockOffset(block &+ 1, bytes), blocks.upperBound))) { copy in
            decode(copy, 0, codeStart &+ UInt64(start), UInt64(wanted &- start), bytes, &frames)
        }
    }

    /// The last block that begins at or before an address: one of the address's bucket, or the last
    /// before it.
    /// - Parameter wanted: the address less `codeStart`.
    @inline(__always)
    private func findBlock(_ wanted: UInt32, _ bytes: RawSpan) -> Int? {
        guard blockCount > 0 else { return nil }
        let bucket = Int(truncatingIfNeeded: min(UInt64(wanted) &>> bucketShift, UInt64(bucketCount &- 1)))
        let low = min(Int(bytes.word32(at: buckets &+ bucket &* 4)), blockCount)
        let high = bucket &+ 1 < bucketCount ? min(Int(bytes.word32(at: buckets &+ bucket &* 4 &+ 4)), blockCount) : blockCount
        // In a damaged file `high` may be less.
        let next = (low..<max(low, high)).partitionPoint { bytes.word32(at: blockStarts &+ $0 &* 4) > wanted }
        return next > 0 ? next &- 1 : nil
    }

    /// The first byte of a block in the file.
    @inline(__always)
    private func blockOffset(_ block: Int, _ bytes: RawSpan) -> Int {
        blocks.lowerBound &+ Int(bytes.word32(at: blockOffsets &+ block &* 4))
    }

    /// Appends the frames of the piece of a block that holds an address.
    /// - Parameters:
    ///   - block: the index, or a copy of the block.
    ///   - first: the block's first bit in that.
    ///   - start: the block's first address.
    ///   - distance: the address less that.
    ///   - bytes: the index.
    /// - Returns: `false`, without frames, if no piece holds the address, or the block is damaged.
    private func decode(
        _ block: RawSpan, _ first: Int, _ start: UInt64, _ distance: UInt64, _ bytes: RawSpan, _ frames: inout [IndexFrame]
    ) -> Bool {
        let head = BlockHead(block, first, start: start, unitWidth: unitWidth, hasDiscriminators: hasDiscriminators)
        // The writer uses at most 15, 24 and 16 bits for a location.
        guard let piece = head.piece(at: distance, in: block), head.locationWidth <= 56 else { return false }
        let unitOffset = unitStarts.lowerBound &+ Int(truncatingIfNeeded: head.unit) &* 4
        let unitStart = unitOffset < unitStarts.upperBound ? bytes.word32(at: unitOffset) : 0
        var location = head.location(ofPiece: piece, in: block)
        var discriminator = head.discriminator(ofPiece: piece, in: block)
        var above = head.contextCount
        while true {
            // A call is called from a context before it: in a damaged block, too, this ends.
            guard location.context < above else {
                frames.removeAll(keepingCapacity: true)
                return false
            }
            above = location.context
            let callee = head.callee(ofContext: location.context, in: block)
            let caller = head.caller(ofContext: location.context, in: block)
            let isInlined = caller.context != location.context
            let isLocated = callee.file != 0
            frames.append(
                IndexFrame(
                    name: callee.name, file: isLocated ? unitStart &+ callee.file : 0,
                    line: isLocated ? callee.firstLine &+ location.line : 0, column: isLocated ? location.column : 0,
                    discriminator: discriminator, isInlined: isInlined, entry: isInlined ? nil : head.entry))
            discriminator = 0
            guard isInlined else { return true }
            location = caller
        }
    }

    @inline(__always)
    private func findSymbol(_ address: UInt64, _ bytes: RawSpan, _ frames: inout [IndexFrame]) -> IndexResult {
        let next = (0..<symbolCount).partitionPoint { bytes.word64(at: symbolStarts &+ $0 &* 8) > address }
        guard next > 0 else { return .unresolved(.noSymbol) }
        let name = bytes.word32(at: symbolNames &+ (next &- 1) &* 4)
        var key = name
        var entry = bytes.word64(at: symbolStarts &+ (next &- 1) &* 8)
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

    /// Start addresses of the pieces of a block, and the end of the last piece.
    func pieceBounds(ofBlock block: Int, _ bytes: RawSpan) -> [UInt64] {
        let start = codeStart &+ UInt64(bytes.word32(at: blockStarts &+ block &* 4))
        let first = blockOffset(block, bytes) &* 8
        let head = BlockHead(bytes, first, start: start, unitWidth: unitWidth, hasDiscriminators: hasDiscriminators)
        var bounds = [start]
        for piece in 0..<head.pieceCount { bounds.append(bounds[bounds.count - 1] &+ head.length(ofPiece: piece, in: bytes)) }
        return bounds
    }
}

/// The beginning of a block: how many parts it has, how wide their fields are, and so where each is.
///
///     +--------+----------+----------+--------+------+-------+---------+-----------+
///     | pieces | contexts | callees  | widths | unit | entry | lengths | locations | ...
///     | 6 bits | 4 + w    | 4 + w    | 7 * 5  |      | 6 + w | a piece | a piece   |
///     +--------+----------+----------+--------+------+-------+---------+-----------+
///                                                            ^ lengths ^ locations
///         +----------------+-------------------------+------------------------------+
///     ... | discriminators | callees                 | contexts                     |
///         | a piece        | name, file, first line  | callee, location of the call |
///         +----------------+-------------------------+------------------------------+
///         ^ discriminators ^ callees                 ^ contexts
///
///     location           = context, line, column
///     context i's caller = a location in a context before i; in context i itself, if i is the function
private struct BlockHead {
    let pieceCount: Int
    let contextCount: Int
    let entry: LinkAddress?
    let unit: UInt64
    private let contextWidth: Int
    private let calleeWidth: Int
    private let lengthWidth: Int
    private let lineWidth: Int
    private let columnWidth: Int
    private let firstLineWidth: Int
    private let nameWidth: Int
    private let fileWidth: Int
    /// Zero: no piece has one.
    private let discriminatorWidth: Int
    // The first bit of each part after the head.
    private let lengths: Int
    private let locations: Int
    private let discriminators: Int
    private let callees: Int
    private let contexts: Int

    /// - Parameters:
    ///   - first: the block's first bit in the file.
    ///   - start: the block's first address.
    ///   - hasDiscriminators: the index's version has them.
    @inline(__always)
    init(_ bytes: RawSpan, _ first: Int, start: UInt64, unitWidth: Int, hasDiscriminators: Bool) {
        typealias Block = SymbolIndexLayout.Block
        var bit = first
        var word = bytes.bits(at: bit, 56)
        pieceCount = Int(word & 63) &+ 1
        contextWidth = Int(word &>> 6 & 15)
        contextCount = Int(word &>> 10 & ((1 &<< UInt64(contextWidth)) &- 1)) &+ 1
        word = word &>> UInt64(10 &+ contextWidth)
        calleeWidth = Int(word & 15)
        let calleeCount = Int(word &>> 4 & ((1 &<< UInt64(calleeWidth)) &- 1)) &+ 1
        bit &+= 14 &+ contextWidth &+ calleeWidth
        word = bytes.bits(at: bit, 35)
        lengthWidth = Int(word & 31)
        lineWidth = Int(word &>> 5 & 31)
        columnWidth = Int(word &>> 10 & 31)
        firstLineWidth = Int(word &>> 15 & 31)
        nameWidth = Int(word &>> 20 & 31)
        fileWidth = Int(word &>> 25 & 31)
        discriminatorWidth = hasDiscriminators ? Int(word &>> 30 & 31) : 0
        bit &+= hasDiscriminators ? 35 : 30
        unit = bytes.bits(at: bit, unitWidth)
        bit &+= unitWidth
        let entryWidth = bytes.bits(at: bit, Block.entryWidth)
        bit &+= Block.entryWidth
        if entryWidth != Block.noEntry {
            let width = Int(min(entryWidth, UInt64(Block.largestEntryWidth)))
            let word = bytes.bits(at: bit, width &+ 1)
            entry = LinkAddress(word & 1 == 0 ? start &- word &>> 1 : start &+ word &>> 1)
            bit &+= width &+ 1
        } else {
            entry = nil
        }
        lengths = bit
        locations = lengths &+ pieceCount &* lengthWidth
        discriminators = locations &+ pieceCount &* (contextWidth &+ lineWidth &+ columnWidth)
        callees = discriminators &+ pieceCount &* discriminatorWidth
        contexts = callees &+ calleeCount &* (nameWidth &+ fileWidth &+ firstLineWidth)
    }

    var locationWidth: Int { contextWidth &+ lineWidth &+ columnWidth }

    @inline(__always)
    func length(ofPiece piece: Int, in block: RawSpan) -> UInt64 { block.bits(at: lengths &+ piece &* lengthWidth, lengthWidth) &+ 1 }

    /// The piece that holds an address; `nil` if the block ends before it.
    /// - Parameter distance: the address less the block's first.
    @inline(__always)
    func piece(at distance: UInt64, in block: RawSpan) -> Int? {
        var end: UInt64 = 0
        var piece = 0
        while piece < pieceCount {
            end &+= length(ofPiece: piece, in: block)
            if distance < end { return piece }
            piece &+= 1
        }
        return nil
    }

    @inline(__always)
    func location(ofPiece piece: Int, in block: RawSpan) -> Location { location(at: locations &+ piece &* locationWidth, in: block) }

    @inline(__always)
    func discriminator(ofPiece piece: Int, in block: RawSpan) -> UInt32 {
        UInt32(truncatingIfNeeded: block.bits(at: discriminators &+ piece &* discriminatorWidth, discriminatorWidth))
    }

    /// A name, with the file that its lines are in, and the line that they count from.
    @inline(__always)
    func callee(ofContext context: Int, in block: RawSpan) -> (name: UInt32, file: UInt32, firstLine: UInt32) {
        let number = Int(truncatingIfNeeded: block.bits(at: contexts &+ context &* (calleeWidth &+ locationWidth), calleeWidth))
        let bit = callees &+ number &* (nameWidth &+ fileWidth &+ firstLineWidth)
        return (
            UInt32(truncatingIfNeeded: block.bits(at: bit, nameWidth)),
            UInt32(truncatingIfNeeded: block.bits(at: bit &+ nameWidth, fileWidth)),
            UInt32(truncatingIfNeeded: block.bits(at: bit &+ nameWidth &+ fileWidth, firstLineWidth))
        )
    }

    /// The location that a context is called from.
    @inline(__always)
    func caller(ofContext context: Int, in block: RawSpan) -> Location {
        location(at: contexts &+ context &* (calleeWidth &+ locationWidth) &+ calleeWidth, in: block)
    }

    struct Location {
        var context: Int
        /// Less the first line of the context's callee.
        var line: UInt32
        var column: UInt32
    }

    @inline(__always)
    private func location(at bit: Int, in block: RawSpan) -> Location {
        func mask(_ width: Int) -> UInt64 { (1 as UInt64) &<< UInt64(width) &- 1 }
        let word = block.bits(at: bit, locationWidth)
        return Location(
            context: Int(truncatingIfNeeded: word & mask(contextWidth)),
            line: UInt32(truncatingIfNeeded: word &>> UInt64(contextWidth) & mask(lineWidth)),
            column: UInt32(truncatingIfNeeded: word &>> UInt64(contextWidth &+ lineWidth) & mask(columnWidth)))
    }
}
