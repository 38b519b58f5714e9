package import BinaryPrimitives
package import ObjectFiles
internal import Synchronization

/// Result of looking an address up in the debug information.
package struct DWARFResult: Sendable {
    /// The functions at the address, innermost inlined call first. Empty where only a line is
    /// known.
    package var functions: [DWARFFunction] = []
    /// The line table's row for the address; its line is zero where the compiler attributes the
    /// code to no line.
    package var location: SourceLocation?
    /// Which block of the location's line (DWARF 5, section 6.2.2); zero: there is but one, or the
    /// compiler does not say.
    package var discriminator: UInt64 = 0
    /// The offset in `.debug_info` of the unit that covers the address.
    package var unit: Int?
    /// The unit that covers the address could not be read, or not all of it; or none covers it, and
    /// not all of them could be read.
    package var problem: DWARFError?
    /// Details that only some tools print; `nil` unless requested.
    package var details: DWARFResultDetails?

    /// The debug information knows the address.
    package var isKnown: Bool { !functions.isEmpty || location != nil }
}

/// A function at an address, as its debugging information entries describe it.
package struct DWARFFunction: Sendable {
    /// The linkage name, else the plain name; `nil` if the entry has neither.
    package var name: String?
    package var isInlined: Bool
    /// The function's first address; for an inlined call, that of the inlined code.
    package var entry: LinkAddress
    /// For an inlined call: where the next function of the result calls it.
    package var callSite: SourceLocation?
}

/// Resolves addresses from the debug information of one object file.
///
/// A lookup reads only the units that cover it, one at a time into buffers that are used again, so
/// that memory does not grow with the file.
package struct DWARFReader: Sendable {
    package let sections: DWARFSections

    /// - Parameters:
    ///   - split: where split units are looked for.
    ///   - readsAll: all units will be read: memory matters more than the time of the first.
    /// - Returns: `nil` if the object has no `.debug_info`.
    package init?(_ object: ObjectFile, _ split: SplitLocations = SplitLocations(), readsAll: Bool = false) {
        // Checked first, because stripped programs are looked up about as often as ones with debug
        // information.
        guard object.hasDebugInformation,
            let sections = DWARFSections(object: object, splitLocations: split, keepsOnDisk: readsAll)
        else { return nil }
        self.sections = sections
    }

    package init(_ sections: DWARFSections) { self.sections = sections }

    /// The results for some addresses, in their order.
    /// - Parameters:
    ///   - addresses: ascending. Many at once cost far less than one by one.
    ///   - details: whether the results' `details` are wanted.
    ///   - calls: gets the calls of the functions that cover the addresses, if it is of this object; `nil`: they are not read.
    package func results(
        for addresses: [LinkAddress], details: DWARFDetails = .none, calls: CollectedCallSites? = nil
    ) -> [DWARFResult] {
        let calls = calls?.object === sections.object ? calls : nil
        let results = DWARFLookup(sections, wanted: addresses.map(\.value), details: details, calls: calls).run()
        calls?.add(addresses)
        return results
    }
}

/// One run over the wanted addresses.
private struct DWARFLookup {
    let sections: DWARFSections
    /// Ascending.
    let wanted: [UInt64]
    let details: DWARFDetails
    let calls: CollectedCallSites?

    init(_ sections: DWARFSections, wanted: [UInt64], details: DWARFDetails, calls: CollectedCallSites?) {
        self.sections = sections
        self.wanted = wanted
        self.details = details
        self.calls = calls
    }

    func run() -> [DWARFResult] {
        sections.lookUpWhileInflating(forAddresses: wanted.count) {
            var results = [DWARFResult](repeating: DWARFResult(), count: wanted.count)
            do throws(DWARFError) {
                let units = try UnitTable(sections)
                if units.isStreamed { readInOrder(units, &results) } else { read(units, &results) }
            } catch {
                for index in results.indices { results[index].problem = error }
            }
            return results
        }
    }

    /// Finds the units first; each is then read once, by whichever thread is free.
    private func read(_ units: UnitTable, _ results: inout [DWARFResult]) {
        let buffer = ReadBuffer()
        let finder = UnitFinder(sections, units, buffer)
        let aranges = Aranges(sections, wanted: wanted, buffer)
        let coverage = finder.coverage(of: wanted, aranges)
        noteProblem(of: units, coverage, &results)
        resolve(UnitGroup.groups(wanted, coverage), &results)
        correct(aranges, finder, units, &results)
    }

