package import BinaryPrimitives

/// The saved memory of a process: stacks, and any other ranges.
///
/// Consists of a core's or a dump's ranges; each is a part of a file or bytes.
package struct Memory: Sendable {
    /// Bytes at an address.
    package struct Segment: Sendable {
        package enum Contents: Sendable {
            case file(MappedFile, Range<Int>)
            case bytes([UInt8])

            package var count: Int {
                switch self {
                case .file(_, let range): range.count
                case .bytes(let bytes): bytes.count
                }
            }
        }

        package var address: UInt64
        package var contents: Contents
        /// Size in the process; bytes after the contents are not known.
        package var size: UInt64
        /// Code may run there: code that was compiled at run time, or that belongs to an unknown file.
        package var isExecutable: Bool

        package init(address: UInt64, _ contents: Contents, size: UInt64 = 0, isExecutable: Bool = false) {
            self.address = address
            self.contents = contents
            self.size = max(size, UInt64(contents.count))
            self.isExecutable = isExecutable
        }
    }

    package let byteOrder: ByteOrder
    /// Ascending; if two overlap, the one that begins first has the bytes.
    private let segments: [(range: Range<UInt64>, skipped: Int, segment: Segment)]

    package init(_ segments: [Segment], _ byteOrder: ByteOrder) {
        self.byteOrder = byteOrder
        var sorted: [(range: Range<UInt64>, skipped: Int, segment: Segment)] = []
        var end: UInt64 = 0
        for segment in segments.sorted(by: { $0.address < $1.address }) {
            let start = max(segment.address, end)
            let (last, overflow) = segment.address.addingReportingOverflow(segment.size)
            let upper = overflow ? .max : last
            guard start < upper else { continue }
            sorted.append((start..<upper, Int(clamping: start - segment.address), segment))
            end = upper
        }
        self.segments = sorted
    }

    /// Reads the number of 1, 2, 4 or 8 bytes at an address, zero-extended.
    /// - Returns: `nil` if not all of them are known, or for another size.
    package func read(_ address: UInt64, size: Int) -> UInt64? {
        guard let index = index(holding: address) else { return nil }
        if let value = withBytes(
            of: index,
            { bytes, start in
                try? bytes.unsigned(size: size, at: Int(clamping: address - start), byteOrder)
            })
        {
            return value
        }
        return readAcross(address, size: size)
    }

    /// Returns the known bytes from an address on, at most `count`.
    package func bytes(at address: UInt64, count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, case let (next, overflow) = address.addingReportingOverflow(UInt64(bytes.count)), !overflow,
            let index = index(holding: next)
        {
            let before = bytes.count
            _ = withBytes(of: index) { part, start in
                let first = Int(clamping: next - start)
                for position in first..<max(first, min(part.byteCount, first + count - before)) { bytes.append(part.byte(at: position)) }
                return nil
            }
            guard bytes.count > before else { break }
        }
        return bytes
    }

    /// Whether code may run at an address.
    package func isExecutable(_ address: UInt64) -> Bool { index(holding: address).map { segments[$0].segment.isExecutable } ?? false }

    /// Whether an address is in a segment, whether its byte is known or not.
    package func maps(_ address: UInt64) -> Bool { index(holding: address) != nil }

    /// Returns the first address of the segment that holds an address, if code may run there.
    package func startOfExecutable(holding address: UInt64) -> UInt64? {
        index(holding: address).flatMap { segments[$0].segment.isExecutable ? segments[$0].range.lowerBound : nil }
    }

    /// Whether two addresses are in one segment.
    package func areTogether(_ first: UInt64, _ second: UInt64) -> Bool {
        guard let index = index(holding: first) else { return false }
        return segments[index].range.contains(second)
    }

    /// Whether a byte is known.
    package func holds(_ address: UInt64) -> Bool {
        guard let index = index(holding: address) else { return false }
        return address - segments[index].segment.address < UInt64(segments[index].segment.contents.count)
    }

    /// Returns the first few addresses at which two words of 8 bytes follow one another.
    /// - Parameter maxBytes: how much memory is searched, from the lowest address on.
    package func addresses(ofWords first: UInt64, _ second: UInt64, maxBytes: Int = 64 << 20) -> [UInt64] {
        var found: [UInt64] = []
        var left = maxBytes
        for (index, part) in segments.enumerated() where !part.segment.isExecutable && found.count < 16 {
            _ = withBytes(of: index) { bytes, start in
                var offset = Int((8 - start & 7) & 7)
                let end = min(bytes.byteCount, left) - 16
                left -= min(left, bytes.byteCount)
                while offset <= end, found.count < 16 {
                    if (try? bytes.value(UInt64.self, at: offset, byteOrder)) == first,
                        (try? bytes.value(UInt64.self, at: offset + 8, byteOrder)) == second
                    {
                        found.append(start &+ UInt64(offset))
                    }
                    offset += 8
                }
                return nil
            }
        }
        return found
    }

    /// Reads a number whose bytes are in two adjacent segments.
    private func readAcross(_ address: UInt64, size: Int) -> UInt64? {
        guard [2, 4, 8].contains(size) else { return nil }
        var value: UInt64 = 0
        for position in 0..<UInt64(size) {
            let (byteAddress, overflow) = address.addingReportingOverflow(position)
            guard !overflow, let index = index(holding: byteAddress),
                let byte = withBytes(
                    of: index, { bytes, start in try? bytes.unsigned(size: 1, at: Int(clamping: byteAddress - start), byteOrder) })
            else { return nil }
            let shift = byteOrder == .littleEndian ? position : UInt64(size) - 1 - position
            value |= byte << (shift * 8)
        }
        return value
    }

    /// Calls `body` with a segment's bytes and the address of the first.
    private func withBytes(of index: Int, _ body: (RawSpan, UInt64) -> UInt64?) -> UInt64? {
        let part = segments[index]
        switch part.segment.contents {
        case .file(let file, let range):
            return file.withBytes {
                body($0.clamped(to: range).clamped(to: part.skipped..<max(part.skipped, range.count)), part.range.lowerBound)
            }
        case .bytes(let bytes):
            return body(bytes.span.rawBytes.clamped(to: part.skipped..<max(part.skipped, bytes.count)), part.range.lowerBound)
        }
    }

    private func index(holding address: UInt64) -> Int? {
        let low = segments.partitionPoint { $0.range.lowerBound > address }
        guard low > 0, segments[low - 1].range.contains(address) else { return nil }
        return low - 1
    }
}
