internal import BinaryPrimitives

/// Lines out of text that comes in parts, for a collector.
package struct OutputLines: Sendable {
    private var rest: [UInt8] = []

    /// Maximum length of a line. A longer line was not written by a test runner, and is passed on
    /// in parts.
    private static let longest = 1 << 16

    package init() {}

    /// - Parameter failures: gets each line that is complete, with its ending.
    package mutating func feed(_ bytes: [UInt8], to failures: inout FailureCollector) {
        var start = 0
        let span = bytes.span
        while let newline = span.firstLineFeed(from: start) {
            if rest.isEmpty {
                failures.add(line: span.clamped(to: start..<newline + 1))
            } else {
                rest += bytes[start...newline]
                failures.add(line: rest.span)
                rest.removeAll(keepingCapacity: true)
            }
            start = newline + 1
        }
        rest += bytes[start...]
        if rest.count > Self.longest { finish(to: &failures) }
    }

    /// Gives what has no end.
    package mutating func finish(to failures: inout FailureCollector) {
        if !rest.isEmpty { failures.add(line: rest.span) }
        rest.removeAll(keepingCapacity: true)
    }
}
