internal import BinaryPrimitives

/// The beginning of a block: how many parts it has, and how wide their fields are.
struct BlockHead {
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
    /// Zero: no piece has one.
    var discriminatorWidth: Int
    var unit: UInt64
    var entry: LinkAddress?
    /// The first bit after it.
    var end: Int

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
        calleeCount = Int(word &>> 4 & ((1 &<< UInt64(calleeWidth)) &- 1)) &+ 1
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
