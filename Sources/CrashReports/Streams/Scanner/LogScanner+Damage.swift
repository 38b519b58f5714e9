internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel

/// Damaged parts of a log: where one may begin, how it goes on, and how it ends.
///
/// A log without damage costs nothing but a look at the bytes of each trace when it has ended
/// (`DamageSigns`). A part is restored
/// - from a line on that has a trigger and that no format claims, if one claims it when it is
///   restored (`LineDamage`);
/// - once more from a trace's first line on, if its bytes look damaged; the better of the two
///   readings counts.
extension LogScanner {
    /// HTML in a JSON string in a mail.
    static let damageDepth = 3

    private func stream(isAtStart: Bool) -> LogStream {
        LogStream(scanner: LogScanner(formats, isForced: false, limits: limits, damageDepth: damageDepth - 1, isAtStart: isAtStart))
    }

    /// Ends what is open although the log goes on.
    ///
    /// - Parameters: as those of `advance`.
    mutating func settle(over bytes: Span<UInt8>, base: Int) {
        isSettling = true
        defer { isSettling = false }
        if document != nil, document?.takesEverything != true { _ = advanceDocument(bytes, base: base, isFinal: true) }
        advance(over: bytes, base: base, isFinal: false)
        repeat {
            traces.closeAll()
            let isElsewhere = emitEnded(bytes, base: base, seen: cursor, next: cursor)
            settleRegion(bytes, base: base)
            if isElsewhere { advance(over: bytes, base: base, isFinal: false) }
        } while !traces.isEmpty
        candidate = nil
        emitText(upTo: held)
    }

    // MARK: Beginnings

    /// Opens a region at a line that no format claims as it is.
    /// - Parameters:
    ///   - line: with its ending.
    ///   - isRow: it reads as a row of some stack. Those are read after numbers and colours.
    /// - Returns: whether one was opened.
    mutating func openRegion(
        with line: Range<Int>, isRow: Bool = false, _ marks: TriggerSearch.Marks, _ bytes: Span<UInt8>, base: Int
    ) -> Bool {
        guard damageDepth > 0, traces.isEmpty, document == nil, !isForced else { return false }
        let line = line.lowerBound..<min(line.upperBound, line.lowerBound + limits.lineLength)
        let text = bytes.clamped(to: line.lowerBound - base..<line.upperBound - base)
        // Inside a document that may still be a trace, a part of it is only taken for one by what
        // it holds.
        var isInside = false
        if let open = candidate, open.start < line.lowerBound, open.scanned >= base {
            isInside = candidate?.hasEnded(upTo: line.lowerBound, in: bytes, base: base) == false
            if !isInside { candidate = nil }
        }
        let waits = marks & (FormatSearch.markup | FormatSearch.disguise) != 0 && !isInside
        // Text that is accepted only as a whole log is not accepted after a prefix: `+0x10` is not
        // a list.
        for candidate in LineDamage.candidates(
            for: text, claim: { claims($0, marks & ~formats.firstLine) }, claimRow: { formats.rows != 0 && RowStacks.worth(of: $0) >= 60 })
        {
            if isRow, candidate.damage == .colours || candidate.damage == .numbered { continue }
            let place = line.lowerBound + candidate.start..<line.upperBound
            if tryRegion(candidate.damage, in: place, isAtStart: marks & formats.firstLine != 0, waits: waits, bytes, base: base) {
                return true
            }
        }
        return false
    }

    /// Whether a format claims a line that has been restored.
    private func claims(_ line: Span<UInt8>, _ marks: TriggerSearch.Marks) -> Bool {
        let text = line.from(LinePrefix.Parts(of: line).length)
        // The rows of any stack are found after any prefix: those that were not are none.
        return formats.lineFormat(for: text, marks & ~formats.rows).map { $0.confidence > .weak } ?? false
            || marks & formats.rows != 0 && StackCards.card(for: text) != nil
            || text.at(0) == UInt8(ascii: "{") && formats.documentFormat(for: text, marks)?.confidence == .certain
    }

