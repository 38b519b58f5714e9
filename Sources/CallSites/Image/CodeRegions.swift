internal import BinaryPrimitives
internal import ObjectFiles

/// Kind of each address range: data, or code of an instruction set, where marks say so.
struct CodeRegions: Sendable {
    enum Kind: Sendable { case code, arm, thumb, data, unknown }

    struct Region: Sendable {
        var start: UInt64
        var kind: Kind
    }

    /// Ascending; each goes up to the next.
    private let regions: [Region]
    /// Kind of the range before the first region.
    private let first: Kind

    /// All of it is code.
    static let plain = CodeRegions(marks: [], first: .code)

    /// - Parameters:
    ///   - marks: ascending.
    ///   - first: kind of the range before the first mark, and after a mark that ends.
    init(marks: [CodeMark], first: Kind) {
        self.first = first
        var regions: [Region] = []
        /// End of a mark with a size, and the kind that follows it.
        var (end, after) = (UInt64.max, first)
        func close(before address: UInt64) {
            if end < address { regions.append(Region(start: end, kind: after)) }
            end = .max
        }
        for mark in marks {
            let address = mark.address.value
            let current = regions.last?.kind ?? first
            let wasData = current == .data && end != .max
            let outer = wasData ? after : current
            close(before: address)
            let kind = Kind(mark.kind)
            if let last = regions.last, last.start == address { regions.removeLast() }
            regions.append(Region(start: address, kind: kind))
            guard let size = mark.size else { continue }
            let (sum, overflow) = address.addingReportingOverflow(size)
            end = overflow ? .max : sum
            // After data the code goes on as it was; after a function anything may be.
            after = kind == .data ? outer : first
        }
        close(before: .max)
        self.regions = regions
    }

    /// Returns the kind of the region that holds an address, and the region's range.
    func region(at address: UInt64) -> (kind: Kind, range: Range<UInt64>) {
        let low = regions.partitionPoint { $0.start > address }
        let end = low < regions.count ? regions[low].start : UInt64.max
        guard low > 0 else { return (first, 0..<end) }
        return (regions[low - 1].kind, regions[low - 1].start..<end)
    }
}

extension CodeRegions.Kind {
    fileprivate init(_ kind: CodeMark.Kind) {
        switch kind {
        case .code: self = .code
        case .arm: self = .arm
        case .thumb: self = .thumb
        case .data: self = .data
        }
    }
}

extension CodeRegions {
    /// Uses the marks of the file that has the most.
    init(of files: [ObjectFile], _ machine: Machine) {
        let isARM = if case .arm = machine { true } else { false }
        guard machine.hasMarks || files.first?.description.listsDataInCode == true else {
            self = .plain
            return
        }
        let marks = files.map { $0.codeMarks() }.max { $0.count < $1.count } ?? []
        self.init(marks: marks, first: isARM ? .unknown : .code)
    }
}
