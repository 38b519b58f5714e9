internal import BinaryPrimitives
internal import DWARF

/// The content that one unit adds to a GSYM file: lines and calls of each part of a function, with the unit's
/// own numbers of names and files. Made by the thread that read the unit.
struct UnitContent: Sendable {
    struct Part {
        /// Index into `FunctionLayout.functions`.
        var owner: Int
        /// The first address.
        var start: UInt64
        /// Start of the function in the debug information.
        var entry: UInt64
        /// Index of the function's name in `names`; `nil` if it has no name.
        var name: Int?
        var content: GSYMContent
    }

    let names: [UnitFunctions.Name]
    let files: [String]
    private(set) var parts: [Part] = []
    /// Lines of code without a function: assembly. For each which of `FunctionLayout.functions` has
    /// it.
    private(set) var gapLines: [(owner: Int, line: GSYMContent.Line)] = []
    /// The calls of some function have more ranges than are kept.
    private(set) var hasManyRanges = false

    /// - Parameter limit: `Limits.inlinedRanges`.
    init(_ unit: UnitFunctions, _ layout: FunctionLayout, limit: Int) {
        names = unit.names
        files = unit.files
        for part in layout.parts[unit.offset] ?? [] where unit.functions.indices.contains(part.number) {
            let function = unit.functions[part.number]
            var content = GSYMContent()
            content.addLines(of: unit, in: part.range)
            if !content.addCalls(of: function, unit, in: part.range, limit: limit) { hasManyRanges = true }
            parts.append(
                Part(
                    owner: part.owner, start: part.range.lowerBound, entry: unit.ranges[function.ranges].first?.lowerBound ?? 0,
                    name: function.name, content: content))
        }
        addGaps(unit, layout.gaps)
    }

    private mutating func addGaps(_ unit: UnitFunctions, _ gaps: [(range: Range<UInt64>, owner: Int)]) {
        guard let first = unit.lines.first, !gaps.isEmpty else { return }
        var next = gaps.partitionPoint { $0.range.upperBound > first.range.lowerBound }
        for line in unit.lines {
            while next < gaps.count, gaps[next].range.upperBound <= line.range.lowerBound { next += 1 }
            var index = next
            while index < gaps.count, gaps[index].range.lowerBound < line.range.upperBound {
                if let line = GSYMContent.Line(line, in: gaps[index].range) { gapLines.append((gaps[index].owner, line)) }
                index += 1
            }
        }
    }
}

extension GSYMContent.Line {
    /// - Returns: `nil` where the file is not known.
    fileprivate init?(_ line: UnitFunctions.Line, in range: Range<UInt64>) {
        guard let file = line.file else { return nil }
        self.init(range: line.range.clamped(to: range), file: UInt32(clamping: file), line: UInt32(clamping: line.line))
    }
}

/// The ranges of some calls, of each by address: one list, in which each range leads to its call's
/// next.
private struct CoveredRanges {
    private struct Entry {
        var range: Range<UInt64>
        var next: Int32 = -1
    }

    private let firstCall: Int
    private var entries: [Entry] = []
    /// First and last entry of each call; -1: no entry.
    private var ends: [(first: Int32, last: Int32)]
    /// Ranges that were added.
    private(set) var added = 0

    init(_ calls: Range<Int>) {
        firstCall = calls.lowerBound
        ends = [(first: Int32, last: Int32)](repeating: (-1, -1), count: calls.count)
    }

    /// Adds a range after the call's others, or makes its last one longer.
    mutating func add(_ range: Range<UInt64>, to call: Int) {
        added += 1
        let last = Int(ends[call - firstCall].last)
        if last >= 0, entries[last].range.upperBound == range.lowerBound {
            entries[last].range = entries[last].range.lowerBound..<range.upperBound
            return
        }
        let entry = Int32(clamping: entries.count)
        entries.append(Entry(range: range))
        if last >= 0 { entries[last].next = entry } else { ends[call - firstCall].first = entry }
        ends[call - firstCall].last = entry
    }

