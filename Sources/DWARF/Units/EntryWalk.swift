internal import BinaryPrimitives

/// A walk over the entries of a unit in their order, which is that of a tree: an entry's children
/// follow it up to a zero (DWARF 5, section 2.3).
///
/// A caller has the loop: `next`, and for each entry one of `pass`, `jump` and `read`, which are inlined into the loop.
struct EntryWalk {
    private let table: AbbreviationTable
    private let sizes: FormSizes
    private let depthLimit = Limits.standard.entryDepth
    /// Offset of the entry, in bytes from the unit's header.
    private(set) var entry = 0
    private(set) var code: UInt64 = 0
    /// How many entries are around it. The root's is zero.
    private(set) var depth = 0
    /// Position of the entry's first attribute; between two entries, that of the next one or of a zero.
    private(set) var position: Int

    init(_ unit: Unit) {
        table = unit.abbreviations
        sizes = unit.sizes
        position = unit.header.firstEntry - unit.header.offset
    }

    /// - Parameter entry: with its children all that the walk visits, in bytes from the unit's header.
    init(_ unit: Unit, at entry: Int) {
        self.init(unit)
        position = entry
    }

    /// Moves to the next entry.
    /// - Parameter bytes: the unit, from its header to its end.
    /// - Returns: what the entry looks like; `nil` after the last.
    @inline(__always)
    mutating func next(_ bytes: RawSpan) throws(ReadError) -> EntryShape? {
        while position < bytes.byteCount {
            entry = position
            code = UInt64(bytes.byte(at: position))
            position &+= 1
            if code >= 0x80 { code = try bytes.restOfCode(code, &position) }
            if code != 0 {
                guard let shape = table.shape(code) else { throw ReadError(.unknownCode(code), bytesLeft: bytes.byteCount &- position) }
                return shape
            }
            depth &-= 1
            if depth <= 0 { return nil }
        }
        return nil
    }

    /// Passes the entry's attributes.
    @inline(__always)
    mutating func pass(_ shape: EntryShape, _ bytes: RawSpan) throws(ReadError) {
        var end = position
        if try !shape.steps.pass(&end, bytes, sizes) { end = try table.end(ofDeclaredAttributesAt: position, code, bytes, sizes) }
        guard end <= bytes.byteCount else {
            throw ReadError(.outOfBytes(needed: end &- position), bytesLeft: bytes.byteCount &- position)
        }
        try read(upTo: end, shape, bytes)
    }

    /// Passes the entry with its children, of which each is passed: clang, swiftc and rustc do not
    /// give where the next sibling is.
    mutating func passAll(_ shape: EntryShape, _ bytes: RawSpan) throws(ReadError) {
        try pass(shape, bytes)
        guard shape.hasChildren else { return }
        depth &-= 1
        position = try table.end(ofChildrenAt: position, depth: depthLimit &- depth, bytes, sizes)
        // Bytes after the root belong to no entry.
        if depth == 0 { position = bytes.byteCount }
    }

    /// Passes the entry with its children. The entry must give where its next sibling is.
    @inline(__always)
    mutating func jump(_ shape: EntryShape, _ bytes: RawSpan) throws(ReadError) {
        let sibling =
            if shape.siblingOffset >= 0 {
                Int(try bytes.value(UInt32.self, at: position &+ Int(shape.siblingOffset), sizes.byteOrder))
            } else {
                try table.sibling(ofEntryWithAttributesAt: position, code, bytes, sizes) ?? 0
            }
        // Only forwards: following a backward sibling would never end.
        guard sibling > entry, sibling <= bytes.byteCount else {
            throw ReadError(.outOfBytes(needed: sibling), bytesLeft: bytes.byteCount &- position)
        }
        position = sibling
    }

    /// Goes on after the entry's attributes.
    /// - Parameter end: one past the last of them, in bytes from the unit's header.
    @inline(__always)
    mutating func read(upTo end: Int, _ shape: EntryShape, _ bytes: RawSpan) throws(ReadError) {
        position = end
        if shape.hasChildren {
            depth &+= 1
            guard depth < depthLimit else {
                throw ReadError(.tooDeep(limit: depthLimit), bytesLeft: bytes.byteCount &- end)
            }
        } else if depth == 0 {
            // A root without children is the unit's only entry.
            position = bytes.byteCount
        }
    }
}

/// Those of the entries around the one that is read that who walks wants to know.
struct OpenEntries<Entry> {
    private var entries: [(depth: Int, entry: Entry)] = []
    /// Depth of the innermost one; -1 if there is none.
    private var lastDepth = -1

    var count: Int { entries.count }
    var last: Entry? { entries.last?.entry }

    /// From the outermost, 0, to the innermost.
    subscript(index: Int) -> Entry {
        get { entries[index].entry }
        set { entries[index].entry = newValue }
    }

    /// - Parameter depth: the entry's, which is the one that is read.
    mutating func append(_ entry: Entry, depth: Int) {
        entries.append((depth, entry))
        lastDepth = depth
    }

    /// Forgets those that have ended where an entry begins at a depth.
    @inline(__always)
    mutating func close(at depth: Int) {
        if lastDepth >= depth { removeEnded(at: depth) }
    }

    private mutating func removeEnded(at depth: Int) {
        while let last = entries.last, last.depth >= depth { entries.removeLast() }
        lastDepth = entries.last?.depth ?? -1
    }

    mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        lastDepth = -1
    }
}
