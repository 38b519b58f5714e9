internal import BinaryPrimitives
internal import ObjectFiles

extension DWARFReader {
    /// All calls of the unit at an offset of `.debug_info`; `nil` if none is there.
    package func callSites(ofUnitAt offset: Int) -> CallSiteEntries? {
        guard let units = try? UnitTable(sections) else { return nil }
        var result: CallSiteEntries?
        withUnit(at: offset, units) { unit, bytes, units, _ in result = CallSiteReader(unit, units, bytes).read(bytes) }
        return result
    }

    /// Gives the calls of each unit to `body`, ascending by the units' offsets. Units are read on all processors.
    /// - Parameter targets: whether the called functions are wanted; without them no unit refers to another.
    package func forEachUnitsCallSites(targets: Bool, _ body: (CallSiteEntries) -> Void) {
        guard let units = try? UnitTable(sections) else { return }
        let line = UnitLine<CallSiteEntries> { [sections] opened in
            let reader = CallSitesOfUnits(sections, opened, targets: targets)
            return { reader.read($0) }
        }
        line.forEach(units) { collected in
            if let calls = collected.made { body(calls) }
        }
    }

    /// Whether an abbreviation of the file is for calls, or the entries are in split units. Of a
    /// large file without such, the first of them are looked at.
    package var mayHaveCallSites: Bool {
        guard let contents = try? sections.contents(.abbrev) else { return false }
        return contents.withBytes(in: 0..<min(contents.count, 1 << 20), ReadBuffer()) { bytes in
            var cursor = bytes
            // One table after another; those of one unit end with a zero.
            while cursor.byteCount > 0, let code = try? cursor.readULEB128() {
                guard code != 0 else { continue }
                guard let mayHave = try? cursor.readAbbreviationOfCalls() else { break }
                if mayHave { return true }
            }
            // The rest was not read, and may have some.
            return contents.count > bytes.byteCount
        }
    }
}

/// Reads the calls of whole units, on one thread.
private final class CallSitesOfUnits {
    private let opened: OpenedUnits
    private let split: SplitUnits
    private let buffer = ReadBuffer()
    private let targets: Bool

    /// - Parameter units: the file's, if they were opened before.
    init(_ sections: DWARFSections, _ units: UnitTable?, targets: Bool) {
        opened = units.map { .table($0) } ?? OpenedUnits(sections)
        split = SplitUnits(of: sections)
        self.targets = targets
    }

    func read(_ loaded: LoadedUnits<Int>.Unit) -> UnitLine<CallSiteEntries>.Collected {
        do throws(DWARFError) {
            let units = try opened.get()
            let read = { (unit: Unit, bytes: RawSpan) throws(DWARFError) -> CallSiteEntries in
                guard let part = (try? self.split.find(for: unit, bytes)) ?? nil else { return self.calls(unit, units, bytes) }
                return try part.units.withUnit(part.header, ReadBuffer(), skeleton: unit, contribution: part.contribution) {
                    (splitUnit: Unit, splitBytes: RawSpan) throws(DWARFError) in self.calls(splitUnit, part.units, splitBytes)
                }
            }
            let calls =
                if let bytes = unsafe loaded.buffer?.bytes {
                    try units.withLoadedUnit(loaded.header, bytes, read)
                } else {
                    try units.withUnit(loaded.header, buffer, read)
                }
            return UnitLine.Collected(made: calls, problems: [])
        } catch {
            return UnitLine.Collected(made: nil, problems: [error])
        }
    }

    private func calls(_ unit: Unit, _ units: UnitTable, _ bytes: RawSpan) -> CallSiteEntries {
        CallSiteReader(unit, units, bytes, resolvesTargets: targets).read(bytes)
    }
}

extension RawSpan {
    /// Takes an abbreviation after its code.
    fileprivate mutating func readAbbreviationOfCalls() throws(ReadError) -> Bool {
        let tag = try readULEB128()
        var mayHave = tag == UInt64(Tag.callSite) || tag == UInt64(Tag.gnuCallSite)
        try skip(1)
        while true {
            let name = try readULEB128()
            let form = try readULEB128()
            if name == UInt64(Attribute.dwoName) || name == UInt64(Attribute.gnuDwoName) { mayHave = true }
            if form == UInt64(Form.implicitConst) { _ = try readSLEB128() }
            if name == 0, form == 0 { return mayHave }
        }
    }
}
