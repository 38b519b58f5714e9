/// Stacks merged from their outermost functions inwards: how many reports went through each
/// function, and from where.
///
/// Functions are distinguished by what is shown of them. A function that calls itself is shown
/// once, with its count. Of more than `depth` functions the outermost are left out, because a crash
/// is identified by its innermost ones.
struct FlameGraph: Sendable {
    /// Why a function looks as it does.
    enum Kind: Sendable, Hashable {
        case own, library
        /// Unresolved, with the name that the log has.
        case named
        /// Unresolved: shown as module and offset.
        case unresolved
        /// Frames that the log or the graph leaves out.
        case gap
    }

    struct Function: Sendable, Hashable {
        var label: String
        var kind: Kind
        var isInlined: Bool
    }

    struct Node: Sendable, Hashable {
        var function: Function
        /// How often it called itself, at most.
        var repeats: Int
        /// 0 is the outermost.
        var depth: Int
        /// Reports that went through it.
        var count: Int
        /// Reports to the left of it.
        var start: Int
        /// The stacks that contain it begin at this index in `order`.
        var firstStack: Int
        var stackCount: Int
    }

    static let depth = 100

    /// Outer ones before those that they call, in the order in which they are read: depth first,
    /// the widest first.
    private(set) var nodes: [Node] = []
    /// Indices of the given stacks, in the graph's order from left to right.
    private(set) var order: [Int] = []
    private(set) var total = 0
    private(set) var height = 0

    /// - Parameter stacks: functions innermost first, and how many reports have them.
    init(_ stacks: [(functions: [Function], count: Int)]) {
        let folded = stacks.map { Self.folded($0.functions) }
        let all = Array(stacks.indices)
        total = stacks.reduce(0) { $0 + $1.count }
        addNodes(all, depth: 0, start: 0, folded, stacks.map(\.count))
    }

    /// Outermost first. Calls of a function by itself are one.
    private static func folded(_ functions: [Function]) -> [(function: Function, repeats: Int)] {
        var result: [(function: Function, repeats: Int)] = []
        for function in functions {
            if let last = result.last, last.function == function {
                result[result.count - 1].repeats += 1
            } else {
                result.append((function, 1))
            }
        }
        if result.count > depth {
            let left = result.count - depth + 1
            result = Array(result.prefix(depth - 1))
            result.append((Function(label: "\(left) outer functions", kind: .gap, isInlined: false), 1))
        }
        return result.reversed()
    }

    /// Recursion is as deep as the graph, which is not deep.
    private mutating func addNodes(
        _ stacks: [Int], depth: Int, start: Int, _ folded: [[(function: Function, repeats: Int)]], _ counts: [Int]
    ) {
        height = max(height, depth)
        var members: [Function: [Int]] = [:]
        var order: [Function] = []
        var ended: [Int] = []
        for stack in stacks {
            guard folded[stack].count > depth else {
                ended.append(stack)
                continue
            }
            let function = folded[stack][depth].function
            if members[function] == nil { order.append(function) }
            members[function, default: []].append(stack)
        }
        self.order += ended
        var position = start + ended.reduce(0) { $0 + counts[$1] }
        let sized = order.map { function in (function, members[function, default: []].reduce(0) { $0 + counts[$1] }) }
        for (function, count) in sized.sorted(by: { ($1.1, $0.0.label) < ($0.1, $1.0.label) }) {
            let inner = members[function] ?? []
            nodes.append(
                Node(
                    function: function, repeats: inner.map { folded[$0][depth].repeats }.max() ?? 1, depth: depth, count: count,
                    start: position, firstStack: self.order.count, stackCount: inner.count))
            addNodes(inner, depth: depth + 1, start: position, folded, counts)
            position += count
        }
    }
}