    func forEachRange(of call: Int, _ body: (Range<UInt64>) -> Void) {
        var entry = Int(ends[call - firstCall].first)
        while entry >= 0 {
            body(entries[entry].range)
            entry = Int(entries[entry].next)
        }
    }
}

/// The content of a GSYM file for one function, except its name: lines, and the tree of inlined calls.
/// Names and files are numbers of their unit's (`UnitContent`), and of the file's tables when it is
/// written (`UnitTexts`).
struct GSYMContent {
    struct Line {
        var range: Range<UInt64>
        var file: UInt32
        var line: UInt32
    }

    struct Call {
        /// Index of the surrounding call in `calls`; `nil` if the call is directly in the function.
        var parent: Int?
        /// `nil`: not known. The same holds for `file`.
        var name: UInt32?
        var file: UInt32?
        var line: UInt32
        /// Indices into `ranges`, which are sorted by address here and do not touch.
        var ranges: Range<Int>
    }

    /// Lines do not overlap.
    var lines: [Line] = []
    /// Each call follows the call that it is nested in; calls with the same parent are sorted by address.
    var calls: [Call] = []
    /// Those of all calls.
    var ranges: [Range<UInt64>] = []

    /// Adds what another part of the function has.
    mutating func append(_ other: GSYMContent) {
        let (firstCall, firstRange) = (calls.count, ranges.count)
        lines += other.lines
        ranges += other.ranges
        for var call in other.calls {
            call.parent = call.parent.map { $0 + firstCall }
            call.ranges = call.ranges.lowerBound + firstRange..<call.ranges.upperBound + firstRange
            calls.append(call)
        }
    }

    /// The lines of a range, cut to it.
    fileprivate mutating func addLines(of unit: UnitFunctions, in range: Range<UInt64>) {
        var index = unit.lines.partitionPoint { $0.range.upperBound > range.lowerBound }
        while index < unit.lines.count, unit.lines[index].range.lowerBound < range.upperBound {
            if let line = Line(unit.lines[index], in: range) { lines.append(line) }
            index += 1
        }
    }

    /// Adds the tree of calls that were inlined into a part of a function. A call has the addresses whose
    /// innermost call it is, and those of the calls nested in it: the ranges that compilers write for it may
    /// leave out code of a nested call, and the tree may not.
    /// - Parameter limit: maximum number of ranges of the part's calls.
    /// - Returns: whether all of their ranges were added.
    fileprivate mutating func addCalls(
        of function: UnitFunctions.Function, _ unit: UnitFunctions, in range: Range<UInt64>, limit: Int
    ) -> Bool {
        guard !function.calls.isEmpty else { return true }
        var all = Array(unit.ranges[function.ranges])
        var owners = [Int](repeating: -1, count: all.count)
        for index in function.calls {
            all += unit.ranges[unit.calls[index].ranges]
            owners += repeatElement(index, count: unit.calls[index].ranges.count)
        }
        var covered = CoveredRanges(function.calls)
        var isWhole = true
        for piece in NestedRanges.pieces(of: all) {
            let part = piece.range.clamped(to: range)
            guard !part.isEmpty, owners[piece.index] >= 0 else { continue }
            guard covered.added < limit else {
                isWhole = false
                break
            }
            // The calls around it too, however many are left: the tree may not leave out code of a
            // nested one.
            var call = Optional(owners[piece.index])
            while let index = call {
                covered.add(part, to: index)
                call = unit.calls[index].parent
            }
        }
        var numbers = [Int](repeating: -1, count: function.calls.count)
        for index in function.calls {
            let first = ranges.count
            covered.forEachRange(of: index) { ranges.append($0) }
            guard ranges.count > first else { continue }
            let call = unit.calls[index]
            numbers[index - function.calls.lowerBound] = calls.count
            calls.append(
                Call(
                    parent: call.parent.map { numbers[$0 - function.calls.lowerBound] }, name: call.name.map { UInt32(clamping: $0) },
                    file: call.file.map { UInt32(clamping: $0) }, line: UInt32(clamping: call.line), ranges: first..<ranges.count))
        }
        return isWhole
    }
}
