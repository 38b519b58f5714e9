/// Which subroutine is the innermost one at each address of a unit, for all addresses at once (`SubroutineFinder` finds it for some).
struct SubroutineSegments {
    /// Ascending; each reaches to the next one's start.
    private(set) var starts: [UInt64] = []
    /// For each start the subroutine; -1 where there is none.
    private(set) var subroutines: [Int32] = []

    private var order: [Int32] = []
    /// Ranges that began before the position, each on top of those that began before it or come before it in the unit.
    private var open: [Int32] = []

    /// Of several ranges the one that begins nearest before the address is the innermost, of equal ones the last of the unit: an inlined call comes after what it was inlined into. So each
    /// range covers those that began before it until it ends.
    mutating func run(_ collector: SubroutineCollector) {
        starts.removeAll(keepingCapacity: true)
        subroutines.removeAll(keepingCapacity: true)
        order.removeAll(keepingCapacity: true)
        open.removeAll(keepingCapacity: true)
        let (begin, end, owners) = (collector.starts, collector.ends, collector.owners)
        order.append(contentsOf: (0..<Int32(begin.count)))
        // Nearly sorted: the ranges of one function follow one another.
        order.sort { left, right in
            let (first, second) = (begin[Int(left)], begin[Int(right)])
            return first != second ? first < second : left < right
        }
        var next = 0
        while next < order.count || !open.isEmpty {
            // What ends at or before the next start ends first.
            let limit = next < order.count ? begin[Int(order[next])] : .max
            while let top = open.last, end[Int(top)] <= limit {
                open.removeLast()
                let position = end[Int(top)]
                while let below = open.last, end[Int(below)] <= position { open.removeLast() }
                add(position, open.last.map { owners[Int($0)] } ?? -1)
            }
            guard next < order.count else { continue }
            let range = order[next]
            next += 1
            open.append(range)
            add(begin[Int(range)], owners[Int(range)])
        }
    }

    private mutating func add(_ start: UInt64, _ subroutine: Int32) {
        if starts.last == start {
            subroutines[subroutines.count - 1] = subroutine
        } else if subroutines.last != subroutine {
            starts.append(start)
            subroutines.append(subroutine)
        }
    }
}