    /// Opens a document whose lines all have a prefix: a mail's `> `, a container's name.
    mutating func openQuotedDocument(_ marks: TriggerSearch.Marks, upTo end: Int, _ bytes: Span<UInt8>, base: Int) -> Bool {
        guard damageDepth > 0, !isForced, let open = candidate, open.start > open.lineStart, open.lineStart >= base,
            formats.hasDocumentFormat(marks)
        else { return false }
        let prefix = bytes.clamped(to: open.lineStart - base..<open.start - base)
        if prefix.trimmed().count == 0 { return false }
        guard candidate?.isDue(at: end - open.lineStart) == true else { return false }
        let isQuote = prefix.hasPrefix(">")
        let damage = isQuote ? Damage.prefix(prefix.copied()) : .writersPrefix
        return tryRegion(damage, in: open.lineStart..<end, isAtStart: false, waits: false, bytes, base: base)
    }

    /// Restores some bytes, and goes on with them if something in them is a trace.
    /// - Parameter waits: what may be a document's beginning is enough.
    mutating func tryRegion(
        _ damage: Damage, in place: Range<Int>, isAtStart: Bool, waits: Bool, _ bytes: Span<UInt8>, base: Int
    ) -> Bool {
        guard place.lowerBound >= base else { return false }
        var region = DamagedRegion(damage, at: place.lowerBound, stream: stream(isAtStart: isAtStart))
        while region.position < place.upperBound, !region.hasEnded {
            let feed = bytes.firstLineFeed(from: region.position - base).map { base + $0 + 1 } ?? place.upperBound
            let end = min(feed, place.upperBound)
            region.take(
                bytes.clamped(to: region.position - base..<end - base), before: bytes.clamped(to: end - base..<place.upperBound - base))
        }
        guard region.isHolding || !region.found.isEmpty || (waits || damage == .quotedPrintable) && !region.isIdle else { return false }
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
    /// - Parameters:
    ///   - seen: after the last line that was looked at.
    ///   - next: where the log goes on after it.
    /// - Returns: whether it is read again: it is then not to be given out.
    mutating func lookAgain(
        at ended: [(reports: [CrashReport], range: Range<Int>)], seen: Int, next: Int, _ bytes: Span<UInt8>, base: Int
    ) -> Bool {
        let failed = traces.takeFailed()
        guard damageDepth > 0, traces.isEmpty, document == nil, regions.isEmpty, ended.count <= 1 else { return false }
        guard let reading = ended.first ?? failed.map({ ([], $0) }), reading.range.lowerBound >= max(base, covered) else { return false }
        let end = max(reading.range.upperBound, min(seen, base + bytes.count))
        let text = bytes.clamped(to: reading.range.lowerBound - base..<end - base)
        var candidates = DamageSigns.strings(in: text) + DamageSigns.kinds(in: text, isFailed: false).map { ($0, 0) }
        if candidates.contains(where: { $0.damage == .html }), !reading.reports.isEmpty,
            !DamageSigns.hasTags(text.upTo(reading.range.count))
        {
            // The page goes on below a log that is written into it as it is.
            candidates.removeAll { $0.damage == .html }
        }
        if reading.reports.isEmpty {
            let line = text.upTo(text.firstLineFeed(from: 0) ?? text.count)
            let marks = triggers.marks(in: line)
            if let prefix = LineDamage.prefix(of: line, claim: { claims($0, marks) }) { candidates.append((.prefix(prefix), 0)) }
            if let key = JSONLinesRestorer.key(in: line, claim: { claims($0, marks) || formats.rows != 0 && RowStacks.worth(of: $0) >= 60 })
            {
                candidates.insert((.jsonLines(key: key), 0), at: 0)
            }
        }
        // After a prefix that has been taken, there is no further prefix that only a failed trace
        // shows.
        // Joined lines are not joined again: in a stack of rows of one length every few rows would start another attempt.
        if damageDepth < LogScanner.damageDepth {
            candidates.removeAll { if case .prefix = $0.damage { true } else { $0.damage.isWrapped } }
        }
        return readAgain(
            EarlierReading(reports: reading.reports, range: reading.range, next: next, candidates: candidates), of: text, bytes, base: base)
    }

    /// Looks once more at a document: at all of one that could not be read, and at the beginning of
    /// others, since a mail's broken lines are no fault of JSON.
    mutating func lookAgain(
        at document: EarlierReading.Document, reports: [CrashReport], _ bytes: Span<UInt8>, base: Int
    ) -> Bool {
        let range = document.open.start..<document.open.scanned
        guard damageDepth > 0, regions.isEmpty, range.lowerBound >= max(base, covered), !document.open.takesEverything else { return false }
        let text = bytes.clamped(to: range.lowerBound - base..<range.upperBound - base)
        let isFailed = document.problem != nil
        var kinds = DamageSigns.kinds(in: isFailed ? text : text.upTo(LogScanner.beginning), isFailed: isFailed)
        // What only ends early was not broken.
        if (document.problem?.position ?? range.upperBound) >= range.upperBound { kinds.removeAll(where: \.isWrapped) }
        if !isFailed { kinds.removeAll { $0 != .quotedPrintable } }
        let candidates = kinds.map { ($0, 0) }
        return readAgain(
            EarlierReading(reports: reports, range: range, next: range.upperBound, candidates: candidates, document: document), of: text,
            bytes, base: base)
    }

    /// - Returns: whether there is anything to try, and a log that shows signs of damage everywhere
    ///   has not been read too often.
    private mutating func readAgain(_ earlier: EarlierReading, of text: Span<UInt8>, _ bytes: Span<UInt8>, base: Int) -> Bool {
        guard !earlier.candidates.isEmpty, reread + earlier.range.count <= limits.readAgain + earlier.range.lowerBound else { return false }
        var earlier = earlier
        earlier.isPage = !DamageSigns.hasOtherAngles(text)
        readAgain(earlier, bytes, base: base)
        return true
    }

    private mutating func readAgain(_ earlier: EarlierReading, _ bytes: Span<UInt8>, base: Int) {
        var earlier = earlier
        guard !earlier.candidates.isEmpty else {
            if let document = earlier.document { return close(document, reports: earlier.reports, bytes, base: base) }
            if !earlier.reports.isEmpty {
                emitText(upTo: earlier.range.lowerBound)
                emit(earlier.reports, in: earlier.range)
            }
            let rows = lookForRows(bytes, base: base)
            for (reports, range) in rows.found where range.lowerBound >= covered {
                emitText(upTo: range.lowerBound)
                emit(reports, in: range)
            }
            return begin(at: max(covered, rows.unfinished ?? earlier.next))
        }
        let next = earlier.candidates.removeFirst()
        var region = DamagedRegion(next.damage, at: earlier.range.lowerBound + next.start, stream: stream(isAtStart: false))
        region.earlier = earlier
        open(region)
    }

    // MARK: Going on

    /// Restores the next line.
    /// - Returns: whether there is more to do in this window.
    mutating func advanceRegion(_ bytes: Span<UInt8>, base: Int, isFinal: Bool) -> Bool {
        // In place: a copy of a region has many parts.
        let start = regions[0].position
        if start == regions[0].start || !regions[0].isIdle {
            let newline = bytes.firstLineFeed(from: max(searched, start) - base)
            var end = newline.map { base + $0 + 1 } ?? base + bytes.count
            if end - start >= limits.lineLength {
                // Always in the same parts, however the log comes.
                end = start + limits.lineLength
            } else if newline == nil, !isFinal {
                searched = end
                return false
            }
            let next = end - base..<(bytes.firstLineFeed(from: end - base) ?? bytes.count)
            if regions[0].needsNext, next.upperBound == bytes.count, next.count < LogScanner.nextLine, !isFinal { return false }
            regions[0].take(bytes.clamped(to: start - base..<end - base), before: bytes.clamped(to: next).upTo(LogScanner.nextLine))
            if isFinal, end == base + bytes.count { regions[0].finish() }
        }
        begin(at: regions[0].position)
        // What is read once more ends somewhere near where it ended before: a document's quote that
        // was lost would take the rest of the log.
        if let earlier = regions[0].earlier,
            regions[0].position - earlier.range.lowerBound > 4 * earlier.range.count + limits.foreignText / 4
        {
            regions[0].finish()
        }
        if regions[0].isPastEarlier, !goesOn(bytes, base: base) { return true }
        if regions[0].earlier == nil, !regions[0].found.isEmpty { emit(regions[0].takeFound()) }
        if regions[0].isIdle { close(bytes, base: base) }
        return true
    }

    /// Bytes of a line that say how it begins.
    private static let nextLine = 1024

    /// The first byte that the region needs.
    var heldByRegion: Int? { regions.isEmpty ? nil : regions[0].held }

    /// Ends what is open although the log goes on.
    mutating func settleRegion(_ bytes: Span<UInt8>, base: Int) {
        while !regions.isEmpty {
            regions[0].settle()
            close(bytes, base: base)
            // Another kind of damage is tried with the lines that are there.
            if !regions.isEmpty { advance(over: bytes, base: base, isFinal: false) }
        }
    }

    private mutating func emit(_ found: [(reports: [CrashReport], range: Range<Int>)]) {
        for (reports, range) in found where range.lowerBound >= covered && !range.isEmpty {
            emitText(upTo: range.lowerBound)
            emit(reports, in: range)
        }
    }

    /// What was read once more has ended: the region goes on if it reads more than was read before.
    /// If not, it is done with.
    private mutating func goesOn(_ bytes: Span<UInt8>, base: Int) -> Bool {
        guard let earlier = regions[0].earlier else { return true }
        // Of two logs, one may have broken lines: the next trace is looked at by itself.
        guard regions[0].damage.isWrapped || !regions[0].isBetter(than: earlier) else {
            reread += regions[0].position - regions[0].start
            regions[0].earlier = nil
            return true
        }
        let region = regions.removeLast()
        end(region, against: earlier, next: max(region.open, earlier.range.upperBound), bytes, base: base)
        return false
    }

    /// Gives out the better one of two readings, or tries another kind of damage.
    private mutating func end(_ region: DamagedRegion, against earlier: EarlierReading, next: Int, _ bytes: Span<UInt8>, base: Int) {
        reread += region.position - region.start
        guard region.isBetter(than: earlier) else { return readAgain(earlier, bytes, base: base) }
        // Where lines are broken at a column, some were broken at a blank, too: the better reading
        // counts.
        let candidates = region.damage.isWrapped ? earlier.candidates.filter(\.damage.isWrapped) : []
        if let found = EarlierReading(region, next: next, candidates: candidates) { return readAgain(found, bytes, base: base) }
        emit(region.found)
        beginBehind(next, bytes, base: base)
    }

    /// The region has ended.
    private mutating func close(_ bytes: Span<UInt8>, base: Int) {
        guard var region = regions.popLast() else { return }
        region.finish()
        if let earlier = region.earlier {
            return end(region, against: earlier, next: region.position, bytes, base: base)
        }
        emit(region.takeFound())
        beginBehind(region.position, bytes, base: base)
    }

    /// Goes on after a region, which may have ended inside a line.
    private mutating func beginBehind(_ position: Int, _ bytes: Span<UInt8>, base: Int) {
        let isInLine = position > base && bytes.at(position - 1 - base) != UInt8(ascii: "\n")
        if isInLine { beginInLine(at: position) } else { begin(at: position) }
    }
}

extension EarlierReading {
    /// What a region gave; `nil` where nothing else is to be tried.
    fileprivate init?(_ region: DamagedRegion, next: Int, candidates: [(damage: Damage, start: Int)]) {
        guard !candidates.isEmpty, let first = region.found.first, let last = region.found.last else { return nil }
        self.init(
            reports: region.found.flatMap(\.reports), range: first.range.lowerBound..<last.range.upperBound, next: next,
            candidates: candidates)
    }
}
