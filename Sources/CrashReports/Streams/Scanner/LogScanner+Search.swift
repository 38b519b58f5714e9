internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel

/// The search for beginnings while nothing is open.
extension LogScanner {
    /// Binary documents are known by the log's first bytes.
    mutating func checkMagic(_ bytes: Span<UInt8>, isFinal: Bool) {
        for format in formats.documentFormats where format.isBinary {
            let confidence = format.magic.isEmpty ? format.begins(bytes) : LogScanner.magic(of: format, in: bytes)
            // It may be one: more is needed.
            if confidence == .possible, !isFinal { return }
            guard confidence == .certain else { continue }
            openWhole(format)
            break
        }
        hasCheckedMagic = bytes.count > 0 || isFinal
        guard document == nil, !isForced, let file = ForeignFile.recognise(bytes) else { return }
        foreign = file
        results.complain(file.problem())
    }

    /// `possible` while only a part of the magic bytes is there.
    private static func magic(of format: any DocumentFormat.Type, in bytes: Span<UInt8>) -> Confidence {
        let known = bytes.upTo(format.magic.count)
        guard known.count > 0, (0..<known.count).allSatisfy({ known[$0] == format.magic[$0] }) else { return .none }
        return known.count == format.magic.count ? .certain : .possible
    }

    /// Searches triggers from `searched` on.
    /// - Returns: whether there is more to do in this window.
    mutating func advanceSearch(_ bytes: Span<UInt8>, base: Int, isFinal: Bool) -> Bool {
        if cursor == 0, searched == 0 { noteBrace(at: 0, bytes, base: base) }
        var position = searched - base
        while position < bytes.count {
            let marks = triggers.next(in: bytes, from: &position, state: &searchState)
            if marks & FormatSearch.brace != 0 { noteBrace(behind: position, bytes, base: base) }
            guard marks & ~FormatSearch.brace != 0 else { continue }
            // The line that it is in is looked at as a whole.
            let newline = bytes.lastIndex(of: UInt8(ascii: "\n"), before: position, from: cursor - base)
            cursor = max(cursor, newline.map { base + $0 + 1 } ?? cursor)
            searched = base + position
            if rest != nil { rest = newline == nil ? RestOfLine(behind: searched) : nil }
            wantsLine = true
            return true
        }
        // The text after the last line's end is kept: a trigger may follow in the same line. No
        // line ends before `searched`, so a line that comes byte by byte is looked at once.
        if let newline = bytes.lastIndex(of: UInt8(ascii: "\n"), before: bytes.count, from: searched - base) {
            cursor = base + newline + 1
            rest = nil
        }
        searched = base + bytes.count
        if searched - cursor > limits.lineLength {
            cursor = searched
            isInLongLine = true
        }
        return false
    }

    mutating func skipLongLine(_ bytes: Span<UInt8>, base: Int) -> Bool {
        guard let newline = bytes.firstIndex(of: UInt8(ascii: "\n"), from: cursor - base) else {
            cursor = base + bytes.count
            searched = cursor
            return false
        }
        isInLongLine = false
        begin(at: base + newline + 1)
        return true
    }

    /// Continues with the line that begins at `position`.
    mutating func begin(at position: Int) {
        cursor = position
        searched = position
        searchState = lineStart
        wantsLine = false
        rest = nil
    }

    /// Continues at `position`, inside a line whose beginning belongs to a document.
    mutating func beginInLine(at position: Int) {
        begin(at: position)
        searchState = TriggerSearch.State()
        rest = RestOfLine(behind: position)
    }
}
