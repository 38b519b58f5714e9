internal import BinaryPrimitives
internal import CLibdwarf
internal import ObjectFiles

/// One run of `ReferenceSource` over the wanted addresses.
struct ReferenceLookup {
    /// Ascending.
    private let wanted: [UInt64]
    private let removed: RemovedCode
    private let splitFiles: [Int: ObjectFile]
    /// For each wanted address, the results of the units that cover it.
    private var found: [[UnitResult]]
    private var gaps: [[ReferenceResult.Gap]]
    /// First error of reading a unit: an address that no unit covers may be in the part that libdwarf could
    /// not read.
    private var problem: InspectionError?

    private struct UnitResult {
        /// Each chain is innermost first. If there are several, none of them is inside of another.
        var chains: [[AddressResult.Function]]
        /// One location for each sequence that covers the address.
        var locations: [SourceLocation?]
    }

    init(wanted: [UInt64], zeroIsRemovedCode: Bool, splitFiles: [Int: ObjectFile]) {
        self.wanted = wanted
        self.splitFiles = splitFiles
        removed = RemovedCode(zeroIsRemoved: zeroIsRemovedCode)
        found = wanted.map { _ in [] }
        gaps = wanted.map { _ in [] }
    }

    /// - Parameter report: called with the index of each wanted address and its result, once no unread unit
    ///   can change it.
    mutating func run(_ session: LibdwarfSession, report: (Int, ReferenceResult) -> Void) throws(InspectionError) {
        InspectionPhase.units.begin()
        let (units, problem) = session.units()
        self.problem = problem
        let split = LibdwarfSplitUnits(session, splitFiles)
        var covering: [(unit: LibdwarfUnit, indices: Set<Int>)] = []
        var others: [LibdwarfUnit] = []
        /// Number of unread units that cover the address, by its index.
        var unread = [Int](repeating: 0, count: wanted.count)
        for unit in units {
            let indices = covered(by: unit, session)
            for index in indices { unread[index] += 1 }
            if indices.isEmpty { others.append(unit) } else { covering.append((unit, indices)) }
        }
        var open = Set(wanted.indices)
        for (unit, indices) in covering {
            read(unit, session, split)
            for index in indices {
                unread[index] -= 1
                guard unread[index] == 0, !found[index].isEmpty else { continue }
                open.remove(index)
                report(index, result(index))
            }
        }
        guard !open.isEmpty else { return }
        // An address outside all declared ranges may be in a unit that declares none.
        for unit in others { read(unit, session, split) }
        for index in open.sorted() { report(index, result(index)) }
    }

    /// Returns the wanted addresses in the ranges that the unit declares; none if it declares no ranges.
    private func covered(by unit: LibdwarfUnit, _ session: LibdwarfSession) -> Set<Int> {
        guard let root = session.entry(at: unit.root), let ranges = ranges(ofUnit: root) else { return [] }
        return Set(ranges.lazy.flatMap { indices(in: $0) })
    }

    /// Returns the ranges that a unit declares; `nil` if it declares none, or they cannot be read.
    private func ranges(ofUnit root: borrowing LibdwarfEntry) -> [Range<UInt64>]? {
        let ranges = (try? root.addressRanges(base: root.lowAddress ?? 0)) ?? nil
        return ranges?.filter { !removed.isRemoved($0.lowerBound) }
    }

    /// Returns the wanted addresses in a range.
    private func indices(in range: Range<UInt64>) -> Range<Int> {
        let low = firstWanted(notBelow: range.lowerBound)
        return low..<max(low, firstWanted(notBelow: range.upperBound))
    }

    private func firstWanted(notBelow address: UInt64) -> Int {
        wanted.partitionPoint { $0 >= address }
    }

