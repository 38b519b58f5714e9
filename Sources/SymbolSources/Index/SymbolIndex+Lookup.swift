public import BinaryPrimitives

/// One function at an address, as an index has it: what its numbers mean is told by the index (`name(_:)`, `path(_:)`), and may be kept by them.
public struct IndexFrame: Sendable, Hashable {
    /// A name's key; 0: the function is not known.
    public var name: UInt32
    /// A file's number; 0: the place is not known.
    public var file: UInt32
    /// Zero: the compiler attributes the code to no line.
    public var line: UInt32
    /// Zero: unknown.
    public var column: UInt32
    public var isInlined: Bool
    /// The function's entry; `nil` for inlined calls, and where it is not known.
    public var entry: LinkAddress?
}

/// What an index says about an address, beside the frames.
public enum IndexAnswer: Sendable, Hashable {
    /// Debug information knows the address.
    case debugInformation
    /// Only the symbol table does: one frame without a place.
    case symbolTable
    case unresolved(Unresolved)
}

extension SymbolIndex {
    /// Looks addresses up without allocating.
    /// - Parameters:
    ///   - addresses: in any order.
    ///   - body: gets each address's place in `addresses`, what the index says, and the frames, innermost inlined call first; none where nothing is known.
    public func forEachAnswer(at addresses: [LinkAddress], _ body: (Int, IndexAnswer, borrowing [IndexFrame]) -> Void) {
        file.withBytes { bytes in
            let search = IndexSearch(self)
            var frames: [IndexFrame] = []
            frames.reserveCapacity(64)
            for (index, address) in addresses.enumerated() {
                frames.removeAll(keepingCapacity: true)
                let answer = search.answer(at: address.value, bytes, &frames)
                body(index, answer, frames)
            }
        }
    }

    /// The text of a name's key; empty for what is no key.
    public func name(_ key: UInt32) -> String {
        file.withBytes { bytes in
            let keys = place(of: .nameKeys)
            var low = 0
            var high = count(of: .nameKeys)
            while low < high {
                let middle = low + (high - low) / 2
                if bytes.word32(at: keys + middle * 4) < key { low = middle + 1 } else { high = middle }
            }
            guard low < count(of: .nameKeys), bytes.word32(at: keys + low * 4) == key else { return "" }
            let position = UInt64(bytes.word32(at: place(of: .namePlaces) + low * 4))
            return bytes.clamped(to: tables[SymbolIndexLayout.Table.nameTexts.rawValue]).cString(at: position) ?? ""
        }
    }

    /// The path of a file's number; `nil` for what is no number.
    public func path(_ file: UInt32) -> String? {
        self.file.withBytes { bytes in
            let files = tables[SymbolIndexLayout.Table.unitFiles.rawValue]
            let bit = (Int(file) - 1) * pathWidth
            guard file > 0, bit + pathWidth <= files.count * 8 else { return nil }
            let number = Int(bytes.clamped(to: files).bits(at: bit, pathWidth))
            guard number + 1 < count(of: .pathPlaces) else { return nil }
            let start = Int(bytes.word32(at: place(of: .pathPlaces) + number * 4))
            let end = Int(bytes.word32(at: place(of: .pathPlaces) + number * 4 + 4))
            let texts = bytes.clamped(to: tables[SymbolIndexLayout.Table.pathTexts.rawValue])
            guard start <= end, end <= texts.byteCount else { return nil }
            return texts.clamped(to: start..<end).string()
        }
    }
}

/// The places of an index's tables, for one search after another.
struct IndexSearch {
    private let codeStart: UInt64
    private let bucketShift: UInt64
    private let unitWidth: Int
    private let segments: Range<Int>
    private let buckets: Int
    private let bucketCount: Int
    private let blockStarts: Int
    private let blockCount: Int
    private let blockPlaces: Int
    private let blocks: Range<Int>
    private let unitStarts: Range<Int>
    private let symbolStarts: Int
    private let symbolCount: Int
    private let symbolNames: Int
    private let symbolEntries: Range<Int>

    init(_ index: SymbolIndex) {
        codeStart = index.codeStart
        bucketShift = index.bucketShift
        unitWidth = index.unitWidth
        segments = index.tables[SymbolIndexLayout.Table.segments.rawValue]
        buckets = index.place(of: .buckets)
        bucketCount = index.count(of: .buckets)
        blockStarts = index.place(of: .blockStarts)
        blockCount = index.count(of: .blockStarts)
        blockPlaces = index.place(of: .blockPlaces)
        blocks = index.tables[SymbolIndexLayout.Table.blocks.rawValue]
        unitStarts = index.tables[SymbolIndexLayout.Table.unitStarts.rawValue]
        symbolStarts = index.place(of: .symbolStarts)
        symbolCount = index.count(of: .symbolStarts)
        symbolNames = index.place(of: .symbolNames)
        symbolEntries = index.tables[SymbolIndexLayout.Table.symbolEntries.rawValue]
    }

