internal import BinaryPrimitives

/// Makes the blocks of one unit at a time (`SymbolIndexLayout`).
struct BlockEncoder {
    /// The function around all frames of a block.
    struct Root: Equatable {
        /// A name's key.
        var name: UInt32
        var entry: UInt64?
    }

    /// An inlined call of the unit.
    struct Call {
        /// Index of the call around it; -1: directly in the function.
        var parent: Int32
        var name: UInt32
        /// Number of the call site's file in the unit, from 1; 0: the call site is not known.
        var file: UInt32
        var line: UInt32
        var column: UInt32
    }

    /// Start addresses of the blocks, and their sizes in bytes.
    private(set) var starts: [UInt64] = []
    private(set) var sizes: [UInt32] = []
    private var writer = BitFieldWriter()
    private let unitWidth: Int
    private var unit: UInt64 = 0
    private var calls: [Call] = []

    // The block that is being filled.
    private var root = Root(name: 0, entry: nil)
    private var start: UInt64 = 0
    private var end: UInt64 = 0
    private var pieces: [Piece] = []
    private var contexts: [Context] = []
    private var callees: [Callee] = []
    /// Last context that was made of each call, after the function's: valid if the block's number is the
    /// current block's.
    private var lastContexts: [(block: Int32, context: Int32)] = []
    private var block: Int32 = 0

    /// Number of contexts at which a block ends. One more piece adds at most `Limits.inlineDepth` contexts, and
    /// their number must fit 15 bits.
    private static let maxContexts = 16_000

    private struct Piece {
        var length: UInt64
        var location: Location
        var discriminator: UInt32
    }

    fileprivate struct Location: Equatable {
        var context: Int32
        var line: UInt32
        var column: UInt32
    }

    private struct Context {
        var callee: Int32
        var file: UInt32
        var location: Location
        /// The previous context of the same call; -1 if there is none.
        var before: Int32
    }

    private struct Callee {
        var name: UInt32
        var file: UInt32
        var firstLine: UInt32
    }

    /// Numbers were larger than their fields can hold: what was made cannot be used.
    private(set) var hasOverflown = false

    init(unitWidth: Int) { self.unitWidth = unitWidth }

    var bytes: [UInt8] { writer.bytes }

    /// Forgets the blocks and the calls of the last unit.
    mutating func begin(unit: Int) {
        starts.removeAll(keepingCapacity: true)
        sizes.removeAll(keepingCapacity: true)
        writer.removeAll()
        self.unit = UInt64(unit)
        calls.removeAll(keepingCapacity: true)
        lastContexts.removeAll(keepingCapacity: true)
        lastContexts.append((block: -1, context: -1))
        block = 0
        end = 0
    }

    /// Adds the next of the unit's calls: before all addresses.
    mutating func add(_ call: Call) {
        calls.append(call)
        lastContexts.append((block: -1, context: -1))
    }

    /// Adds addresses with one result.
    /// - Parameters:
    ///   - range: after all that were added.
    ///   - call: the innermost call; -1 in the function itself.
    ///   - file: number of the file in the unit, from 1; 0: the location is not known.
    ///   - discriminator: which block of the line; zero: not given.
    mutating func add(
        _ range: Range<UInt64>, _ root: Root, call: Int32, file: UInt32, line: UInt32, column: UInt32, discriminator: UInt32
    ) {
        if range.lowerBound != end || pieces.count == SymbolIndexLayout.Block.maxPieces || contexts.count > Self.maxContexts
            || root != self.root
        {
            finishBlock()
        }
        if pieces.isEmpty {
            self.root = root
            start = range.lowerBound
        }
        end = range.upperBound
        let location = location(context(of: call, file), line, column)
        if let last = pieces.last, last.location == location, last.discriminator == discriminator {
            pieces[pieces.count - 1].length += range.upperBound - range.lowerBound
        } else {
            pieces.append(Piece(length: range.upperBound - range.lowerBound, location: location, discriminator: discriminator))
        }
    }

    private mutating func location(_ context: Int32, _ line: UInt32, _ column: UInt32) -> Location {
        let callee = Int(contexts[Int(context)].callee)
        if line < callees[callee].firstLine { callees[callee].firstLine = line }
        return Location(context: context, line: line, column: column)
    }

    /// The context of a call with lines in a file.
    private mutating func context(of call: Int32, _ file: UInt32) -> Int32 {
        let slot = Int(call) + 1
        var before: Int32 = -1
        if lastContexts[slot].block == block {
            before = lastContexts[slot].context
            var candidate = before
            while candidate >= 0 {
                if contexts[Int(candidate)].file == file { return candidate }
                candidate = contexts[Int(candidate)].before
            }
        }
        var location: Location
        let callee: Int32
        if call >= 0 {
            let entry = calls[Int(call)]
            location = self.location(context(of: entry.parent, entry.file), entry.line, entry.column)
            callee = self.callee(entry.name, file)
        } else {
            location = Location(context: Int32(contexts.count), line: 0, column: 0)
            callee = self.callee(root.name, file)
        }
        let number = Int32(contexts.count)
        contexts.append(Context(callee: callee, file: file, location: location, before: before))
        lastContexts[slot] = (block, number)
        return number
    }

    private mutating func callee(_ name: UInt32, _ file: UInt32) -> Int32 {
        if let known = callees.firstIndex(where: { $0.name == name && $0.file == file }) { return Int32(known) }
        callees.append(Callee(name: name, file: file, firstLine: .max))
        return Int32(callees.count - 1)
    }

