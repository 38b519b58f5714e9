extension Span where Element == UInt8 {
    /// How many line feeds there are: thirty-two bytes at a time, because it is all that is done
    /// with most of a log.
    package func countLineFeeds() -> Int {
        let count = count
        return unsafe withUnsafeBytes { bytes in
            var total = 0
            var index = 0
            let mark = SIMD32<UInt8>(repeating: 0x0A)
            while index &+ 32 <= count {
                // A lane holds at most 255.
                let end = Swift.min(count &- 31, index &+ 32 &* 255)
                var lanes = SIMD32<UInt8>()
                while index < end {
                    let block = unsafe bytes.loadUnaligned(fromByteOffset: index, as: SIMD32<UInt8>.self)
                    lanes.replace(with: lanes &+ 1, where: block .== mark)
                    index &+= 32
                }
                for lane in 0..<32 { total &+= Int(lanes[lane]) }
            }
            while index < count {
                if unsafe bytes[index] == 0x0A { total &+= 1 }
                index &+= 1
            }
            return total
        }
    }
}
