internal import BinaryPrimitives
internal import DWARF

/// The value of an attribute, according to its form.
struct DumpValue {
    /// `DW_FORM_…`, after `DW_FORM_indirect`.
    var form: UInt16
    /// A number, an offset, an index, or how many bytes a block has.
    var raw: UInt64
    /// The bytes of a block or of a string that is stored here; empty otherwise.
    var bytes: Range<Int>
    private(set) var unit: DumpUnit
}

/// Text of a file: where it is.
struct DumpText {
    var section: SectionBytes
    var range: Range<Int>

    var bytes: [UInt8] { section.bytes(in: range) }
}

extension DumpValue {
    /// Reads the value at the cursor. Past the section's end it is zero, and the cursor says so.
    /// - Returns: `nil` if the form is not known, so that nothing after it can be read either.
    @inline(__always)
    init?(_ specification: AttributeSpecification, _ cursor: inout SectionCursor, _ unit: DumpUnit) {
        self.unit = unit
        (form, raw, bytes) = (specification.form, 0, 0..<0)
        // Nearly all are numbers of a fixed size.
        if 1...8 ~= specification.step.code {
            raw = cursor.number(Int(specification.step.code))
            return
        }
        let sizes = unit.sizes
        do throws(ReadError) {
            let value = try cursor.read { (bytes: inout RawSpan) throws(ReadError) in
                try bytes.readRawValue(specification.form, specification.step, implicit: specification.implicit, sizes)
            }
            form = value.form
            let start = cursor.bytes.count - value.bytesBeforeEnd
            if value.bytesBeforeEnd > 0 { bytes = start..<start + value.count }
            raw = form == Form.string ? UInt64(start) : value.number
        } catch {
            if case .unknownForm = error.kind { return nil }
        }
    }

    init?(form: UInt16, _ cursor: inout SectionCursor, _ unit: DumpUnit) {
        self.init(AttributeSpecification(form: form, unit.sizes), &cursor, unit)
    }

    /// A constant or a flag, as it is; not one that has a sign.
    var unsignedConstant: UInt64? { isConstant && form != Form.sdata ? raw : nil }

    /// With the sign that its size gives it.
    var signedConstant: Int64? {
        guard isConstant, !(form == Form.udata && raw > UInt64(Int64.max)) else { return nil }
        switch form {
        case Form.data1: return Int64(Int8(truncatingIfNeeded: raw))
        case Form.data2: return Int64(Int16(truncatingIfNeeded: raw))
        case Form.data4: return Int64(Int32(truncatingIfNeeded: raw))
        default: return Int64(bitPattern: raw)
        }
    }

    private var isConstant: Bool {
        switch form {
        case Form.data1, Form.data2, Form.data4, Form.data8, Form.data16, Form.sdata, Form.udata, Form.implicitConst, Form.flag,
            Form.flagPresent:
            true
        default: false
        }
    }

    /// An offset in another section; before version 4 constants of four and eight bytes were that
    /// too.
    var isSectionOffset: Bool {
        switch form {
        case Form.secOffset, Form.loclistx, Form.rnglistx, Form.strp, Form.lineStrp: true
        case Form.data4, Form.data8: unit.version <= 3
        default: false
        }
    }

    var sectionOffset: UInt64? { isSectionOffset ? raw : nil }

    var isExpression: Bool { form == Form.exprloc }

    var isBlock: Bool {
        switch form {
        case Form.block, Form.block1, Form.block2, Form.block4: true
        default: false
        }
    }

    var isAddressIndex: Bool {
        switch form {
        case Form.addrx, Form.addrx1, Form.addrx2, Form.addrx3, Form.addrx4, Form.gnuAddrIndex, Form.llvmAddrxOffset: true
        default: false
        }
    }
}

extension DumpContext {
    /// The value of one attribute of an entry; `nil` if it has none.
    func value(_ attribute: UInt16, of entry: DumpEntry) -> DumpValue? {
        let specifications = entry.abbreviation.specifications
        guard let index = specifications.firstIndex(where: { $0.name == attribute }),
            var cursor = cursor(behind: index, of: entry), let value = DumpValue(specifications[index], &cursor, entry.unit)
        else { return nil }
        return cursor.isPastEnd ? nil : value
    }

    /// The offset after the entry's last value; `nil` where one cannot be read.
    func end(of entry: DumpEntry) -> Int? { cursor(behind: entry.abbreviation.specifications.count, of: entry)?.position }

    /// Moves past so many values of an entry; `nil` where one cannot be read.
    private func cursor(behind count: Int, of entry: DumpEntry) -> SectionCursor? {
        var cursor = section(of: entry.unit).cursor(at: entry.values)
        let isRead: Void? = try? cursor.read { (bytes: inout RawSpan) throws(ReadError) in
            try bytes.skipValues(count, of: entry.abbreviation.specifications, entry.unit.sizes)
        }
        return isRead == nil ? nil : cursor
    }

