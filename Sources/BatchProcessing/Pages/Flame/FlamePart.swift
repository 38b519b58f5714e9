/// A group's merged stacks: the drawing, and the table that says the same.
struct FlamePart {
    let graph: FlameGraph
    let detail: GroupDetail
    /// Link to the list of each stack's reports, by the stack's index in the graph's order.
    let links: [Int: String]
    let otherwise: String

    private static let rowLimit = 300

    var values: [String: Any] {
        let drawing = FlameBoxes(graph)
        var boxes = ""
        for box in drawing.boxes {
            let node = graph.nodes[box.node]
            boxes +=
                "<a href=\"\(PageText.escaped(href(node)))\" tabindex=\"-1\" class=\"\(Self.style(node.function))\"><title>\(PageText.escaped(title(node)))</title>"
                + "<rect x=\"\(Self.units(box.x))\" y=\"\(box.y)\" width=\"\(Self.units(box.width))\" height=\"17\"/>"
            if !box.label.isEmpty {
                boxes += "<text x=\"\(Self.units(box.x + 30))\" y=\"\(box.y + 13)\">\(PageText.escaped(box.label))</text>"
            }
            boxes += "</a>\n"
        }
        var values: [String: Any] = [
            "height": max(drawing.height, FlameBoxes.rowHeight), "boxes": boxes, "rows": rows, "explanation": explanation,
        ]
        if drawing.hidden > 0 {
            values["hidden"] =
                "\(PageText.count(drawing.hidden, "call")) with too few reports to be drawn \(drawing.hidden == 1 ? "is" : "are") left out."
        }
        if graph.nodes.count > Self.rowLimit {
            values["more"] = "The first \(Self.rowLimit) of \(PageText.count(graph.nodes.count, "call"))."
        }
        return values
    }

    private var explanation: String {
        let all =
            detail.stackCount > detail.stacks.count
            ? "The \(PageText.number(detail.stacks.count)) most frequent of \(PageText.number(detail.stackCount)) different stacks"
            : PageText.count(detail.stackCount, "different stack")
        return
            "\(all) of \(PageText.count(graph.total, "report")). Flame graph: callers at the bottom, crash at the top. Width is the number of reports."
    }

    private var rows: [[String: Any]] {
        graph.nodes.prefix(Self.rowLimit).map { node in
            var row: [String: Any] = [
                "level": node.depth + 1, "function": PageText.short(FlameBoxes.text(node), 400), "count": PageText.number(node.count),
                "href": href(node),
            ]
            if let tag = Self.tag(node.function) { row["tag"] = tag }
            return row
        }
    }

    private func href(_ node: FlameGraph.Node) -> String { "../" + (links[node.firstStack] ?? otherwise) }

    private func title(_ node: FlameGraph.Node) -> String {
        let name = PageText.short(FlameBoxes.text(node), 600)
        let tag = Self.tag(node.function).map { " (\($0))" } ?? ""
        let count =
            "\(PageText.number(node.count)) of \(PageText.count(graph.total, "report")), \(PageText.share(node.count, of: graph.total))"
        let stacks =
            node.stackCount > 1
            ? "stacks \(node.firstStack + 1) to \(node.firstStack + node.stackCount)" : "stack \(node.firstStack + 1)"
        return "\(name)\(tag): \(count), \(stacks)"
    }

    static func tag(_ function: FlameGraph.Function) -> String? {
        let kind: String? =
            switch function.kind {
            case .own: "your code"
            case .named: "named by the log"
            case .unresolved: "no symbols"
            case .library, .gap: nil
            }
        let tags = [kind, function.isInlined ? "inlined" : nil].compactMap { $0 }
        return tags.isEmpty ? nil : tags.joined(separator: ", ")
    }

    private static func style(_ function: FlameGraph.Function) -> String {
        let kind =
            switch function.kind {
            case .own: "own"
            case .library: "library"
            case .named: "named"
            case .unresolved: "unresolved"
            case .gap: "gap"
            }
        return kind + (function.isInlined ? " inlined" : "")
    }

    /// Tenths of units as a decimal number.
    private static func units(_ tenths: Int) -> String { tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)" }
}
