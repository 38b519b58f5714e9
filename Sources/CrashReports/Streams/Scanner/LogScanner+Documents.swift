internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel

extension LogScanner {
    mutating func noteBrace(at position: Int, _ bytes: Span<UInt8>, base: Int) {
        guard let byte = bytes.at(position - base), byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") else { return }
        candidate = DocumentCandidate(at: position)
    }

    /// A brace is at a line's beginning, or after an indentation or a quote's mark.
    /// - Parameter end: just after it, in `bytes`.
    mutating func noteBrace(behind end: Int, _ bytes: Span<UInt8>, base: Int) {
        let lineStart =
            bytes.lastIndex(of: UInt8(ascii: "\n"), before: end - 1, from: max(0, end - 16)).map { $0 + 1 } ?? max(0, cursor - base)
        noteBrace(at: base + end - 1, behind: max(0, end - 1 - lineStart), bytes, base: base)
    }

    /// A brace may be at the beginning of a line's text.
    mutating func noteBrace(in text: Span<UInt8>, at start: Int, behind prefix: Int, _ bytes: Span<UInt8>, base: Int) {
        var rest = text
        rest.skipBlanks()
        let blanks = text.count - rest.count
        guard let first = rest.at(0), first == UInt8(ascii: "{") || first == UInt8(ascii: "[") && blanks == 0 else { return }
        if blanks == 0 {
            candidate = DocumentCandidate(at: start, behind: prefix)
        } else {
            noteBrace(at: start + blanks, behind: prefix + blanks, bytes, base: base)
        }
    }

    private mutating func noteBrace(at start: Int, behind prefix: Int, _ bytes: Span<UInt8>, base: Int) {
        // An indented brace inside a document that has begun is a part of it.
        if prefix > 0, var open = candidate, !open.hasEnded(upTo: start, in: bytes, base: base) {
            candidate = open
            return
        }
        candidate = DocumentCandidate(at: start, behind: prefix)
    }

    /// Opens the document that the last brace at a line's beginning began, if a format claims it.
    /// - Parameter line: the line that has a trigger.
    mutating func openDocument(_ marks: TriggerSearch.Marks, line: Range<Int>, _ bytes: Span<UInt8>, base: Int) -> Bool {
        guard formats.hasDocumentFormat(marks) else { return false }
        guard let start = candidate?.start, start >= base else {
            return openDocumentBehindProse(marks, line: line, bytes, base: base)
        }
        let read = bytes.clamped(to: start - base..<line.upperBound - base)
        if start < line.lowerBound, candidate?.hasEnded(upTo: line.lowerBound, in: bytes, base: base) == true {
            candidate = nil
            return openDocumentBehindProse(marks, line: line, bytes, base: base)
        }
        guard candidate?.isDue(at: read.count) == true else { return false }
        // A document on one line may be megabytes: its beginning is enough if a format is certain.
        // Text below the line is not looked at: a log that comes in parts may not have it yet, and
        // the result may not depend on that.
        let beginning = read.count > LogScanner.beginning ? formats.documentFormat(for: read.upTo(LogScanner.beginning), marks) : nil
        guard let best = beginning?.confidence == .certain ? beginning : formats.documentFormat(for: read, marks) else { return false }
        open(best, at: start)
        return true
    }

    /// Opens a document that is one long line if a format is sure of its beginning: the rest need
    /// not be searched for triggers.
    mutating func readLongDocument(_ line: Span<UInt8>, at start: Int, _ bytes: Span<UInt8>, base: Int) -> Bool {
        guard line.count > LogScanner.beginning, line.at(0) == UInt8(ascii: "{"), traces.isEmpty, !isForced else { return false }
        for length in [LogScanner.shortBeginning, LogScanner.beginning] {
            let beginning = line.upTo(length)
            let marks = triggers.marks(in: beginning)
            guard formats.hasDocumentFormat(marks), let best = formats.documentFormat(for: beginning, marks), best.confidence == .certain
            else { continue }
            open(best, at: start)
            return true
        }
        return false
    }

    /// Opens the document that begins inside the line, as in `payload: {…}`. Only a format that is
    /// certain is believed there.
    private mutating func openDocumentBehindProse(
        _ marks: TriggerSearch.Marks, line: Range<Int>, _ bytes: Span<UInt8>, base: Int
    ) -> Bool {
        let text = bytes.clamped(to: line.lowerBound - base..<line.upperBound - base)
        guard let brace = text.firstIndex(of: UInt8(ascii: "{")),
            let best = formats.documentFormat(for: text.from(brace), marks), best.confidence == .certain
        else { return false }
        open(best, at: line.lowerBound + brace)
        return true
    }

