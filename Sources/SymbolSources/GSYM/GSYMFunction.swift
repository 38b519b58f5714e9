internal import BinaryPrimitives

/// The description of one function, as far as one address needs it.
struct GSYMFunction {
    /// Address of its first byte, as linked.
    var start: UInt64
    /// Bytes; 0 where the symbol table did not give it.
    var size: UInt32
    var name: UInt32
    /// Byte range of the line table in the file; empty if there is no line table.
    private var lines = 0..<0
    private var inlinedCalls = 0..<0

    /// - Parameters:
    ///   - position: position of the description.
    ///   - bytes: the whole file.
    init(at position: Int, start: UInt64, _ bytes: RawSpan, _ order: ByteOrder) throws(ReadError) {
        self.start = start
        var cursor = try bytes.from(UInt64(position))
        size = try cursor.read(UInt32.self, order)
        name = try cursor.read(UInt32.self, order)
        while true {
            let kind = try cursor.read(UInt32.self, order)
            let length = Int(try cursor.read(UInt32.self, order))
            if kind == GSYMLayout.Record.end { break }
            let position = bytes.byteCount - cursor.byteCount
            try cursor.skip(length)
            switch kind {
            case GSYMLayout.Record.lines: lines = position..<position + length
            case GSYMLayout.Record.inlinedCalls: inlinedCalls = position..<position + length
            default: break
            }
        }
    }

    struct Row: Hashable {
        var address: UInt64
        var file: UInt64 = 1
        var line: UInt64
    }

    /// Whether it has rows at all.
    var hasLines: Bool { !lines.isEmpty }

    /// The row that covers an address: the last at or before it; `nil` where there is none.
    func row(covering address: UInt64, _ bytes: RawSpan) throws(ReadError) -> Row? {
        guard !lines.isEmpty else { return nil }
        var cursor = bytes.clamped(to: lines)
        let least = try cursor.readSLEB128()
        let greatest = try cursor.readSLEB128()
        // The number of differences; in a damaged file it may be 0.
        let differences = UInt64(bitPattern: max(1, (greatest &- least) &+ 1))
        var row = Row(address: start, line: try cursor.readULEB128())
        var found: Row?
        while true {
            let opcode = try cursor.read(UInt8.self)
            switch opcode {
            case GSYMLayout.LineOpcode.end: return found
            case GSYMLayout.LineOpcode.setFile:
                row.file = try cursor.readULEB128()
                continue
            case GSYMLayout.LineOpcode.advanceLine:
                row.line = row.line &+ UInt64(bitPattern: try cursor.readSLEB128())
                continue
            case GSYMLayout.LineOpcode.advanceAddress: row.address = row.address &+ (try cursor.readULEB128())
            default:
                let special = UInt64(opcode - GSYMLayout.LineOpcode.firstSpecial)
                row.line = row.line &+ UInt64(bitPattern: least) &+ special % differences
                row.address = row.address &+ special / differences
            }
            if row.address > address { return found }
            found = row
        }
    }

    struct Call: Hashable {
        var name: UInt32
        /// File of the call site.
        var file: UInt64
        var line: UInt64
    }

    /// The calls at an address that were inlined, outermost first.
    ///
    /// Nodes that do not hold the address are skipped, and so are those after one that does, as in
    /// LLVM's `InlineInfo::lookup`.
    func calls(covering address: UInt64, _ bytes: RawSpan, _ order: ByteOrder) throws(ReadError) -> [Call] {
        guard !inlinedCalls.isEmpty else { return [] }
        var cursor = bytes.clamped(to: inlinedCalls)
        var calls: [Call] = []
        var base = start
        let limit = Limits.standard.inlineDepth
        while true {
            let node = try Self.readRanges(&cursor, base, covering: address)
            guard node.count > 0 else { break }
            guard node.covers else {
                try Self.skipNode(&cursor)
                // The root is the only node on its level.
                if calls.isEmpty { break }
                continue
            }
            let hasChildren = try cursor.read(UInt8.self) != 0
            // The first is the function itself.
            guard calls.count <= limit else { throw ReadError(.tooDeep(limit: limit), bytesLeft: cursor.byteCount) }
            calls.append(
                Call(name: try cursor.read(UInt32.self, order), file: try cursor.readULEB128(), line: try cursor.readULEB128()))
            guard hasChildren else { break }
            base = node.first
        }
        return Array(calls.dropFirst())
    }

    /// Takes a node's ranges: how many there are, where the first begins, and whether one of them
    /// holds the address.
    private static func readRanges(
        _ cursor: inout RawSpan, _ base: UInt64, covering address: UInt64
    ) throws(ReadError) -> (count: UInt64, first: UInt64, covers: Bool) {
        let count = try cursor.readULEB128()
        var first: UInt64 = 0
        var covers = false
        var index: UInt64 = 0
        while index < count {
            let start = base &+ (try cursor.readULEB128())
            let size = try cursor.readULEB128()
            if index == 0 { first = start }
            if address >= start, address - start < size { covers = true }
            index += 1
        }
        return (count, first, covers)
    }

    /// Moves past the rest of a node after its ranges, and past everything below it. Counts instead
    /// of recursing, because the file sets the depth.
    private static func skipNode(_ cursor: inout RawSpan) throws(ReadError) {
        var open = 0
        while true {
            let hasChildren = try cursor.read(UInt8.self) != 0
            try cursor.skip(4)
            try cursor.skipLEB128()
            try cursor.skipLEB128()
            if hasChildren { open += 1 }
            // The next node, or the ends of as many levels as end here.
            while open > 0 {
                let ranges = try readRanges(&cursor, 0, covering: 0).count
                if ranges > 0 { break }
                open -= 1
            }
            if open == 0 { return }
        }
    }
}
