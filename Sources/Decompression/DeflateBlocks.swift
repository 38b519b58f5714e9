/// Finds the starts of blocks in a deflate stream, for readers that start in the middle of it.
///
/// It searches for blocks with codes of their own (RFC 1951, 3.2.7) that are not the last:
/// compressors write such blocks for nearly all data. Their headers have so many rules that a
/// position where all of them hold is nearly always a header. It is confirmed when the decoder of
/// the preceding stream ends there.
package enum DeflateBlocks {
    /// - Parameter bytes: part of the stream, from any position.
    /// - Returns: the first bit of the first header, counted from the lowest of the first byte;
    ///   `nil` if none is found whose header ends in `bytes`.
    package static func firstStart(in bytes: RawSpan) -> Int? {
        var byte = 0
        while byte + 8 <= bytes.byteCount {
            let word = bytes.word(at: byte)
            // "Not the last" is a 0, "codes of its own" the bits 0 and 1.
            var candidates = ~word & ~(word >> 1) & (word >> 2)
            // 286 is the most literals and lengths, 30 the most distances: five bits each, of which
            // the upper four are not all ones.
            candidates &= ~((word >> 4) & (word >> 5) & (word >> 6) & (word >> 7))
            candidates &= ~((word >> 9) & (word >> 10) & (word >> 11) & (word >> 12))
            // For the first 48 bits, all bits that these tests need are in the word.
            candidates &= 1 << 48 - 1
            while candidates != 0 {
                let bit = byte * 8 + candidates.trailingZeroBitCount
                candidates &= candidates - 1
                if isHeader(bytes, at: bit) { return bit }
            }
            byte += 6
        }
        return nil
    }

    /// The order in which a header has the lengths of the codes that encode lengths.
    private static let order: [Int] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    private static func isHeader(_ bytes: RawSpan, at start: Int) -> Bool {
        guard start + 17 + 57 + 64 <= bytes.byteCount * 8 else { return false }
        let counts = bytes.bits(at: start + 3)
        let lengthCount = Int(counts & 31) + 257
        let distanceCount = Int(counts >> 5 & 31) + 1
        let codeCount = Int(counts >> 10 & 15) + 4
        // Three bits each, 57 at most.
        let codes = bytes.bits(at: start + 17)
        // A code is complete if its words, each with its share of all, are everything.
        var share: UInt64 = 0
        for index in 0..<codeCount { share += (128 &>> (codes &>> UInt64(index * 3) & 7)) & 127 }
        guard share == 128 else { return false }

        var lengthOf = [UInt8](repeating: 0, count: 19)
        for index in 0..<codeCount { lengthOf[order[index]] = UInt8(truncatingIfNeeded: codes >> UInt64(index * 3) & 7) }
        let table = codeTable(lengthOf)
        var lengths: [UInt8] = []
        lengths.reserveCapacity(320)
        var bit = start + 17 + codeCount * 3
        while lengths.count < lengthCount + distanceCount {
            guard bit + 64 <= bytes.byteCount * 8 else { return false }
            let word = bytes.bits(at: bit)
            let entry = table[Int(word & 127)]
            let (symbol, size) = (entry >> 3, Int(entry & 7))
            let extra = word >> UInt64(size)
            bit += size
            switch symbol {
            case 0...15: lengths.append(symbol)
            case 16:
                guard let last = lengths.last else { return false }
                lengths += repeatElement(last, count: 3 + Int(extra & 3))
                bit += 2
            case 17:
                lengths += repeatElement(0, count: 3 + Int(extra & 7))
                bit += 3
            default:
                lengths += repeatElement(0, count: 11 + Int(extra & 127))
                bit += 7
            }
        }
        // 256 is the end of the block.
        guard lengths.count == lengthCount + distanceCount, lengths[256] > 0 else { return false }
        guard isComplete(lengths[..<lengthCount]) else { return false }
        // A block may copy nothing, or from one distance alone.
        let distances = lengths[lengthCount...]
        return isComplete(distances) || distances.count(where: { $0 > 0 }) <= 1
    }

    /// By the next seven bits the symbol that they begin with, and below it, in three bits, the
    /// length of its code.
    private static func codeTable(_ lengthOf: [UInt8]) -> [UInt8] {
        var table = [UInt8](repeating: 0, count: 128)
        var code = 0
        for length in 1...7 {
            for (symbol, own) in lengthOf.enumerated() where Int(own) == length {
                // Codes are written from their highest bit on, everything else from its lowest.
                var reversed = 0
                for bit in 0..<length where code >> bit & 1 == 1 { reversed |= 1 << (length - 1 - bit) }
                for entry in stride(from: reversed, to: 128, by: 1 << length) { table[entry] = UInt8(symbol) << 3 | own }
                code += 1
            }
            code <<= 1
        }
        return table
    }

    private static func isComplete(_ lengths: ArraySlice<UInt8>) -> Bool {
        lengths.reduce(0) { $0 + ($1 > 0 ? 1 << (15 - Int($1)) : 0) } == 1 << 15
    }
}

extension RawSpan {
    /// - Precondition: eight bytes are there.
    fileprivate func word(at byte: Int) -> UInt64 {
        unsafe UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: byte, as: UInt64.self))
    }

    /// At least 57 bits, the lowest first.
    fileprivate func bits(at bit: Int) -> UInt64 { word(at: bit >> 3) >> UInt64(bit & 7) }
}
