internal import BinaryPrimitives

/// Damaged parts of a log: where one may begin, how it goes on, and how it ends.
///
/// A log without damage costs nothing but a look at the bytes of each trace when it has ended (`DamageSigns`). A part is restored
/// - from a line on in which a trigger stands and that no format claims, if one claims it when it is restored (`LineDamage`);
/// - once more from a trace's first line on, if its bytes look damaged; the better of the two readings counts.
extension LogScanner {
    /// HTML in a JSON string in a mail.
    static let damageDepth = 3

    /// Texts that say that a line is damaged where the damage has changed the formats' own.
    static let damageTexts = ["{\\\"", "{&quot;", "\u{A0}"]

    private func stream(isAtStart: Bool) -> LogStream {
        LogStream(scanner: LogScanner(formats, isForced: false, limits: limits, damageDepth: damageDepth - 1, isAtStart: isAtStart))
    }

    // MARK: Beginnings

    /// Opens a region at a line that no format claims as it is.
    /// - Parameter line: with its ending.
    mutating func openRegion(with line: Range<Int>, _ marks: TriggerSearch.Marks, _ bytes: Span<UInt8>, base: Int) {
        guard damageDepth > 0, traces.isEmpty, document == nil, !isForced else { return }
        let text = bytes.clamped(to: line.lowerBound - base..<line.upperBound - base)
        for candidate in LineDamage.candidates(for: text, claim: { claims($0, marks) }) {
            if tryRegion(candidate.damage, from: line.lowerBound + candidate.start, upTo: line.upperBound, bytes, base: base) { return }
        }
    }

    /// Whether a format claims a line that has been restored.
    private func claims(_ line: Span<UInt8>, _ marks: TriggerSearch.Marks) -> Bool {
        formats.lineFormat(for: line, marks) != nil
            || line.at(0) == UInt8(ascii: "{") && formats.documentFormat(for: line, marks)?.confidence == .certain
    }

    /// Opens a document whose lines all have a prefix: a mail's `> `, a container's name.
    mutating func openQuotedDocument(_ marks: TriggerSearch.Marks, upTo end: Int, _ bytes: Span<UInt8>, base: Int) -> Bool {
        guard damageDepth > 0, !isForced, let open = candidate, open.start > open.lineStart, open.lineStart >= base,
            formats.hasDocumentFormat(marks)
        else { return false }
        let prefix = bytes.clamped(to: open.lineStart - base..<open.start - base)
        if prefix.trimmed().count == 0 { return false }
        guard candidate?.isToBeAsked(at: end - open.lineStart) == true else { return false }
        let isQuote = prefix.hasPrefix(">")
        return tryRegion(isQuote ? .prefix(prefix.copied()) : .writersPrefix, from: open.lineStart, upTo: end, bytes, base: base)
    }

    /// Restores some bytes, and goes on with them if something in them is a trace.
    private mutating func tryRegion(_ damage: Damage, from start: Int, upTo end: Int, _ bytes: Span<UInt8>, base: Int) -> Bool {
        guard start >= base else { return false }
        var region = DamagedRegion(damage, at: start, stream: stream(isAtStart: isAtStart))
        while region.position < end, !region.hasEnded {
            let feed = bytes.firstLineFeed(from: region.position - base).map { base + $0 + 1 } ?? end
            region.take(bytes.clamped(to: region.position - base..<min(feed, end) - base))
        }
        guard region.isHolding || !region.found.isEmpty else { return false }
        open(region)
        return true
    }

    private mutating func open(_ region: DamagedRegion) {
        regions = [region]
        candidate = nil
        isInLongLine = false
        begin(at: region.position)
    }

