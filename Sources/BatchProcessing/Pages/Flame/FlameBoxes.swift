internal import BinaryPrimitives

/// A flame graph's boxes on a drawing that is 1,000 units wide: the outermost functions at the
/// bottom.
struct FlameBoxes: Sendable, Hashable {
    struct Box: Sendable, Hashable {
        /// Which node of the graph it is.
        var node: Int
        /// Tenths of units.
        var x: Int
        var width: Int
        /// Units.
        var y: Int
        /// Text that fits into the box; empty if no text fits.
        var label: String
    }

    static let rowHeight = 18
    /// Boxes beyond these would make a page slow, and are too narrow to be seen.
    private static let limit = 2500
    /// A letter's width in tenths of units: 11 units of a monospaced font's size.
    private static let letter = 67

    let height: Int
    let boxes: [Box]
    /// Functions that are too narrow to be drawn.
    let hidden: Int

    init(_ graph: FlameGraph) {
        height = graph.height * Self.rowHeight
        let total = max(1, graph.total)
        // In tenths of units.
        var narrowest = 10
        while graph.nodes.count(where: { $0.count * 10_000 / total >= narrowest }) > Self.limit { narrowest *= 2 }
        var boxes: [Box] = []
        for (index, node) in graph.nodes.enumerated() {
            let x = node.start * 10_000 / total
            let width = (node.start + node.count) * 10_000 / total - x
            guard node.count * 10_000 / total >= narrowest else { continue }
            boxes.append(
                Box(
                    node: index, x: x, width: width, y: height - Self.rowHeight * (node.depth + 1),
                    label: Self.fitting(Self.text(node), letters: (width - 60) / Self.letter)))
        }
        self.boxes = boxes
        hidden = graph.nodes.count - boxes.count
    }

    /// The name with signs for what its colour says.
    static func text(_ node: FlameGraph.Node) -> String {
        (node.function.isInlined ? "↳ " : "") + (node.function.kind == .unresolved ? "? " : "") + node.function.label
            + (node.repeats > 1 ? " ×\(node.repeats)" : "")
    }

    private static func fitting(_ text: String, letters: Int) -> String {
        guard letters >= 3 else { return "" }
        let text = PlainText.line(text)
        return text.count <= letters ? text : String(text.prefix(letters - 1)) + "…"
    }
}
