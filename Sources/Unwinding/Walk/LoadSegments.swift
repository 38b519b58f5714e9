internal import BinaryPrimitives
package import ObjectFiles

/// A range of a file in a process's memory.
package struct FileMapping: Sendable, Hashable {
    package var range: Range<UInt64>
    /// Offset in the file of the first byte.
    package var fileOffset: UInt64
    package var isExecutable: Bool

    package init(_ range: Range<UInt64>, fileOffset: UInt64, isExecutable: Bool) {
        self.range = range
        self.fileOffset = fileOffset
        self.isExecutable = isExecutable
    }
}

/// The segments of a file that are loaded (`PT_LOAD`; gABI, "Program Loading"), by which its load bias is found.
///
/// In one image, the address of each mapping less its offset in the file is the bias plus the segment's address less its
/// offset in the file, whatever size pages have. A small file of lld or mold has all its segments on its first page, which
/// is mapped once for each:
///
///     segment   offset  address       mapping   offset  address
///     R         0       0             R         0       0x55a53ba39000
///     R E       0x6b0   0x16b0        R E       0       0x55a53ba3a000
///     RW        0x8c0   0x28c0        RW        0       0x55a53ba3b000
package struct LoadSegments: Sendable {
    package struct Segment: Sendable, Hashable {
        package var address: UInt64
        package var offset: UInt64
        package var size: UInt64
        package var isExecutable: Bool

        package init(address: UInt64, offset: UInt64, size: UInt64, isExecutable: Bool) {
            self.address = address
            self.offset = offset
            self.size = size
            self.isExecutable = isExecutable
        }
    }

    private let segments: [Segment]

    /// Segments and mappings that are compared; programs have four to twelve of each.
    private static let maxCompared = 64

    package init(_ segments: [Segment]) { self.segments = Array(segments.prefix(Self.maxCompared)) }

    /// A debug file has no bytes of its segments: it has none here.
    package init(_ object: ObjectFile) {
        self.init(
            object.description.segments.filter { !$0.fileRange.isEmpty }.map {
                Segment(
                    address: $0.address.value, offset: UInt64($0.fileRange.lowerBound), size: $0.size, isExecutable: $0.isExecutable)
            })
    }

    /// Whether a mapping is a part of the image with this bias.
    package func holds(_ mapping: FileMapping, bias: UInt64) -> Bool { segments.contains { Self.holds($0, mapping, bias) } }

    private static func holds(_ segment: Segment, _ mapping: FileMapping, _ bias: UInt64) -> Bool {
        let start = bias &+ segment.address
        let (end, overflow) = start.addingReportingOverflow(segment.size)
        return !overflow && mapping.range.lowerBound &- mapping.fileOffset == start &- segment.offset
            && mapping.range.lowerBound < end && start < mapping.range.upperBound
    }

    /// Returns the bias with which the most mappings are parts of the image, and of two the one with more of them executable
    /// as their segments are.
    /// - Parameter first: the mapping that must be one of them; if `nil`, any.
    /// - Returns: `nil` if no segment has a mapping's bytes.
    package func bias(of mappings: [FileMapping], with first: FileMapping? = nil) -> UInt64? {
        let mappings = mappings.prefix(Self.maxCompared)
        var best: (bias: UInt64, worth: Int)?
        for mapping in first.map({ [$0] }) ?? Array(mappings) {
            for segment in segments {
                let bias = mapping.range.lowerBound &- mapping.fileOffset &- (segment.address &- segment.offset)
                guard bias != best?.bias, Self.holds(segment, mapping, bias) else { continue }
                let worth = worth(of: bias, mappings)
                if worth > best?.worth ?? 0 { best = (bias, worth) }
            }
            // All of them: no other bias is better.
            if best?.worth == 3 * mappings.count { break }
        }
        return best?.bias
    }

    private func worth(of bias: UInt64, _ mappings: ArraySlice<FileMapping>) -> Int {
        mappings.reduce(0) { sum, mapping in
            let holders = segments.filter { Self.holds($0, mapping, bias) }
            return sum + (holders.isEmpty ? 0 : holders.contains { $0.isExecutable == mapping.isExecutable } ? 3 : 2)
        }
    }
}
