extension Span where Element == UInt8 {
    /// How many line feeds there are: eight bytes at a time, because it is all that is done with
    /// most of a log.
    package func countLineFeeds() -> Int {
        let count = count
        return unsafe withUnsafeBytes { bytes in
            var total = 0
            var index = 0
            let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
            while index &+ 8 <= count {
                // A byte is zero where a line feed was: there, and only there, `others` lacks the
                // highest bit (Warren, Hacker's Delight, 6-1).
                let word = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ 0x0A0A_0A0A_0A0A_0A0A
                let others = ((word & low) &+ low) | word | low
                total &+= (~others).nonzeroBitCount
                index &+= 8
            }
            while index < count {
                if unsafe bytes[index] == 0x0A { total &+= 1 }
                index &+= 1
            }
            return total
        }
    }
}
