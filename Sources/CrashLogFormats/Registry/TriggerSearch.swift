internal import BinaryPrimitives
internal import CrashLogModel
internal import Synchronization

/// Finds many literal texts in one pass over a log (Aho and Corasick's automaton): each byte is one
/// step, independent of the number of texts.
///
/// This is why a log without a crash costs next to nothing, and why a further format makes none
/// slower: the formats are only shown the lines in which one of their triggers occurs. The
/// automaton's rows and suffixes are found when a log first comes to them. Of thousands of states,
/// a log meets some dozens, and a program that symbolicates one small log does not pay for the
/// others.
package struct TriggerSearch: Sendable {
    /// A set of numbers below 128: which formats a found text belongs to.
    package typealias Marks = UInt128

    /// State of the search: the part of the texts that has been read. Valid for this search only.
    package struct State: Sendable, Equatable {
        fileprivate var row: Int32

        package init() { row = 0 }

        fileprivate init(row: Int32) { self.row = row }
    }

    private let tree: TriggerTree
    /// The rows that were made, the root's first; each has, for every column, the index of the next
    /// state's row. -1: not looked up yet. Less: the next state ends a text, and is
    /// `endings[-2 - entry]`.
    private var table: [Int32]
    /// The state of each row.
    private var states: [Int]
    /// Index of the row of each state that has one.
    private var rows: [Int: Int32]
    private var endings: [(row: Int32, marks: Marks)] = []
    /// How many entries of the table are known.
    fileprivate private(set) var known = 0
    /// For each state, the state of the longest text that its own text ends with; -1: not looked up
    /// yet.
    private var suffixes: [Int32]

    package init(_ tree: TriggerTree) {
        self.tree = tree
        table = [Int32](repeating: -1, count: tree.width)
        states = [0]
        rows = [0: 0]
        suffixes = [Int32](repeating: -1, count: tree.count)
        suffixes[0] = 0
    }

    /// - Parameter texts: texts to find, with the marks of each. Empty texts are left out.
    package init(_ texts: [(text: [UInt8], marks: Marks)]) { self.init(TriggerTree(texts)) }

    /// Finds the next text.
    ///
    /// - Parameters:
    ///   - bytes: bytes to search.
    ///   - position: index in `bytes` at which to begin; moved to just after the text that was
    ///     found, or to the end.
    ///   - state: state of the search at `position`.
    /// - Returns: marks of all texts that end there; 0 if there are no more.
    package mutating func next(in bytes: Span<UInt8>, from position: inout Int, state: inout State) -> Marks {
        while true {
            var entry = step(in: bytes, from: &position, state: &state)
            guard entry < 0 else { return 0 }
            if entry == -1 { entry = addEntry(from: state, at: tree.columns[Int(bytes[position - 1])]) }
            guard entry < -1 else {
                state.row = entry
                continue
            }
            let ending = endings[Int(-2 - entry)]
            state.row = ending.row
            return ending.marks
        }
    }

    /// Continues as long as the rows are known: to a text's end, or to an entry that is not known
    /// yet.
    private func step(in bytes: Span<UInt8>, from position: inout Int, state: inout State) -> Int32 {
        let columns = tree.columns.span
        let table = table.span
        var row = state.row
        var index = position
        let count = bytes.count
        while index < count {
            let entry = table[Int(row) &+ Int(columns[Int(bytes[index])])]
            index &+= 1
            guard entry >= 0 else {
                position = index
                state.row = row
                return entry
            }
            row = entry
        }
        position = index
        state.row = row
        return row
    }

    /// Finds the next state of a row at a column, and stores it in the table.
    private mutating func addEntry(from state: State, at column: UInt8) -> Int32 {
        let next = next(states[Int(state.row) / tree.width], column: Int(column))
        let row = row(of: next)
        var entry = row
        let marks = marks(of: next)
        if marks != 0 {
            entry = -2 - Int32(endings.count)
            endings.append((row, marks))
        }
        table[Int(state.row) + Int(column)] = entry
        known += 1
        return entry
    }

    /// The state after one more byte.
    private mutating func next(_ state: Int, column: Int) -> Int {
        var state = state
        while true {
            if let child = tree.child(of: state, column) { return child }
            if state == 0 { return 0 }
            state = suffix(of: state)
        }
    }

    private mutating func suffix(of state: Int) -> Int {
        if suffixes[state] >= 0 { return Int(suffixes[state]) }
        let (parent, column) = tree.parent(of: state)
        // A text of one byte ends with no other.
        let suffix = parent == 0 ? 0 : next(suffix(of: parent), column: column)
        suffixes[state] = Int32(suffix)
        return suffix
    }

    /// Returns the marks of a state: those of its own text, and of the texts that this one ends
    /// with.
    private mutating func marks(of state: Int) -> Marks {
        var (state, marks) = (state, Marks(0))
        while state != 0 {
            marks |= tree.marks(of: state)
            state = suffix(of: state)
        }
        return marks
    }

    private mutating func row(of state: Int) -> Int32 {
        if let row = rows[state] { return row }
        let row = Int32(table.count)
        table.append(contentsOf: repeatElement(-1, count: tree.width))
        states.append(state)
        rows[state] = row
        return row
    }

    /// The marks of every text that occurs in `bytes`.
    package mutating func marks(in bytes: Span<UInt8>, from start: State = State()) -> Marks {
        var all: Marks = 0
        var position = 0
        var state = start
        while position < bytes.count { all |= next(in: bytes, from: &position, state: &state) }
        return all
    }

    /// The state after a line's end.
    package mutating func afterNewline() -> State { State(row: row(of: next(0, column: Int(tree.columns[Int(UInt8(ascii: "\n"))])))) }
}

/// The search that has the most rows so far, for the next log: of ten thousand logs, only the first
/// ones make rows.
package final class SharedTriggerSearch: Sendable {
    private let search: Mutex<TriggerSearch>
    private let lazyPairs: LazyValue<TriggerPairs?>

    package init(_ tree: TriggerTree) {
        search = Mutex(TriggerSearch(tree))
        lazyPairs = LazyValue { TriggerPairs(tree) }
    }

    /// The search for long logs; `nil` if it cannot find one of the texts. It is made for the first long log, because a short one is
    /// searched sooner than it is made.
    package var pairs: TriggerPairs? { lazyPairs.get() }

    /// A search at its beginning.
    package func start() -> TriggerSearch { search.withLock { $0 } }

    /// Keeps the rows of a search that has more than the shared one.
    package func keep(_ other: TriggerSearch) {
        search.withLock { search in if other.known > search.known { search = other } }
    }
}
