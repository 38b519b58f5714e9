internal import BinaryPrimitives

/// What a GSYM file says of one function beside its name: lines, and the tree of inlined calls.
struct GSYMContent {
    struct Line {
        var range: Range<UInt64>
        var file: UInt32
        var line: UInt32
    }

    struct Call {
        /// Of `calls`; `nil` directly in the function.
        var parent: Int?
        var name: UInt32
        var file: UInt32
        var line: UInt32
        /// By address, none beside another.
        var ranges: [Range<UInt64>]
    }

    /// None over another.
    var lines: [Line] = []
    /// Each after the call that it is nested in; calls with the same parent by address.
    var calls: [Call] = []

    /// Adds what another part of the function has.
    mutating func append(_ other: GSYMContent) {
        let first = calls.count
        lines += other.lines
        calls += other.calls.map { call in
            var call = call
            call.parent = call.parent.map { $0 + first }
            return call
        }
    }
}
