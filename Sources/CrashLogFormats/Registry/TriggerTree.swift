internal import CrashLogModel

/// Literal texts as the tree of Aho and Corasick's automaton. Made in time that grows with the
/// texts' length alone; `TriggerSearch` finds the suffixes, and makes the rows, that a log needs.
package struct TriggerTree: Sendable {
    /// For each byte, its column. Bytes that occur in no text share column 0.
    package let columns: [UInt8]
    package let width: Int

    private struct Node {
        var column: UInt8 = 0
        var child: Int32 = 0
        var sibling: Int32 = 0
        var parent: Int32 = 0
        /// Marks of the text that ends here, without those of its suffixes.
        var marks: TriggerSearch.Marks = 0
    }

    /// The root first.
    private var nodes: [Node] = [Node()]
    /// The root's children by column; 0 for no child.
    private var roots: [Int32]

    /// - Parameter texts: texts to find, with the marks of each. Empty texts are left out.
    package init(_ texts: [(text: [UInt8], marks: TriggerSearch.Marks)]) {
        var columns = [UInt8](repeating: 0, count: 256)
        var width = 1
        for (text, _) in texts {
            for byte in text where columns[Int(byte)] == 0 && width < 256 {
                columns[Int(byte)] = UInt8(width)
                width += 1
            }
        }
        self.columns = columns
        self.width = width
        roots = [Int32](repeating: 0, count: width)
        nodes.reserveCapacity(texts.reduce(1) { $0 + $1.text.count })
        for (text, marks) in texts where !text.isEmpty { insert(text, marks) }
    }

    /// The states, the root among them.
    var count: Int { nodes.count }

    func marks(of state: Int) -> TriggerSearch.Marks { nodes[state].marks }

    /// The texts, each once.
    var texts: [[UInt8]] {
        var bytes = [UInt8](repeating: 0, count: width)
        for (byte, column) in columns.enumerated() where column != 0 { bytes[Int(column)] = UInt8(byte) }
        return nodes.indices.filter { nodes[$0].marks != 0 }.map { state in
            var (state, text): (Int, [UInt8]) = (state, [])
            while state != 0 {
                text.append(bytes[Int(nodes[state].column)])
                state = Int(nodes[state].parent)
            }
            return text.reversed()
        }
    }

    /// The state whose text is one byte shorter, and that byte's column.
    func parent(of state: Int) -> (state: Int, column: Int) { (Int(nodes[state].parent), Int(nodes[state].column)) }

    func child(of state: Int, _ column: Int) -> Int? {
        if state == 0 { return roots[column] == 0 ? nil : Int(roots[column]) }
        var child = Int(nodes[state].child)
        while child != 0 {
            if Int(nodes[child].column) == column { return child }
            child = Int(nodes[child].sibling)
        }
        return nil
    }

    private mutating func insert(_ text: [UInt8], _ marks: TriggerSearch.Marks) {
        var state = 0
        for byte in text {
            let column = columns[Int(byte)]
            if let known = child(of: state, Int(column)) {
                state = known
                continue
            }
            let new = nodes.count
            var node = Node()
            node.column = column
            node.parent = Int32(state)
            if state == 0 {
                roots[Int(column)] = Int32(new)
            } else {
                node.sibling = nodes[state].child
                nodes[state].child = Int32(new)
            }
            nodes.append(node)
            state = new
        }
        nodes[state].marks |= marks
    }
}
