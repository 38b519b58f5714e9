package import BinaryPrimitives
internal import ObjectFiles

/// The calls that one unit's entries describe (DWARF 5, section 3.4).
package struct CallSiteEntries: Sendable {
    package struct Entry: Sendable, Hashable {
        /// `DW_AT_call_return_pc`, or `DW_AT_low_pc` of GNU's entries.
        package var returnAddress: LinkAddress
        /// `DW_AT_call_pc`; `nil` where the compiler does not write it, as gcc.
        package var call: LinkAddress?
        /// The first address of the function that is called; `nil` if the entry does not name one
        /// of this file.
        package var target: LinkAddress?
        /// The entry refers to a function whose address can only be found by reading the whole unit.
        package var hasOpenTarget = false
    }

    /// The offset of the unit's header: in `.debug_info` of this file, or of the file that its
    /// entries are split off to.
    package var unit: Int
    /// Ascending by their return addresses. Tail calls, which do not return, are left out.
    package var entries: [Entry] = []
    /// Address ranges of the functions that were read, ascending.
    package var functions: [Range<LinkAddress>] = []
    /// Of those, the ones whose calls all have entries, as the compiler says, where it keeps its
    /// word.
    package var complete: [Range<LinkAddress>] = []
    /// The whole unit was read, not only some functions.
    package var isWhole = true
}

extension DWARFReader {
    /// Returns for each address the `.debug_info` offset of the unit that covers it; `nil` if no unit does.
    /// - Parameter addresses: ascending.
    package func units(covering addresses: [LinkAddress]) -> [Int?] {
        guard let units = try? UnitTable(sections) else { return addresses.map { _ in nil } }
        return UnitFinder(sections, units, ReadBuffer()).units(covering: addresses.map(\.value)).map { $0 < 0 ? nil : $0 }
    }

    /// The calls of the unit at an offset of `.debug_info`; `nil` if none is there.
    /// - Parameter addresses: ascending; only functions that cover one of them are read. If no function covers one
    ///   of them, or with `nil`, the whole unit is read.
    package func callSites(ofUnitAt offset: Int, around addresses: [LinkAddress]? = nil) -> CallSiteEntries? {
        guard let units = try? UnitTable(sections) else { return nil }
        var result: CallSiteEntries?
        withUnit(at: offset, units) { unit, bytes, units, _ in
            if let addresses {
                let part = CallSiteReader(unit, units, around: addresses.map(\.value)).read(bytes)
                if addresses.allSatisfy({ part.functions.holds($0) }) { return result = part }
            }
            result = CallSiteReader(unit, units).read(bytes)
        }
        return result
    }

    /// Gives the calls of each unit to `body`, ascending by the units' offsets.
    /// - Parameter body: returns `false` to stop.
    package func forEachUnitsCallSites(_ body: (CallSiteEntries) -> Bool) {
        guard let units = try? UnitTable(sections) else { return }
        let (split, buffer) = (SplitUnits(of: sections), ReadBuffer())
        var offset: Int? = 0
        while let place = offset, place < units.size {
            let step = units.step(at: place)
            offset = step.next
            guard let header = step.header, header.coversCode else { continue }
            let found = try? units.withUnit(header, buffer) { (unit: Unit, bytes: RawSpan) throws(DWARFError) -> CallSiteEntries in
                guard let part = (try? split.find(for: unit, bytes)) ?? nil else { return CallSiteReader(unit, units).read(bytes) }
                return try part.units.withUnit(part.header, ReadBuffer(), skeleton: unit, contribution: part.contribution) {
                    (splitUnit: Unit, splitBytes: RawSpan) throws(DWARFError) in
                    CallSiteReader(splitUnit, part.units).read(splitBytes)
                }
            }
            if let found, !body(found) { return }
        }
    }

    /// Whether an abbreviation of the file is for calls, or the entries are in split units. Of a
    /// large file without such, the first of them are looked at.
    package var mayHaveCallSites: Bool {
        guard let contents = try? sections.contents(.abbrev) else { return false }
        return contents.withBytes(in: 0..<min(contents.count, 1 << 20), ReadBuffer()) { bytes in
            var cursor = bytes
            // One table after another; those of one unit end with a zero.
            while cursor.byteCount > 0, let code = try? cursor.takeULEB128() {
                guard code != 0 else { continue }
                guard let mayHave = try? cursor.takeAbbreviationOfCalls() else { break }
                if mayHave { return true }
            }
            // Where the rest was not looked at, there may be some.
            return contents.count > bytes.byteCount
        }
    }
}

