internal import CrashLogFormats
internal import CrashLogModel

extension Damage {
    var isWrapped: Bool { if case .wrapped = self { true } else { false } }

    /// The formats' own words are in the damaged text, too: what it was read as, it is.
    fileprivate var keepsWords: Bool {
        switch self {
        case .prefix, .writersPrefix, .typography, .emptyLines: true
        default: false
        }
    }
}

extension DamagedRegion {
    /// Whether the restored text says more, in the same format. In a page's source, names with tags
    /// are as many as names without; text written after an indentation has it in each of its lines.
    func isBetter(than earlier: EarlierReading) -> Bool {
        // A heading without a stack and another writer's row are no line.
        if damage.isWrapped, earlier.document == nil, earlier.reports.isEmpty,
            let format = found.first?.reports.first?.format, RowStacks.families.contains(where: { $0.name == format })
        {
            return false
        }
        if let format = earlier.reports.first?.format, damage.keepsWords, found.first?.reports.first?.format != format { return false }
        // What else the region holds is no part of the comparison.
        let same = found.filter { $0.range.lowerBound < earlier.range.upperBound }
        // What is below a document that was cut off is no part of it.
        if damage.isWrapped, let document = earlier.document, same.first?.reports.first?.format != document.open.format.name {
            return false
        }
        // Two rows that are one now were two.
        if damage.isWrapped, !EarlierReading.keeps(earlier.reports, in: same.flatMap(\.reports)) { return false }
        let worth = same.reduce(0) { $0 + EarlierReading.worth($1.reports) }
        let before = EarlierReading.worth(earlier.reports)
        if worth != before || worth == 0 { return worth > before }
        switch damage {
        case .wrapped: return EarlierReading.detail(same.flatMap(\.reports)) > EarlierReading.detail(earlier.reports)
        case .html: return earlier.isPage
        case .jsonString, .quotedPrintable, .carriageReturns: return true
        // An indentation may be the format's own, and say something.
        case .prefix: return DamagedRegion.rows(same.flatMap(\.reports)) == DamagedRegion.rows(earlier.reports)
        default: return false
        }
    }

    private struct Row: Equatable {
        var index: Int
        var depth: Int?
        var kind: Frame.Kind
        var printed: PrintedSymbol?
    }

    private static func rows(_ reports: [CrashReport]) -> [Row] {
        reports.flatMap(\.stacks).flatMap(\.frames).map { Row(index: $0.index, depth: $0.depth, kind: $0.kind, printed: $0.printed) }
    }
}
