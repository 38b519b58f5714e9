internal import BinaryPrimitives

/// Follows a function's instructions from the first one, on all ways, and finds the state before each of them.
///
/// The parts that are the same count where two ways meet. Control that would come from a call may never come, because the called
/// function does not return: where another way leads to that instruction, that one counts. The targets of a computed
/// jump are not known: code that no way leads to has the state of the nearest one.
struct CodeWalk<Machine: CodeMachine> {
    private let machine: Machine
    private let entry: CodeState
    /// The contents of each position: nothing that was read, an instruction, or the first one of a block.
    private var marks: [Mark]
    private var blocks: [Int: Block] = [:]
    private var computedJumps: [Int: CodeState] = [:]
    /// Positions that branches lead to.
    private var targets: Set<Int> = []
    /// First positions of blocks that no way leads to, ascending.
    private var unreached: [Int] = []
    private var stepCount = 0

    private enum Mark: UInt8 { case none, instruction, first }

    private struct Block {
        var state: CodeState
        var strength: Strength
        /// Position of the call that control came from.
        var call: Int?
    }

    /// Positions of calls that do not return, as another way to the next instruction shows.
    private var endless: Set<Int> = []
    private static var maxRuns: Int { 4 }

    /// How surely control comes.
    private enum Strength: Int, Comparable {
        case computed, afterCall, sure
        static func < (one: Strength, other: Strength) -> Bool { one.rawValue < other.rawValue }
    }

    /// Instructions that are read for one function: the largest of C libraries have some 10,000, and each is
    /// read about four times.
    private static var maxSteps: Int { 1 << 18 }

    /// - Returns: `nil` if there are too many instructions.
    init?(_ machine: Machine, _ convention: CallingConvention, in code: RawSpan) {
        self.machine = machine
        entry = CodeState(convention)
        marks = [Mark](repeating: .none, count: code.byteCount)
        findBlocks(code)
        for _ in 0..<Self.maxRuns {
            let known = endless.count
            (blocks, computedJumps) = ([:], [:])
            run(code)
            // States from behind a call that does not return may have come to other blocks.
            if endless.count == known { break }
        }
        if stepCount > Self.maxSteps { return nil }
    }

    /// The state before the instruction at a position, or in a frame that is returned to, at the call before it.
    func state(at position: Int, isReturn: Bool, in code: RawSpan) -> CodeState? {
        let inner = isReturn ? position - 1 : position
        guard marks.indices.contains(inner), let first = marks[...inner].lastIndex(of: .first), var state = blocks[first]?.state else {
            return nil
        }
        var next = first
        while next < position {
            guard let step = machine.execute(at: next, in: code, &state) else { return nil }
            next += step.length
            if isReturn, next == position {
                guard step.flow == .call else { return nil }
                state.call()
                return state
            }
        }
        return !isReturn && next == position ? state : nil
    }

    /// Calls `body` with each instruction's position and the state before it.
    func forEachState(in code: RawSpan, _ body: (Int, CodeState) -> Void) {
        for (first, block) in blocks {
            var (next, state) = (first, block.state)
            repeat {
                body(next, state)
                guard let step = machine.execute(at: next, in: code, &state) else { break }
                if step.flow == .call { state.call() }
                next += step.length
            } while marks.indices.contains(next) && marks[next] == .instruction
        }
    }

    // MARK: Blocks

    /// Marks the instructions that a way leads to from the first one, then those after computed jumps.
    private mutating func findBlocks(_ code: RawSpan) {
        guard !marks.isEmpty else { return }
        var (ends, hasComputedJumps) = ([Int](), false)
        markBlocks(from: 0, code, &ends, &hasComputedJumps)
        guard hasComputedJumps else { return }
        while let end = ends.popLast() {
            guard marks.indices.contains(end), marks[end] == .none else { continue }
            unreached.append(end)
            markBlocks(from: end, code, &ends, &hasComputedJumps)
        }
        unreached.sort()
    }

    private mutating func markBlocks(from start: Int, _ code: RawSpan, _ ends: inout [Int], _ hasComputedJumps: inout Bool) {
        var open = [start]
        var scratch = entry
        func begin(_ position: Int, _ marks: inout [Mark], _ open: inout [Int]) {
            guard marks.indices.contains(position), marks[position] != .first else { return }
            if marks[position] == .none { open.append(position) } else { marks[position] = .first }
        }
        while let first = open.popLast() {
            var next = first
            if marks[first] != .none { marks[first] = .first }
            way: while marks.indices.contains(next) {
                if marks[next] != .none {
                    if next != first { marks[next] = .first }
                    break
                }
                stepCount += 1
                marks[next] = next == first ? .first : .instruction
                guard stepCount <= Self.maxSteps, let step = machine.execute(at: next, in: code, &scratch), step.length > 0 else { break }
                next += step.length
                switch step.flow {
                case .next: break
                case .call:
                    begin(next, &marks, &open)
                    break way
                case .branch(let target):
                    targets.insert(target)
                    begin(target, &marks, &open)
                    begin(next, &marks, &open)
                    break way
                case .jump(let target):
                    targets.insert(target)
                    begin(target, &marks, &open)
                    ends.append(next)
                    break way
                case .table(let list):
                    targets.formUnion(list)
                    for target in list { begin(target, &marks, &open) }
                    break way
                case .computedJump(let isConditional):
                    hasComputedJumps = true
                    if isConditional { begin(next, &marks, &open) } else { ends.append(next) }
                    break way
                case .end:
                    ends.append(next)
                    break way
                }
            }
        }
    }

