internal import BinaryPrimitives

/// Finds many literal texts in one pass over a log (Aho and Corasick's automaton): each byte is one step, however many texts there are.
///
/// This is why a log without a crash costs next to nothing, and why a further format makes none slower: the formats are only shown the lines in which one of
/// their triggers stands.
struct TriggerSearch: Sendable {
    /// A set of numbers below 128: which formats a found text belongs to.
    typealias Marks = UInt128

    /// How far the search has come: what of the texts has been read. Valid for this search only.
    struct State: Sendable {
        fileprivate var row = 0
    }

    /// For each byte, its column in the table. Bytes that occur in no text share column 0.
    private let columns: [UInt8]
    private let width: Int
    /// The next state's row for each state's row and column; rows are multiples of `width`.
    private let table: [UInt32]
    /// Rows from here on end a text.
    private let firstMarked: Int
    /// What each state from `firstMarked` on has found.
    private let marks: [Marks]

    /// - Parameter texts: what to find, and the marks of each. Empty texts are left out.
    init(_ texts: [(text: [UInt8], marks: Marks)]) {
        let texts = texts.filter { !$0.text.isEmpty }
        var columns = [UInt8](repeating: 0, count: 256)
        var width = 1
        for byte in texts.flatMap(\.text) where columns[Int(byte)] == 0 && width < 256 {
            columns[Int(byte)] = UInt8(width)
            width += 1
        }
        // The tree of all texts, a row of children for each state: -1 where there is none.
        var children = [Int32](repeating: -1, count: width)
        var found: [Marks] = [0]
        for (text, mark) in texts {
            var state = 0
            for byte in text {
                let place = state * width + Int(columns[Int(byte)])
                if children[place] < 0 {
                    children[place] = Int32(found.count)
                    children.append(contentsOf: repeatElement(-1, count: width))
                    found.append(0)
                }
                state = Int(children[place])
            }
            found[state] |= mark
        }
        // Breadth first: where a state has no child, it goes on as its longest proper suffix does.
        var suffix = [Int](repeating: 0, count: found.count)
        var queue: [Int] = []
        for column in 0..<width {
            if children[column] > 0 { queue.append(Int(children[column])) } else { children[column] = 0 }
        }
        var next = 0
        while next < queue.count {
            let state = queue[next]
            next += 1
            found[state] |= found[suffix[state]]
            for column in 0..<width {
                let child = children[state * width + column]
                let fallback = children[suffix[state] * width + column]
                if child >= 0 {
                    suffix[Int(child)] = Int(fallback)
                    queue.append(Int(child))
                } else {
                    children[state * width + column] = fallback
                }
            }
        }
        // States that end a text come last, so that one comparison tells them.
        let order = found.indices.filter { found[$0] == 0 } + found.indices.filter { found[$0] != 0 }
        var place = [Int](repeating: 0, count: found.count)
        for (index, state) in order.enumerated() { place[state] = index }
        firstMarked = (order.firstIndex { found[$0] != 0 } ?? order.count) * width
        marks = order.compactMap { found[$0] == 0 ? nil : found[$0] }
        var table: [UInt32] = []
        table.reserveCapacity(children.count)
        for state in order {
            for column in 0..<width { table.append(UInt32(place[Int(children[state * width + column])] * width)) }
        }
        self.table = table
        self.columns = columns
        self.width = width
    }

    /// Goes on to the next text.
    ///
    /// - Parameters:
    ///   - bytes: what is searched.
    ///   - position: where to begin, an index into `bytes`; moved to just behind the text that was found, or to the end.
    ///   - state: what has been read before `position`.
    /// - Returns: the marks of all texts that end there; 0 where there are no more.
    func next(in bytes: Span<UInt8>, from position: inout Int, state: inout State) -> Marks {
        let columns = columns.span
        let table = table.span
        var row = state.row
        var index = position
        let count = bytes.count
        while index < count {
            row = Int(table[row &+ Int(columns[Int(bytes[index])])])
            index &+= 1
            if row >= firstMarked { break }
        }
        position = index
        state.row = row
        return row >= firstMarked ? marks[(row &- firstMarked) / width] : 0
    }

    /// The marks of every text that stands in `bytes`.
    func marks(in bytes: Span<UInt8>) -> Marks {
        var all: Marks = 0
        var position = 0
        var state = State()
        while position < bytes.count { all |= next(in: bytes, from: &position, state: &state) }
        return all
    }

    /// The state behind a line's end.
    func afterNewline() -> State {
        State(row: Int(table[Int(columns[Int(UInt8(ascii: "\n"))])]))
    }
}
