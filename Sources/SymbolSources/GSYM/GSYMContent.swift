internal import BinaryPrimitives

/// What a GSYM file says of one function beside its name: lines, and the tree of inlined calls.
/// Names and files are numbers of their unit's (`UnitContent`), and of the file's tables when it is
/// written (`UnitTexts`).
struct GSYMContent {
    struct Line {
        var range: Range<UInt64>
        var file: UInt32
        var line: UInt32
    }

    struct Call {
        /// Of `calls`; `nil` directly in the function.
        var parent: Int?
        /// `nil`, as the file: not known.
        var name: UInt32?
        var file: UInt32?
        var line: UInt32
        /// Of `ranges`: by address, none beside another.
        var ranges: Range<Int>
    }

    /// None over another.
    var lines: [Line] = []
    /// Each after the call that it is nested in; calls with the same parent by address.
    var calls: [Call] = []
    /// Those of all calls.
    var ranges: [Range<UInt64>] = []

    /// Adds what another part of the function has.
    mutating func append(_ other: GSYMContent) {
        let (firstCall, firstRange) = (calls.count, ranges.count)
        lines += other.lines
        ranges += other.ranges
        for var call in other.calls {
            call.parent = call.parent.map { $0 + firstCall }
            call.ranges = call.ranges.lowerBound + firstRange..<call.ranges.upperBound + firstRange
            calls.append(call)
        }
    }
}
