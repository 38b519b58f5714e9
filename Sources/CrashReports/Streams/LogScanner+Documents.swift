internal import BinaryPrimitives

extension LogScanner {
    mutating func noteBrace(at position: Int, _ bytes: Span<UInt8>, base: Int) {
        guard let byte = bytes.at(position - base), byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") else { return }
        candidate = (position, position, JSONExtent(values: 1))
    }

    /// Opens the document that the last brace at a line's beginning began, if a format claims it.
    /// - Parameter line: the line in which a trigger stands.
    mutating func openDocument(_ marks: TriggerSearch.Marks, line: Range<Int>, _ bytes: Span<UInt8>, base: Int) -> Bool {
        guard let start = candidate?.start, start >= base else { return false }
        guard formats.hasDocumentFormat(marks) else { return false }
        let read = bytes.clamped(to: start - base..<line.upperBound - base)
        if start < line.lowerBound {
            var extent = JSONExtent(values: 1)
            let step = extent.advance(over: read)
            if step.isComplete, start + step.count <= line.lowerBound {
                // It ended before this line.
                candidate = nil
                return false
            }
        }
        let sample = bytes.clamped(to: start - base..<start - base + max(LogScanner.sample, read.count))
        guard let best = formats.documentFormat(for: sample, marks) else { return false }
        document = OpenDocument(
            format: best.format, start: start, scanned: start, extent: JSONExtent(values: best.format.topLevelValues),
            isCertain: best.confidence == .certain)
        candidate = nil
        isInLongLine = false
        cursor = start
        return true
    }

    /// How much of a document a format sees at least when it is asked whether it is its own (bytes), as far as it is there.
    private static let sample = 4096

    mutating func advanceDocument(_ bytes: Span<UInt8>, base: Int, isFinal: Bool) -> Bool {
        guard var open = document else { return true }
        let hasEnded = open.advance(over: bytes, base: base)
        document = open
        guard hasEnded || isFinal || open.scanned - open.start > limits.heldTrace else { return false }
        document = nil
        do throws(LogError) {
            let reports = try open.format.parse(bytes.clamped(to: open.start - base..<open.scanned - base))
            emitText(upTo: open.start)
            emit(reports.map { $0.moved(by: open.start) }, in: open.start..<open.scanned)
        } catch {
            let problem = LogError(error.problem, expected: error.expected, at: error.position.map { $0 + open.start })
            if open.isCertain { problems.append(problem) } else if refusals.isEmpty { refusals.append(problem) }
        }
        begin(at: open.scanned)
        searchState = TriggerSearch.State()
        return true
    }

    /// A value that has ended, or is longer than a crash's beginning, holds nothing back.
    mutating func dropCandidate(_ bytes: Span<UInt8>, base: Int) {
        guard var open = candidate, document == nil else { return }
        guard base + bytes.count - open.start <= limits.documentHead, open.scanned >= base else {
            candidate = nil
            return
        }
        let step = open.extent.advance(over: bytes.from(open.scanned - base))
        open.scanned += step.count
        candidate = step.isComplete ? nil : open
    }
}