    /// Looks once more at what has just ended, if its bytes look damaged.
    /// - Parameter next: where the log goes on behind it.
    /// - Returns: whether it is read again: it is then not to be given out.
    mutating func lookAgain(
        at ended: [(reports: [CrashReport], range: Range<Int>)], next: Int, _ bytes: Span<UInt8>, base: Int
    ) -> Bool {
        let failed = traces.takeFailed()
        guard damageDepth > 0, traces.isEmpty, document == nil, regions.isEmpty, ended.count <= 1 else { return false }
        guard let reading = ended.first ?? failed.map({ ([], $0) }), reading.range.lowerBound >= max(base, covered) else { return false }
        let end = max(reading.range.upperBound, min(next, base + bytes.count))
        let kinds = DamageSigns.kinds(in: bytes.clamped(to: reading.range.lowerBound - base..<end - base))
        guard !kinds.isEmpty else { return false }
        readAgain(EarlierReading(reports: reading.reports, range: reading.range, next: next, candidates: kinds))
        return true
    }

    private mutating func readAgain(_ earlier: EarlierReading) {
        var earlier = earlier
        guard !earlier.candidates.isEmpty else {
            if !earlier.reports.isEmpty {
                emitText(upTo: earlier.range.lowerBound)
                emit(earlier.reports, in: earlier.range)
            }
            return begin(at: earlier.next)
        }
        let damage = earlier.candidates.removeFirst()
        var region = DamagedRegion(damage, at: earlier.range.lowerBound, stream: stream(isAtStart: false))
        region.earlier = earlier
        open(region)
    }

    // MARK: Going on

    /// Restores the next line.
    /// - Returns: whether there is more to do in this window.
    mutating func advanceRegion(_ bytes: Span<UInt8>, base: Int, isFinal: Bool) -> Bool {
        guard var region = regions.popLast() else { return true }
        let start = region.position
        if !region.isIdle || start == region.start {
            let newline = bytes.firstLineFeed(from: max(searched, start) - base)
            var end = newline.map { base + $0 + 1 } ?? base + bytes.count
            if newline == nil, end - start >= limits.lineLength {
                end = start + limits.lineLength
            } else if newline == nil, !isFinal {
                searched = end
                regions = [region]
                return false
            }
            region.take(bytes.clamped(to: start - base..<end - base))
            if isFinal, end == base + bytes.count { region.finish() }
        }
        if region.earlier == nil { emit(&region) }
        begin(at: region.position)
        guard region.isIdle else {
            regions = [region]
            return true
        }
        region.finish()
        close(region, bytes, base: base)
        return true
    }

    /// Ends what is open although the log goes on.
    mutating func settleRegion(_ bytes: Span<UInt8>, base: Int) {
        while var region = regions.popLast() {
            region.settle()
            close(region, bytes, base: base)
            // Another kind of damage is tried with the lines that are there.
            if !regions.isEmpty { advance(over: bytes, base: base, isFinal: false) }
        }
    }

    private mutating func emit(_ region: inout DamagedRegion) {
        for (reports, range) in region.takeFound() where range.lowerBound >= covered && !range.isEmpty {
            emitText(upTo: range.lowerBound)
            emit(reports, in: range)
        }
    }

    private mutating func close(_ region: DamagedRegion, _ bytes: Span<UInt8>, base: Int) {
        var region = region
        if let earlier = region.earlier, !region.isBetter(than: earlier) { return readAgain(earlier) }
        emit(&region)
        let isInLine = region.position > base && bytes.at(region.position - 1 - base) != UInt8(ascii: "\n")
        if isInLine { beginInLine(at: region.position) } else { begin(at: region.position) }
    }
}

extension DamagedRegion {
    /// Whether the restored text says more, in the same format. Of a page's source, names with tags in them are as many as without.
    fileprivate func isBetter(than earlier: EarlierReading) -> Bool {
        if let format = earlier.reports.first?.format, found.first?.reports.first?.format != format { return false }
        let worth = found.reduce(0) { $0 + EarlierReading.worth($1.reports) }
        let before = EarlierReading.worth(earlier.reports)
        return worth > before || worth == before && worth > 0 && damage == .html
    }
}
