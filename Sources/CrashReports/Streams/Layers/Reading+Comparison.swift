internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel

extension Damage {
    /// The text with the layer has the formats' keywords, too: its format is recognised with and
    /// without the layer.
    fileprivate var keepsKeywords: Bool {
        switch self {
        case .prefix, .writersPrefix, .typography, .emptyLines: true
        default: false
        }
    }
}

extension OpenLayer {
    /// Whether the text without the layer contains more than `reading`, in the same format.
    ///
    /// A page's source has as many names as the page, with tags in them; an indentation is on each line.
    func isBetter(than reading: Reading) -> Bool {
        // A heading without a stack and another writer's row do not count as lines.
        if damage.isWrapped, reading.document == nil, reading.reports.isEmpty,
            let format = found.first?.reports.first?.format, RowStacks.families.contains(where: { $0.name == format })
        {
            return false
        }
        if let format = reading.reports.first?.format, damage.keepsKeywords, found.first?.reports.first?.format != format { return false }
        // Reports below the reading are not compared.
        let same = found.filter { $0.range.lowerBound < reading.range.upperBound }
        // Text below a document that was cut off does not belong to the document.
        if damage.isWrapped, let document = reading.document, same.first?.reports.first?.format != document.open.format.name {
            return false
        }
        // Two rows that are one now were two.
        let cutAddresses = damage.isWrapped ? Self.cutAddresses(of: reading.reports, in: same.flatMap(\.reports)) : 0
        guard let cutAddresses else { return false }
        let worth = same.reduce(0) { $0 + Self.worth($1.reports) }
        let before = Self.worth(reading.reports)
        if worth != before || worth == 0 { return worth > before }
        switch damage {
        case .wrapped: return cutAddresses > 0 || Self.detail(same.flatMap(\.reports)) > Self.detail(reading.reports)
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

    /// Number of addresses of some reports that were cut at a line's end: the others have them with more digits.
    /// - Returns: `nil` unless all of the addresses are among those of the others, in order.
    private static func cutAddresses(of reports: [CrashReport], in others: [CrashReport]) -> Int? {
        let frames = others.flatMap(\.stacks).flatMap(\.frames)
        var rest = frames.compactMap { $0.address?.value ?? $0.imageLocation?.value }[...]
        var count = 0
        for address in reports.flatMap(\.stacks).flatMap(\.frames).compactMap(\.address?.value) {
            guard let index = rest.firstIndex(where: { isBeginning(address, of: $0) }) else { return nil }
            if rest[index] != address { count += 1 }
            rest = rest[(index + 1)...]
        }
        return count
    }

    /// Whether an address has the first hexadecimal digits of another, or is equal to it.
    private static func isBeginning(_ address: UInt64, of other: UInt64) -> Bool {
        var other = other
        while other > address { other >>= 4 }
        return other == address
    }

    /// Amount of detail in the rows of reports. A broken row lacks the fields of its other half, or the end of its name. A position in an
    /// image says more than an address, and that more than an offset in a function. Text below a stack that was read as a part of its last
    /// row says nothing.
    private static func detail(_ reports: [CrashReport]) -> Int {
        reports.flatMap(\.stacks).reduce(0) { sum, stack in
            let known = stack.frames.reduce(0) { sum, frame in
                let printed = frame.printed
                let named = [printed?.name != nil, printed?.offset != nil, printed?.location != nil].count { $0 }
                return sum + named + (frame.address == nil ? 0 : 3) + (frame.imageLocation.map { $0.value == nil ? 1 : 4 } ?? 0)
            }
            return sum + 256 * known + stack.frames.dropLast().reduce(0) { $0 + min(255, $1.printed?.name?.utf8.count ?? 0) }
        }
    }

    /// Number of facts in reports: frames, images, identities, fields of the header.
    private static func worth(_ reports: [CrashReport]) -> Int {
        reports.reduce(0) { sum, report in
            let process = report.process
            let named = [
                process.name != nil, process.pid != nil, process.path != nil, process.identifier != nil, process.version != nil,
                report.platform != nil, report.architecture != nil, report.cause != nil, report.timestamp != nil,
            ]
            let frames = report.stacks.reduce(0) {
                $0 + $1.frames.count { $0.address != nil || $0.imageLocation != nil || $0.printed?.name != nil }
            }
            let identified = report.images.count { $0.id != nil }
            return sum + frames + report.images.count + identified + named.count { $0 } + report.threads.count
        }
    }
}

extension ImageLocation {
    /// The offset or link address that the log has.
    fileprivate var value: UInt64? {
        switch self {
        case .offset(let offset): offset.value
        case .linkAddress(let address): address.value
        default: nil
        }
    }
}