    /// - Parameters:
    ///   - bytes: the index.
    ///   - frames: empty; gets the frames, innermost first.
    func answer(at address: UInt64, _ bytes: RawSpan, _ frames: inout [IndexFrame]) -> IndexAnswer {
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
        // The last block that begins at or before the address is one of the bucket, or the last before it.
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
        let place = blocks.lowerBound &+ Int(bytes.word32(at: blockPlaces &+ block &* 4))
        guard place < blocks.upperBound else { return false }
        return decode(place &* 8, codeStart &+ UInt64(start), UInt64(wanted &- start), bytes, &frames)
    }

    /// Finds the piece of a block that holds an address.
    /// - Parameters:
    ///   - first: the block's first bit in the file.
    ///   - start: the block's first address.
    ///   - distance: the address less that.
    private func decode(
        _ first: Int, _ start: UInt64, _ distance: UInt64, _ bytes: RawSpan, _ frames: inout [IndexFrame]
    ) -> Bool {
        let head = BlockHead(bytes, first, start: start, unitWidth: unitWidth)
        var bit = head.end
        let (pieceCount, lengthWidth) = (head.pieceCount, head.lengthWidth)
        let (contextWidth, lineWidth, columnWidth) = (head.contextWidth, head.lineWidth, head.columnWidth)
        let (calleeWidth, nameWidth, fileWidth, firstLineWidth) = (head.calleeWidth, head.nameWidth, head.fileWidth, head.firstLineWidth)

        var end: UInt64 = 0
        var piece = 0
        while piece < pieceCount {
            end &+= bytes.bits(at: bit &+ piece &* lengthWidth, lengthWidth) &+ 1
            if distance < end { break }
            piece &+= 1
        }
        guard piece < pieceCount else { return false }
        bit &+= pieceCount &* lengthWidth

        let placeWidth = contextWidth &+ lineWidth &+ columnWidth
        // What is written has at most 15, 24 and 16.
        guard placeWidth <= 56 else { return false }
        let contextMask = (1 as UInt64) &<< UInt64(contextWidth) &- 1
        let lineMask = (1 as UInt64) &<< UInt64(lineWidth) &- 1
        let columnMask = (1 as UInt64) &<< UInt64(columnWidth) &- 1
        let callees = bit &+ pieceCount &* placeWidth
        let calleeSize = nameWidth &+ fileWidth &+ firstLineWidth
        let contexts = callees &+ head.calleeCount &* calleeSize
        let contextSize = calleeWidth &+ placeWidth
        let unitPlace = unitStarts.lowerBound &+ Int(truncatingIfNeeded: head.unit) &* 4
        let unitStart = unitPlace < unitStarts.upperBound ? bytes.word32(at: unitPlace) : 0
        var place = bytes.bits(at: bit &+ piece &* placeWidth, placeWidth)
        var above = head.contextCount
        while true {
            let context = Int(truncatingIfNeeded: place & contextMask)
            // A call is called from a context before it: in a damaged block, too, this ends.
            guard context < above else {
                frames.removeAll(keepingCapacity: true)
                return false
            }
            above = context
            let contextBit = contexts &+ context &* contextSize
            let callee = callees &+ Int(truncatingIfNeeded: bytes.bits(at: contextBit, calleeWidth)) &* calleeSize
            let file = UInt32(truncatingIfNeeded: bytes.bits(at: callee &+ nameWidth, fileWidth))
            let firstLine = UInt32(truncatingIfNeeded: bytes.bits(at: callee &+ nameWidth &+ fileWidth, firstLineWidth))
            let next = bytes.bits(at: contextBit &+ calleeWidth, placeWidth)
            let isInlined = Int(truncatingIfNeeded: next & contextMask) != context
            let line = UInt32(truncatingIfNeeded: place &>> UInt64(contextWidth) & lineMask)
            frames.append(
                IndexFrame(
                    name: UInt32(truncatingIfNeeded: bytes.bits(at: callee, nameWidth)), file: file == 0 ? 0 : unitStart &+ file,
                    line: file == 0 ? 0 : firstLine &+ line,
                    column: file == 0 ? 0 : UInt32(truncatingIfNeeded: place &>> UInt64(contextWidth &+ lineWidth) & columnMask),
                    isInlined: isInlined,
                    entry: isInlined ? nil : head.entry))
            guard isInlined else { return true }
            place = next
        }
    }