    /// Writes the block that was filled.
    mutating func finishBlock() {
        guard !pieces.isEmpty else { return }
        let widths = measureFields()
        let first = writer.byteCount
        appendHead(widths)
        appendParts(widths)
        writer.align()
        starts.append(start)
        sizes.append(UInt32(writer.byteCount - first))
        pieces.removeAll(keepingCapacity: true)
        contexts.removeAll(keepingCapacity: true)
        callees.removeAll(keepingCapacity: true)
        block += 1
    }

    /// Widths of a block's fields, in bits.
    private struct Widths {
        let length, line, column, discriminator, name, file, firstLine, context, callee: Int
    }

    /// Makes each line relative to the first line of its callee, and measures all fields.
    private mutating func measureFields() -> Widths {
        // The bits of all numbers of a kind together are as wide as the largest of them.
        var (length, line, column, discriminator): (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        var (name, file, firstLine): (UInt64, UInt64, UInt64) = (0, 0, 0)
        for index in callees.indices {
            if callees[index].firstLine == .max { callees[index].firstLine = 0 }
            name |= UInt64(callees[index].name)
            file |= UInt64(callees[index].file)
            firstLine |= UInt64(callees[index].firstLine)
        }
        for index in pieces.indices {
            let relative = relativeLine(of: pieces[index].location)
            pieces[index].location.line = relative
            length |= pieces[index].length &- 1
            line |= UInt64(relative)
            column |= UInt64(pieces[index].location.column)
            discriminator |= UInt64(pieces[index].discriminator)
        }
        // A function's own context is not called from anywhere.
        for index in contexts.indices where Int(contexts[index].location.context) != index {
            let relative = relativeLine(of: contexts[index].location)
            contexts[index].location.line = relative
            line |= UInt64(relative)
            column |= UInt64(contexts[index].location.column)
        }
        func width(_ bits: UInt64) -> Int { BitFieldWriter.width(of: bits) }
        let widths = Widths(
            length: width(length), line: width(line), column: width(column), discriminator: width(discriminator), name: width(name),
            file: width(file), firstLine: width(firstLine), context: width(UInt64(contexts.count - 1)),
            callee: width(UInt64(callees.count - 1)))
        if max(widths.length, widths.name, widths.file, widths.discriminator) > SymbolIndexLayout.Block.largestWidth { hasOverflown = true }
        return widths
    }

    @inline(__always)
    private func relativeLine(of location: Location) -> UInt32 {
        location.line &- callees[Int(contexts[Int(location.context)].callee)].firstLine
    }

    private mutating func appendHead(_ widths: Widths) {
        typealias Block = SymbolIndexLayout.Block
        writer.append(UInt64(pieces.count - 1), Block.pieceCountWidth)
        writer.append(UInt64(widths.context), Block.countWidth)
        writer.append(UInt64(contexts.count - 1), widths.context)
        writer.append(UInt64(widths.callee), Block.countWidth)
        writer.append(UInt64(callees.count - 1), widths.callee)
        writer.append(UInt64(widths.length), Block.widthWidth)
        writer.append(UInt64(widths.line), Block.widthWidth)
        writer.append(UInt64(widths.column), Block.widthWidth)
        writer.append(UInt64(widths.firstLine), Block.widthWidth)
        writer.append(UInt64(widths.name), Block.widthWidth)
        writer.append(UInt64(widths.file), Block.widthWidth)
        writer.append(UInt64(widths.discriminator), Block.widthWidth)
        writer.append(unit, unitWidth)
        appendEntry()
    }

    private mutating func appendParts(_ widths: Widths) {
        for piece in pieces { writer.append(piece.length - 1, widths.length) }
        for piece in pieces { writer.append(piece.location, widths.context, widths.line, widths.column) }
        if widths.discriminator > 0 { for piece in pieces { writer.append(UInt64(piece.discriminator), widths.discriminator) } }
        for callee in callees {
            writer.append(UInt64(callee.name), widths.name)
            writer.append(UInt64(callee.file), widths.file)
            writer.append(UInt64(callee.firstLine), widths.firstLine)
        }
        for context in contexts {
            writer.append(UInt64(context.callee), widths.callee)
            writer.append(context.location, widths.context, widths.line, widths.column)
        }
    }

    private mutating func appendEntry() {
        typealias Block = SymbolIndexLayout.Block
        guard let entry = root.entry else { return writer.append(Block.noEntry, Block.entryWidth) }
        let distance = entry <= start ? start - entry : entry - start
        let width = BitFieldWriter.width(of: distance)
        if width > Block.largestEntryWidth { hasOverflown = true }
        writer.append(UInt64(width), Block.entryWidth)
        writer.append(entry <= start ? 0 : 1, 1)
        writer.append(distance, width)
    }
}

extension BitFieldWriter {
    /// Appends a location: a context, a line, a column.
    @inline(__always)
    fileprivate mutating func append(_ location: BlockEncoder.Location, _ contextWidth: Int, _ lineWidth: Int, _ columnWidth: Int) {
        let line = UInt64(location.line) &<< UInt64(truncatingIfNeeded: contextWidth)
        let column = UInt64(location.column) &<< UInt64(truncatingIfNeeded: contextWidth &+ lineWidth)
        append(UInt64(location.context) | line | column, contextWidth &+ lineWidth &+ columnWidth)
    }
}
