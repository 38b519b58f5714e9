internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel

extension LogScanner {
    /// The traces of a whole text, read as it is.
    /// - Returns: each with its range in the text.
    static func traces(in text: Span<UInt8>, _ formats: FormatSearch, _ limits: Limits) -> [(reports: [CrashReport], range: Range<Int>)] {
        var scanner = LogScanner(formats, isForced: false, limits: limits, depth: maxLayers)
        _ = scanner.advance(over: text, base: 0, isFinal: true)
        return scanner.results.removePieces().compactMap { piece in
            guard case .traces(let reports, let range) = piece else { return nil }
            return (reports, range)
        }
    }

    /// Shows text that had begun like a trace and was rejected to the format of last resort.
    /// - Returns: the traces that it found, if no trace is open; otherwise they wait with the open
    ///   traces. A stack that reaches the end of the rejected text goes on below: `unfinished` is
    ///   where it begins.
    mutating func findRows(
        _ bytes: Span<UInt8>, base: Int
    ) -> (found: [(reports: [CrashReport], range: Range<Int>)], unfinished: Int?) {
        guard !traces.unread.isEmpty else { return ([], nil) }
        let unread = traces.removeUnread()
        guard formats.rows != 0, !isForced else { return ([], nil) }
        var found: [(reports: [CrashReport], range: Range<Int>)] = []
        for (range, cause) in unread where range.lowerBound >= max(covered, base) && range.upperBound <= base + bytes.count {
            var cause = cause
            let text = bytes.clamped(to: range.lowerBound - base..<range.upperBound - base)
            for (reports, part) in LogScanner.traces(in: text, FormatRegistry.rows.search, limits) {
                let partRange = part.lowerBound + range.lowerBound..<part.upperBound + range.lowerBound
                // If a heading comes before the rows, it was the heading that began the rejected
                // trace.
                let isUnfinished = partRange.upperBound == range.upperBound && partRange.lowerBound > range.lowerBound
                if isUnfinished, traces.isEmpty, unread.count == 1 { return (found, partRange.lowerBound) }
                var moved = reports.map { $0.moved(by: range.lowerBound) }
                if !moved.isEmpty { moved[0].takeEarlierCause(cause) }
                cause = nil
                if traces.isEmpty { found.append((moved, partRange)) } else { traces.add(moved, in: partRange) }
            }
        }
        return (found, nil)
    }
}