    /// The text of a string form; `nil` for other forms, and where it is outside its section.
    func string(_ value: DumpValue) -> DumpText? {
        switch value.form {
        case Form.string: return DumpText(section: section(of: value.unit), range: value.bytes)
        case Form.strp: return text(at: value.raw, strings)
        case Form.lineStrp: return text(at: value.raw, lineStrings)
        case Form.strx, Form.strx1, Form.strx2, Form.strx3, Form.strx4, Form.gnuStrIndex:
            guard let table = bases(of: value.unit).stringOffsets else { return nil }
            let position = table.start &+ (value.raw & 0xffff_ffff) &* UInt64(table.size)
            guard let offset = stringOffsets.number(at: Int(clamping: position), size: table.size) else { return nil }
            return text(at: offset, strings)
        default: return nil
        }
    }

    private func text(at offset: UInt64, _ section: SectionBytes) -> DumpText? {
        section.name(at: Int(clamping: offset)).map { DumpText(section: section, range: $0) }
    }

    /// The address of an address form; `nil` for other forms, and where an index leads outside the
    /// table.
    func address(_ value: DumpValue) -> UInt64? {
        if value.form == Form.addr { return printedAddress(value.raw) }
        guard value.isAddressIndex else { return nil }
        if value.form == Form.llvmAddrxOffset {
            return indexedAddress(value.raw >> 32, value.unit).map { $0 &+ value.raw & 0xffff_ffff }
        }
        return indexedAddress(value.raw, value.unit)
    }

    /// An entry of the unit's table of addresses.
    func indexedAddress(_ index: UInt64, _ unit: DumpUnit) -> UInt64? {
        guard let base = bases(of: unit).addressTable else {
            if let skeleton = unit.skeleton, let linked { return linked.indexedAddress(index, skeleton) }
            // A split unit's table is that of its skeleton, where there is only one.
            guard isSplit, let linked, linked.infoUnitCount == 1, let skeleton = linked.units.first else { return nil }
            return linked.indexedAddress(index, skeleton)
        }
        let position = base &+ (index & 0xffff_ffff) &* UInt64(unit.addressSize)
        return addresses.number(at: Int(clamping: position), size: unit.addressSize).map { self.printedAddress($0) }
    }

    /// An address as it is printed: in a relocatable file whose sections were given addresses, from its
    /// section's first byte.
    func printedAddress(_ address: UInt64) -> UInt64 { printsRelocated ? address : sections.printed(address) }

    /// Calls `body` with each section of a relocatable file at an address range of its own.
    func withRelocatedAddresses<Value>(_ body: () -> Value) -> Value {
        printsRelocated = true
        defer { printsRelocated = false }
        return body()
    }

    /// The entry that a reference leads to.
    func entry(referredBy value: DumpValue) -> DumpEntry? {
        switch value.form {
        case Form.ref1, Form.ref2, Form.ref4, Form.ref8, Form.refUdata:
            let offset = Int(clamping: value.raw).addingReportingOverflow(value.unit.offset)
            return offset.overflow ? nil : entry(at: offset.partialValue, in: value.unit)
        case Form.refAddr:
            let offset = Int(clamping: value.raw)
            return unit(containing: offset).flatMap { entry(at: offset, in: $0) }
        default: return nil
        }
    }

    /// The entry that an attribute of another refers to.
    func entry(_ attribute: UInt16, of entry: DumpEntry) -> DumpEntry? {
        value(attribute, of: entry).flatMap { self.entry(referredBy: $0) }
    }

    /// The type that a signature leads to, if the entry refers to one in a unit of its own; else
    /// the entry itself.
    func resolved(_ entry: DumpEntry) -> DumpEntry {
        guard let value = value(Attribute.signature, of: entry), value.form == Form.refSig8, let unit = typeUnits[value.raw],
            let type = self.entry(at: unit.offset &+ Int(clamping: unit.typeOffset), in: unit)
        else { return entry }
        return type
    }

    /// The type of an entry, or what another attribute refers to.
    func type(of entry: DumpEntry, _ attribute: UInt16 = Attribute.type) -> DumpEntry? {
        self.entry(attribute, of: entry).map { resolved($0) }
    }

    /// The value of the first of some attributes that the entry, or what it was made from, has.
    func inherited(_ attributes: [UInt16], of entry: DumpEntry) -> DumpValue? {
        var pending = [entry]
        var seen: Set<Int> = [entry.offset]
        while let entry = pending.popLast() {
            for attribute in attributes { if let value = value(attribute, of: entry) { return value } }
            for attribute in [Attribute.abstractOrigin, Attribute.specification] {
                if let origin = self.entry(attribute, of: entry), seen.insert(origin.offset).inserted, seen.count < 64 {
                    pending.append(origin)
                }
            }
        }
        return nil
    }

    /// The plain name, also where the entry has it from its origin.
    func shortName(_ entry: DumpEntry) -> DumpText? { inherited([Attribute.name], of: entry).flatMap { string($0) } }

    /// The linkage name; `nil` if it has none.
    func mangledName(_ entry: DumpEntry) -> DumpText? {
        inherited([Attribute.mipsLinkageName, Attribute.linkageName], of: entry).flatMap { string($0) }
    }

    /// The linkage name, else the plain one.
    func linkageName(_ entry: DumpEntry) -> DumpText? {
        mangledName(entry) ?? shortName(entry)
    }
}