    @inline(__always)
    private func findSymbol(_ address: UInt64, _ bytes: RawSpan, _ frames: inout [IndexFrame]) -> IndexAnswer {
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
            let place = symbolEntries.lowerBound &+ Int(name & ~SymbolIndexLayout.entryFlag) &* 16
            guard place < symbolEntries.upperBound else { return .unresolved(.noSymbol) }
            key = bytes.word32(at: place)
            entry = bytes.word64(at: place &+ 8)
        } else if name < UInt32(SymbolIndexLayout.firstNameKey) {
            switch SymbolIndexLayout.Reason(rawValue: name) {
            case .betweenSymbols: return .unresolved(.betweenSymbols)
            case .unboundedSymbol: return .unresolved(.unboundedSymbol)
            case .noSymbol, nil: return .unresolved(.noSymbol)
            }
        }
        frames.append(IndexFrame(name: key, file: 0, line: 0, column: 0, isInlined: false, entry: LinkAddress(entry)))
        return .symbolTable
    }
}

/// The beginning of a block: how many parts it has, and how wide their fields are.
private struct BlockHead {
    var pieceCount: Int
    var contextCount: Int
    var calleeCount: Int
    var contextWidth: Int
    var calleeWidth: Int
    var lengthWidth: Int
    var lineWidth: Int
    var columnWidth: Int
    var firstLineWidth: Int
    var nameWidth: Int
    var fileWidth: Int
    var unit: UInt64
    var entry: LinkAddress?
    /// The first bit behind it.
    var end: Int

    /// - Parameters:
    ///   - first: the block's first bit in the file.
    ///   - start: the block's first address.
    @inline(__always)
    init(_ bytes: RawSpan, _ first: Int, start: UInt64, unitWidth: Int) {
        typealias Block = SymbolIndexLayout.Block
        var bit = first
        var word = bytes.bits(at: bit, 56)
        pieceCount = Int(word & 63) &+ 1
        contextWidth = Int(word &>> 6 & 15)
        contextCount = Int(word &>> 10 & ((1 &<< UInt64(contextWidth)) &- 1)) &+ 1
        word = word &>> UInt64(10 &+ contextWidth)
        calleeWidth = Int(word & 15)
        calleeCount = Int(word &>> 4 & ((1 &<< UInt64(calleeWidth)) &- 1)) &+ 1
        bit &+= 14 &+ contextWidth &+ calleeWidth
        word = bytes.bits(at: bit, 30)
        lengthWidth = Int(word & 31)
        lineWidth = Int(word &>> 5 & 31)
        columnWidth = Int(word &>> 10 & 31)
        firstLineWidth = Int(word &>> 15 & 31)
        nameWidth = Int(word &>> 20 & 31)
        fileWidth = Int(word &>> 25 & 31)
        bit &+= 30
        unit = bytes.bits(at: bit, unitWidth)
        bit &+= unitWidth
        let entryWidth = bytes.bits(at: bit, Block.entryWidth)
        bit &+= Block.entryWidth
        entry = nil
        if entryWidth != Block.noEntry {
            let width = Int(min(entryWidth, UInt64(Block.largestEntryWidth)))
            let word = bytes.bits(at: bit, width &+ 1)
            entry = LinkAddress(word & 1 == 0 ? start &- word &>> 1 : start &+ word &>> 1)
            bit &+= width &+ 1
        }
        end = bit
    }
}

extension IndexSearch {
    /// Where the pieces of a block begin and end.
    func pieceBounds(ofBlock block: Int, _ bytes: RawSpan) -> [UInt64] {
        let start = codeStart &+ UInt64(bytes.word32(at: blockStarts &+ block &* 4))
        let place = blocks.lowerBound &+ Int(bytes.word32(at: blockPlaces &+ block &* 4))
        let head = BlockHead(bytes, place &* 8, start: start, unitWidth: unitWidth)
        var bounds = [start]
        for piece in 0..<head.pieceCount {
            let length = bytes.bits(at: head.end &+ piece &* head.lengthWidth, head.lengthWidth) &+ 1
            bounds.append(bounds[bounds.count - 1] &+ length)
        }
        return bounds
    }
}