extension RawSpan {
    /// Takes an abbreviation after its code.
    fileprivate mutating func takeAbbreviationOfCalls() throws(ReadError) -> Bool {
        let tag = try takeULEB128()
        var mayHave = tag == UInt64(Tag.callSite) || tag == UInt64(Tag.gnuCallSite)
        try skip(1)
        while true {
            let name = try takeULEB128()
            let form = try takeULEB128()
            if name == UInt64(Attribute.dwoName) || name == UInt64(Attribute.gnuDwoName) { mayHave = true }
            if form == UInt64(Form.implicitConst) { _ = try takeSLEB128() }
            if name == 0, form == 0 { return mayHave }
        }
    }
}

/// Reads the calls of one unit, or of some of its functions.
private struct CallSiteReader {
    private let unit: Unit
    private let references: EntryReferences
    /// Addresses whose functions are read; `nil` to read all functions.
    private let wanted: [UInt64]?
    private var collected: CollectedRanges
    private var result: CallSiteEntries
    private var found: [(entry: CallSiteEntries.Entry, origin: AttributeValue?)] = []
    /// By the place of a function's entry in the unit, also of the abstract one that a function
    /// with code comes from.
    private var starts: [Int: LinkAddress] = [:]

    /// - Parameter addresses: ascending.
    init(_ unit: Unit, _ units: UnitTable, around addresses: [UInt64]? = nil) {
        self.unit = unit
        references = EntryReferences(units: units)
        wanted = addresses
        collected = unit.collectedRanges()
        result = CallSiteEntries(unit: unit.header.offset)
        result.isWhole = addresses == nil
    }

    consuming func read(_ bytes: RawSpan) -> CallSiteEntries {
        // gcc counts the calls of a function before it says that all have entries. clang says so of
        // every function that it optimises, and leaves out calls of helpers of the runtime library
        // and calls through memory (`DwarfDebug::constructCallSiteEntryDIEs`).
        let content = EntryContent(at: unit.header.firstEntry - unit.header.offset, of: unit, bytes)
        let producer = content.flatMap { unit.string($0[Attribute.producer], bytes) } ?? ""
        walk(bytes, trusting: producer.hasPrefix("GNU "))
        result.functions.sort { $0.lowerBound < $1.lowerBound }
        result.complete.sort { $0.lowerBound < $1.lowerBound }
        for (entry, origin) in found {
            // Code that the linker removed is in no function.
            let last = LinkAddress(entry.returnAddress.value - 1)
            guard result.functions.holds(last) else { continue }
            var entry = entry
            entry.target = origin.flatMap { target(of: $0, bytes) }
            entry.hasOpenTarget = origin != nil && entry.target == nil && wanted != nil
            result.entries.append(entry)
        }
        result.entries.sort { $0.returnAddress < $1.returnAddress }
        return result
    }

    private mutating func walk(_ bytes: RawSpan, trusting isTrusted: Bool) {
        var walk = EntryWalk(unit)
        while let shape = (try? walk.next(bytes)) ?? nil {
            let abbreviation = unit.abbreviations.abbreviation(walk.code)
            var isPassedOver = wanted != nil && shape.role == .type
            switch abbreviation?.tag {
            case Tag.subprogram:
                if let abbreviation, mayBeWanted(abbreviation, at: walk.position, bytes) {
                    readFunction(at: walk.entry, bytes, isTrusted)
                } else {
                    isPassedOver = true
                }
            case Tag.callSite, Tag.gnuCallSite: readCall(at: walk.entry, bytes)
            default: break
            }
            do throws(ReadError) {
                if !isPassedOver || !shape.hasChildren {
                    try walk.pass(shape, bytes)
                } else if shape.passing == .never {
                    try walk.passAll(shape, bytes)
                } else {
                    try walk.jump(shape, bytes)
                }
            } catch {
                return
            }
        }
    }

