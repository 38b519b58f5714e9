internal import CrashLogModel

/// Which of a registry's formats a line or a document may have, by the triggers that occur in it.
/// Made once for a registry.
package struct FormatSearch: Sendable {
    package let lineFormats: [any LineFormat.Type]
    package let documentFormats: [any DocumentFormat.Type]
    package let triggers: SharedTriggerSearch
    /// The marks of the formats that must be shown every line.
    package let everyLine: TriggerSearch.Marks
    /// The marks of the formats that must be shown a log's first line.
    package let firstLine: TriggerSearch.Marks
    /// The registry's names, for people.
    package let names: [String]
    /// The marks of the formats with `LineFormat.isDecidedByShape`.
    package let decidedByShape: TriggerSearch.Marks
    /// The mark of the format of last resort; 0 if it is not one of the formats.
    package let rows: TriggerSearch.Marks

    /// The mark of a line that begins like a JSON document.
    package static let brace: TriggerSearch.Marks = 1 << 127
    /// The mark of a line that may be a row of a memory map: a file's first mapping, one of code or
    /// of data.
    package static let mapping: TriggerSearch.Marks = 1 << 126
    /// The mark of a line that may contain a program's message about the reason why it ended.
    package static let cause: TriggerSearch.Marks = 1 << 122

    /// The mark of a line of a page's source, independent of the formats.
    package static let markup: TriggerSearch.Marks = 1 << 125
    /// The mark of a line that may hold a trigger that is spelled otherwise: blanks that do not
    /// break, a document in a JSON string.
    package static let disguise: TriggerSearch.Marks = 1 << 124

    init(_ shapes: [FormatShape]) {
        var lineFormats: [any LineFormat.Type] = []
        var documentFormats: [any DocumentFormat.Type] = []
        for shape in shapes {
            switch shape {
            case .lines(let format): lineFormats.append(format)
            case .document(let format): documentFormats.append(format)
            }
        }
        rows = lineFormats.firstIndex { $0 == RowStacks.self }.map(FormatSearch.mark) ?? 0
        decidedByShape = lineFormats.indices.filter { lineFormats[$0].isDecidedByShape }.reduce(0) { $0 | FormatSearch.mark($1) }
        names = shapes.flatMap { $0.format.families.map(\.name) }.reduce(into: []) { names, name in
            if !names.contains(name) { names.append(name) }
        }
        var texts: [(text: [UInt8], marks: TriggerSearch.Marks)] = [
            (Array("\n{".utf8), FormatSearch.brace), (Array("\n[".utf8), FormatSearch.brace),
            // Indented, and quoted in a mail.
            (Array("\n {".utf8), FormatSearch.brace), (Array("\n  {".utf8), FormatSearch.brace),
            (Array("\n    {".utf8), FormatSearch.brace), (Array("\n      {".utf8), FormatSearch.brace),
            (Array("\n        {".utf8), FormatSearch.brace),
            (Array("\n\t{".utf8), FormatSearch.brace),
            (Array("\n> {".utf8), FormatSearch.brace),
            (Array(" r--p 00000000 ".utf8), FormatSearch.mapping), (Array(" r-xp ".utf8), FormatSearch.mapping),
            (Array(" rw-p ".utf8), FormatSearch.mapping),
        ]
        texts += PrintedCause.triggers.map { (Array($0.utf8), FormatSearch.cause) }
        texts += DamageSigns.markupTexts.map { (Array($0.utf8), FormatSearch.markup) }
        texts += DamageSigns.disguiseTexts.map { (Array($0.utf8), FormatSearch.disguise) }
        var everyLine: TriggerSearch.Marks = 0
        var firstLine = lineFormats.isEmpty ? 0 : FormatSearch.cut
        for (index, format) in lineFormats.enumerated() {
            if format.standsAlone {
                firstLine |= FormatSearch.mark(index)
                continue
            }
            if format.triggers.isEmpty { everyLine |= FormatSearch.mark(index) }
            texts += format.triggers.map { (Array($0.utf8), FormatSearch.mark(index)) }
            if format == RowStacks.self { texts += StackCards.triggers.map { (Array($0.utf8), FormatSearch.opening) } }
        }
        for (index, format) in documentFormats.enumerated() {
            let mark = FormatSearch.mark(lineFormats.count + index)
            // Documents that are recognised by their first bytes need no trigger.
            if format.triggers.isEmpty, !format.isBinary { everyLine |= mark }
            texts += format.triggers.map { (Array($0.utf8), mark) }
        }
        self.lineFormats = lineFormats
        self.documentFormats = documentFormats
        self.everyLine = everyLine
        self.firstLine = firstLine
        triggers = SharedTriggerSearch(TriggerTree(texts))
    }

    /// The mark of a log's first line, which may be in the middle of a trace.
    package static let cut: TriggerSearch.Marks = 1 << 123

    /// The mark of a line with a text that opens a family's stack. The mark of `RowStacks` alone
    /// only means that there is an address.
    package static let opening: TriggerSearch.Marks = 1 << 121

    /// The mark of each of the first 120 formats; further formats share one.
    private static func mark(_ index: Int) -> TriggerSearch.Marks { 1 << TriggerSearch.Marks(min(index, 120)) }

    /// The surest of the line formats with these marks that the line may begin.
    package func lineFormat(for line: Span<UInt8>, _ marks: TriggerSearch.Marks) -> (format: any LineFormat.Type, confidence: Confidence)? {
        var best: (format: any LineFormat.Type, confidence: Confidence)?
        for (index, format) in lineFormats.enumerated() where marks & FormatSearch.mark(index) != 0 {
            let confidence = format.begins(line)
            if confidence > (best?.confidence ?? .none) { best = (format, confidence) }
        }
        // A row of any stack may be a row of a report whose head is cut off, also below a sentence or a fence.
        if best.map({ $0.format == RowStacks.self }) ?? (marks & FormatSearch.cut != 0),
            let cut = lineFormats.first(where: { $0.beginsCut(line) })
        {
            return (cut, .possible)
        }
        return best
    }

    package func hasDocumentFormat(_ marks: TriggerSearch.Marks) -> Bool {
        documentFormats.indices.contains { marks & FormatSearch.mark(lineFormats.count + $0) != 0 }
    }

    /// The surest of the document formats with these marks that a document with this beginning may
    /// be of.
    package func documentFormat(
        for start: Span<UInt8>, _ marks: TriggerSearch.Marks
    ) -> (format: any DocumentFormat.Type, confidence: Confidence)? {
        var best: (format: any DocumentFormat.Type, confidence: Confidence)?
        for (index, format) in documentFormats.enumerated() where marks & FormatSearch.mark(lineFormats.count + index) != 0 {
            let confidence = format.begins(start)
            if confidence > (best?.confidence ?? .none) { best = (format, confidence) }
        }
        return best
    }
}
