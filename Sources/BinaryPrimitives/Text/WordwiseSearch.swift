extension Span where Element == UInt8 {
    /// Index of the first quotation mark or backslash at or after `start`: each ends a piece of a
    /// JSON string.
    /// - Returns: `nil` where neither occurs.
    package func firstQuoteOrBackslash(from start: Int) -> Int? {
        first(from: start, of: 0x22, or: 0x5C)
    }

    /// Index of the first line feed at or after `start`.
    /// - Returns: `nil` where none occurs.
    package func firstLineFeed(from start: Int) -> Int? {
        first(from: start, of: 0x0A, or: 0x0A)
    }

    /// Index of the first `<`, `&` or byte beyond ASCII at or after `start`: HTML and word
    /// processors write these.
    /// - Returns: `nil` where none occurs.
    package func firstMarkupByte(from start: Int) -> Int? {
        let count = count
        var index = Swift.max(0, start)
        guard index < count else { return nil }
        return unsafe withUnsafeBytes { bytes in
            let ones: UInt64 = 0x0101_0101_0101_0101
            let highs: UInt64 = 0x8080_8080_8080_8080
            while index &+ 8 <= count {
                let word = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                let angles = word ^ (ones &* 0x3C)
                let ampersands = word ^ (ones &* 0x26)
                let found = (word | (angles &- ones) & ~angles | (ampersands &- ones) & ~ampersands) & highs
                if found != 0 { return index &+ found.trailingZeroBitCount / 8 }
                index &+= 8
            }
            while index < count {
                let byte = unsafe bytes[index]
                if byte == 0x3C || byte == 0x26 || byte >= 0x80 { return index }
                index &+= 1
            }
            return nil
        }
    }

    /// Eight bytes at a time, because most of a document is strings, and most of a log is long
    /// lines. Inlined, so that the marks are constants, and two that are one are compared once.
    @inline(__always)
    private func first(from start: Int, of mark: UInt8, or other: UInt8) -> Int? {
        let count = count
        var index = Swift.max(0, start)
        guard index < count else { return nil }
        return unsafe withUnsafeBytes { bytes in
            let ones: UInt64 = 0x0101_0101_0101_0101
            let highs: UInt64 = 0x8080_8080_8080_8080
            while index &+ 8 <= count {
                let word = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                let marks = word ^ (ones &* UInt64(mark))
                let others = word ^ (ones &* UInt64(other))
                // The lowest byte that is zero has its high bit set, and none below it.
                let found = ((marks &- ones) & ~marks | (others &- ones) & ~others) & highs
                if found != 0 { return index &+ found.trailingZeroBitCount / 8 }
                index &+= 8
            }
            while index < count {
                let byte = unsafe bytes[index]
                if byte == mark || byte == other { return index }
                index &+= 1
            }
            return nil
        }
    }
}
