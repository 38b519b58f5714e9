internal import BinaryPrimitives
internal import DWARF
internal import ObjectFiles

/// Checks that the ranges of entries are in order, lie inside of those of the entry around them,
/// and do not overlap with those of its other children.
struct RangeCheck {
    /// An open entry and its ranges.
    private struct Level {
        var entry: DumpEntry?
        var ranges = SortedRanges()
        /// Those of its children so far, each with its child's number.
        var taken = SortedRanges()
        var children: [(entry: DumpEntry, ranges: SortedRanges)] = []
    }

    private let context: DumpContext
    private let report: VerifierReport
    private let text: EntryText
    /// The code of a relocatable file is in sections that all begin at 0, so that its units' ranges
    /// overlap.
    private let skipsUnits: Bool
    private var isSound = true
    /// Among so many ranges that overlap with one the first is looked for.
    private static let maxCompared = 4096

    init(_ context: DumpContext, _ report: VerifierReport, _ text: EntryText) {
        self.context = context
        self.report = report
        self.text = text
        let description = context.sections.file.description
        skipsUnits = !description.hasAddresses
    }

    /// - Returns: whether nothing is wrong.
    mutating func run(_ unit: DumpUnit) -> Bool {
        let bytes = context.section(of: unit)
        var levels = [Level()]
        var position = unit.root
        // Below an entry whose ranges cannot be read nothing is looked at.
        var skipped = 0
        while position < unit.end {
            if bytes[position] == 0 {
                position += 1
                if skipped > 0 { skipped -= 1 } else { levels.removeLast() }
                if levels.count <= 1 { break }
                continue
            }
            guard let entry = context.entry(at: position, in: unit), let end = context.end(of: entry) else { break }
            position = end
            if skipped > 0 {
                if entry.abbreviation.hasChildren { skipped += 1 }
                continue
            }
            if let level = check(entry, &levels[levels.count - 1]) {
                guard entry.abbreviation.hasChildren else {
                    if levels.count == 1 { break }
                    continue
                }
                guard levels.count <= Limits.standard.entryDepth else {
                    context.report("the entries at \(hexadecimal(position)) are nested deeper than \(Limits.standard.entryDepth)")
                    break
                }
                levels.append(level)
            } else {
                if levels.count == 1 { break }
                if entry.abbreviation.hasChildren { skipped = 1 }
            }
        }
        return isSound
    }

    /// - Returns: `nil` if its ranges cannot be read.
    private mutating func check(_ entry: DumpEntry, _ parent: inout Level) -> Level? {
        guard let ranges = context.withRelocatedAddresses({ context.ranges(of: entry) }) else {
            if !context.isSplit, context.rangesAllowance.isLeft { isSound = false }
            return nil
        }
        var level = Level(entry: entry)
        if ranges.isEmpty { return level }
        if !skipsUnits || entry.tag != Tag.compileUnit { insert(ranges, &level, entry) }
        if level.ranges.isEmpty { return level }
        insert(level, entry, &parent)
        let isNested = entry.tag == Tag.subprogram && parent.entry?.tag == Tag.subprogram
        if !parent.ranges.isEmpty, !isNested, !Self.contains(parent.ranges, level.ranges) {
            isSound = false
            report.add("DIE address ranges are not contained by parent ranges") {
                report.output.text("error: DIE address ranges are not contained in its parent's ranges:")
                if let around = parent.entry { text.write(around, indent: 0) }
                text.write(entry, indent: 2)
                report.output.byte(0x0a)
            }
        }
        return level
    }

    private mutating func insert(_ ranges: [RangeLists.Bounds], _ level: inout Level, _ entry: DumpEntry) {
        var isReported = false
        for range in ranges {
            guard range.low <= range.high else {
                isSound = false
                report.add("Invalid address range") {
                    report.error("Invalid address range \(text(range))")
                    isReported = true
                }
                continue
            }
            guard let previous = level.ranges.insert(range, owner: 0) else { continue }
            isSound = false
            report.add("DIE has overlapping DW_AT_ranges") {
                report.error("DIE has overlapping ranges in DW_AT_ranges attribute: \(text(previous)) and \(text(range))")
                isReported = true
            }
        }
        if isReported {
            text.write(entry, indent: 2)
            report.output.byte(0x0a)
        }
    }

    private func text(_ range: RangeLists.Bounds) -> String {
        let sections = context.sections
        return "[\(VerifierText.hex(sections.printed(range.low), 16)), \(VerifierText.hex(sections.printed(range.high), 16)))"
    }

    /// Adds a child's ranges, unless one of them overlaps with another child's.
    private mutating func insert(_ level: Level, _ entry: DumpEntry, _ parent: inout Level) {
        var others: Set<Int> = []
        for item in level.ranges.all {
            others.formUnion(parent.taken.owners(overlapping: item.bounds, maxCount: Self.maxCompared))
            if others.count >= Self.maxCompared { break }
        }
        guard !others.isEmpty else {
            for item in level.ranges.all { _ = parent.taken.insert(item.bounds, owner: parent.children.count) }
            return parent.children.append((entry, level.ranges))
        }
        isSound = false
        // LLVM keeps children in the order of their ranges.
        let first = others.min { left, right in
            let (left, right) = (parent.children[left], parent.children[right])
            for (one, other) in zip(left.ranges.all, right.ranges.all) {
                if one.bounds.low != other.bounds.low { return one.bounds.low < other.bounds.low }
                if one.bounds.high != other.bounds.high { return one.bounds.high < other.bounds.high }
            }
            return left.entry.offset < right.entry.offset
        }
        report.add("DIEs have overlapping address ranges") {
            report.output.text("error: DIEs have overlapping address ranges:")
            text.write(entry, indent: 0)
            if let first { text.write(parent.children[first].entry, indent: 0) }
            report.output.byte(0x0a)
        }
    }

    /// Whether some ranges lie inside of others, of which several may cover one together.
    private static func contains(_ around: SortedRanges, _ ranges: SortedRanges) -> Bool {
        var others = around.all.makeIterator()
        var other = others.next()
        for item in ranges.all {
            // As LLVM has it: also a range of no bytes, once there are none left around it.
            guard other != nil else { return false }
            var low = item.bounds.low
            let high = item.bounds.high
            while low != high {
                guard let bounds = other?.bounds, bounds.low <= low else { return false }
                if high <= bounds.high { break }
                if low < bounds.high { low = bounds.high }
                other = others.next()
            }
        }
        return true
    }
}
