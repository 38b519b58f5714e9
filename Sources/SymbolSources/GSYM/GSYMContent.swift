internal import BinaryPrimitives

/// The content of a GSYM file for one function, except its name: lines, and the tree of inlined calls.
/// Names and files are numbers of their unit's (`UnitContent`), and of the file's tables when it is
/// written (`UnitTexts`).
struct GSYMContent {
    struct Line {
        var range: Range<UInt64>
        var file: UInt32
        var line: UInt32
    }

    struct Call {
        /// Index of the surrounding call in `calls`; `nil` if the call is directly in the function.
        var parent: Int?
        /// `nil`: not known. The same holds for `file`.
        var name: UInt32?
        var file: UInt32?
        var line: UInt32
        /// Indices into `ranges`, which are sorted by address here and do not touch.
        var ranges: Range<Int>
    }

    /// Lines do not overlap.
    var lines: [Line] = []
    /// Each call follows the call that it is nested in; calls with the same parent are sorted by address.
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