    /// Looks for the addresses that `.debug_aranges` gives to a unit that does not have them, or where no unit begins, by the units' own
    /// ranges: in a file with little debug information (`Limits.unclaimedInformation`), as all its units are read for that.
    private func correct(_ aranges: Aranges, _ finder: UnitFinder, _ units: UnitTable, _ results: inout [DWARFResult]) {
        let mistaken = Set(wanted.indices.filter { aranges.units[$0] >= 0 && !results[$0].isKnown })
        guard !mistaken.isEmpty, units.size <= sections.limits.unclaimedInformation else { return }
        var listed = UnitFinder.Coverage(units: aranges.units, starts: aranges.starts)
        for index in wanted.indices { listed.units[index] = mistaken.contains(index) ? -1 : max(0, listed.units[index]) }
        let corrected = finder.completed(listed, aranges.described, of: wanted)
        var found = results
        resolve(UnitGroup.groups(wanted, corrected) { mistaken.contains($0) }, &found)
        for index in mistaken where found[index].isKnown { results[index] = found[index] }
    }

    /// Reads the units as they pass, and what covers the addresses that the address table does not
    /// have is found on the way.
    private func readInOrder(_ units: UnitTable, _ results: inout [DWARFResult]) {
        let aranges = Aranges(sections, wanted: wanted, ReadBuffer())
        let described = UnitFinder.Coverage(units: aranges.units, starts: aranges.starts)
        let groups = UnitGroup.groups(wanted, described)
        let missing = wanted.indices.filter { described.units[$0] < 0 }
        if missing.isEmpty, inflateAlone(groups, aranges.described.ascending, units) {
            // In the units' order: their line programs and abbreviations are inflated once.
            let worker = UnitWorker(sections, details: details, calls: calls)
            for group in groups { store(worker.results(group), of: group, &results) }
            return correct(aranges, UnitFinder(sections, units, ReadBuffer()), units, &results)
        }
        let pass = UnitPass(sections, groups, missing: missing.map { wanted[$0] }, details: details, calls: calls)
        pass.run()
        for (group, part) in zip(groups, pass.resultsByGroup) { store(part, of: group, &results) }
        let finder = UnitFinder(sections, units, ReadBuffer())
        if !missing.isEmpty {
            units.adopt(pass.headers)
            if let problem = pass.problem { units.note(problem) }
            let heads = pass.heads
            let coverage = finder.completed(described, aranges.described, of: wanted) { headers, _ in
                headers.map { heads[$0.offset] ?? .empty }
            }
            noteProblem(of: units, coverage, &results)
            let late = Set(missing)
            resolve(UnitGroup.groups(wanted, coverage) { late.contains($0) }, &results)
        }
        correct(aranges, finder, units, &results)
    }

    /// Bytes of the section that are inflated until a block is found and no byte comes from before it, about.
    private static let search = 1 << 20

    /// Inflates a few units by themselves, wherever they are in a large compressed section: as many as cost less than all before
    /// the last.
    /// - Parameter starts: where units begin, by the address table.
    private func inflateAlone(_ groups: [UnitGroup], _ starts: [Int], _ units: UnitTable) -> Bool {
        // Some units before it, by two decoders, and the search for a block.
        let cost = Self.search + 12 * units.size / max(1, starts.count)
        // Those near the beginning are inflated in their order.
        let distant = groups.map(\.unit).filter { $0 >= cost }
        guard let last = distant.last, distant.count * cost < last else { return false }
        let unique = starts.enumerated().filter { $0.offset == 0 || starts[$0.offset - 1] != $0.element }.map(\.element)
        let contents = units.contents
        let sections = sections
        let isRead = Atomic(false)
        let (isDone, _) = Parallel.both(worthwhile: true) {
            defer { isRead.store(true, ordering: .relaxed) }
            return contents.inflateRecord(at: last, among: unique)
        } _: {
            sections.prepareSections()
            while !isRead.load(ordering: .relaxed), sections.prepareTexts() {}
        }
        // In a file with long names, reading the names takes longer than reading the units.
        if isDone { sections.spooledTexts?.inflateAhead() }
        return isDone
            && Parallel.map(Array(distant.dropLast()), chunk: 1) { contents.inflateRecord(at: $0, among: unique) }.allSatisfy { $0 }
    }

