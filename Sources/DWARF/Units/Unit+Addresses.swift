internal import BinaryPrimitives
internal import ObjectFiles

extension Unit {
    /// The largest address of the unit's size: linkers write it, or it minus one, where they
    /// removed the code (a tombstone).
    var largestAddress: UInt64 { header.addressSize == 8 ? .max : (1 << (8 * UInt64(header.addressSize))) - 1 }

    /// Whether `address` marks code that the linker removed.
    ///
    /// Older linkers leave zero, or a small addend to it, and the code's size; if the image has
    /// code at zero, the two cannot be distinguished.
    func isTombstone(_ address: UInt64) -> Bool {
        address >= largestAddress - 1 || (address == 0 && sections.zeroIsRemovedCode)
    }

    /// The address that a value of class address means; `nil` for other values.
    /// - Throws: `DWARFError` if it is an index and `.debug_addr` does not hold it.
    func address(_ value: AttributeValue) throws(DWARFError) -> UInt64? {
        switch value {
        case .address(let address): return address
        case .addressIndex(let index): return try address(at: index)
        default: return nil
        }
    }

    /// Entry `index` of the unit's part of `.debug_addr`.
    func address(at index: UInt64) throws(DWARFError) -> UInt64 {
        if let skeleton { return try skeleton.address(at: index) }
        let table = try sections.required(.addr)
        let found = table.withBytes { address(at: index, in: $0) }
        if let found { return found }
        let place = addressPlace(of: index).map { min(table.count, Int(clamping: $0)) } ?? 0
        throw DWARFError(.addr, at: place, "no address with the index \(index)")
    }

    /// Gives `.debug_addr` to `body`, for several addresses by their indexes, and the unit whose
    /// part of it counts. It is empty where there is none that can be read.
    private func withAddressTable<Result>(_ body: (RawSpan, Unit) throws(DWARFError) -> Result) throws(DWARFError) -> Result {
        if let skeleton { return try skeleton.withAddressTable(body) }
        guard let table = (try? sections.contents(.addr)) ?? nil else { return try body(RawSpan(), self) }
        return try table.withBytes { (bytes: RawSpan) throws(DWARFError) -> Result in try body(bytes, self) }
    }

    /// - Parameter table: all of `.debug_addr`.
    /// - Returns: `nil` where it has no such entry.
    private func address(at index: UInt64, in table: RawSpan) -> UInt64? {
        guard let place = addressPlace(of: index), var entry = try? table.slice(at: place, count: UInt64(header.addressSize)) else {
            return nil
        }
        return try? entry.takeUnsigned(size: header.addressSize, header.byteOrder)
    }

    private func addressPlace(of index: UInt64) -> UInt64? {
        let (distance, overflow) = index.multipliedReportingOverflow(by: UInt64(header.addressSize))
        // Without the attribute the table's own header comes first: only split units leave it out.
        let (place, overflow2) = (root.addressBase ?? 8).addingReportingOverflow(distance)
        return overflow || overflow2 ? nil : place
    }

    /// The unit's base address: what the entries of range lists count from.
    func baseAddress() throws(DWARFError) -> UInt64 {
        guard let low = root.lowPC else { return try skeleton?.baseAddress() ?? 0 }
        return try address(low) ?? 0
    }

    /// Appends the address ranges that a set of attributes describes (DWARF 5, section 2.17). Empty
    /// ranges and removed code are left out.
    func appendRanges(
        low: AttributeValue?, high: AttributeValue?, ranges: AttributeValue?, to result: inout CollectedRanges
    ) throws(DWARFError) {
        if let ranges {
            try appendRangeList(ranges, to: &result)
        } else if let low, let start = try address(low), !isTombstone(start) {
            guard let high else { return }
            let end: UInt64
            if let absolute = try address(high) {
                end = absolute
            } else if let size = high.number {
                let (sum, overflow) = start.addingReportingOverflow(size)
                guard !overflow else { return }
                end = sum
            } else {
                return
            }
            if start < end { result.ranges.append(AddressRange(start: start, end: end)) }
        }
    }

    private func appendRangeList(_ value: AttributeValue, to result: inout CollectedRanges) throws(DWARFError) {
        if header.version >= 5 {
            try appendRangeList5(value, to: &result)
        } else if let offset = value.number {
            // A split unit's lists of DWARF 4 stay in the linked file, where the skeleton says.
            guard let skeleton else { return try appendRangeList4(at: offset, to: &result) }
            let (sum, overflow) = offset.addingReportingOverflow(skeleton.root.splitRangesBase ?? 0)
            if !overflow { try skeleton.appendRangeList4(at: sum, to: &result) }
        }
    }

