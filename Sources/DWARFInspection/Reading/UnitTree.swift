internal import BinaryPrimitives
internal import DWARF

/// The entries of one unit in their order, and the parent of each.
struct UnitTree {
    /// Ascending, from the unit's first byte. Null entries are not among them.
    private(set) var offsets: [UInt32] = []
    /// The index of the parent; that of the root is its own.
    private(set) var parents: [UInt32] = []

    init(_ context: DumpContext, _ unit: DumpUnit) {
        var open: [UInt32] = []
        var position = unit.root
        let bytes = context.section(of: unit)
        while position < unit.end {
            if bytes[position] == 0 {
                position += 1
                _ = open.popLast()
                if open.isEmpty { return }
                continue
            }
            guard let entry = context.entry(at: position, in: unit), let end = context.end(of: entry),
                let offset = UInt32(exactly: position - unit.offset)
            else { return }
            let index = UInt32(offsets.count)
            offsets.append(offset)
            parents.append(open.last ?? index)
            if entry.abbreviation.hasChildren { open.append(index) } else if open.isEmpty { return }
            position = end
        }
    }

    /// The index of the entry at an offset from the unit's first byte.
    func index(of offset: Int) -> Int? {
        let low = (0..<offsets.count).partitionPoint { Int(offsets[$0]) >= offset }
        return low < offsets.count && Int(offsets[low]) == offset ? low : nil
    }

    /// The last entry before an offset.
    func last(before offset: Int) -> Int? {
        let low = (0..<offsets.count).partitionPoint { Int(offsets[$0]) >= offset }
        return low > 0 ? Int(offsets[low - 1]) : nil
    }

    /// The offset of the parent; `nil` for the root, and for what is no entry.
    func parent(of offset: Int) -> Int? {
        guard let index = index(of: offset), Int(parents[index]) != index else { return nil }
        return Int(offsets[Int(parents[index])])
    }
}

/// The trees of the units that were used last.
final class UnitTrees {
    private var trees = RecentValues<Int, UnitTree>(count: 8)
    private let context: DumpContext

    init(_ context: DumpContext) { self.context = context }

    func tree(of unit: DumpUnit) -> UnitTree {
        let key = unit.isInTypes ? ~unit.offset : unit.offset
        if let tree = trees.value(for: key) { return tree }
        let tree = UnitTree(context, unit)
        trees.insert(tree, for: key)
        return tree
    }

    func parent(of entry: DumpEntry) -> DumpEntry? {
        tree(of: entry.unit).parent(of: entry.offset - entry.unit.offset).flatMap {
            context.entry(at: $0 + entry.unit.offset, in: entry.unit)
        }
    }
}

extension DumpContext {
    /// Gives the children of an entry to `body`, as long as it returns `true`.
    func forEachChild(of entry: DumpEntry, _ body: (DumpEntry) -> Bool) {
        guard entry.abbreviation.hasChildren, var position = end(of: entry) else { return }
        let bytes = section(of: entry.unit)
        var depth = 0
        while position < entry.unit.end {
            if bytes[position] == 0 {
                position += 1
                depth -= 1
                if depth < 0 { return }
                continue
            }
            guard let child = self.entry(at: position, in: entry.unit) else { return }
            if depth == 0, !body(child) { return }
            // Past a child's own children by the reference that many compilers write.
            if depth == 0, child.abbreviation.hasChildren, let next = value(Attribute.sibling, of: child), next.form == Form.ref4,
                Int(next.raw) + entry.unit.offset > position
            {
                position = Int(next.raw) + entry.unit.offset
                continue
            }
            guard let end = end(of: child) else { return }
            if child.abbreviation.hasChildren { depth += 1 }
            position = end
        }
    }
}