    private mutating func open(_ found: (format: any DocumentFormat.Type, confidence: Confidence), at start: Int) {
        document = OpenDocument(
            format: found.format, start: start, scanned: start, extent: JSONExtent(values: found.format.topLevelValues),
            isCertain: found.confidence == .certain)
        candidate = nil
        isInLongLine = false
        cursor = start
    }

    /// How much of a long document a format sees first when it checks whether the document is its
    /// own (bytes).
    static let beginning = 16 << 10
    static let shortBeginning = 2 << 10

    mutating func advanceDocument(_ bytes: Span<UInt8>, base: Int, isFinal: Bool) -> Bool {
        guard var open = document else { return true }
        let hasEnded = open.advance(over: bytes, base: base)
        document = open
        guard hasEnded || isFinal || open.scanned - open.start > limits.heldTrace else { return false }
        document = nil
        var reading = Reading.Document(open: open, hasEnded: hasEnded)
        var reports: [CrashReport] = []
        do throws(LogError) {
            let text = bytes.clamped(to: open.start - base..<open.scanned - base)
            reports = try open.format.parse(text, imagesOfFrames: imagesOfFrames, readText: LogScanner.reports(in:)).map {
                $0.moved(by: open.start)
            }
        } catch {
            // A page or a mail that broke it shows that, and is undone first.
            reading.problem = LogError(error.problem, expected: error.expected, at: error.position.map { $0 + open.start })
        }
        offerLayers(of: reading, reports: reports, bytes, base: base)
        if offer == nil { close(reading, reports: reports, bytes, base: base) }
        return true
    }

    /// Emits the reports of a document, or the reason why it cannot be read.
    mutating func close(_ reading: Reading.Document, reports: [CrashReport], _ bytes: Span<UInt8>, base: Int) {
        let open = reading.open
        if let problem = reading.problem {
            let document = bytes.clamped(to: open.start - base..<open.scanned - base)
            if let part = LogScanner.completePart(of: document, open.format, upTo: (problem.position ?? open.scanned) - open.start) {
                results.emitText(upTo: open.start)
                results.emit(part.reports.map { $0.moved(by: open.start) }, in: open.start..<open.start + part.end)
                return beginInLine(at: open.start + part.end)
            }
            if open.isCertain { results.complain(problem) } else { results.noteRefusal(problem) }
        } else {
            results.emitText(upTo: open.start)
            results.emit(reports, in: open.start..<open.scanned)
        }
        resume(behind: open, hasEnded: reading.hasEnded, bytes, base: base)
    }

    /// The reports of a text that a document holds.
    private static func reports(in text: Span<UInt8>) -> [CrashReport] {
        traces(in: text, FormatRegistry(FormatRegistry.standard.lineFormats).search, .standard).flatMap(\.reports)
    }

    /// Reads the complete part of a document that was cut off or shortened; `nil` if no frame was
    /// complete.
    private static func completePart(
        of document: Span<UInt8>, _ format: any DocumentFormat.Type, upTo end: Int
    ) -> (reports: [CrashReport], end: Int)? {
        guard !format.isBinary, let repaired = JSONRepair(document.upTo(end)) else { return nil }
        let whole = repaired.bytes
        guard var reports = try? format.parse(whole.span, imagesOfFrames: false, readText: reports(in:)),
            reports.contains(where: { $0.stacks.contains { !$0.frames.isEmpty } })
        else {
            return nil
        }
        for index in reports.indices { reports[index].notes.append("The JSON document ends early: what was complete is read.") }
        return (reports, repaired.end)
    }

    private mutating func resume(behind open: OpenDocument, hasEnded: Bool, _ bytes: Span<UInt8>, base: Int) {
        // A document without an end takes the rest of the log: what is below its first line is
        // looked at once more. Not for ever, should a log be full of them.
        if !hasEnded, covered <= open.start, endlessDocuments < LogScanner.endlessDocuments,
            let newline = bytes.firstIndex(of: UInt8(ascii: "\n"), from: open.start - base)
        {
            endlessDocuments += 1
            return begin(at: base + newline + 1)
        }
        beginInLine(at: open.scanned)
    }

    /// How many documents without an end are looked into.
    private static let endlessDocuments = 16

    /// A value that has ended, or is longer than a crash's beginning, holds nothing back.
    mutating func dropCandidate(_ bytes: Span<UInt8>, base: Int) {
        guard var open = candidate, document == nil else { return }
        guard base + bytes.count - open.start <= limits.documentHead, open.scanned >= base else {
            candidate = nil
            return
        }
        candidate = open.hasEnded(upTo: base + bytes.count, in: bytes, base: base) ? nil : open
    }
}