    // MARK: States

    private mutating func run(_ code: RawSpan) {
        var open = OpenBlocks()
        enter(0, entry, .sure, &open)
        var unreached = unreached[...]
        while stepCount <= Self.maxSteps {
            if let first = open.sure.popLast() {
                runBlock(first, code, &open)
            } else if let (call, position, state) = open.afterCalls.popLast() ?? open.beforeTargets.popLast() {
                enter(position, state, .afterCall, call: call, &open)
            } else if let position = unreached.popFirst() {
                if blocks[position] == nil, let state = computedState(at: position) { enter(position, state, .computed, &open) }
            } else {
                break
            }
        }
    }

    /// The blocks to run: first those that other instructions surely lead to, last those after calls to which
    /// branches lead, too. A call that does not return is often the last instruction before such a block.
    private struct OpenBlocks {
        var sure: [Int] = []
        var afterCalls: [(call: Int, position: Int, state: CodeState)] = []
        var beforeTargets: [(call: Int, position: Int, state: CodeState)] = []
    }

    /// Adds the instruction after a call.
    private func addReturn(_ call: Int, _ position: Int, _ state: CodeState, _ code: RawSpan, _ open: inout OpenBlocks) {
        guard !endless.contains(call) else { return }
        var (next, after) = (position, state)
        // After some fill.
        for _ in 0..<4 where !targets.contains(next) && after == state {
            guard let step = machine.execute(at: next, in: code, &after), step.flow == .next else { break }
            next += step.length
        }
        if targets.contains(next), after == state {
            open.beforeTargets.append((call, position, state))
        } else {
            open.afterCalls.append((call, position, state))
        }
    }

    /// The state of the nearest computed jump to a table.
    ///
    /// If the stack is as it was at entry, the jump may be the function's last instruction instead, unless that is so everywhere.
    /// - Returns: `nil` if there is none, or the stack pointers at the jumps differ.
    private func computedState(at position: Int) -> CodeState? {
        var candidates = computedJumps.filter { $0.value.stackPointer != entry.stackPointer }
        if candidates.isEmpty {
            guard blocks.values.allSatisfy({ $0.state.stackPointer == entry.stackPointer }) else { return nil }
            candidates = computedJumps
        }
        let before = candidates.keys.filter { $0 < position }.max()
        guard let state = (before ?? candidates.keys.min()).flatMap({ candidates[$0] }),
            candidates.values.allSatisfy({ $0.stackPointer == state.stackPointer })
        else { return nil }
        return state
    }

    private mutating func enter(_ position: Int, _ state: CodeState, _ strength: Strength, call: Int? = nil, _ open: inout OpenBlocks) {
        guard marks.indices.contains(position), marks[position] == .first else { return }
        guard var block = blocks[position] else {
            blocks[position] = Block(state: state, strength: strength, call: call)
            return open.sure.append(position)
        }
        if block.state.contradicts(state), strength != block.strength {
            guard strength > block.strength else { return }
            block.state = state
            if let call = block.call { endless.insert(call) }
        } else {
            block.state.join(state)
        }
        if strength > block.strength { (block.strength, block.call) = (strength, call) }
        if block.state != blocks[position]?.state { open.sure.append(position) }
        blocks[position] = block
    }

    private mutating func runBlock(_ first: Int, _ code: RawSpan, _ open: inout OpenBlocks) {
        guard let block = blocks[first] else { return }
        var state = block.state
        var next = first
        while true {
            stepCount += 1
            let position = next
            guard stepCount <= Self.maxSteps, let step = machine.execute(at: position, in: code, &state) else { return }
            next += step.length
            switch step.flow {
            case .next: break
            case .call:
                state.call()
                return addReturn(position, next, state, code, &open)
            case .branch(let target):
                enter(target, state, .sure, &open)
                return enter(next, state, .sure, &open)
            case .jump(let target): return enter(target, state, .sure, &open)
            case .table(let targets):
                for target in targets { enter(target, state, .sure, &open) }
                return
            case .computedJump(let isConditional):
                computedJumps[position] = state
                if isConditional { enter(next, state, .sure, &open) }
                return
            case .end: return
            }
            guard marks.indices.contains(next) else { return }
            if marks[next] == .first {
                // Fill does not make it surer that control comes.
                let isFill = state == block.state
                return enter(next, state, isFill ? block.strength : .sure, call: isFill ? block.call : nil, &open)
            }
        }
    }
}
