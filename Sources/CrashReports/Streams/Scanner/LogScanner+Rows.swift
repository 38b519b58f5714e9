internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel

extension LogScanner {
    /// Shows what had begun like a trace, and was none, to the format of last resort.
    /// - Returns: what it found, where no trace is open; else that waits with the traces. A stack
    ///   that reaches to the end of what was no trace goes on below: it is `unfinished`, and begins
    ///   there.
    mutating func lookForRows(
        _ bytes: Span<UInt8>, base: Int
    ) -> (found: [(reports: [CrashReport], range: Range<Int>)], unfinished: Int?) {
        guard !traces.unread.isEmpty else { return ([], nil) }
        let unread = traces.takeUnread()
        guard formats.rows != 0, !isForced else { return ([], nil) }
        var found: [(reports: [CrashReport], range: Range<Int>)] = []
        for (range, cause) in unread where range.lowerBound >= max(covered, base) && range.upperBound <= base + bytes.count {
            var cause = cause
            var scanner = LogScanner(FormatRegistry.rows.search, isForced: false, limits: limits, depth: LogScanner.mostLayers)
            _ = scanner.advance(over: bytes.clamped(to: range.lowerBound - base..<range.upperBound - base), base: 0, isFinal: true)
            for case .traces(let reports, let part) in scanner.results.takePieces() {
                let place = part.lowerBound + range.lowerBound..<part.upperBound + range.lowerBound
                // Of a heading and the rows below it, the heading began the trace that was none.
                let isUnfinished = place.upperBound == range.upperBound && place.lowerBound > range.lowerBound
                if isUnfinished, traces.isEmpty, unread.count == 1 { return (found, place.lowerBound) }
                var moved = reports.map { $0.moved(by: range.lowerBound) }
                if !moved.isEmpty { moved[0].takeEarlierCause(cause) }
                cause = nil
                if traces.isEmpty { found.append((moved, place)) } else { traces.add(moved, in: place) }
            }
        }
        return (found, nil)
    }
}
