/// Which subroutine is the innermost one at each address of a unit, for all addresses at once
/// (`SubroutineFinder` finds it for some).
struct SubroutineSegments {
    /// Ascending; each reaches to the next one's start.
    private(set) var starts: [UInt64] = []
    /// For each start the subroutine; -1 where there is none.
    private(set) var subroutines: [Int32] = []

    private var order: [Int32] = []
    private var keys: [UInt64] = []
    /// Ranges that began before the position, each on top of those that began before it or come
    /// before it in the unit.
    private var open: [Int32] = []

    /// The innermost range is the one that begins nearest before the address, and the last of equal ones in the unit: an inlined call comes
    /// after the function that it was inlined into. So each range covers those that began before it until it ends.
    /// - Parameters:
    ///   - begin: of each range, in the order of the unit.
    ///   - owners: for each range its subroutine.
    mutating func run(_ begin: [UInt64], _ end: [UInt64], _ owners: [Int32]) {
        starts.removeAll(keepingCapacity: true)
        subroutines.removeAll(keepingCapacity: true)
        order.removeAll(keepingCapacity: true)
        open.removeAll(keepingCapacity: true)
        sort(begin)
        var next = 0
        while next < order.count || !open.isEmpty {
            // Ranges that end at or before the next start end first.
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

    /// Puts the ranges into the order of their starts, those of one start into that of the unit.
    private mutating func sort(_ begin: [UInt64]) {
        let (least, greatest) = (begin.min() ?? 0, begin.max() ?? 0)
        guard greatest - least < 1 << 40, begin.count < 1 << 24 else {
            order.append(contentsOf: 0..<Int32(begin.count))
            order.sort { left, right in (begin[Int(left)], left) < (begin[Int(right)], right) }
            return
        }
        // One number each: that is what is quick to sort.
        keys.removeAll(keepingCapacity: true)
        for index in begin.indices { keys.append((begin[index] &- least) &<< 24 | UInt64(index)) }
        keys.sort()
        for key in keys { order.append(Int32(truncatingIfNeeded: key & 0xff_ffff)) }
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
