internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel

/// Documents, and the parts of a text that show signs of layers (`LayerOffer`).
///
/// A text without layers costs nothing but a look at the bytes of each trace when it has ended (`DamageSigns`). Offered are
/// - a line with a trigger that no format claims, if one claims it without a layer (`LineDamage`);
/// - a trace or document that has ended, if its bytes look as if they had a layer.
extension LogScanner {
    // MARK: Braces that may begin a document

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
    private static let beginning = 16 << 10
    private static let shortBeginning = 2 << 10

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
            if open.isCertain { results.noteProblem(problem) } else { results.noteRefusal(problem) }
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

    // MARK: Layers

    /// Maximum number of layers over one another (HTML in a JSON string in a mail). A text with more is read with the rest of them.
    static let maxLayers = 3

    /// Stops at a part of the text until it is known whether the part has one of some layers.
    /// - Parameters:
    ///   - layers: each with the first byte that has it.
    mutating func offerLayers(_ layers: [(damage: Damage, start: Int)], _ reason: LayerOffer.Reason, base: Int) {
        var first = layers.reduce(Int.max) { min($0, $1.start) }
        if case .reading(let reading) = reason { first = min(first, reading.range.lowerBound) }
        guard depth < Self.maxLayers, first < .max, first >= base else { return }
        offer = LayerOffer(layers: layers, reason: reason)
        firstNeededByLayer = first
    }

    // MARK: Layers of lines

    /// Offers the layers of a line that no format claims as it is.
    /// - Parameters:
    ///   - line: with its ending.
    ///   - isRow: it reads as a row of some stack. Those are read behind numbers and colours.
    ///   - prefix: the length of its known prefix (`LinePrefix`), if that has been read.
    mutating func offerLayers(
        for line: Range<Int>, isRow: Bool = false, _ marks: TriggerSearch.Marks, prefix: Int?, _ bytes: Span<UInt8>, base: Int
    ) {
        guard depth < Self.maxLayers, traces.isEmpty, document == nil, !isForced else { return }
        let line = line.lowerBound..<min(line.upperBound, line.lowerBound + limits.lineLength)
        let text = bytes.clamped(to: line.lowerBound - base..<line.upperBound - base)
        // A part of a document that may still be a trace; its contents decide.
        var isInside = false
        if let open = candidate, open.start < line.lowerBound, open.scanned >= base {
            isInside = candidate?.hasEnded(upTo: line.lowerBound, in: bytes, base: base) == false
            if !isInside { candidate = nil }
        }
        let waits = marks & (FormatSearch.markup | FormatSearch.disguise) != 0 && !isInside
        // Text that is accepted only as a whole log is not accepted behind a prefix: `+0x10` is not a list.
        let layers = LineDamage.candidates(
            for: text, prefix: prefix, claim: { claims($0, (marks | triggers.marks(in: $0)) & ~formats.firstLine) },
            claimRow: { formats.rows != 0 && RowStacks.worth(of: $0) >= 60 })
        offerLayers(
            layers.filter { !isRow || $0.damage != .colours && $0.damage != .numbered }.map { ($0.damage, line.lowerBound + $0.start) },
            .line(end: line.upperBound, isAtStart: marks & formats.firstLine != 0, waits: waits), base: base)
    }

    /// Whether a format claims a line without a layer.
    private mutating func claims(_ line: Span<UInt8>, _ marks: TriggerSearch.Marks) -> Bool {
        let text = line.from(LinePrefix.Parts(of: line).length)
        // Generic rows are found behind any prefix already.
        return formats.lineFormat(for: text, marks & ~formats.rows).map { $0.confidence > .weak } ?? false
            || marks & formats.rows != 0 && StackCards.card(for: text) != nil
            || text.at(0) == UInt8(ascii: "{") && formats.documentFormat(for: text, marks)?.confidence == .certain
    }

    /// Offers a document whose lines all have a prefix: a mail's `> `, a container's name, a colour.
    mutating func offerQuotedDocument(_ marks: TriggerSearch.Marks, line: Range<Int>, _ bytes: Span<UInt8>, base: Int) {
        let end = line.upperBound
        let text = bytes.clamped(to: line.lowerBound - base..<end - base)
        if formats.hasDocumentFormat(marks), !isForced, let escape = text.firstIndex(of: ColoursRestorer.escape),
            let brace = text.firstIndex(of: UInt8(ascii: "{")), escape < brace, beginsDocument(text.from(brace), marks)
        {
            return offerLayers([(.colours, line.lowerBound)], .line(end: end, isAtStart: false, waits: true), base: base)
        }
        guard depth < Self.maxLayers, !isForced, let open = candidate, open.start > open.lineStart, open.lineStart >= base,
            formats.hasDocumentFormat(marks)
        else { return }
        let prefix = bytes.clamped(to: open.lineStart - base..<open.start - base)
        guard prefix.trimmed().count > 0, candidate?.isDue(at: end - open.lineStart) == true else { return }
        let damage = prefix.hasPrefix(">") ? Damage.prefix(prefix.copied()) : .writersPrefix
        offerLayers([(damage, open.lineStart)], .line(end: end, isAtStart: false, waits: false), base: base)
    }

