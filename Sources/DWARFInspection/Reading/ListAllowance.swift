internal import BinaryPrimitives

/// How many bytes of a section of lists may still be read for entries that refer to them.
///
/// Any number of entries may refer to one list, so that reading it for each takes the product of
/// both: 200,000 functions with one list of 20,000 ranges (`Fixtures/hostile/dwarf/many-ranges`)
/// have four billion ranges in a file of 7 KB. Once `Limits.listReading` times the section's bytes
/// are read, the lists of further entries are left out, which is said once.
final class ListAllowance {
    private let limit: Int
    /// Bytes that were read.
    private(set) var spent = 0
    private var isSaid = false
    private let say: () -> Void

    /// - Parameters:
    ///   - size: of the section.
    ///   - factor: `Limits.listReading`.
    ///   - say: is called when the first list is left out.
    init(_ size: Int, factor: Int, _ say: @escaping () -> Void) {
        // A section of a few bytes may be read as often as a larger one: it takes no time.
        limit = max(size, 1 << 16).multipliedReportingOverflow(by: factor).partialValue
        self.say = say
    }

    /// Whether another list may be read.
    var isLeft: Bool {
        if allows(spent) { return true }
        if !isSaid { say() }
        isSaid = true
        return false
    }

    /// Whether another list may be read after that many bytes.
    func allows(_ spent: Int) -> Bool { spent < limit }

    func spend(_ count: Int) { spent += min(max(0, count), limit - spent) }

    /// Goes on as if that many bytes had been read so far.
    func start(after spent: Int) {
        self.spent = min(max(0, spent), limit)
        isSaid = false
    }
}

/// How many bytes of lists were read for entries.
struct ListsRead: Sendable {
    var ranges = 0
    var locations = 0

    static func + (_ first: ListsRead, _ second: ListsRead) -> ListsRead {
        ListsRead(ranges: sum(first.ranges, second.ranges), locations: sum(first.locations, second.locations))
    }

    private static func sum(_ first: Int, _ second: Int) -> Int {
        let (sum, isOver) = first.addingReportingOverflow(second)
        return isOver ? .max : sum
    }
}

extension ListAllowance {
    /// For the lists of entries of a table of names.
    static func ofNames(_ section: SectionBytes, _ report: @escaping (String) -> Void) -> ListAllowance {
        let factor = Limits.standard.listReading
        return ListAllowance(section.count, factor: factor) {
            report(
                "names share lists of entries: when \(factor) times the bytes of their table were read, those of further names were left out"
            )
        }
    }
}
