internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel

/// The parts of a text that show signs of layers (`LayerOffer`).
///
/// A text without layers costs nothing but a look at the bytes of each trace when it has ended (`DamageSigns`). Offered are
/// - a line with a trigger that no format claims, if one claims it without a layer (`LineDamage`);
/// - a trace or document that has ended, if its bytes look as if they had a layer.
extension LogScanner {
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

    // MARK: Lines

    /// Offers the layers of a line that no format claims as it is.
    /// - Parameters:
    ///   - line: with its ending.
    ///   - isRow: it reads as a row of some stack. Those are read behind numbers and colours.
    mutating func offerLayers(
        for line: Range<Int>, isRow: Bool = false, _ marks: TriggerSearch.Marks, _ bytes: Span<UInt8>, base: Int
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
            for: text, claim: { claims($0, (marks | triggers.marks(in: $0)) & ~formats.firstLine) },
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

    // MARK: Traces and documents

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
        guard !layers.isEmpty, reread + reading.range.count <= limits.readAgain + reading.range.lowerBound else { return }
        var reading = reading
        reading.isPage = !DamageSigns.hasOtherAngles(text)
        offerLayers(layers.map { ($0.damage, reading.range.lowerBound + $0.start) }, .reading(reading), base: base)
        if offer != nil { (candidate, isInLongLine) = (nil, false) }
    }

    // MARK: Answers to an offer

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

extension Damage {
    var isWrapped: Bool { if case .wrapped = self { true } else { false } }
}
