internal import BinaryPrimitives
internal import ObjectFiles

extension Unit {
    /// The largest address of the unit's size: linkers write it, or it minus one, where they
    /// removed the code (a tombstone).
    var largestAddress: UInt64 { header.addressSize == 8 ? .max : (1 << (8 * UInt64(header.addressSize))) - 1 }

    /// Whether `address` marks code that the linker removed.
    ///
    /// Older linkers leave zero, or a small addend to it, and the code's size; if the image has
    /// code at zero, the end decides (`isRemoved`).
    func isTombstone(_ address: UInt64) -> Bool {
        address >= largestAddress - 1 || (address == 0 && sections.zeroIsRemovedCode)
    }

    /// Whether a range is of code that the linker removed.
    func isRemoved(_ range: Range<UInt64>) -> Bool {
        isTombstone(range.lowerBound) || (range.lowerBound == 0 && sections.isRemovedCode(upTo: range.upperBound))
    }

    /// The address that a value of class address means; `nil` for other values.
    /// - Parameter table: what `withRangeTables` gives; without, `.debug_addr` is opened.
    /// - Throws: `DWARFError` if it is an index and `.debug_addr` does not hold it.
    func address(_ value: AttributeValue, from table: RawSpan = RawSpan()) throws(DWARFError) -> UInt64? {
        switch value {
        case .address(let address): return address
        case .addressIndex(let index): return try address(at: index, from: table)
        case .addressIndexAndOffset(let index, let offset): return try address(at: index, from: table) &+ offset
        default: return nil
        }
    }

    /// Entry `index` of the unit's part of `.debug_addr`.
    func address(at index: UInt64) throws(DWARFError) -> UInt64 {
        if let skeleton { return try skeleton.address(at: index) }
        let table = try sections.required(.addr)
        let found = table.withBytes { address(at: index, in: $0) }
        if let found { return found }
        let offset = addressOffset(of: index).map { min(table.count, Int(clamping: $0)) } ?? 0
        throw DWARFError(.addr, at: offset, "no address with the index \(index)")
    }

