internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel

extension Damage {
    /// The text with the layer has the formats' keywords, too: its format is the same with and without the layer.
    fileprivate var keepsKeywords: Bool {
        switch self {
        case .prefix, .writersPrefix, .typography, .emptyLines: true
        default: false
        }
    }
}

extension OpenLayer {
    /// Whether the text without the layer says more than `reading`, in the same format.
    ///
    /// In a page's source, names with tags are as many as names without; text behind an indentation has it on each of its lines.
    func isBetter(than reading: Reading) -> Bool {
        // A heading without a stack and another writer's row are no line.
        if damage.isWrapped, reading.document == nil, reading.reports.isEmpty,
            let format = found.first?.reports.first?.format, RowStacks.families.contains(where: { $0.name == format })
        {
            return false
        }
        if let format = reading.reports.first?.format, damage.keepsKeywords, found.first?.reports.first?.format != format { return false }
        // Reports below are no part of the comparison.
        let same = found.filter { $0.range.lowerBound < reading.range.upperBound }
        // Text below a document that was cut off is no part of it.
        if damage.isWrapped, let document = reading.document, same.first?.reports.first?.format != document.open.format.name {
            return false
        }
        // Two rows that are one now were two.
        if damage.isWrapped, !Self.keeps(reading.reports, in: same.flatMap(\.reports)) { return false }
        let worth = same.reduce(0) { $0 + Self.worth($1.reports) }
        let before = Self.worth(reading.reports)
        if worth != before || worth == 0 { return worth > before }
        switch damage {
        case .wrapped: return Self.detail(same.flatMap(\.reports)) > Self.detail(reading.reports)
        case .html: return reading.isPage
        case .jsonString, .quotedPrintable, .carriageReturns: return true
        // An indentation may be the format's own, with a meaning.
        case .prefix: return Self.rows(same.flatMap(\.reports)) == Self.rows(reading.reports)
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

    /// Whether all addresses of some reports are among those of others, in order.
    private static func keeps(_ reports: [CrashReport], in others: [CrashReport]) -> Bool {
        func addresses(_ reports: [CrashReport]) -> [RuntimeAddress] { reports.flatMap(\.stacks).flatMap(\.frames).compactMap(\.address) }
        var rest = addresses(others)[...]
        for address in addresses(reports) {
            guard let index = rest.firstIndex(of: address) else { return false }
            rest = rest[(index + 1)...]
        }
        return true
    }

    /// How much the rows of reports say. A row that was broken lacks what is in its other half, or the end of its name. Text below a stack
    /// that was read as a part of its last row says nothing.
    private static func detail(_ reports: [CrashReport]) -> Int {
        reports.flatMap(\.stacks).reduce(0) { sum, stack in
            let known = stack.frames.reduce(0) { sum, frame in
                let printed = frame.printed
                return sum + [frame.imagePlace != nil, printed?.name != nil, printed?.offset != nil, printed?.location != nil].count { $0 }
            }
            return sum + 256 * known + stack.frames.dropLast().reduce(0) { $0 + min(255, $1.printed?.name?.utf8.count ?? 0) }
        }
    }

    /// How much reports say: frames, images, identities, fields of the header.
    private static func worth(_ reports: [CrashReport]) -> Int {
        reports.reduce(0) { sum, report in
            let process = report.process
            let named = [
                process.name != nil, process.pid != nil, process.path != nil, process.identifier != nil, process.version != nil,
                report.platform != nil, report.architecture != nil, report.cause != nil, report.timestamp != nil,
            ]
            let frames = report.stacks.reduce(0) {
                $0 + $1.frames.count { $0.address != nil || $0.imagePlace != nil || $0.printed?.name != nil }
            }
            let identified = report.images.count { $0.id != nil }
            return sum + frames + report.images.count + identified + named.count { $0 } + report.threads.count
        }
    }
}