    // MARK: Layers of traces and documents

    /// Offers the layers of the text that has just ended, or of the trace that had no stack.
    /// - Parameters:
    ///   - seen: end of the last line that was read.
    ///   - next: position at which the text continues behind it.
    mutating func offerLayers(
        of ended: [(reports: [CrashReport], range: Range<Int>)], seen: Int, next: Int, _ bytes: Span<UInt8>, base: Int
    ) {
        let failed = traces.removeFailed()
        guard depth < Self.maxLayers, traces.isEmpty, document == nil, ended.count <= 1 else { return }
        guard let trace = ended.first ?? failed.map({ ([], $0) }), trace.range.lowerBound >= max(base, covered) else { return }
        let end = max(trace.range.upperBound, min(seen, base + bytes.count))
        let text = bytes.clamped(to: trace.range.lowerBound - base..<end - base)
        var layers = DamageSigns.strings(in: text) + DamageSigns.kinds(in: text, isFailed: false).map { ($0, 0) }
        if layers.contains(where: { $0.damage == .html }), !trace.reports.isEmpty, !DamageSigns.hasTags(text.upTo(trace.range.count)) {
            // A log that is written into a page as it is does not end the page.
            layers.removeAll { $0.damage == .html }
        }
        if trace.reports.isEmpty {
            let line = text.upTo(text.firstLineFeed(from: 0) ?? text.count)
            let marks = triggers.marks(in: line)
            if let prefix = LineDamage.prefix(of: line, claim: { claims($0, marks) }) { layers.append((.prefix(prefix), 0)) }
            if let key = JSONLinesRestorer.key(in: line, claim: { claims($0, marks) || formats.rows != 0 && RowStacks.worth(of: $0) >= 60 })
            {
                layers.insert((.jsonLines(key: key), 0), at: 0)
            }
        }
        // Without its prefix, a text has no further prefix that only a failed trace shows. Joined lines are not joined again: in a stack
        // of rows of one length every few rows would start another attempt.
        if depth > 0 { layers.removeAll { if case .prefix = $0.damage { true } else { $0.damage.isWrapped } } }
        offer(layers, Reading(reports: trace.reports, range: trace.range, next: next), of: text, base: base)
    }

    /// Offers the layers of a document: of all of one that could not be read, its strings first, which may hold another format's stack; of
    /// others those at the beginning, because a mail's broken lines are no fault of JSON.
    mutating func offerLayers(of document: Reading.Document, reports: [CrashReport], _ bytes: Span<UInt8>, base: Int) {
        let range = document.open.start..<document.open.scanned
        guard depth < Self.maxLayers, range.lowerBound >= max(base, covered), !document.open.coversWholeLog else { return }
        let text = bytes.clamped(to: range.lowerBound - base..<range.upperBound - base)
        let isFailed = document.problem != nil
        var kinds = DamageSigns.kinds(in: isFailed ? text : text.upTo(LogScanner.beginning), isFailed: isFailed)
        // A document that only ends early was not broken.
        if (document.problem?.position ?? range.upperBound) >= range.upperBound { kinds.removeAll(where: \.isWrapped) }
        if !isFailed { kinds.removeAll { $0 != .quotedPrintable } }
        let reading = Reading(reports: reports, range: range, next: range.upperBound, document: document)
        offer((isFailed ? DamageSigns.strings(in: text) : []) + kinds.map { ($0, 0) }, reading, of: text, base: base)
    }

    /// Offers layers unless a text that shows signs of them everywhere has been read too often.
    /// - Parameter layers: each with its distance from the first byte of the reading.
    private mutating func offer(_ layers: [(damage: Damage, start: Int)], _ reading: Reading, of text: Span<UInt8>, base: Int) {
        guard !layers.isEmpty, reread + reading.range.count <= limits.rereadTraceBytes + reading.range.lowerBound else { return }
        var reading = reading
        reading.isPage = !DamageSigns.hasOtherAngles(text)
        offerLayers(layers.map { ($0.damage, reading.range.lowerBound + $0.start) }, .reading(reading), base: base)
        if offer != nil { (candidate, isInLongLine) = (nil, false) }
    }

    // MARK: Results of an offer

    /// Accepts the reading of a part of the text as it is: no layer gave more.
    mutating func accept(_ reading: Reading, _ bytes: Span<UInt8>, base: Int) {
        firstNeededByLayer = nil
        if let document = reading.document { return close(document, reports: reading.reports, bytes, base: base) }
        results.emit([(reading.reports, reading.range)].filter { !$0.0.isEmpty })
        let rows = findRows(bytes, base: base)
        results.emit(rows.found)
        begin(at: max(covered, rows.unfinished ?? reading.next))
    }

    /// Continues at `position` behind a part that had a layer.
    mutating func resume(at position: Int, isInLine: Bool) {
        firstNeededByLayer = nil
        if isInLine { beginInLine(at: position) } else { begin(at: position) }
    }
}