    /// Gives what range lists are read from to `body`: `.debug_ranges` or `.debug_rnglists`, and
    /// the `.debug_addr` to which the latter's indexes refer. Each is empty where it is not at
    /// hand. For who reads all entries of the unit: opened for each list, the reference counts of
    /// sections that all threads share were more than half of the lists' time.
    func withRangeTables<Result, Failure: Error>(
        _ body: (RawSpan, RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let lists = header.version >= 5 ? sections.contentsAtHand(.rnglists) : linked.sections.contentsAtHand(.ranges)
        return try Self.withBytes(of: lists) { (lists: RawSpan) throws(Failure) -> Result in
            try Self.withBytes(of: header.version >= 5 ? linked.sections.contentsAtHand(.addr) : nil) {
                (addresses: RawSpan) throws(Failure) -> Result in
                try body(lists, addresses)
            }
        }
    }

    /// A split unit's lists of DWARF 4 stay in the linked file, as the addresses do.
    private var linked: Unit { skeleton ?? self }

    private static func withBytes<Result, Failure: Error>(
        of contents: SectionContents?, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let contents else { return try body(RawSpan()) }
        return try contents.withBytes(body)
    }

    /// - Parameter table: all of `.debug_addr`.
    /// - Returns: `nil` where it has no such entry.
    private func address(at index: UInt64, in table: RawSpan) -> UInt64? {
        guard let offset = addressOffset(of: index), var entry = try? table.slice(at: offset, count: UInt64(header.addressSize)) else {
            return nil
        }
        return try? entry.readUnsigned(size: header.addressSize, header.byteOrder)
    }

    private func addressOffset(of index: UInt64) -> UInt64? {
        let (distance, overflow) = index.multipliedReportingOverflow(by: UInt64(header.addressSize))
        // Without the attribute the table's own header comes first: only split units leave it out.
        let (offset, overflow2) = (root.addressBase ?? 8).addingReportingOverflow(distance)
        return overflow || overflow2 ? nil : offset
    }

    /// The unit's base address: what the entries of range lists count from.
    func baseAddress() throws(DWARFError) -> UInt64 {
        guard let low = root.lowPC else { return try skeleton?.baseAddress() ?? 0 }
        return try address(low) ?? 0
    }

    /// Appends the address ranges that a set of attributes describes (DWARF 5, section 2.17). Empty
    /// ranges and removed code are left out.
    /// - Parameters:
    ///   - lists: what `withRangeTables` gives, as `addresses`; without, the sections are opened.
    func appendRanges(
        low: AttributeValue?, high: AttributeValue?, ranges: AttributeValue?, _ lists: RawSpan = RawSpan(),
        _ addresses: RawSpan = RawSpan(), to result: inout CollectedRanges
    ) throws(DWARFError) {
        if let ranges {
            try appendRangeList(ranges, lists, addresses, to: &result)
        } else if case .other? = low {
            // Its addresses are not known, and lines of the function around it may be its own.
            throw DWARFError(.info, at: header.offset, "an address of the unit has a form that is not read")
        } else if let low, let start = try address(low, from: addresses) {
            guard let high else { return }
            let end: UInt64
            if let absolute = try address(high, from: addresses) {
                end = absolute
            } else if let size = high.number {
                let (sum, overflow) = start.addingReportingOverflow(size)
                guard !overflow else { return }
                end = sum
            } else {
                return
            }
            if start < end, !isRemoved(start..<end) { result.ranges.append(AddressRange(start: start, end: end)) }
        }
    }

    /// Returns the end of the code that the unit has around an address without a gap, by its root entry; `nil` if that does not have the
    /// address.
    func codeEnd(around address: UInt64) -> UInt64? {
        guard hasRanges else { return nil }
        var collected = collectedRanges()
        try? appendRanges(low: root.lowPC, high: root.highPC, ranges: root.ranges, to: &collected)
        var end: UInt64?
        for range in collected.ranges.sorted(by: { $0.start < $1.start }) where range.start <= end ?? address && range.end > end ?? address
        {
            end = range.end
        }
        return end
    }

    private func appendRangeList(
        _ value: AttributeValue, _ lists: RawSpan, _ addresses: RawSpan, to result: inout CollectedRanges
    ) throws(DWARFError) {
        if header.version >= 5 {
            if !lists.isEmpty { return try appendRangeList5(value, in: lists, addresses, to: &result) }
            // Clang's lists have an index in each entry: the table is opened once for all of them.
            let table = (try? linked.sections.contents(.addr)) ?? nil
            try sections.required(.rnglists).withBytes { (lists: RawSpan) throws(DWARFError) in
                try Self.withBytes(of: table) { (addresses: RawSpan) throws(DWARFError) in
                    try appendRangeList5(value, in: lists, addresses, to: &result)
                }
            }
        } else if let offset = value.number {
            guard let skeleton else { return try appendRangeList4(at: offset, lists, to: &result) }
            let (sum, overflow) = offset.addingReportingOverflow(skeleton.root.splitRangesBase ?? 0)
            if !overflow { try skeleton.appendRangeList4(at: sum, lists, to: &result) }
        }
    }

    /// `.debug_ranges`: pairs of addresses relative to a base (DWARF 4, section 2.17.3).
    private func appendRangeList4(at offset: UInt64, _ lists: RawSpan, to result: inout CollectedRanges) throws(DWARFError) {
        if !lists.isEmpty { return try appendRangeList4(at: offset, in: lists, to: &result) }
        try sections.required(.ranges).withBytes { (lists: RawSpan) throws(DWARFError) in
            try appendRangeList4(at: offset, in: lists, to: &result)
        }
    }

    private func appendRangeList4(at offset: UInt64, in bytes: RawSpan, to result: inout CollectedRanges) throws(DWARFError) {
        var base = try baseAddress()
        let (size, order, largest) = (header.addressSize, header.byteOrder, largestAddress)
        do throws(ReadError) {
            var cursor = try bytes.from(offset)
            while result.countEntry() {
                let start = try cursor.readUnsigned(size: size, order)
                let end = try cursor.readUnsigned(size: size, order)
                if start == 0, end == 0 { break }
                if start == largest {
                    base = end
                } else if start < end, base < largest - 1 {
                    // Addresses wrap within the address size, as the linker computed them.
                    let low = (base &+ start) & largest
                    let high = (base &+ end) & largest
                    if low < high, !isRemoved(low..<high) { result.ranges.append(AddressRange(start: low, end: high)) }
                }
            }
        } catch {
            throw DWARFError(.ranges, endingAt: bytes.byteCount, error)
        }
    }

    /// Entry `index` of the unit's part of `.debug_addr`, which is at hand.
    private func address(at index: UInt64, from table: RawSpan) throws(DWARFError) -> UInt64 {
        if let skeleton { return try skeleton.address(at: index, from: table) }
        if let address = address(at: index, in: table) { return address }
        // Which says what is wrong.
        return try address(at: index)
    }

    /// `.debug_rnglists` (DWARF 5, sections 2.17.3 and 7.25).
    private func appendRangeList5(
        _ value: AttributeValue, in bytes: RawSpan, _ addresses: RawSpan, to result: inout CollectedRanges
    ) throws(DWARFError) {
        var base = try baseAddress()
        var failure: DWARFError?
        do throws(ReadError) {
            var cursor = try bytes.from(try rangeListOffset(value, in: bytes))
            entries: while result.countEntry() {
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
                    case RangeListEntry.baseAddressx: base = try address(at: first, from: addresses)
                    case RangeListEntry.baseAddress: base = first
                    case RangeListEntry.startxEndx:
                        start = try address(at: first, from: addresses)
                        end = try address(at: second, from: addresses)
                    case RangeListEntry.startxLength:
                        start = try address(at: first, from: addresses)
                        end = start &+ second
                    case RangeListEntry.offsetPair: if !isTombstone(base) { (start, end) = (base &+ first, base &+ second) }
                    case RangeListEntry.startEnd: (start, end) = (first, second)
                    default: (start, end) = (first, first &+ second)
                    }
                } catch {
                    failure = error
                    break entries
                }
                if start < end, !isRemoved(start..<end) { result.ranges.append(AddressRange(start: start, end: end)) }
            }
        } catch {
            throw DWARFError(.rnglists, endingAt: bytes.byteCount, error)
        }
        if let failure { throw failure }
    }

    /// The offset of a list: as given, or entry `index` of the offsets at `DW_AT_rnglists_base`, which count from that base.
    private func rangeListOffset(_ value: AttributeValue, in bytes: RawSpan) throws(ReadError) -> UInt64 {
        guard case .rangeListIndex(let index) = value else {
            let (offset, isOutside) = (value.number ?? .max).addingReportingOverflow(contribution.rangeLists)
            return isOutside ? .max : offset
        }
        let size = UInt64(header.offsetSize)
        // Without the attribute the offsets follow the section's first header: 12 bytes, or 20 in
        // the 64-bit format.
        let base = root.rangeListsBase ?? contribution.rangeLists + (size == 8 ? 20 : 12)
        let (distance, overflow) = index.multipliedReportingOverflow(by: size)
        guard !overflow, base <= UInt64(bytes.byteCount), distance <= UInt64(bytes.byteCount) else {
            throw ReadError(.outOfBytes(needed: Int(size)), bytesLeft: 0)
        }
        var entry = try bytes.slice(at: base + distance, count: size)
        let offset = try entry.readUnsigned(size: Int(size), header.byteOrder)
        return offset <= UInt64(bytes.byteCount) ? base + offset : .max
    }
}
