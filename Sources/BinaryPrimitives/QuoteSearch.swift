extension Span where Element == UInt8 {
    /// Where a quotation mark or a backslash first occurs at or after `start`: what ends a piece of a JSON string. Eight bytes at a time, because most of a document is strings.
    /// - Returns: `nil` where neither occurs.
    public func firstQuoteOrBackslash(from start: Int) -> Int? {
        let count = count
        var index = Swift.max(0, start)
        guard index < count else { return nil }
        return unsafe withUnsafeBytes { bytes in
            let ones: UInt64 = 0x0101_0101_0101_0101
            let highs: UInt64 = 0x8080_8080_8080_8080
            while index &+ 8 <= count {
                let word = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                let quotes = word ^ (ones &* 0x22)
                let slashes = word ^ (ones &* 0x5C)
                // The lowest byte that is zero has its high bit set, and none below it.
                let found = ((quotes &- ones) & ~quotes | (slashes &- ones) & ~slashes) & highs
                if found != 0 { return index &+ found.trailingZeroBitCount / 8 }
                index &+= 8
            }
            while index < count {
                let byte = unsafe bytes[index]
                if byte == 0x22 || byte == 0x5C { return index }
                index &+= 1
            }
            return nil
        }
    }

    /// Where a line feed first occurs at or after `start`, eight bytes at a time.
    public func firstLineFeed(from start: Int) -> Int? {
        let count = count
        var index = Swift.max(0, start)
        guard index < count else { return nil }
        return unsafe withUnsafeBytes { bytes in
            let ones: UInt64 = 0x0101_0101_0101_0101
            while index &+ 8 <= count {
                let word = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) ^ (ones &* 0x0A)
                let found = (word &- ones) & ~word & 0x8080_8080_8080_8080
                if found != 0 { return index &+ found.trailingZeroBitCount / 8 }
                index &+= 8
            }
            while index < count {
                if unsafe bytes[index] == 0x0A { return index }
                index &+= 1
            }
            return nil
        }
    }
}
