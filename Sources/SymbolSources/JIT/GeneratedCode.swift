internal import BinaryPrimitives

/// The functions that a process compiled while it ran, in the order in which it wrote them down.
///
/// Memory of discarded code is used again, so that ranges overlap: then the later function is there, and the earlier one is gone
/// as a whole.
struct GeneratedCode: Sendable {
    struct Function: Sendable, Equatable {
        /// Addresses in the process; never empty.
        var range: Range<UInt64>
        /// Range of its name in the file, without its end.
        var name: Range<Int>
        /// Its lines in the file; `nil` without them.
        var lines: Lines?
        /// Number of the record, ascending with time.
        var order: Int
    }

    /// A function's rows of lines, as its record has them.
    struct Lines: Sendable, Equatable {
        var rows: Range<Int>
        var count: Int
        /// Address of the function that the rows count from; code may have been moved after they were written.
        var start: UInt64
    }

    /// Sorted by their first addresses.
    let functions: [Function]
    /// The greatest end of a function up to each index.
    private let ends: [UInt64]

    init(_ functions: [Function]) {
        self.functions = functions.sorted { ($0.range.lowerBound, $0.order) < ($1.range.lowerBound, $1.order) }
        var ends: [UInt64] = []
        ends.reserveCapacity(functions.count)
        for function in self.functions { ends.append(max(ends.last ?? 0, function.range.upperBound)) }
        self.ends = ends
    }

    /// Returns the function at an address: the latest that has it, unless code that was written later overlaps that function.
    func function(at address: UInt64) -> Function? {
        guard let latest = latest(overlapping: address...address) else { return nil }
        let range = latest.range
        return self.latest(overlapping: range.lowerBound...range.upperBound - 1) == latest ? latest : nil
    }

    private func latest(overlapping range: ClosedRange<UInt64>) -> Function? {
        var latest: Function?
        var index = functions.partitionPoint { $0.range.lowerBound > range.upperBound }
        while index > 0, ends[index - 1] > range.lowerBound {
            index -= 1
            let function = functions[index]
            if function.range.upperBound > range.lowerBound, function.order > latest?.order ?? -1 { latest = function }
        }
        return latest
    }
}
