/// Similarity of two stacks of own code, 0 to 1. It weighs common functions against contradictions.
///
/// Stacks of one bug differ by functions that one of them lacks (an optimiser made the call a jump,
/// a version put a wrapper between), rarely by one function instead of another. So a function that
/// only one stack has counts little (`gap`). Different functions at the same position count in
/// full. The nearer to the crash, the more a function counts: weights fall as exp(−0.22 ·
/// position), so of ten functions the first three weigh a half. The crash's own function must be
/// the same: two bugs may share all their callers.
struct StackSimilarity: Sendable {
    /// Weight of a function that only one of the two stacks has.
    static let gap = 0.3
    /// Weight of a function beyond the end of the other stack. Stacks end early if the walk lost
    /// its way, which is no sign of another bug.
    static let beyondEnd = 0.1
    /// From here on stacks are of one bug.
    static let threshold = 0.7
    /// A contradiction nearer to the crash than this ends the comparison: both stacks name
    /// different functions.
    static let decisive = 3

    private let weights: [Double]

    init(limits: SignatureLimits = .standard) {
        // A polynomial instead of `exp`: its result must be the same on every machine, and
        // mathematics libraries differ in the last bit.
        var weights: [Double] = []
        var weight = 1.0
        for _ in 0..<(2 * limits.comparedFrames + 2) {
            weights.append(weight)
            weight *= 0.8025  // exp(−0.22)
        }
        self.weights = weights
    }

    private func weight(_ position: Int) -> Double { position < weights.count ? weights[position] : 0 }

    /// - Parameters: Names as numbers, innermost first, with the properties of each.
    func similarity(_ left: ComparedStack, _ right: ComparedStack) -> Double {
        guard let pairs = commonFunctions(left, right), let first = pairs.first else { return 0 }
        // Two closures of one function, each with its number: what was inlined into them is not
        // known, but they are two.
        if !left.showsInlinedCalls || !right.showsInlinedCalls,
            pairs.contains(where: { pair in
                let (one, other) = (left.closures[pair.left], right.closures[pair.right])
                return !one.isEmpty && !other.isEmpty && one != other
            })
        {
            return 0
        }
        // Before the first common function: the crash's function differs, unless one of the two cannot
        // show what was inlined there.
        guard isExplained(left, right, before: first) else { return 0 }
        // Every program has a `main`: stacks that share less than three functions are one bug in
        // one program only.
        if pairs.count(where: { !left.isPrefix[$0.left] }) < 3, left.module != right.module, !left.module.isEmpty, !right.module.isEmpty {
            return 0
        }
        var matched = 0.0
        var missing = 0.0
        var opposed = 0.0
        // Helpers that many bugs end in do not move what follows away from the crash.
        var position = 0
        var previous = first
        for pair in pairs {
            let onlyLeft = pair.left - previous.left - (pair == first ? 0 : 1)
            let onlyRight = pair.right - previous.right - (pair == first ? 0 : 1)
            let both = min(max(0, onlyLeft), max(0, onlyRight))
            if both > 0, position < Self.decisive { return 0 }
            for _ in 0..<both {
                opposed += weight(position)
                position += 1
            }
            missing += Double(max(onlyLeft, onlyRight, 0) - both) * weight(position)
            matched += weight(position)
            if !left.isPrefix[pair.left] { position += 1 }
            previous = pair
        }
        let restLeft = left.names.count - 1 - previous.left
        let restRight = right.names.count - 1 - previous.right
        let both = min(restLeft, restRight)
        if both > 0, position < Self.decisive { return 0 }
        for _ in 0..<both {
            opposed += weight(position)
            position += 1
        }
        var beyond = 0.0
        for _ in 0..<(max(restLeft, restRight) - both) {
            if both > 0 { missing += weight(position) } else { beyond += weight(position) }
            position += 1
        }
        return matched / (matched + opposed + Self.gap * missing + Self.beyondEnd * beyond)
    }

    private func isExplained(_ left: ComparedStack, _ right: ComparedStack, before first: Match) -> Bool {
        if first.left == 0, first.right == 0 { return true }
        // One begins with what the other has further out: then what the other has before it may
        // have been inlined into it, if the first cannot show inlined calls.
        if first.left == 0 { return !left.showsInlinedCalls && first.right <= 4 }
        if first.right == 0 { return !right.showsInlinedCalls && first.left <= 4 }
        return false
    }

    struct Match: Hashable {
        var left: Int
        var right: Int
    }

    /// The longest sequence of functions that both stacks have in the same order, as positions in
    /// both; of equally long ones the one that begins nearest to the crash.
    private func commonFunctions(_ leftStack: ComparedStack, _ rightStack: ComparedStack) -> [Match]? {
        let left = leftStack.names
        let right = rightStack.names
        guard !left.isEmpty, !right.isEmpty else { return nil }
        func same(_ i: Int, _ j: Int) -> Bool {
            left[i] == right[j]
                || (leftStack.isBare[i] || rightStack.isBare[j]) && leftStack.lastParts[i] == rightStack.lastParts[j]
                    && leftStack.isCPlusPlus[i] && rightStack.isCPlusPlus[j]
        }
        // lengths[i][j]: of what follows i and j.
        let width = right.count + 1
        var lengths = [Double](repeating: 0, count: (left.count + 1) * width)
        for i in left.indices.reversed() {
            for j in right.indices.reversed() {
                let skipped = max(lengths[(i + 1) * width + j], lengths[i * width + j + 1])
                lengths[i * width + j] = same(i, j) ? max(skipped, lengths[(i + 1) * width + j + 1] + 1) : skipped
            }
        }
        var matches: [Match] = []
        var i = 0
        var j = 0
        while i < left.count, j < right.count {
            if same(i, j), lengths[i * width + j] == lengths[(i + 1) * width + j + 1] + 1 {
                matches.append(Match(left: i, right: j))
                i += 1
                j += 1
            } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
                i += 1
            } else {
                j += 1
            }
        }
        return matches
    }
}

/// A stack with its names as numbers.
struct ComparedStack: Sendable {
    var names: [Int]
    /// Names without what they are in: `open` of `Mold::open`.
    var lastParts: [Int]
    /// The name is not more than its last part: compilers leave the rest out of the debug
    /// information of types that no other file sees, so `open` may be `Mold::open`.
    var isBare: [Bool]
    var isCPlusPlus: [Bool]
    var isPrefix: [Bool]
    /// The innermost function's image; empty where it is not known.
    var module: String
    /// Which closure of the function each is, where that is known; else empty.
    var closures: [String]
    /// The innermost function has all functions that were inlined into it.
    var showsInlinedCalls: Bool
}
