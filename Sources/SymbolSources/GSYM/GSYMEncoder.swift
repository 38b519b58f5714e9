internal import BinaryPrimitives

/// Writes the descriptions of functions, as `GSYMLayout` has them, one after the other.
struct GSYMEncoder {
    private(set) var bytes: [UInt8] = []
    private let order: ByteOrder

    init(_ order: ByteOrder) { self.order = order }

    /// - Parameter unknownFile: returns the file for addresses between lines.
    /// - Returns: the start of the description, in bytes from the first.
    mutating func append(
        _ range: Range<UInt64>, name: UInt32, _ content: GSYMContent, unknownFile: () -> UInt32
    ) -> Int {
        while bytes.count % 4 != 0 { bytes.append(0) }
        let start = bytes.count
        bytes.put(UInt32(clamping: range.upperBound - range.lowerBound), order)
        bytes.put(name, order)
        let rows = Self.rows(content.lines, in: range, unknownFile)
        if !rows.isEmpty { appendRecord(GSYMLayout.Record.lines) { $0.appendLines(rows, from: range.lowerBound) } }
        if !content.calls.isEmpty {
            appendRecord(GSYMLayout.Record.inlinedCalls) { $0.appendCalls(content, in: range, name: name) }
        }
        bytes.put(GSYMLayout.Record.end, order)
        bytes.put(UInt32(0), order)
        return start
    }

    private mutating func appendRecord(_ kind: UInt32, _ body: (inout GSYMEncoder) -> Void) {
        bytes.put(kind, order)
        let length = bytes.count
        bytes.put(UInt32(0), order)
        body(&self)
        let value = UInt32(clamping: bytes.count - length - 4)
        for index in 0..<4 {
            bytes[length + index] = UInt8(truncatingIfNeeded: value >> UInt32(8 * (order == .littleEndian ? index : 3 - index)))
        }
    }

    // MARK: Lines

    private struct Row {
        var address: UInt64
        var file: UInt32
        var line: UInt32
    }

