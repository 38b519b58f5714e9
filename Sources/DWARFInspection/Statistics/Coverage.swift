/// Variables by how much of their scope their locations cover: none of it, more than that and less
/// than a tenth, …, all of it.
struct Coverage {
    private(set) var counts = [UInt64](repeating: 0, count: 12)

    /// - Parameters:
    ///   - covered: bytes of the scope.
    ///   - scope: its bytes.
    mutating func add(covered: UInt64, of scope: UInt64) {
        if covered == 0 { return counts[0] += 1 }
        if covered >= scope { return counts[counts.count - 1] += 1 }
        // In floating point, as LLVM does.
        counts[Int(100 * Double(covered) / Double(scope)) / 10 + 1] += 1
    }

    mutating func addUncovered(_ count: UInt64) { counts[0] &+= count }
}

/// A sum that stays at its most.
struct SaturatingSum {
    private(set) var value: UInt64 = 0

    static func += (sum: inout SaturatingSum, addend: UInt64) {
        // The maximum means a sum that is too large, also where it is reached exactly.
        sum.value = sum.value != .max && sum.value < .max - addend ? sum.value + addend : .max
    }
}
