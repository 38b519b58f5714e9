internal import BinaryPrimitives
internal import DWARF

/// Reads address ranges: `.debug_ranges` (DWARF 4, section 2.17.3) and `.debug_rnglists` (DWARF 5,
/// section 7.25).
struct RangeLists {
    /// Half-open; the end may lie before the start in damaged files.
    struct Bounds {
        var low: UInt64
        var high: UInt64
    }

    /// An entry, and where it is.
    struct Entry {
        var offset: Int
        private let encoded: EncodedRange
        /// `DW_RLE_…`
        var kind: UInt8 { encoded.kind }
        var first: UInt64 { encoded.first }
        var second: UInt64 { encoded.second }

        /// Takes the next entry of version 5.
        /// - Returns: `nil` where it is cut short or of an unknown kind.
        init?(_ cursor: inout SectionCursor, addressSize: Int) {
            offset = cursor.position
            let order = cursor.bytes.order
            let encoded = try? cursor.read { (bytes: inout RawSpan) throws(ReadError) in
                try EncodedRange(&bytes, addressSize: addressSize, order)
            }
            guard let encoded else { return nil }
            self.encoded = encoded
        }
    }
}

extension DumpContext {
    /// The address ranges of an entry, in the order in which it lists them.
    /// - Returns: `nil` if a list cannot be read.
    func ranges(of entry: DumpEntry) -> [RangeLists.Bounds]? {
        if let bounds = lowAndHigh(of: entry) { return [bounds] }
        guard let value = value(Attribute.ranges, of: entry) else { return [] }
        return ranges(value)
    }

    /// `DW_AT_low_pc` and `DW_AT_high_pc`.
    func lowAndHigh(of entry: DumpEntry) -> RangeLists.Bounds? {
        guard let low = value(Attribute.lowPC, of: entry).flatMap({ address($0) }), let high = value(Attribute.highPC, of: entry)
        else { return nil }
        return bounds(low: low, high: high)
    }

    /// - Parameter high: the value of `DW_AT_high_pc`: an address, or the bytes from `low` on.
    /// - Returns: `nil` for code that the linker removed, and for a value of another form.
    func bounds(low: UInt64, high: DumpValue) -> RangeLists.Bounds? {
        guard low != high.unit.tombstone else { return nil }
        if let end = address(high) { return RangeLists.Bounds(low: low, high: end) }
        return high.unsignedConstant.map { RangeLists.Bounds(low: low, high: low &+ $0) }
    }

    /// The offset of the list of `DW_AT_ranges`.
    func rangeListOffset(_ value: DumpValue) -> UInt64? {
        guard value.form == Form.rnglistx else {
            return value.sectionOffset
        }
        let base = bases(of: value.unit).rangeLists
        let position = base &+ value.raw &* UInt64(value.unit.offsetSize)
        return rangeLists.number(at: Int(clamping: position), size: value.unit.offsetSize).map { $0 &+ base }
    }

    /// The ranges of `DW_AT_ranges`.
    /// - Returns: `nil` if the list cannot be read, or no more lists may be read
    ///   (`rangesAllowance`).
    func ranges(_ value: DumpValue) -> [RangeLists.Bounds]? {
        guard let offset = rangeListOffset(value), rangesAllowance.isLeft else { return nil }
        return value.unit.version >= 5 ? newRanges(at: offset, value.unit) : oldRanges(at: offset, value.unit)
    }

    private func oldRanges(at offset: UInt64, _ unit: DumpUnit) -> [RangeLists.Bounds]? {
        // Those of a `.dwo` file are in the linked file.
        let start = unit.skeleton.flatMap { linked?.bases(of: $0).ranges } ?? 0
        var cursor = (linked?.ranges ?? ranges).cursor(at: Int(clamping: start &+ offset))
        let first = cursor.position
        defer { rangesAllowance.spend(cursor.position &- first) }
        var base = bases(of: unit).address
        var result: [RangeLists.Bounds] = []
        // -1 means a base here, so code that was removed is at -2.
        let removed = unit.tombstone &- 1
        while true {
            let (low, high) = (cursor.number(unit.addressSize), cursor.number(unit.addressSize))
            if cursor.isPastEnd { return nil }
            if low == 0, high == 0 { return result }
            if low == unit.tombstone {
                base = printedAddress(high)
            } else if low != removed, base != removed {
                let from = base ?? 0
                // Without a base they are addresses.
                result.append(
                    from == 0
                        ? RangeLists.Bounds(low: printedAddress(low), high: printedAddress(high))
                        : RangeLists.Bounds(low: low &+ from, high: high &+ from))
            }
        }
    }

    private func newRanges(at offset: UInt64, _ unit: DumpUnit) -> [RangeLists.Bounds]? {
        var cursor = rangeLists.cursor(at: Int(clamping: offset))
        let first = cursor.position
        defer { rangesAllowance.spend(cursor.position &- first) }
        var base = bases(of: unit).address
        var result: [RangeLists.Bounds] = []
        while let entry = RangeLists.Entry(&cursor, addressSize: unit.addressSize) {
            var bounds: RangeLists.Bounds
            switch entry.kind {
            case 0: return result
            case 1:
                base = indexedAddress(entry.first, unit) ?? entry.first
                continue
            case 5:
                base = printedAddress(entry.first)
                continue
            case 4:
                guard entry.first != unit.tombstone, base != unit.tombstone else { continue }
                bounds = RangeLists.Bounds(low: entry.first &+ (base ?? 0), high: entry.second &+ (base ?? 0))
            default: bounds = absolute(entry, unit)
            }
            if bounds.low != unit.tombstone { result.append(bounds) }
        }
        return nil
    }

    /// An entry that needs no base.
    func absolute(_ entry: RangeLists.Entry, _ unit: DumpUnit) -> RangeLists.Bounds {
        let start = entry.kind <= 3 ? indexedAddress(entry.first, unit) ?? 0 : printedAddress(entry.first)
        switch entry.kind {
        case 2: return RangeLists.Bounds(low: start, high: indexedAddress(entry.second, unit) ?? 0)
        case 6: return RangeLists.Bounds(low: start, high: printedAddress(entry.second))
        default: return RangeLists.Bounds(low: start, high: start &+ entry.second)
        }
    }
}