    /// `.debug_ranges`: pairs of addresses relative to a base (DWARF 4, section 2.17.3).
    private func appendRangeList4(at offset: UInt64, to result: inout CollectedRanges) throws(DWARFError) {
        let contents = try sections.required(.ranges)
        var base = try baseAddress()
        let (size, order, largest) = (header.addressSize, header.byteOrder, largestAddress)
        try contents.withBytes { (bytes: RawSpan) throws(DWARFError) in
            do throws(ReadError) {
                var cursor = try bytes.from(offset)
                while result.takeEntry() {
                    let start = try cursor.takeUnsigned(size: size, order)
                    let end = try cursor.takeUnsigned(size: size, order)
                    if start == 0, end == 0 { break }
                    if start == largest {
                        base = end
                    } else if start < end, base < largest - 1 {
                        // Addresses wrap within the address size, as the linker computed them.
                        let low = (base &+ start) & largest
                        let high = (base &+ end) & largest
                        if low < high, !isTombstone(low) { result.ranges.append(AddressRange(start: low, end: high)) }
                    }
                }
            } catch {
                throw DWARFError(.ranges, endingAt: bytes.byteCount, error)
            }
        }
    }

    /// `.debug_rnglists` (DWARF 5, sections 2.17.3 and 7.25).
    private func appendRangeList5(_ value: AttributeValue, to result: inout CollectedRanges) throws(DWARFError) {
        let contents = try sections.required(.rnglists)
        // Clang's lists have an index in each entry: the table is opened once for all of them.
        try withAddressTable { (addresses: RawSpan, owner: Unit) throws(DWARFError) in
            try contents.withBytes { (bytes: RawSpan) throws(DWARFError) in
                try appendRangeList5(value, in: bytes, to: &result) { (index: UInt64) throws(DWARFError) in
                    if let address = owner.address(at: index, in: addresses) { return address }
                    return try owner.address(at: index)
                }
            }
        }
    }

    private func appendRangeList5(
        _ value: AttributeValue, in bytes: RawSpan, to result: inout CollectedRanges, _ address: (UInt64) throws(DWARFError) -> UInt64
    ) throws(DWARFError) {
        var base = try baseAddress()
        var failure: DWARFError?
        do throws(ReadError) {
            var cursor = try bytes.from(try rangeListOffset(value, in: bytes))
            entries: while result.takeEntry() {
                let position = bytes.byteCount - cursor.byteCount
                guard let entry = try EncodedRange(&cursor, addressSize: header.addressSize, header.byteOrder) else {
                    let kind = bytes.byte(at: position)
                    failure = DWARFError(.rnglists, at: position, "the range list has an entry of kind \(kind): expected 0 to 7")
                    break
                }
                let (first, second) = (entry.first, entry.second)
                var start: UInt64 = 0
                var end: UInt64 = 0
                do throws(DWARFError) {
                    switch entry.kind {
                    case RangeListEntry.endOfList: break entries
                    case RangeListEntry.baseAddressx: base = try address(first)
                    case RangeListEntry.baseAddress: base = first
                    case RangeListEntry.startxEndx: (start, end) = (try address(first), try address(second))
                    case RangeListEntry.startxLength:
                        start = try address(first)
                        end = start &+ second
                    case RangeListEntry.offsetPair: if !isTombstone(base) { (start, end) = (base &+ first, base &+ second) }
                    case RangeListEntry.startEnd: (start, end) = (first, second)
                    default: (start, end) = (first, first &+ second)
                    }
                } catch {
                    failure = error
                    break entries
                }
                if start < end, !isTombstone(start) { result.ranges.append(AddressRange(start: start, end: end)) }
            }
        } catch {
            throw DWARFError(.rnglists, endingAt: bytes.byteCount, error)
        }
        if let failure { throw failure }
    }

    /// Where a list begins: as given, or entry `index` of the offsets at `DW_AT_rnglists_base`,
    /// which count from that base.
    private func rangeListOffset(_ value: AttributeValue, in bytes: RawSpan) throws(ReadError) -> UInt64 {
        guard case .rangeListIndex(let index) = value else { return value.number.map { $0 + contribution.rangeLists } ?? .max }
        let size = UInt64(header.offsetSize)
        // Without the attribute the offsets follow the section's first header: 12 bytes, or 20 in
        // the 64-bit format.
        let base = root.rangeListsBase ?? contribution.rangeLists + (size == 8 ? 20 : 12)
        let (distance, overflow) = index.multipliedReportingOverflow(by: size)
        guard !overflow, base <= UInt64(bytes.byteCount), distance <= UInt64(bytes.byteCount) else {
            throw ReadError(.outOfBytes(needed: Int(size)), bytesLeft: 0)
        }
        var entry = try bytes.slice(at: base + distance, count: size)
        let offset = try entry.takeUnsigned(size: Int(size), header.byteOrder)
        return offset <= UInt64(bytes.byteCount) ? base + offset : .max
    }
}
