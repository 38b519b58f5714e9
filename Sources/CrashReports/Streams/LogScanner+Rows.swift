internal import BinaryPrimitives

extension LogScanner {
    /// Shows what had begun like a trace, and was none, to the format of last resort.
    /// - Returns: what it found, where no trace is open; else that waits with the traces.
    mutating func lookForRows(_ bytes: Span<UInt8>, base: Int) -> [(reports: [CrashReport], range: Range<Int>)] {
        guard !traces.unread.isEmpty else { return [] }
        let unread = traces.takeUnread()
        guard formats.hasRows, !isForced else { return [] }
        var found: [(reports: [CrashReport], range: Range<Int>)] = []
        for (range, cause) in unread where range.lowerBound >= max(covered, base) && range.upperBound <= base + bytes.count {
            var cause = cause
            var scanner = LogScanner(FormatRegistry.rows.search, isForced: false, limits: limits, damageDepth: 0)
            scanner.advance(over: bytes.clamped(to: range.lowerBound - base..<range.upperBound - base), base: 0, isFinal: true)
            for case .traces(let reports, let part) in scanner.takePieces() {
                let place = part.lowerBound + range.lowerBound..<part.upperBound + range.lowerBound
                var moved = reports.map { $0.moved(by: range.lowerBound) }
                if !moved.isEmpty { moved[0].takeEarlierCause(cause) }
                cause = nil
                if traces.isEmpty { found.append((moved, place)) } else { traces.add(moved, in: place) }
            }
        }
        return found
    }
}