    private mutating func read(_ unit: LibdwarfUnit, _ session: LibdwarfSession, _ split: LibdwarfSplitUnits) {
        InspectionPhase.units.begin()
        guard let root = session.entry(at: unit.root) else { return }
        var unitGaps: [ReferenceResult.Gap] = []
        var unitProblem: InspectionError?
        /// Session with the functions' names.
        var source = session
        var subroutines = ReferenceSubroutines(base: root.lowAddress ?? 0, removed)
        do throws(InspectionError) {
            if root.has(DW_AT_dwo_name) || root.has(DW_AT_GNU_dwo_name) {
                if let found = try split.find(for: unit), let splitRoot = found.addresses.entry(at: found.root) {
                    source = found.names
                    try visit(splitRoot, &subroutines)
                } else {
                    unitGaps.append(.splitUnit)
                    try visit(root, &subroutines)
                }
            } else {
                try visit(root, &subroutines)
            }
        } catch {
            unitProblem = error
        }
        if let directory = root.attribute(DW_AT_comp_dir), directory.isElsewhere, directory.string == nil {
            unitGaps.append(.supplementaryFile)
        }
        InspectionPhase.lines.begin()
        var lines: LibdwarfLines?
        do throws(InspectionError) { lines = try root.lines() } catch { unitProblem = error }
        let ranges = self.ranges(ofUnit: root)
        let rows = lines.map { self.rows(of: $0, in: ranges) } ?? [:]
        let names = ReferenceNames(files: lines?.files ?? [:])
        for index in Set(subroutines.chains.keys).union(rows.keys).sorted() {
            var gaps: [ReferenceResult.Gap] = (unitProblem.map { [.unreadable($0.problem)] } ?? []) + unitGaps
            if !subroutines.chains[index, default: []].isEmpty, let ranges, !ranges.contains(where: { $0.contains(wanted[index]) }) {
                gaps.append(.outsideUnit)
            }
            let chains = (subroutines.chains[index] ?? []).map { chain in
                chain.map { names.function($0, source, &gaps) }
            }
            let locations = (rows[index] ?? []).map { names.location($0.file, $0.line, $0.column) }
            if rows[index]?.first?.isFileDoubtful ?? false, let first = lines?.files[1] { gaps.append(.firstFile(first)) }
            found[index].append(UnitResult(chains: chains, locations: locations))
            for gap in gaps where !self.gaps[index].contains(gap) { self.gaps[index].append(gap) }
        }
        // Only a unit that covers the address can have lost it; an unreadable unit does not show which one
        // that is.
        if let unitProblem, problem == nil { problem = unitProblem }
    }

    /// Returns for each wanted address the rows that cover it: in each sequence the last row at or before it.
    /// - Parameter ranges: the unit's ranges. A sequence continues through the padding between functions,
    ///   which is not the unit's code.
    private func rows(of lines: LibdwarfLines, in ranges: [Range<UInt64>]?) -> [Int: [LibdwarfLines.Row]] {
        var result: [Int: [LibdwarfLines.Row]] = [:]
        var start = 0
        for (position, row) in lines.rows.enumerated() where row.endsSequence {
            let sequence = lines.rows[start...position]
            start = position + 1
            guard let first = sequence.first, !removed.isRemoved(first.address) else { continue }
            for (row, next) in zip(sequence, sequence.dropFirst()) where row.address < next.address {
                for index in indices(in: row.address..<next.address)
                where ranges?.contains(where: { $0.contains(wanted[index]) }) ?? true {
                    result[index, default: []].append(row)
                }
            }
        }
        return result
    }

    private func visit(_ root: borrowing LibdwarfEntry, _ subroutines: inout ReferenceSubroutines) throws(InspectionError) {
        try root.forEachDescendant { (entry, depth) throws(InspectionError) in
            try subroutines.visit(entry, depth: depth, indices(in:))
        }
    }

    /// Returns the result for one wanted address from the units that were read.
    private func result(_ index: Int) -> ReferenceResult {
        // A unit with the function comes before those with only a line.
        let units = found[index].filter { !$0.chains.isEmpty } + found[index].filter { $0.chains.isEmpty }
        var results: [AddressResult] = []
        for unit in units {
            for chain in unit.chains.isEmpty ? [[]] : unit.chains {
                for location in unit.locations.isEmpty ? [nil] : unit.locations {
                    let result = AddressResult(functions: chain, location: location)
                    if !results.contains(result) { results.append(result) }
                }
            }
        }
        var gaps = gaps[index]
        if results.isEmpty, let problem { gaps.append(.unreadable(problem.problem)) }
        return ReferenceResult(results.first ?? AddressResult(), alternatives: Array(results.dropFirst()), gaps: gaps)
    }
}