    /// A row for each change of the line, from the function's first byte on: a reader that finds no
    /// row at an address has no result for it.
    private static func rows(_ lines: [GSYMContent.Line], in range: Range<UInt64>, _ unknownFile: () -> UInt32) -> [Row] {
        var rows: [Row] = []
        func add(_ address: UInt64, _ file: UInt32, _ line: UInt32) {
            if let last = rows.last, last.file == file, last.line == line { return }
            rows.append(Row(address: address, file: file, line: line))
        }
        var position = range.lowerBound
        for line in lines.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            let part = line.range.clamped(to: range)
            // Lines from an earlier unit stay.
            let start = max(part.lowerBound, position)
            guard start < part.upperBound else { continue }
            if start > position { add(position, unknownFile(), 0) }
            add(start, line.file, line.line)
            position = part.upperBound
        }
        if !rows.isEmpty, position < range.upperBound { add(position, unknownFile(), 0) }
        return rows
    }

    private mutating func appendLines(_ rows: [Row], from start: UInt64) {
        guard let first = rows.first else { return }
        let differences = Self.window(zip(rows, rows.dropFirst()).map { Int64($1.line) - Int64($0.line) })
        bytes.putSLEB128(differences.lowerBound)
        bytes.putSLEB128(differences.upperBound)
        bytes.putULEB128(UInt64(first.line))
        let count = UInt64(differences.upperBound - differences.lowerBound + 1)
        var previous = Row(address: start, file: 1, line: first.line)
        for row in rows {
            let distance = row.address - previous.address
            let difference = Int64(row.line) - Int64(previous.line)
            if row.file != previous.file {
                bytes.append(GSYMLayout.LineOpcode.setFile)
                bytes.putULEB128(UInt64(row.file))
            }
            if differences.contains(difference), distance <= 255,
                let special = UInt8(
                    exactly: UInt64(difference - differences.lowerBound) + distance * count + UInt64(GSYMLayout.LineOpcode.firstSpecial))
            {
                bytes.append(special)
            } else {
                if difference != 0 {
                    bytes.append(GSYMLayout.LineOpcode.advanceLine)
                    bytes.putSLEB128(difference)
                }
                bytes.append(GSYMLayout.LineOpcode.advanceAddress)
                bytes.putULEB128(distance)
            }
            previous = row
        }
        bytes.append(GSYMLayout.LineOpcode.end)
    }

    /// Returns the range of the fifteen adjacent differences that occur most often: they have opcodes of one
    /// byte, if the address moves little.
    private static func window(_ differences: [Int64]) -> ClosedRange<Int64> {
        let sorted = differences.sorted()
        guard let first = sorted.first, let last = sorted.last else { return 0...0 }
        let width: Int64 = 14
        if last - first <= width { return first...last }
        var best = (count: 0, first: first, last: first)
        var start = 0
        for (end, value) in sorted.enumerated() {
            while value - sorted[start] > width { start += 1 }
            if end - start + 1 > best.count { best = (end - start + 1, sorted[start], value) }
        }
        return best.first...best.last
    }

    // MARK: Inlined calls

    private mutating func appendCalls(_ content: GSYMContent, in range: Range<UInt64>, name: UInt32) {
        let calls = content.calls
        // For each call the last one nested in it, and before that the others: the order in which
        // they are taken up below. The first entry is the function's.
        var lastChild = [Int](repeating: -1, count: calls.count + 1)
        var siblingBefore = [Int](repeating: -1, count: calls.count)
        for (index, call) in calls.enumerated() {
            let slot = (call.parent ?? -1) + 1
            (siblingBefore[index], lastChild[slot]) = (lastChild[slot], index)
        }
        appendNode([range], base: range.lowerBound, name: name, file: 0, line: 0, hasChildren: true)
        // A list of what is still to be written, last first; `nil` ends a level.
        var open: [(index: Int?, base: UInt64)] = []
        func addChildren(of slot: Int, _ base: UInt64) {
            open.append((nil, 0))
            var child = lastChild[slot]
            while child >= 0 {
                open.append((child, base))
                child = siblingBefore[child]
            }
        }
        addChildren(of: 0, range.lowerBound)
        while let (index, base) = open.popLast() {
            guard let index else {
                bytes.append(0)
                continue
            }
            let call = calls[index]
            let hasChildren = lastChild[index + 1] >= 0
            appendNode(
                content.ranges[call.ranges], base: base, name: call.name ?? 0, file: call.file ?? 0, line: call.line,
                hasChildren: hasChildren)
            if hasChildren, let first = content.ranges[call.ranges].first?.lowerBound { addChildren(of: index + 1, first) }
        }
    }

    private mutating func appendNode(
        _ ranges: ArraySlice<Range<UInt64>>, base: UInt64, name: UInt32, file: UInt32, line: UInt32, hasChildren: Bool
    ) {
        bytes.putULEB128(UInt64(ranges.count))
        for range in ranges {
            bytes.putULEB128(range.lowerBound - base)
            bytes.putULEB128(range.upperBound - range.lowerBound)
        }
        bytes.append(hasChildren ? 1 : 0)
        bytes.put(name, order)
        bytes.putULEB128(UInt64(file))
        bytes.putULEB128(UInt64(line))
    }
}

extension [UInt8] {
    /// Adds an integer in the given byte order.
    mutating func put(_ value: some FixedWidthInteger, _ order: ByteOrder) {
        let count = value.bitWidth / 8
        for index in 0..<count {
            append(UInt8(truncatingIfNeeded: value >> (8 * (order == .littleEndian ? index : count - 1 - index))))
        }
    }

    mutating func putULEB128(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    mutating func putSLEB128(_ value: Int64) {
        var rest = value
        while !(-0x40..<0x40).contains(rest) {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest) & 0x7f)
    }
}