    private func noteProblem(of units: UnitTable, _ coverage: UnitFinder.Coverage, _ results: inout [DWARFResult]) {
        guard let problem = units.problem else { return }
        for index in wanted.indices where coverage.units[index] < 0 { results[index].problem = problem }
    }

    private func resolve(_ groups: [UnitGroup], _ results: inout [DWARFResult]) {
        let (sections, details, calls) = (sections, details, calls)
        let found = Parallel.map(groups, minPerThread: Self.minUnits, state: { UnitWorker(sections, details: details, calls: calls) }) {
            $0.results($1)
        }
        for (group, part) in zip(groups, found) { store(part, of: group, &results) }
    }

    private func store(_ part: [DWARFResult], of group: UnitGroup, _ results: inout [DWARFResult]) {
        for (index, result) in zip(group.indices, part) { results[index] = result }
    }

    /// Units from which on a thread is worth being started: some hundred microseconds' work.
    private static let minUnits = 8
}

extension DWARFReader {
    /// The versions in the headers of the units in `.debug_info`, ascending, each once.
    package func versions() -> [Int] {
        guard let units = try? UnitTable(sections) else { return [] }
        return Set(units.allHeaders().map { Int($0.version) }).sorted()
    }
}

extension DWARFReader {
    /// Gives the unit that covers an address to `body`, or its split unit if that unit is a
    /// skeleton; gives nothing if no unit covers it.
    func withUnit(covering address: UInt64, _ body: (Unit, RawSpan, UnitTable, SourcePaths) -> Void) {
        guard let units = try? UnitTable(sections) else { return }
        guard let offset = UnitFinder(sections, units, ReadBuffer()).units(covering: [address]).first, offset >= 0 else { return }
        withUnit(at: offset, units, body)
    }

    /// The same for the unit at an offset of `.debug_info`.
    func withUnit(at offset: Int, _ units: UnitTable, _ body: (Unit, RawSpan, UnitTable, SourcePaths) -> Void) {
        guard let header = try? units.header(at: offset) else { return }
        let paths = SourcePaths()
        try? units.withUnit(header, ReadBuffer()) { (unit: Unit, bytes: RawSpan) throws(DWARFError) in
            if let found = (try? SplitUnits(of: sections).find(for: unit, bytes)) ?? nil {
                try found.units.withUnit(found.header, ReadBuffer(), skeleton: unit, contribution: found.contribution) {
                    (splitUnit: Unit, splitBytes: RawSpan) throws(DWARFError) in
                    body(splitUnit, splitBytes, found.units, paths)
                }
            } else {
                body(unit, bytes, units, paths)
            }
        }
    }
}

/// The files beside an object that the reader takes parts of its debug information from, for
/// callers that use another reader on the same data.
package struct CompanionFiles: Sendable {
    /// By the offset in `.debug_info` of a skeleton unit's header: the `.dwo` file or the package
    /// that holds its split unit.
    package private(set) var splitUnits: [Int: ObjectFile] = [:]
    /// The file with the entries that `dwz` moved out of several files (`.gnu_debugaltlink`, `.debug_sup`); `nil` if there is none or it is
    /// not found.
    package private(set) var supplementary: ObjectFile?

    init(_ sections: DWARFSections) {
        supplementary = sections.supplementary?.object
        guard let units = try? UnitTable(sections) else { return }
        let split = SplitUnits(of: sections)
        let buffer = ReadBuffer()
        for header in units.allHeaders() {
            // Most files have no skeletons, and none of their units is read whole.
            guard let head = try? units.unitHead(header), head.root.splitName != nil else { continue }
            let found = try? units.withUnit(header, buffer) { (unit: Unit, bytes: RawSpan) throws(DWARFError) in
                try split.find(for: unit, bytes)
            }
            splitUnits[header.offset] = (found ?? nil)?.units.sections.object
        }
    }
}

extension DWARFReader {
    /// The files that results of this reader draw on beside the object itself.
    package func companionFiles() -> CompanionFiles { CompanionFiles(sections) }
}
