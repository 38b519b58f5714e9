internal import BinaryPrimitives
internal import ObjectFiles

extension DWARFReader {
    /// All calls of the unit at an offset of `.debug_info`; `nil` if none is there.
    package func callSites(ofUnitAt offset: Int) -> CallSiteEntries? {
        guard let units = try? UnitTable(sections) else { return nil }
        var result: CallSiteEntries?
        withUnit(at: offset, units) { unit, bytes, units, _ in result = CallSiteReader(unit, units).read(bytes) }
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
