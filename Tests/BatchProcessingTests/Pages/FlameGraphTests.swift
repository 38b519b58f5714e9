import Testing

@testable import BatchProcessing

struct FlameGraphTests {
    private func stack(_ names: String, inlined: Set<String> = []) -> [FlameGraph.Function] {
        names.split(separator: " ").map { .init(label: String($0), kind: .own, isInlined: inlined.contains(String($0))) }
    }

    /// `label depth start count`.
    private func rows(_ graph: FlameGraph) -> [String] {
        graph.nodes.map { "\($0.function.label) \($0.depth) \($0.start) \($0.count)" }
    }

    /// Written down by hand: seven reports begin in main, four of them call run, two start.
    @Test func `stacks are merged from the outermost function`() {
        let graph = FlameGraph([
            (stack("pour smelt run main"), 3), (stack("cool start main"), 2), (stack("melt run main"), 1), (stack("main"), 1),
        ])
        #expect(rows(graph) == ["main 0 0 7", "run 1 1 4", "smelt 2 1 3", "pour 3 1 3", "melt 2 4 1", "start 1 5 2", "cool 2 5 2"])
        #expect(graph.total == 7)
        #expect(graph.height == 4)
        // The stack that ends in main is left of what main calls.
        #expect(graph.order == [3, 0, 2, 1])
    }

    @Test func `a box's stacks stand side by side in the graph's order`() {
        let graph = FlameGraph([(stack("a x m"), 1), (stack("b y m"), 4), (stack("c x m"), 2)])
        for node in graph.nodes {
            let stacks = graph.order[node.firstStack..<node.firstStack + node.stackCount]
            #expect(stacks.map { [1, 4, 2][$0] }.reduce(0, +) == node.count, "\(node)")
        }
        #expect(graph.nodes.first { $0.function.label == "x" }?.stackCount == 2)
    }

    @Test func `a function that calls itself stands once, and an inlined call is another than a call`() {
        let deep = stack("leaf fib fib fib main")
        let graph = FlameGraph([(deep, 1), (stack("leaf fib main"), 1), (stack("leaf fib main", inlined: ["leaf"]), 1)])
        #expect(rows(graph) == ["main 0 0 3", "fib 1 0 3", "leaf 2 0 2", "leaf 2 2 1"])
        #expect(graph.nodes[1].repeats == 3)
        #expect(FlameBoxes.text(graph.nodes[1]) == "fib ×3")
        #expect(FlameBoxes.text(graph.nodes[3]) == "↳ leaf")
    }

    /// A hundred levels are drawn; of 250 functions the outermost 151 are one box.
    @Test func `of a deep stack the innermost functions are kept`() {
        let functions = (0..<250).map { FlameGraph.Function(label: "f\($0)", kind: .own, isInlined: false) }
        let graph = FlameGraph([(functions, 1)])
        #expect(graph.nodes.count == 100)
        #expect(graph.nodes.first?.function.label == "151 outer functions")
        #expect(graph.nodes.last?.function.label == "f0")
    }

    @Test func `boxes fill the drawing's width, and stand on what called them`() throws {
        let boxes = FlameBoxes(FlameGraph([(stack("a main"), 1), (stack("b main"), 3)]))
        // Tenths of 1,000 units: main has all of them, b three quarters. Two levels of 18 units.
        #expect(boxes.boxes.map(\.x) == [0, 0, 7500])
        #expect(boxes.boxes.map(\.width) == [10_000, 7500, 2500])
        #expect(boxes.boxes.map(\.y) == [18, 0, 0])
        #expect(boxes.height == 36)
        #expect(boxes.hidden == 0)
    }

    @Test func `nothing is drawn of no stacks`() {
        let graph = FlameGraph([])
        #expect(graph.nodes.isEmpty && graph.total == 0)
        #expect(FlameBoxes(graph).boxes.isEmpty)
    }
}
