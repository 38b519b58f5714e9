public import BinaryPrimitives
public import ObjectFiles

/// What the debug information says about one address.
public struct DWARFAnswer: Sendable {
    /// The functions at the address, innermost inlined call first. Empty where only a line is known.
    public var functions: [DWARFFunction] = []
    /// The line table's row for the address; its line is zero where the compiler attributes the code to no line.
    public var location: SourceLocation?
    /// The offset in `.debug_info` of the unit that covers the address.
    public var unit: Int?
    /// The unit that covers the address could not be read, or not all of it; or none covers it, and not all of them could be read.
    public var problem: DWARFError?

    /// The debug information knows the address.
    public var isKnown: Bool { !functions.isEmpty || location != nil }
}

/// A function at an address, as its debugging information entries describe it.
public struct DWARFFunction: Sendable {
    /// The linkage name, else the plain name; `nil` if the entry has neither.
    public var name: String?
    public var isInlined: Bool
    /// The function's first address; for an inlined call, that of the inlined code.
    public var entry: LinkAddress
    /// For an inlined call: where the next function of the answer calls it.
    public var callSite: SourceLocation?
}

/// Answers addresses from the debug information of one object file.
///
/// A lookup reads only the units that cover it, one at a time into buffers that are used again, so that memory does not grow with the file.
public struct DWARFReader: Sendable {
    let sections: DWARFSections

    /// - Returns: `nil` if the object has no `.debug_info`.
    public init?(_ object: ObjectFile) {
        guard let sections = DWARFSections(object: object) else { return nil }
        self.sections = sections
    }

    package init(_ sections: DWARFSections) { self.sections = sections }

    /// The answers for some addresses, in their order.
    /// - Parameter addresses: ascending. Many at once cost far less than one by one.
    public func answers(for addresses: [LinkAddress]) -> [DWARFAnswer] {
        var lookup = DWARFLookup(sections, wanted: addresses.map(\.value))
        lookup.run()
        return lookup.answers
    }
}

/// One run over the wanted addresses.
private struct DWARFLookup {
    let sections: DWARFSections
    let wanted: [UInt64]
    var answers: [DWARFAnswer]
    private let infoBuffer = ReadBuffer()
    private let lineBuffer = ReadBuffer()
    private let split: SplitUnits

    init(_ sections: DWARFSections, wanted: [UInt64]) {
        self.sections = sections
        self.wanted = wanted
        split = SplitUnits(besides: sections.file.path)
        answers = [DWARFAnswer](repeating: DWARFAnswer(), count: wanted.count)
    }

    mutating func run() {
        do throws(DWARFError) {
            let units = try UnitTable(sections)
            let found = UnitFinder(sections, units, infoBuffer).units(covering: wanted)
            if let problem = units.problem {
                for index in wanted.indices where found[index] < 0 { answers[index].problem = problem }
            }
            let indices = wanted.indices.filter { found[$0] >= 0 }.sorted { (found[$0], $0) < (found[$1], $1) }
            var rest = indices[...]
            var unitsRead = 0
            while let first = rest.first {
                let group = rest.prefix { found[$0] == found[first] }
                rest = rest.dropFirst(group.count)
                answer(Array(group), unitOffset: found[first], units)
                unitsRead += 1
                // Strings, ranges and abbreviations are read through the mapping, 64 KB at a touch: given back now and then, they do not add up to the file.
                if unitsRead % 32 == 0 { sections.file.releasePages() }
            }
        } catch {
            for index in answers.indices { answers[index].problem = error }
        }
    }

    /// Answers the addresses at `indices`, all of which the unit at `unitOffset` covers.
    private mutating func answer(_ indices: [Int], unitOffset: Int, _ units: UnitTable) {
        do throws(DWARFError) {
            let header = try units.header(at: unitOffset)
            let addresses = indices.map { wanted[$0] }
            let results = try units.withUnit(header, infoBuffer) { (unit: Unit, bytes: RawSpan) throws(DWARFError) -> [DWARFAnswer] in
                var work = UnitAnswers(unit, wanted: addresses)
                work.run(bytes, lineBuffer, units, split)
                return work.answers
            }
            for (index, result) in zip(indices, results) {
                answers[index] = result
                answers[index].unit = unitOffset
            }
        } catch {
            for index in indices { answers[index].problem = error }
        }
    }
}