    /// Whether a function may cover a wanted address; only its bounds are looked at.
    private func mayBeWanted(_ abbreviation: Abbreviation, at position: Int, _ bytes: RawSpan) -> Bool {
        guard let wanted else { return true }
        guard let extent = abbreviation.extent else {
            let attributes = unit.abbreviations.attributes(of: abbreviation)
            return attributes.contains { $0.name == Attribute.lowPC || $0.name == Attribute.ranges }
        }
        let sizes = unit.sizes
        guard let low = try? bytes.unsigned(size: sizes.addressSize, at: position &+ Int(extent.lowOffset), sizes.byteOrder),
            let size = try? bytes.unsigned(size: Int(extent.highSize), at: position &+ Int(extent.highOffset), sizes.byteOrder)
        else { return false }
        let index = wanted.firstIndex(notBelow: low)
        return index < wanted.count && wanted[index] - low < size
    }

    private mutating func readFunction(at position: Int, _ bytes: RawSpan, _ isTrusted: Bool) {
        guard let content = EntryContent(at: position, of: unit, bytes) else { return }
        let (low, high, list) = (content[Attribute.lowPC], content[Attribute.highPC], content[Attribute.ranges])
        guard low != nil || list != nil else { return }
        collected.removeAll()
        try? unit.appendRanges(low: low, high: high, ranges: list, to: &collected)
        let all = [Attribute.callAllCalls, Attribute.callAllSourceCalls, Attribute.gnuAllCallSites, Attribute.gnuAllSourceCallSites]
        let isComplete = isTrusted && all.contains { content[$0] != nil }
        for range in collected.ranges {
            let range = LinkAddress(range.start)..<LinkAddress(range.end)
            result.functions.append(range)
            if isComplete { result.complete.append(range) }
        }
        guard let start = collected.ranges.first.map({ LinkAddress($0.start) }) else { return }
        starts[position] = start
        for name in [Attribute.abstractOrigin, Attribute.specification] {
            if case .unitReference(let place)? = content[name], let place = Int(exactly: place) { starts[place] = start }
        }
    }

    private mutating func readCall(at position: Int, _ bytes: RawSpan) {
        guard let content = EntryContent(at: position, of: unit, bytes) else { return }
        let isTail = content[Attribute.callTailCall] ?? content[Attribute.gnuTailCall]
        let place = content[Attribute.callReturnPC] ?? (content.tag == Tag.gnuCallSite ? content[Attribute.lowPC] : nil)
        guard isTail == nil || isTail?.number == 0, let place, let address = (try? unit.address(place)) ?? nil, address > 0,
            !unit.isTombstone(address), !isPretended(content, bytes)
        else { return }
        let call = content[Attribute.callPC].flatMap { (try? unit.address($0)) ?? nil }
        let entry = CallSiteEntries.Entry(
            returnAddress: LinkAddress(address), call: call.flatMap { $0 < address ? LinkAddress($0) : nil }, target: nil)
        found.append((entry, content[Attribute.callOrigin] ?? content[Attribute.abstractOrigin]))
    }

    /// gcc takes `vzeroupper` for a call, to the address zero (`*avx_vzeroupper_callee_abi` of its
    /// `sse.md`): so in glibc's string functions.
    private func isPretended(_ content: EntryContent, _ bytes: RawSpan) -> Bool {
        guard let block = content.block(Attribute.callTarget) ?? content.block(Attribute.gnuCallSiteTarget), block.count == 1 else {
            return false
        }
        return bytes.byte(at: block.lowerBound) == Operation.lit0
    }

    private func target(of origin: AttributeValue, _ bytes: RawSpan) -> LinkAddress? {
        if case .unitReference(let place) = origin { return Int(exactly: place).flatMap { starts[$0] } }
        return references.open(origin, from: unit, bytes, in: .info) { other, _, _, content in
            guard let low = content[Attribute.lowPC], let address = (try? other.address(low)) ?? nil, !other.isTombstone(address) else {
                return nil
            }
            return LinkAddress(address)
        }
    }
}

extension [Range<LinkAddress>] {
    /// Whether one of the ranges, which ascend by their starts, holds an address. Ranges do not
    /// overlap, but where compilers err.
    package func holds(_ address: LinkAddress) -> Bool {
        var low = 0
        var high = count
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle].lowerBound <= address { low = middle + 1 } else { high = middle }
        }
        return low > 0 && self[low - 1].contains(address)
    }
}
